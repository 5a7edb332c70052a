package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

func newStop(w world.World) *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "stop [PROJECT | --all]",
		Short: "End an assistant of vomgr's now, and its chain",
		Long: `End the assistant that vomgr runs in a project now, with the chain it belongs to. PROJECT is a folder or the last
part of its path; it may be left out when only one assistant runs. An assistant you started yourself is left alone.`,
		Example: "  vomgr stop\n  vomgr stop api\n  vomgr stop --all",
		Args:    wants(cobra.MaximumNArgs(1)),

		ValidArgsFunction: completeRunning(w),
		RunE: func(_ *cobra.Command, args []string) error {
			running := runningSessions(w)
			chosen, err := choose(w, running, args, all)
			if err != nil {
				return err
			}
			failed := false
			for _, st := range chosen {
				failed = !endOne(w, st) || failed
			}
			if failed {
				return exit(statusError)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "every one")
	return c
}

// runningSessions lists the projects in which an assistant of vomgr's lives.
func runningSessions(w world.World) []chain.State {
	var running []chain.State
	all, _ := (chain.Store{Dir: w.StateDir(), Now: w.Now}).Projects() // status tells of those that cannot be read
	for _, st := range all {
		if s := st.Session; s != nil && s.Start != "" && platform.Alive(platform.Identity{Pid: s.Pid, Start: s.Start, Boot: s.Boot}) {
			running = append(running, st)
		}
	}
	return running
}

func choose(w world.World, running []chain.State, args []string, all bool) ([]chain.State, error) {
	switch {
	case all && len(args) > 0:
		return nil, usage{withHint(errors.New("either a project or --all"), "vomgr stop --all")}
	case all && len(running) > 0:
		return running, nil
	}
	one, err := chooseOne(w, running, args, "vomgr stop")
	var several severalRun
	if errors.As(err, &several) {
		err = withHint(several, "%s, or vomgr stop --all", several.hints)
	}
	return []chain.State{one}, err
}

// severalRun says that a project has to be named.
type severalRun struct {
	where []string
	hints string
}

func (e severalRun) Error() string {
	return fmt.Sprintf("%d assistants run: %s", len(e.where), strings.Join(e.where, " and "))
}

// chooseOne finds the running project that args means, a folder or the last part of its path, for the command; the only
// one where it means none. Where several could be meant none is chosen.
func chooseOne(w world.World, running []chain.State, args []string, command string) (chain.State, error) {
	meant := running
	if len(args) == 1 {
		meant = named(w, running, args[0])
	}
	switch {
	case len(meant) == 1:
		return meant[0], nil
	case len(meant) > 1:
		return chain.State{}, severalOf(w, meant, command)
	case len(args) == 1:
		return chain.State{}, withHint(fmt.Errorf("no assistant of vomgr's runs in %s", args[0]), "vomgr status")
	}
	return chain.State{}, withHint(errors.New("no assistant of vomgr's runs"), "vomgr status")
}

// named lists the running projects that name means: the one at that folder, which may be gone by now; else those whose
// path ends so.
func named(w world.World, running []chain.State, name string) []chain.State {
	dir, isDir := hook.ResolveDir(absolute(w, name))
	var ending []chain.State
	for _, st := range running {
		if isDir && st.Project == dir || st.Project == absolute(w, name) {
			return []chain.State{st}
		}
		if filepath.Base(st.Project) == name {
			ending = append(ending, st)
		}
	}
	return ending
}

// severalOf names them, each in a way that means it alone.
func severalOf(w world.World, several []chain.State, command string) error {
	ends := map[string]int{}
	for _, st := range several {
		ends[filepath.Base(st.Project)]++
	}
	var e severalRun
	var hints []string
	for _, st := range several {
		name := filepath.Base(st.Project)
		if ends[name] > 1 {
			name = w.Tilde(st.Project)
		}
		e.where = append(e.where, st.Session.Tool+" in "+w.Tilde(st.Project))
		hints = append(hints, command+" "+name)
	}
	e.hints = strings.Join(hints, ", ")
	return withHint(e, "%s", e.hints)
}

// endOne ends one session and says what became of it.
func endOne(w world.World, st chain.State) (ok bool) {
	ended, err := hook.End(w, st.Project)
	if err != nil {
		fmt.Fprintf(w.Stderr, "vomgr: %s in %s was not ended: %s\n", st.Session.Tool, w.Tilde(st.Project), err)
		return false
	}
	how := "gone"
	if ended.Killed {
		how = "killed"
	}
	fmt.Fprintf(w.Stdout, "ended     %s in %s, pid %d and %d below it, %s in %.1f s\n",
		st.Session.Tool, w.Tilde(st.Project), st.Session.Pid, len(ended.Pids)-1, how, ended.Took.Seconds())
	return true
}
