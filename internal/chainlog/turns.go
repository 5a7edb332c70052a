package chainlog

import (
	"time"

	"github.com/vexyart/vomgr/internal/history"
)

// turns lists who worked. The turn that hand-over n starts is carried on by hand-over n+1.
func turns(attempts []*attempt) []Turn {
	first, last := attempts[0].hop, attempts[0].hop
	for _, a := range attempts {
		first, last = min(first, a.hop), max(last, a.hop)
	}
	var list []Turn
	for hop := max(first, 1); hop <= last+1; hop++ {
		t := Turn{Hop: hop}
		if a, e := startOf(attempts, hop-1); a != nil {
			var source string
			source, t.Who = a.names()
			t.Start, t.Yours = e.Time, source == ""
		}
		if a := stopOf(attempts, hop); a != nil {
			t.end(a)
		}
		if t.Who == "" && t.Start.IsZero() {
			continue
		}
		if t.Stop.IsZero() {
			t.left(attempts)
		}
		list = append(list, t)
	}
	return list
}

// end is told by the attempt that carries the turn on; when no stop was reported, it does not know who worked.
func (t *Turn) end(a *attempt) {
	e, ok := a.called()
	if !ok {
		return
	}
	t.Stop, t.Reason = e.Time, e.Detail
	if source, _ := a.names(); t.Who == "" {
		t.Who, t.Yours = source, t.Hop == 1
	}
}

// left finds the end of a turn without a stop: its assistant was closed, or crashed.
func (t *Turn) left(attempts []*attempt) {
	for _, a := range attempts {
		if a.hop != t.Hop-1 {
			continue
		}
		for _, e := range a.entries {
			switch e.Step {
			case history.Exited, history.Crashed:
				t.Stop, t.Reason = e.Time, outcome(e)
			case history.Started: // once more, perhaps
				t.Stop, t.Reason = time.Time{}, ""
			}
		}
	}
}

// outcome puts a step and its detail into words.
func outcome(e history.Entry) string {
	words := e.Step
	if e.Detail != "" {
		words += ": " + e.Detail
	}
	if e.Error != "" {
		words += ": " + e.Error
	}
	return words
}

// startOf returns the attempt at hop that started an assistant, the latest if there are several.
func startOf(attempts []*attempt, hop int) (a *attempt, start history.Entry) {
	for _, try := range attempts {
		if try.hop != hop {
			continue
		}
		if e, ok := try.started(); ok {
			a, start = try, e
		}
	}
	return a, start
}

// stopOf returns the attempt that tells of the stop at hop: the one that started the next assistant, else the latest.
func stopOf(attempts []*attempt, hop int) *attempt {
	if a, _ := startOf(attempts, hop); a != nil {
		return a
	}
	var latest *attempt
	for _, a := range attempts {
		if a.hop == hop && hop > 0 {
			latest = a
		}
	}
	return latest
}

// handOvers counts the assistants started after another one stopped.
func handOvers(attempts []*attempt) int {
	hops := map[int]bool{}
	for _, a := range attempts {
		source, _ := a.names()
		if _, ok := a.started(); ok && source != "" {
			hops[a.hop] = true
		}
	}
	return len(hops)
}

// notes lists what happened besides the turns.
func notes(entries []history.Entry) []Note {
	var list []Note
	resting := -1
	for _, e := range entries {
		switch e.Step {
		case history.Rested:
			resting = len(list)
			list = append(list, Note{From: e.Time, Text: outcome(e)})
		case history.Woke:
			if resting >= 0 {
				list[resting].To = e.Time
			}
			resting = -1
		case history.Slept, history.Silent, history.Crashed, history.TakenOver, history.Ended:
			list = append(list, Note{From: e.Time, Text: outcome(e)})
		}
	}
	return list
}

// Worked is how long the turn took, until now if it still goes on; 0 when its start is not known.
func (t Turn) Worked(now time.Time) time.Duration {
	switch {
	case t.Start.IsZero():
		return 0
	case t.Stop.IsZero():
		return max(0, now.Sub(t.Start))
	}
	return max(0, t.Stop.Sub(t.Start))
}
