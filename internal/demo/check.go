package demo

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vexyart/vomgr/internal/history"
)

// hookSteps are taken by the hook, helperSteps by the helper, each in this order; between them the launcher takes the
// step terminal, which it writes down once the helper has answered.
var (
	hookSteps   = []string{history.Called, history.Project, history.Preferences, history.Guard, history.Prompt, history.Command, history.Job}
	helperSteps = []string{history.Claimed, history.Started, history.Replaced, history.Recorded, history.Notified}
	allSteps    = slices.Concat(hookSteps, []string{history.Terminal}, helperSteps)
)

// place is where a step of a hand-over stands among all, from 1; 0 for others.
func place(step string) int { return slices.Index(allSteps, step) + 1 }

// chainMissing looks through the steps of a chain up to its end for the first that was not taken, or not once, or not
// in its turn.
func chainMissing(steps []history.Entry) error {
	if err := startMissing(steps); err != nil {
		return err
	}
	for hop := 1; hop <= handovers; hop++ {
		if err := hopMissing(hop, of(steps, hop)); err != nil {
			return err
		}
	}
	if err := once("the end of the chain", history.Ended, of(steps, handovers+1)); err != nil {
		return err
	}
	for _, e := range steps {
		if e.Step == history.Ended && !strings.Contains(e.Detail, "no open item") {
			return fmt.Errorf("the end of the chain: %s", e.Detail)
		}
	}
	return nil
}

// startMissing checks the start by hand, which belongs to hop 0.
func startMissing(steps []history.Entry) error {
	for _, step := range helperSteps {
		if err := once("the start by hand", step, of(steps, 0)); err != nil {
			return err
		}
	}
	return nil
}

func hopMissing(hop int, steps []history.Entry) error {
	source, target := players(hop)
	name := fmt.Sprintf("hop %d, %s -> %s", hop, source, target)
	for _, step := range allSteps {
		if err := once(name, step, steps); err != nil {
			return err
		}
	}
	for _, part := range [][]string{hookSteps, helperSteps} {
		at := -1
		for _, step := range part {
			next := slices.IndexFunc(steps, func(e history.Entry) bool { return e.Step == step })
			if next < at {
				return fmt.Errorf("%s: step %s came before %s", name, step, steps[at].Step)
			}
			at = next
		}
	}
	for _, e := range steps {
		if place(e.Step) > 0 && (e.Source != source || e.Target != target) {
			return fmt.Errorf("%s: step %s was of %s -> %s", name, e.Step, e.Source, e.Target)
		}
	}
	return nil
}

// players are the assistant that stopped and the one that goes on.
func players(hop int) (source, target string) {
	if hop%2 == 1 {
		return "claude", "codex"
	}
	return "codex", "claude"
}

// once wants step to have been taken exactly once.
func once(name, step string, steps []history.Entry) error {
	n := 0
	for _, e := range steps {
		if e.Step != step {
			continue
		}
		if e.Error != "" {
			return fmt.Errorf("%s: step %s: %s", name, step, e.Error)
		}
		n++
	}
	switch n {
	case 0:
		for _, e := range steps { // an error of another step says why
			if e.Error != "" {
				return fmt.Errorf("%s: step %s is missing; step %s: %s", name, step, e.Step, e.Error)
			}
		}
		return fmt.Errorf("%s: step %s is missing", name, step)
	case 1:
		return nil
	default:
		return fmt.Errorf("%s: step %s was taken %d times", name, step, n)
	}
}

// of picks the steps of one hop of the chain; the stops that were ignored belong to no chain.
func of(steps []history.Entry, hop int) []history.Entry {
	return slices.DeleteFunc(slices.Clone(steps), func(e history.Entry) bool { return e.Hop != hop || e.Chain == "" })
}

// endMissing checks what is known once nothing runs any more: each helper has ended, and nobody followed the calls for
// the titles of codex's threads.
func endMissing(steps []history.Entry) error {
	titles, exits := 0, 0
	for _, e := range steps {
		switch {
		case isTitle(e):
			titles++
		case e.Step == history.Exited && e.Error == "":
			exits++
		}
	}
	switch {
	case titles != (handovers+1)/2:
		return fmt.Errorf("step %s: %d calls for a title of codex's were ignored instead of %d", history.Guard, titles, (handovers+1)/2)
	case exits != handovers+1:
		return fmt.Errorf("step %s: %d helpers ended instead of %d", history.Exited, exits, handovers+1)
	}
	return nil
}

// isTitle tells whether e is the hook's answer to a call for the title of a thread.
func isTitle(e history.Entry) bool {
	return e.Chain == "" && e.Step == history.Guard && strings.Contains(e.Detail, "title")
}

// castMissing checks what the stand-ins wrote: who was started, in which order, and that nobody was started twice.
func castMissing(acts []history.Entry) error {
	var began []history.Entry
	for _, e := range acts {
		if e.Step == actBegan {
			began = append(began, e)
		}
	}
	if len(began) != handovers+1 {
		return fmt.Errorf("%d assistants were started instead of %d", len(began), handovers+1)
	}
	for i, e := range began {
		if want, _ := players(i + 1); e.Source != want {
			return fmt.Errorf("%s was started in place of %s", e.Source, want)
		}
		if e.Detail == "" {
			return errors.New(e.Source + " got no prompt")
		}
	}
	return nil
}

// because adds to err what a stand-in's hook said.
func because(err error, acts []history.Entry) error {
	for _, e := range acts {
		if complaint(e) {
			return fmt.Errorf("%w (%s's hook: %s)", err, e.Source, e.Detail)
		}
	}
	return err
}

// complaint tells whether e is an answer of a hook's with which nothing can follow.
func complaint(e history.Entry) bool { return e.Step == actHook && e.Detail != hookFine }
