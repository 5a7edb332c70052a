//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// A terminal that lives for 12 s does not hold up Claude's turn.
func TestTurnIsNotHeldUp(t *testing.T) {
	const rounds = 5
	bin, err := building()
	must(t, err)
	for _, claude := range []Program{ClaudeNew, ClaudeOld} {
		var without, with []float64
		for range rounds { // in turns, so that whatever else the machine does weighs on both
			without = append(without, measured(t, claude, "", func(*testing.T, *Night) {}))
			with = append(with, measured(t, claude, bin, func(t *testing.T, n *Night) {
				t.Helper()
				n.enable(t)
				n.Set(t, "linux", `["sleep", "12"]`)
			}))
		}
		slices.Sort(without)
		slices.Sort(with)
		t.Logf("claude %s: turns without a hook %.2f, with a hook %.2f s", claude.Version, without, with)
		if d := with[rounds/2] - without[rounds/2]; d > 1.5 {
			t.Errorf("claude %s: the median turn took %.2f s longer with a hook", claude.Version, d)
		}
	}
}

// The measurement of TestTurnIsNotHeldUp sees what holds a turn up: a slow hook and, with Claude 2.1.197, a hook that returns at once
// but leaves a child with its output open. Claude 2.1.332 waits half a second for such a child (measured).
func TestTurnTimeSeesWhatHoldsItUp(t *testing.T) {
	for command, versions := range map[string][]Program{"sleep 4": {ClaudeNew, ClaudeOld}, "sleep 4 &": {ClaudeOld}} {
		for _, claude := range versions {
			took := measured(t, claude, "", func(t *testing.T, n *Night) {
				t.Helper()
				hook := []obj{{"hooks": []obj{{"type": "command", "command": command}}}}
				n.Home.Write(t, ".claude/settings.json", encode(obj{"skipDangerousModePermissionPrompt": true, "hooks": obj{"Stop": hook}}))
			})
			if took < 3.5 || took > 8 {
				t.Errorf("claude %s: the hook %q shows as %.2f s", claude.Version, command, took)
			}
		}
	}
}

// measured measures a turn in a subtest, whose home is removed at its end.
func measured(t *testing.T, claude Program, vomgr string, prepare func(*testing.T, *Night)) (seconds float64) {
	t.Helper()
	if !t.Run(claude.Version, func(t *testing.T) { seconds = turnTime(t, claude, vomgr, prepare) }) {
		t.FailNow()
	}
	return seconds
}

// turnTime is how many seconds Claude takes from the answer of one turn to the request of the next, whose prompt was typed before
// that answer: the end of the first turn, with its hooks, lies between.
func turnTime(t *testing.T, claude Program, vomgr string, prepare func(*testing.T, *Night)) float64 {
	t.Helper()
	typed := make(chan struct{})
	n := &Night{}
	n.Rig = NewRig(t, func(q Request) Reply {
		if strings.HasPrefix(q.Prompt, "first") {
			<-typed
		}
		return Reply{}
	}, vomgr, claude, CodexNow)
	n.Dir = n.Home.Project(t, "proj", "- [ ] One\n")
	prepare(t, n)
	n.Tmux.Start(t, "mine", n.Dir, commands(Claude, n.Dir, "first")...)
	n.Until(t, time.Minute, "the first prompt arrives", func() bool { return len(n.Model.Turns()) == 1 })
	n.Tmux.Type(t, "mine", "second")
	n.Tmux.Press(t, "mine", "Enter")
	n.Until(t, 10*time.Second, "the second prompt waits", func() bool { return strings.Contains(n.Tmux.Screen("mine"), "edit queued") })
	answered := time.Now()
	close(typed)
	n.Until(t, time.Minute, "the second prompt arrives", func() bool { return len(n.Model.Turns(Claude)) == 2 })
	return n.Model.Turns(Claude)[1].Time.Sub(answered).Seconds()
}
