package main

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/world"
)

// seated is where an assistant's terminal is, for a program.
type seated struct {
	Project  string   `json:"project"`
	Tool     string   `json:"tool"`
	Pid      int      `json:"pid"`
	Job      string   `json:"job,omitempty"`
	Terminal string   `json:"terminal"`
	Command  []string `json:"command,omitempty"` // shows it here; none for a window on a desktop
}

func newAttach(w world.World) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "attach [PROJECT]",
		Short: "Join the terminal in which an assistant of vomgr's runs",
		Long: `Join the tmux or screen session in which the assistant that vomgr runs in a project works; of a window on a desktop,
say which it is. PROJECT is a folder or the last part of its path; it may be left out when only one assistant runs.

Leave again with ctrl-b d (tmux) or ctrl-a d (screen): the assistant goes on.`,
		Example:           "  vomgr attach\n  vomgr attach api\n  vomgr attach --json",
		Args:              wants(cobra.MaximumNArgs(1)),
		ValidArgsFunction: completeRunning(w),
		RunE: func(_ *cobra.Command, args []string) error {
			st, err := chooseOne(w, runningSessions(w), args, "vomgr attach")
			if err != nil {
				return err
			}
			who := fmt.Sprintf("%s in %s", st.Session.Tool, w.Tilde(st.Project))
			seat, err := hook.Seat(w, st)
			switch {
			case err != nil:
				return withHint(fmt.Errorf("%s: %w", who, err), "vomgr log --follow")
			case asJSON:
				return writeJSON(w, seated{st.Project, st.Session.Tool, st.Session.Pid, st.Session.Job, seat.Name, seat.Argv})
			case len(seat.Argv) == 0:
				err := fmt.Errorf("%s runs in a window that cannot be joined: %s", who, history.Printable(seat.Name))
				return withHint(err, "look there; only tmux and screen can be joined")
			case !term.IsTerminal(int(w.Stdin.Fd())):
				return withHint(errors.New("standard input is no terminal"), "vomgr attach --json says what to run in one")
			}
			err = syscall.Exec(seat.Argv[0], seat.Argv, seat.Env) // in the place of vomgr, so that ctrl-z is the multiplexer's
			return fmt.Errorf("%s: %w", seat.Argv[0], err)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "say where it is, as JSON, and join nothing")
	return c
}
