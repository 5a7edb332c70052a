package demo

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/world"
)

func newTestShow(out *bytes.Buffer) *show {
	return newShow(out, &stage{w: world.World{Home: "/tmp/vomgr-demo-1", Now: time.Now}})
}

// TestStoryInOrder writes down a hop as its parts do it: the launcher notes the terminal after the start, the stand-in
// works before the helper says that it started it.
func TestStoryInOrder(t *testing.T) {
	var out bytes.Buffer
	v := newTestShow(&out)
	v.act(history.Entry{Chain: "one", Step: actBegan, Source: "claude"})
	v.act(history.Entry{Chain: "one", Step: actWorking, Source: "claude", Detail: "working"})
	v.act(history.Entry{Chain: "one", Step: actAnswered, Source: "claude", Detail: "by sh -c"})
	v.act(history.Entry{Chain: "two", Step: actBegan, Source: "codex"})
	v.act(history.Entry{Chain: "two", Step: actWorking, Source: "codex", Detail: "ticks"})
	for _, part := range [][]string{hookSteps, helperSteps[:2], {history.Terminal}, helperSteps[2:]} {
		for _, step := range part {
			v.step(history.Entry{Chain: "c1", Hop: 1, Step: step, Source: "claude", Target: "codex"})
		}
		v.due(time.Now())
	}
	if len(v.held) > 0 {
		t.Errorf("still held: %v", v.held)
	}
	at := -1
	for _, want := range []string{
		"claude ---- working", "hop 1 ", "called ", "by sh -c", "project ", "job ", "terminal ", "claimed ", "started ",
		"codex  ---- ticks", "replaced ", "recorded ", "notified ",
	} {
		next := strings.Index(out.String(), want)
		if next <= at {
			t.Errorf("%q is missing or too early", want)
		}
		at = next
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

func TestWhatNeverComesIsNotWaitedForLong(t *testing.T) {
	var out bytes.Buffer
	v := newTestShow(&out)
	v.step(history.Entry{Chain: "c1", Hop: 1, Step: history.Guard, Error: "busy"})
	now := time.Now()
	v.due(now)
	if out.Len() > 0 {
		t.Errorf("told at once: %s", &out)
	}
	v.due(now.Add(2 * wait))
	if !strings.Contains(out.String(), "!  guard        busy") {
		t.Errorf("not told: %q", &out)
	}
}

func TestRow(t *testing.T) {
	v := newTestShow(&bytes.Buffer{})
	got := v.row("x", "replaced", strings.Repeat("word ", 15)+strings.Repeat("w", 70))
	want := "          x  replaced     word word word word word word word word word word\n" +
		"          |               word word word word word\n" +
		"          |               " + strings.Repeat("w", 70) + "\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := v.row("|", "guard", ""); got != "          |  guard        \n" {
		t.Errorf("empty: %q", got)
	}
}

func TestForeignTextIsEscaped(t *testing.T) {
	var out bytes.Buffer
	v := newTestShow(&out)
	v.step(history.Entry{Chain: "c1", Hop: 1, Step: history.Notified, Detail: "\x1b[2J/tmp/vomgr-demo-1/x"})
	v.rest()
	if strings.Contains(out.String(), "\x1b") || !strings.Contains(out.String(), `\x1b[2J~/x`) {
		t.Errorf("%q", &out)
	}
}
