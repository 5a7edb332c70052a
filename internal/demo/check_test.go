package demo

import (
	"slices"
	"strings"
	"testing"

	"github.com/vexyart/vomgr/internal/history"
)

// whole is the history of a demo in which all went well.
func whole() []history.Entry {
	var all []history.Entry
	add := func(hop int, source, target, detail string, steps ...string) {
		for _, s := range steps {
			all = append(all, history.Entry{Chain: "c1", Hop: hop, Step: s, Source: source, Target: target, Detail: detail})
		}
	}
	add(0, "claude", "claude", "", history.Command)
	add(0, "claude", "claude", "", helperSteps...)
	for hop := 1; hop <= handovers; hop++ {
		source, target := players(hop)
		if source == "codex" {
			all = append(all, title()...)
		}
		add(hop, source, target, "", hookSteps...)
		add(hop, source, target, "", helperSteps[:2]...)
		add(hop, source, target, "", history.Terminal)
		add(hop-1, source, source, "replaced", history.Exited)
		add(hop, source, target, "", helperSteps[2:]...)
	}
	all = append(all, title()...)
	add(handovers+1, "codex", "claude", "", hookSteps[:3]...)
	add(handovers+1, "codex", "claude", "stop_when_done: TODO.md has no open item left", history.Guard, history.Ended)
	add(handovers, "claude", "codex", "codex, status 143", history.Exited)
	return all
}

func title() []history.Entry {
	return []history.Entry{
		{Step: history.Called, Source: "codex"},
		{Step: history.Project, Source: "codex"},
		{Step: history.Guard, Source: "codex", Detail: "codex's thread for the title"},
	}
}

func verdict(steps []history.Entry) error {
	if err := chainMissing(steps); err != nil {
		return err
	}
	return endMissing(steps)
}

func TestWholeChain(t *testing.T) {
	if err := verdict(whole()); err != nil {
		t.Error(err)
	}
	if n := countSteps(whole()); n != 13*handovers {
		t.Errorf("%d steps", n)
	}
}

// promised tells whether a demo without e is no whole one.
func promised(e history.Entry) bool {
	switch {
	case e.Chain == "":
		return e.Step == history.Guard
	case e.Hop == 0:
		return e.Step != history.Command
	default:
		return e.Hop <= handovers || e.Step == history.Ended
	}
}

// TestEveryStepIsMissed takes each step away, and doubles it.
func TestEveryStepIsMissed(t *testing.T) {
	for i, e := range whole() {
		if !promised(e) {
			continue
		}
		for what, steps := range map[string][]history.Entry{
			"missing": slices.Delete(whole(), i, i+1), "twice": slices.Insert(whole(), i, e),
		} {
			if err := verdict(steps); err == nil || !strings.Contains(err.Error(), "step "+e.Step) {
				t.Errorf("hop %d, %s %s: %v", e.Hop, e.Step, what, err)
			}
		}
	}
}

// TestEveryFailureIsTold makes each step of the hand-overs fail.
func TestEveryFailureIsTold(t *testing.T) {
	for i, e := range whole() {
		if place(e.Step) == 0 || !promised(e) || e.Chain == "" {
			continue
		}
		steps := whole()
		steps[i].Detail, steps[i].Error = "", "no luck"
		if err := verdict(steps); err == nil || !strings.Contains(err.Error(), "step "+e.Step+": no luck") {
			t.Errorf("hop %d, %s: %v", e.Hop, e.Step, err)
		}
	}
}

func TestOrderIsMissed(t *testing.T) {
	steps := whole()
	at := func(step string) int {
		return slices.IndexFunc(steps, func(e history.Entry) bool { return e.Hop == 2 && e.Step == step })
	}
	i, j := at(history.Replaced), at(history.Recorded)
	steps[i], steps[j] = steps[j], steps[i]
	if err := verdict(steps); err == nil || !strings.Contains(err.Error(), "hop 2, codex -> claude: step recorded came before replaced") {
		t.Error(err)
	}
}

func TestWrongPlayers(t *testing.T) {
	steps := whole()
	for i := range steps {
		if steps[i].Hop == 3 && steps[i].Step == history.Started {
			steps[i].Target = "claude"
		}
	}
	if err := verdict(steps); err == nil || !strings.Contains(err.Error(), "step started was of claude -> claude") {
		t.Error(err)
	}
}

func TestOtherEnd(t *testing.T) {
	steps := whole()
	for i := range steps {
		if steps[i].Step == history.Ended {
			steps[i].Detail = "max_handovers: 3 hand-overs"
		}
	}
	if err := verdict(steps); err == nil || !strings.Contains(err.Error(), "max_handovers") {
		t.Error(err)
	}
}

func TestCast(t *testing.T) {
	cast := func(names ...string) []history.Entry {
		var all []history.Entry
		for _, n := range names {
			all = append(all, history.Entry{Step: actBegan, Source: n, Detail: "a prompt"}, history.Entry{Step: actHook, Detail: hookFine})
		}
		return all
	}
	if err := castMissing(cast("claude", "codex", "claude", "codex")); err != nil {
		t.Error(err)
	}
	for _, wrong := range [][]history.Entry{
		nil,
		cast("claude", "codex", "claude"),
		cast("claude", "codex", "codex", "claude", "codex"),
		cast("claude", "codex", "codex", "claude"),
	} {
		if castMissing(wrong) == nil {
			t.Errorf("not missed: %v", wrong)
		}
	}
}
