package chainlog

import (
	"strings"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/history"
)

var zone = time.FixedZone("", 3600)

// night is a history that a test writes as the parts of vomgr would.
type night struct {
	entries []history.Entry
	now     time.Time
	chain   string
	project string
}

func begin(chain, project, clock string) *night {
	n := &night{chain: chain, project: project, now: time.Date(2026, 11, 30, 0, 0, 0, 0, zone)}
	n.at(clock)
	return n
}

// at moves the clock on to the next hh:mm:ss.
func (n *night) at(clock string) *night {
	t, err := time.Parse("15:04:05", clock)
	if err != nil {
		panic(err)
	}
	next := time.Date(n.now.Year(), n.now.Month(), n.now.Day(), t.Hour(), t.Minute(), t.Second(), 0, zone)
	if next.Before(n.now) {
		next = next.AddDate(0, 0, 1)
	}
	n.now = next
	return n
}

func (n *night) add(hop int, source, target, step, detail, err string) *night {
	n.now = n.now.Add(time.Millisecond)
	n.entries = append(n.entries, history.Entry{
		Time: n.now, Chain: n.chain, Hop: hop, Step: step, Source: source, Target: target, Project: n.project, Detail: detail, Error: err,
	})
	return n
}

// hook adds the steps of a hook up to the job.
func (n *night) hook(hop int, source, target, reason string) *night {
	n.add(hop, source, target, history.Called, reason, "")
	for _, s := range []string{history.Project, history.Preferences, history.Guard, history.Prompt, history.Command, history.Job} {
		n.add(hop, source, target, s, "", "")
	}
	return n
}

// upTo adds the steps of the second hook, the last of which fails with err if that is not empty.
func (n *night) upTo(last, err string) *night {
	n.add(2, "codex", "claude", history.Called, "", "")
	for step := history.Called; step != last; {
		step = next(step)
		n.add(2, "codex", "claude", step, "", "")
	}
	n.entries[len(n.entries)-1].Error = err
	return n
}

// opened adds what the launcher says of its terminal once it knows what came of it: with the time it was opened at.
func (n *night) opened(way, err string) *night {
	n.add(2, "codex", "claude", history.Terminal, way, err)
	last := &n.entries[len(n.entries)-1]
	last.Time = last.Time.Add(-5 * time.Millisecond)
	return n
}

// helper adds the steps after the terminal.
func (n *night) helper(hop int, source, target string) *night {
	n.add(hop, source, target, history.Claimed, "", "")
	n.add(hop, source, target, history.Started, "pid 4121", "")
	for _, s := range []string{history.Replaced, history.Recorded, history.Notified} {
		n.add(hop, source, target, s, "", "")
	}
	return n
}

// over adds a whole hand-over.
func (n *night) over(hop int, source, target, reason string) *night {
	return n.hook(hop, source, target, reason).add(hop, source, target, history.Terminal, "tmux", "").helper(hop, source, target)
}

func (n *night) ignored(hop int, source, why string) *night {
	n.add(hop, source, "", history.Called, "finished", "")
	n.add(hop, source, "", history.Project, "", "")
	n.add(hop, source, "", history.Preferences, "", "")
	return n.add(hop, source, "", history.Guard, why, "")
}

func (n *night) log() Log { return Build(n.entries, n.now) }

func (n *night) view() View {
	return View{Now: n.now, Tilde: func(p string) string { return strings.Replace(p, "/home/ann", "~", 1) }}
}

func only(t *testing.T, l Log) Chain {
	t.Helper()
	if len(l.Chains) != 1 {
		t.Fatalf("%d chains, want one: %+v", len(l.Chains), l)
	}
	return l.Chains[0]
}

// good is a night that ended by its hour, with a rest in it.
func good() *night {
	n := begin("c41", "/home/ann/src/api", "22:12:00").over(1, "claude", "codex", "finished")
	n.at("22:12:02").add(0, "claude", "codex", history.Exited, "replaced", "")
	n.at("22:21:10").over(2, "codex", "claude", "finished")
	n.at("22:21:11").add(1, "claude", "codex", history.Exited, "replaced", "")
	n.at("22:42:30").ignored(3, "claude", "background tasks run")
	n.at("22:42:40").add(3, "claude", "codex", history.Called, "usage limit", "")
	for _, s := range []string{history.Project, history.Preferences} {
		n.add(3, "claude", "codex", s, "", "")
	}
	n.add(3, "claude", "codex", history.Guard, "claude rests until 03:20, codex until 03:44", "")
	n.add(3, "claude", "codex", history.Rested, "until 03:20", "")
	n.at("03:20:41").add(3, "claude", "codex", history.Woke, "", "")
	for _, s := range []string{history.Prompt, history.Command, history.Job, history.Terminal} {
		n.add(3, "claude", "codex", s, "", "")
	}
	n.helper(3, "claude", "codex")
	n.at("04:02:00").add(0, "", "", history.Slept, "lid closed, until 04:49", "")
	n.at("06:51:58").add(4, "codex", "claude", history.Called, "finished", "")
	n.add(4, "codex", "claude", history.Project, "", "")
	n.add(4, "codex", "claude", history.Preferences, "", "")
	n.add(4, "codex", "claude", history.Guard, "until 07:00", "")
	return n.add(4, "codex", "claude", history.Ended, "until 07:00", "")
}

// bad is a night whose third hand-over could not write its job.
func bad() *night {
	n := begin("c42", "/home/ann/src/web", "22:04:00").over(1, "codex", "claude", "finished")
	n.at("02:10:00").over(2, "claude", "codex", "finished")
	n.at("03:55:00").add(3, "codex", "claude", history.Called, "finished", "")
	for _, s := range []string{history.Project, history.Preferences, history.Guard, history.Prompt, history.Command} {
		n.add(3, "codex", "claude", s, "", "")
	}
	return n.add(3, "codex", "claude", history.Job, "", "write /home/ann/.vexy-overnight/jobs/c42h3x.json: no space left on device")
}
