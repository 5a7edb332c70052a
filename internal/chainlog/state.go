package chainlog

import (
	"strings"
	"time"

	"github.com/vexyart/vomgr/internal/history"
)

// judge finds out how the chain stands.
func (c *Chain) judge(attempts []*attempt, now time.Time) {
	if e, ok := c.over(); ok {
		c.State, c.Reason = Ended, e.Detail
		if c.Reason == "" {
			c.Reason = e.Step
		}
		if e.Step == history.TakenOver {
			c.Reason = "a person went on"
		}
		return
	}
	running, unfinished := latest(attempts)
	if unfinished != nil {
		c.judgeHandOver(unfinished, now)
		return
	}
	c.judgeTurn(running)
}

// over returns the step that ended the chain, the first of several, if nothing was started after it.
func (c *Chain) over() (end history.Entry, over bool) {
	for _, e := range c.entries {
		switch {
		case (e.Step == history.Ended || e.Step == history.TakenOver) && !over:
			end, over = e, true
		case e.Step == history.Started && e.Error == "":
			over = false
		}
	}
	return end, over
}

// latest returns the attempt that started the latest assistant, and the latest one after it that did not get as far.
func latest(attempts []*attempt) (running, unfinished *attempt) {
	for _, a := range attempts {
		if _, ok := a.started(); ok && (running == nil || a.hop >= running.hop) {
			running = a
		}
	}
	for _, a := range attempts {
		if running == nil || a.hop > running.hop {
			unfinished = a
		}
	}
	return running, unfinished
}

// judgeTurn tells what became of the assistant that was started last.
func (c *Chain) judgeTurn(a *attempt) {
	for _, e := range a.entries {
		switch {
		case e.Step == history.Started && e.Error == "":
			c.State, c.Reason, c.Broken = Running, "", nil
		case e.Step == history.Exited && closed(e):
			c.State, c.Reason = Ended, targetOf(a)+" was closed"
		case e.Step == history.Exited || e.Step == history.Crashed:
			c.broke(a, e.Time, e.Step, strings.TrimPrefix(outcome(e), e.Step+": "))
		}
	}
}

// closed tells whether an assistant left because a person closed it or its window, or somebody asked it to end: it did
// not fail.
func closed(e history.Entry) bool {
	_, status, _ := strings.Cut(e.Detail, "status ")
	switch status {
	case "0", "129", "130", "143": // hang-up, interrupt, terminate
		return e.Error == ""
	}
	return e.Detail == "replaced"
}

func targetOf(a *attempt) string {
	_, target := a.names()
	return target
}

// judgeHandOver tells how a hand-over stands that started nobody.
func (c *Chain) judgeHandOver(a *attempt, now time.Time) {
	last := a.decisive()
	late := now.Sub(last.Time) > patience
	switch {
	case last.Step == history.Rested && noTerminal(a) != "":
		c.broke(a, last.Time, history.Terminal, noTerminal(a))
	case last.Step == history.Rested:
		c.State, c.Reason = Resting, last.Detail
	case last.Step == history.Terminal && last.Error != "" && !late:
		c.State = Underway // the next way follows
	case last.Error != "":
		c.broke(a, last.Time, last.Step, last.Error)
	case !late:
		c.State = Underway
	case last.Step == history.Terminal && waiting(a):
		c.broke(a, last.Time, history.Claimed, "nothing in that terminal took the job up")
	case last.Step == history.Claimed || last.Step == history.Terminal:
		c.broke(a, last.Time, history.Started, unheard("the helper", history.Claimed))
	case last.Step == history.Job:
		c.broke(a, last.Time, history.Terminal, unheard("vomgr", last.Step))
	default:
		c.broke(a, last.Time, next(last.Step), unheard("the hook", last.Step))
	}
	if c.State == Broken && waiting(a) {
		c.State = Pending
	}
}

// noTerminal is why the latest way to a terminal failed, if it did.
func noTerminal(a *attempt) string {
	e, _ := a.find(func(e history.Entry) bool { return e.Step == history.Terminal })
	return e.Error
}

// waiting tells whether the job of a hand-over was written and not taken up.
func waiting(a *attempt) bool {
	_, written := a.find(func(e history.Entry) bool { return e.Step == history.Job && e.Error == "" })
	_, taken := a.find(func(e history.Entry) bool { return e.Step == history.Claimed || e.Step == history.Started })
	return written && !taken
}

func (c *Chain) broke(a *attempt, at time.Time, step, why string) {
	c.State = Broken
	source, target := a.names()
	c.Broken = &Break{Time: at, Hop: a.hop, Source: source, Target: target, Step: step, Why: why}
}

func unheard(who, step string) string {
	return who + " was not heard of again after the step " + step
}

// next returns the step that comes after step in a hook.
func next(step string) string {
	order := []string{
		history.Called, history.Project, history.Preferences, history.Guard, history.Prompt, history.Command, history.Job,
	}
	for i, s := range order[:len(order)-1] {
		if s == step {
			return order[i+1]
		}
	}
	return history.Prompt // after a guard, or a rest
}
