package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/world"
)

func newRun(w world.World) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "run [TOOL [-- ARG...]]",
		Short: "Start an assistant here, or the hand-over that is pending here",
		Long: `Start an assistant in this terminal, under a helper, as the recorded session of this project: when it stops, the
chain goes on from it, and when the next one runs, it is ended.

With arguments behind -- the assistant gets those; without, it gets the prompt of its own template. Without a name the
hand-over that is pending in this folder is started.`,
		Example: "  vomgr run claude\n  vomgr run codex -- \"fix the failing test\"\n  vomgr run",
		Args:    wants(cobra.ArbitraryArgs),
		RunE: func(c *cobra.Command, args []string) error {
			project, err := here(w, dir)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				status, found := hook.RunPending(w, project)
				if stuck := hook.StuckJobs(w, project); !found && len(stuck) > 0 {
					j := stuck[len(stuck)-1]
					return withHint(fmt.Errorf("nothing is pending in %s; the helper of job %s died while it started %s, which may run", w.Tilde(project), j.ID, j.Target),
						"look whether %s runs there; if not: vomgr run %s", j.Target, j.Target)
				}
				if !found {
					return withHint(fmt.Errorf("nothing is pending in %s", w.Tilde(project)), "vomgr run claude, or vomgr run codex")
				}
				return status2error(status)
			}
			all, err := tools(args[:1])
			if err != nil {
				return err
			}
			if c.ArgsLenAtDash() < 0 && len(args) > 1 {
				return usage{withHint(fmt.Errorf("what is %q?", args[1]), "arguments for the assistant stand behind --: vomgr run %s -- %s", args[0], args[1])}
			}
			var passed []string
			if c.ArgsLenAtDash() > 0 {
				passed = append([]string{}, args[1:]...)
			}
			return status2error(hook.Run(w, all[0], project, passed))
		},
	}
	c.Flags().StringVarP(&dir, "directory", "C", "", "the project's folder (default: this one)")
	return c
}

// status2error passes an assistant's status on.
func status2error(status int) error {
	if status == statusOK {
		return nil
	}
	return exit(status)
}
