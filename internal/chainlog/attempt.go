package chainlog

import (
	"time"

	"github.com/vexyart/vomgr/internal/history"
)

// attempt is one try at a hand-over: what came of one stop.
type attempt struct {
	hop     int
	entries []history.Entry
	ignored bool
	before  *attempt // the attempt at the same hop that was under way when this one began
}

// split sorts the entries of a chain into attempts, in the order in which they began. Several stops may be reported while
// a hand-over is under way; each of them ends at its guard, and what follows belongs to the attempt that was open before.
func split(entries []history.Entry) []*attempt {
	var all []*attempt
	open := map[int]*attempt{}
	for _, e := range entries {
		a := open[e.Hop]
		switch {
		case a == nil || e.Step == history.Called:
			if a != nil && a.ignored {
				a = a.before
			}
			a = &attempt{hop: e.Hop, before: a}
			all = append(all, a)
		case a.ignored && !afterGuard(e.Step) && a.before != nil:
			a = a.before
		case a.ignored && afterGuard(e.Step):
			a.ignored = false
		}
		a.entries = append(a.entries, e)
		if e.Step == history.Guard && e.Detail != "" && e.Error == "" {
			a.ignored = true
		}
		open[e.Hop] = a
	}
	return all
}

// afterGuard tells whether step, when it follows a guard that has something to say, shows that the stop counts all the
// same: it rests, or it is the one that ends the chain.
func afterGuard(step string) bool {
	switch step {
	case history.Rested, history.Woke, history.Prompt, history.Command, history.Job, history.Ended:
		return true
	}
	return false
}

func (a *attempt) last() history.Entry { return a.entries[len(a.entries)-1] }

// decisive returns the step that tells how the attempt stands: the last one, but what the helper says of a failure counts
// more than the launcher's word on the terminal it was opened in, which is written when the launcher gives up and bears
// the time at which that was opened.
func (a *attempt) decisive() history.Entry {
	last := a.last()
	if last.Step != history.Terminal {
		return last
	}
	said, ok := a.find(func(e history.Entry) bool {
		return (e.Step == history.Claimed || e.Step == history.Started) && !e.Time.Before(last.Time)
	})
	if ok && said.Error != "" {
		return said
	}
	return last
}

// started returns the start that the attempt led to.
func (a *attempt) started() (history.Entry, bool) {
	return a.find(func(e history.Entry) bool { return e.Step == history.Started && e.Error == "" })
}

// called returns the stop that the attempt began with.
func (a *attempt) called() (history.Entry, bool) {
	return a.find(func(e history.Entry) bool { return e.Step == history.Called })
}

func (a *attempt) find(is func(history.Entry) bool) (history.Entry, bool) {
	for i := len(a.entries) - 1; i >= 0; i-- {
		if is(a.entries[i]) {
			return a.entries[i], true
		}
	}
	return history.Entry{}, false
}

// names returns who stopped and who was to go on, as far as any step told. An assistant that a person started through
// vomgr stands in the history as its own source; nobody stopped there.
func (a *attempt) names() (source, target string) {
	for _, e := range a.entries {
		if e.Source != "" {
			source = e.Source
		}
		if e.Target != "" {
			target = e.Target
		}
	}
	if _, stopped := a.called(); !stopped && source == target {
		source = ""
	}
	return source, target
}

// stop describes an attempt from which nothing came.
func (a *attempt) stop(project string) Stop {
	first, last := a.entries[0], a.last()
	source, _ := a.names()
	for _, e := range a.entries {
		if e.Project != "" {
			project = e.Project
		}
	}
	s := Stop{Time: first.Time, Chain: first.Chain, Source: source, Project: project, Step: last.Step, Why: last.Error}
	if s.Why == "" {
		s.Why = last.Detail
	}
	return s
}

// strays sorts the stops without a chain into those that failed and those that were ignored.
func strays(entries []history.Entry, now time.Time) (failed, ignored []Stop) {
	for _, a := range split(entries) {
		switch last := a.last(); {
		case a.ignored:
			ignored = append(ignored, a.stop(""))
		case last.Error != "":
			failed = append(failed, a.stop(""))
		case now.Sub(last.Time) > patience:
			s := a.stop("")
			s.Step, s.Why = next(last.Step), unheard("the hook", last.Step)
			failed = append(failed, s)
		}
	}
	return failed, ignored
}
