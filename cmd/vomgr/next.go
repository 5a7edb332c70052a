package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/world"
)

func newNext(w world.World) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "next [TOOL]",
		Short: "Hand this project over now, as if the assistant had stopped",
		Long: `Hand this project over now: the next assistant (or TOOL) is started in a new terminal, and the one that works here
is ended, as if it had stopped.`,
		Example: "  vomgr next\n  vomgr next codex -C ~/src/api",
		Args:    wants(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			project, err := here(w, dir)
			if err != nil {
				return err
			}
			all, err := tools(args)
			if err != nil {
				return err
			}
			var target *assistant.Assistant
			if len(all) > 0 {
				target = &all[0]
			}
			err = hook.Next(w, project, target)
			if errors.Is(err, hook.ErrNothingRuns) {
				return withHint(fmt.Errorf("%s: %w", w.Tilde(project), err), "vomgr run claude")
			}
			if err != nil {
				return withHint(err, "vomgr log")
			}
			fmt.Fprintf(w.Stdout, "handed over in %s\n", w.Tilde(project))
			return nil
		},
	}
	c.Flags().StringVarP(&dir, "directory", "C", "", "the project's folder (default: this one)")
	return c
}
