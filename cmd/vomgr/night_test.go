package main

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// What is typed behind the answer belongs to the assistant.
func TestReadAnswer(t *testing.T) {
	for _, c := range []struct{ typed, answer, rest string }{
		{"y\nhello\n", "y", "hello\n"},
		{"\n", "", ""},
		{"n\r\n", "n\r", ""},
		{"yes", "no", ""}, // the terminal went away before the answer was given
		{"", "no", ""},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, c.typed); err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
		answer := readAnswer(r)
		rest, err := io.ReadAll(r)
		_ = r.Close()
		if answer != c.answer || string(rest) != c.rest || err != nil {
			t.Errorf("%q: answer %q, rest %q, %v", c.typed, answer, rest, err)
		}
	}
}

func TestNightEnds(t *testing.T) {
	for _, c := range []struct {
		flag, setting string
		want          time.Time
		ok            bool
	}{
		{"07:00", "05:00", tonight.Add(8*time.Hour + 50*time.Minute), true},
		{"", "05:00", tonight.Add(6*time.Hour + 50*time.Minute), true},
		{"", "", tonight.Add(12 * time.Hour), true},
		{"22:10", "", tonight.Add(24 * time.Hour), true},
		{"noon", "", time.Time{}, false},
	} {
		n := night{w: world.World{Now: func() time.Time { return tonight }}}
		n.set.Limits.Until = c.setting
		got, err := n.end(c.flag)
		if (err == nil) != c.ok || c.ok && !got.Equal(c.want) {
			t.Errorf("--until %q, limits.until %q: %v, %v; want %v", c.flag, c.setting, got, err, c.want)
		}
	}
}

func TestTurns(t *testing.T) {
	set, _, err := settings.Parse([]byte("[continuations.codex]\nenabled = false\n"))
	if err != nil {
		t.Fatal(err)
	}
	first, _ := assistant.Get(assistant.Claude)
	n := night{set: set, tool: first}
	var names []assistant.Name
	for _, a := range n.turns() {
		names = append(names, a.Name)
	}
	if len(names) != 2 || names[1] != assistant.Codex || n.follows() != ", codex follows" {
		t.Errorf("%v%s", names, n.follows())
	}
	n.tool, _ = assistant.Get(assistant.Codex)
	if len(n.turns()) != 1 || n.follows() != "" {
		t.Errorf("%v%s", n.turns(), n.follows())
	}
}
