package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

func newPause(w world.World) *cobra.Command {
	var length time.Duration
	c := &cobra.Command{
		Use:     "pause",
		Short:   "Let the assistants finish their answers, and start no other",
		Example: "  vomgr pause\n  vomgr pause --for 2h",
		Args:    wants(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := settings.CheckFolder(w.StateDir()); err != nil {
				return fmt.Errorf("pausing: %w", err)
			}
			var until time.Time
			if c.Flags().Changed("for") {
				if length <= 0 {
					return usage{withHint(fmt.Errorf("--for %s: want a length of time", length), "vomgr pause --for 2h")}
				}
				until = w.Now().Add(length)
			}
			if err := (chain.Store{Dir: w.StateDir(), Now: w.Now}).Pause(until); err != nil {
				return fmt.Errorf("pausing: %w", err)
			}
			when := ""
			if !until.IsZero() {
				when = " until " + until.Local().Format("15:04")
			}
			fmt.Fprintf(w.Stdout, "paused%s: answers under way are finished, then nothing is started\nhint: vomgr resume\n", when)
			return nil
		},
	}
	c.Flags().DurationVar(&length, "for", 0, "how long, like 90m or 2h (default: until vomgr resume)")
	return c
}

func newResume(w world.World) *cobra.Command {
	return &cobra.Command{
		Use:     "resume",
		Short:   "Undo pause, and list what is pending",
		Example: "  vomgr resume",
		Args:    wants(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			store := chain.Store{Dir: w.StateDir(), Now: w.Now}
			was := store.Paused() != nil
			if err := store.Resume(); err != nil {
				return fmt.Errorf("resuming: %w", err)
			}
			if was {
				fmt.Fprintln(w.Stdout, "running again")
			} else {
				fmt.Fprintln(w.Stdout, "nothing was paused")
			}
			writePending(w, store)
			return nil
		},
	}
}

// writePending lists the hand-overs that wait for a person.
func writePending(w world.World, store chain.Store) {
	for _, j := range hook.PendingJobs(store, "") {
		why := j.Rests
		if why == "" {
			why = "it was not taken by a window"
		}
		fmt.Fprintf(w.Stdout, "pending   %s -> %s in %s since %s: %s\n", j.Source, j.Target, w.Tilde(j.Project), j.Created.Local().Format("15:04"), why)
		fmt.Fprintf(w.Stdout, "hint: vomgr run -C %s\n", w.Tilde(j.Project))
	}
}
