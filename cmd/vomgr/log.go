package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/internal/chainlog"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/world"
)

// logOptions is what the person wants to see of the history.
type logOptions struct {
	steps, asJSON, all, follow bool
}

func newLog(w world.World) *cobra.Command {
	var o logOptions
	c := &cobra.Command{
		Use:   "log [CHAIN [HOP]]",
		Short: "Show what became of each chain of hand-overs",
		Long: `Show the chains at a glance; one chain's hand-overs; or the steps of one.

CHAIN is an id, the beginning of one, or a project.`,
		Example: "  vomgr log\n  vomgr log api\n  vomgr log c41 16 --steps\n  vomgr log --json",
		Args:    wants(cobra.MaximumNArgs(2)),

		ValidArgsFunction: completeChain(w),
		RunE: func(c *cobra.Command, args []string) error {
			if o.follow {
				return followLog(c, w)
			}
			return showLog(w, args, o)
		},
	}
	c.Flags().BoolVar(&o.steps, "steps", false, "each step of a chain or of one hand-over")
	c.Flags().BoolVar(&o.asJSON, "json", false, "as JSON")
	c.Flags().BoolVarP(&o.all, "all", "a", false, "also old chains and the stops that were ignored")
	c.Flags().BoolVarP(&o.follow, "follow", "f", false, "show each step as it is taken, until interrupted")
	return c
}

func historyPath(w world.World) string { return filepath.Join(w.StateDir(), "history.jsonl") }

func showLog(w world.World, args []string, o logOptions) error {
	entries, err := history.Read(historyPath(w))
	if err != nil {
		return fmt.Errorf("reading the history: %w", err)
	}
	log := chainlog.Build(entries, w.Now())
	view := chainlog.View{Now: w.Now(), Tilde: w.Tilde, All: o.all}
	if len(args) == 0 {
		if o.asJSON {
			return writeJSON(w, log)
		}
		return view.Glance(w.Stdout, log)
	}
	one, err := log.Find(args[0])
	if err != nil {
		return withHint(err, "vomgr log --all")
	}
	hop := -1
	if len(args) == 2 {
		if hop, err = strconv.Atoi(args[1]); err != nil || hop < 0 {
			return usage{withHint(fmt.Errorf("hop %q is no number", args[1]), "vomgr log %s 1", args[0])}
		}
	}
	switch {
	case o.asJSON && (hop >= 0 || o.steps):
		return writeJSON(w, one.Steps(hop))
	case o.asJSON:
		return writeJSON(w, one)
	case hop >= 0 || o.steps:
		return view.Steps(w.Stdout, one, hop)
	default:
		return view.Chain(w.Stdout, one)
	}
}

func writeJSON(w world.World, v any) error {
	e := json.NewEncoder(w.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// followLog prints steps until the command is interrupted.
func followLog(c *cobra.Command, w world.World) error {
	f := history.Follow(historyPath(w))
	view := chainlog.View{Now: w.Now(), Tilde: w.Tilde}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		entries, err := f.Next()
		if err != nil {
			return fmt.Errorf("reading the history: %w", err)
		}
		if err := view.Entries(w.Stdout, entries); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-c.Context().Done():
			return nil
		}
	}
}
