// Package chainlog tells from the history what became of each chain of hand-overs, and shows it.
package chainlog

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vexyart/vomgr/internal/history"
)

// Log is what the whole history tells.
type Log struct {
	Chains  []Chain `json:"chains"`            // in the order in which they began
	Failed  []Stop  `json:"failed,omitempty"`  // stops that failed before it was known which chain they belong to
	Ignored []Stop  `json:"ignored,omitempty"` // stops that were not to be handed over, those of the chains included
}

// Stop is a stop of an assistant from which no hand-over came.
type Stop struct {
	Time    time.Time `json:"time"`
	Chain   string    `json:"chain,omitempty"`
	Source  string    `json:"source,omitempty"`
	Project string    `json:"project,omitempty"`
	Step    string    `json:"step"` // at which it ended
	Why     string    `json:"why"`
}

// State is how a chain stands.
type State string

// The states of a chain.
const (
	Running  State = "running"  // its assistant works
	Underway State = "underway" // a hand-over is on its way
	Resting  State = "resting"  // nobody works until the time its reason names
	Pending  State = "pending"  // a job waits for vomgr run
	Broken   State = "broken"   // a hand-over failed
	Ended    State = "ended"    // by a limit, by the person, because its assistant was closed
)

// Chain is a run of hand-overs in one project.
type Chain struct {
	ID        string    `json:"id"`
	Project   string    `json:"project"`
	First     time.Time `json:"first"` // its first and its last step
	Last      time.Time `json:"last"`
	HandOvers int       `json:"hand_overs"` // that ended with an assistant started
	State     State     `json:"state"`
	Reason    string    `json:"reason,omitempty"` // why it ended or rests
	Broken    *Break    `json:"broken,omitempty"` // also of a pending chain: why its job was not taken up
	Turns     []Turn    `json:"turns"`
	Notes     []Note    `json:"notes,omitempty"`
	Ignored   []Stop    `json:"ignored,omitempty"`

	entries []history.Entry
}

// Break says where a chain stopped that should have gone on.
type Break struct {
	Time   time.Time `json:"time"`
	Hop    int       `json:"hop"`
	Source string    `json:"source,omitempty"`
	Target string    `json:"target,omitempty"`
	Step   string    `json:"step"` // the step that failed, or did not come
	Why    string    `json:"why"`
}

// Turn is the work of one assistant, from its start to the stop that hop N carries on.
type Turn struct {
	Hop    int       `json:"hop"`
	Who    string    `json:"who"`
	Yours  bool      `json:"yours,omitempty"` // a person started it, not vomgr
	Start  time.Time `json:"start,omitzero"`  // not known of one that a person started
	Stop   time.Time `json:"stop,omitzero"`   // zero while it works
	Reason string    `json:"reason,omitempty"`
}

// Note is what happened to a chain besides its turns.
type Note struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to,omitzero"`
	Text string    `json:"text"`
}

// patience is how long a step may take before its absence means that it will not come: as long as a hand-over counts as
// under way.
const patience = time.Minute

// Build reads chains out of entries, which stand in the order of the history. A chain runs until the history says
// otherwise: whether its processes live is for others to find out.
func Build(entries []history.Entry, now time.Time) Log {
	byChain := map[string][]history.Entry{}
	var order []string
	for _, e := range entries {
		if _, met := byChain[e.Chain]; !met && e.Chain != "" {
			order = append(order, e.Chain)
		}
		byChain[e.Chain] = append(byChain[e.Chain], e)
	}
	var l Log
	l.Failed, l.Ignored = strays(byChain[""], now)
	for _, id := range order {
		c, ok := build(id, byChain[id], now)
		if ok {
			l.Chains = append(l.Chains, c)
		}
		l.Ignored = append(l.Ignored, c.Ignored...)
	}
	l.Failed = slices.DeleteFunc(l.Failed, l.breaks)
	slices.SortStableFunc(l.Ignored, func(a, b Stop) int { return a.Time.Compare(b.Time) })
	return l
}

// breaks tells whether a failed stop is the end of a chain, and if so notes it there: its hook failed before it could
// know the chain. That is the latest of the project, if its assistant is the one that stopped, and nothing of it is later.
func (l Log) breaks(s Stop) bool {
	for i := len(l.Chains) - 1; i >= 0; i-- {
		c := &l.Chains[i]
		if c.Project != s.Project {
			continue
		}
		if c.State != Running || len(c.Turns) == 0 || c.Last.After(s.Time) {
			return false
		}
		t := &c.Turns[len(c.Turns)-1]
		if t.Who != s.Source {
			return false
		}
		t.Stop, c.Last = s.Time, s.Time
		c.State, c.Broken = Broken, &Break{Time: s.Time, Hop: t.Hop, Source: s.Source, Step: s.Step, Why: s.Why}
		return true
	}
	return false
}

// build returns ok false for a chain that only has stops that were ignored.
func build(id string, entries []history.Entry, now time.Time) (c Chain, ok bool) {
	c = Chain{ID: id, entries: entries}
	for _, e := range entries {
		if c.Project == "" {
			c.Project = e.Project
		}
	}
	all := split(entries)
	attempts := slices.DeleteFunc(slices.Clone(all), func(a *attempt) bool { return a.ignored })
	for _, a := range all {
		if a.ignored {
			c.Ignored = append(c.Ignored, a.stop(c.Project))
		}
	}
	if len(attempts) == 0 {
		return c, false
	}
	c.First, c.Last = attempts[0].entries[0].Time, entries[0].Time
	for _, e := range entries {
		if e.Time.After(c.Last) {
			c.Last = e.Time
		}
	}
	c.Turns = turns(attempts)
	c.Notes = notes(entries)
	c.HandOvers = handOvers(attempts)
	c.judge(attempts, now)
	return c, true
}

// Steps returns the steps of hand-over hop in their order, or, when hop is negative, those of all.
func (c Chain) Steps(hop int) []history.Entry {
	if hop < 0 {
		return c.entries
	}
	var steps []history.Entry
	for _, e := range c.entries {
		if e.Hop == hop {
			steps = append(steps, e)
		}
	}
	return steps
}

// Find returns the chain that name means: its id, the beginning of one id only, or the newest of a project by the
// project's path or the last part of it.
func (l Log) Find(name string) (Chain, error) {
	var begins, of []Chain
	for _, c := range l.Chains {
		switch {
		case c.ID == name:
			return c, nil
		case strings.HasPrefix(c.ID, name):
			begins = append(begins, c)
		case c.Project == name || filepath.Base(c.Project) == name:
			of = append(of, c)
		}
	}
	switch {
	case name == "":
	case len(of) > 0:
		return of[len(of)-1], nil
	case len(begins) == 1:
		return begins[0], nil
	case len(begins) > 1:
		return Chain{}, fmt.Errorf("%d chains begin with %q; give more of the id", len(begins), name)
	}
	return Chain{}, fmt.Errorf("no chain or project %q in the history", name)
}
