package chainlog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vexyart/vomgr/internal/history"
)

func text(t *testing.T, write func(*strings.Builder) error) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func wantText(t *testing.T, got, want string) {
	t.Helper()
	if d := cmp.Diff(strings.TrimPrefix(want, "\n"), got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestGlance(t *testing.T) {
	n := begin("", "/home/ann/src/api", "22:13:00").ignored(0, "claude", "not a terminal session (sdk-py)")
	n.add(0, "claude", "", history.Called, "finished", "")
	n.add(0, "claude", "", history.Preferences, "", "/home/ann/.vexy-overnight/settings.toml:3:1: limits.max_hours: expected a whole number from 0 to 1000000, found \"x\"")
	g := good()
	l := Build(append(append(g.entries, bad().entries...), n.entries...), g.now)
	v := g.view()
	wantText(t, text(t, func(b *strings.Builder) error { return v.Glance(b, l) }), `
CHAIN  PROJECT    TIME           HOPS  ENDED
c41    ~/src/api  22:12 - 06:51     3  until 07:00
c42    ~/src/web  22:04 - 03:55     2  broken: no space left on device

c42 broke at 03:55, hop 3, codex -> claude, step job: write
~/.vexy-overnight/jobs/c42h3x.json: no space left on device
hint: vomgr log c42

a stop of claude in ~/src/api at 22:13 failed, step preferences:
~/.vexy-overnight/settings.toml:3:1: limits.max_hours: expected a whole number
from 0 to 1000000, found "x"
hint: vomgr doctor

2 stops were ignored (vomgr log --all tells why)
`)
	v.All, v.Now = true, v.Now.AddDate(0, 0, 3)
	got := text(t, func(b *strings.Builder) error { return v.Glance(b, l) })
	for _, want := range []string{
		"c41    ~/src/api  30 Nov 22:12 - 06:51     3  until 07:00\n",
		"IGNORED       WHO     PROJECT    BECAUSE\n30 Nov 22:13  claude  ~/src/api  not a terminal session (sdk-py)\n30 Nov 22:42  claude  ~/src/api  background tasks run\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestGlanceOfNothingAndOfMuch(t *testing.T) {
	v := good().view()
	wantText(t, text(t, func(b *strings.Builder) error { return v.Glance(b, Log{}) }), "no hand-over yet\nhint: vomgr doctor tells what would stop one\n")
	var entries []history.Entry
	for i := range 12 {
		entries = append(entries, begin("k"+string(rune('a'+i)), "/p", "22:00:00").over(1, "claude", "codex", "finished").entries...)
	}
	v.Now = entries[0].Time.Add(time.Hour)
	got := text(t, func(b *strings.Builder) error { return v.Glance(b, Build(entries, v.Now)) })
	if strings.Contains(got, "kb ") || !strings.Contains(got, "kc     /p       22:00 - now     1  codex works\n") || !strings.HasSuffix(got, "\n2 chains before these (vomgr log --all)\n") {
		t.Error(got)
	}
}

func TestChain(t *testing.T) {
	g := good()
	v := g.view()
	c := only(t, g.log())
	wantText(t, text(t, func(b *strings.Builder) error { return v.Chain(b, c) }), `
c41  ~/src/api  22:12 - 06:51
3 hand-overs, until 07:00

HOP  WHO             START      WORKED  STOPPED BECAUSE
  1  claude (yours)  -               -  finished
  2  codex           22:12       9 min  finished
  3  claude          22:21      21 min  usage limit
     22:42 - 03:20                      rested: until 03:20
  4  codex           03:20  3 h 31 min  finished
     04:02                              slept: lid closed, until 04:49
     06:51                              ended: until 07:00

1 stop was ignored (vomgr log --all tells why)

hint: vomgr log c41 3 (one hop); vomgr log c41 --steps
`)
	b := bad()
	wantText(t, text(t, func(w *strings.Builder) error { return v.Chain(w, only(t, b.log())) }), `
c42  ~/src/web  22:04 - 03:55
2 hand-overs; broken at hop 3, codex -> claude, step job: write
~/.vexy-overnight/jobs/c42h3x.json: no space left on device

HOP  WHO            START      WORKED  STOPPED BECAUSE
  1  codex (yours)  -               -  finished
  2  claude         22:04   4 h 6 min  finished
  3  codex          02:10  1 h 45 min  finished

hint: mend that; then go on here: cd ~/src/web && vomgr night
      vomgr log c42 3 (its steps)
`)
	n := begin("k1", "/home/ann/it's", "22:00:00").over(1, "claude", "codex", "finished").at("22:12:03")
	wantText(t, text(t, func(w *strings.Builder) error { return n.view().Chain(w, only(t, n.log())) }), `
k1  ~/it's  22:00 - now
1 hand-over; codex works since 22:00

HOP  WHO             START  WORKED  STOPPED BECAUSE
  1  claude (yours)  -           -  finished
  2  codex           22:00  12 min  works

hint: vomgr log k1 --steps; vomgr pause ends it after this answer
`)
}

func TestHints(t *testing.T) {
	for _, c := range []struct {
		project, step string
		state         State
		want          string
	}{
		{"/home/ann/it's", history.Exited, Broken, `hint: go on here: cd '/home/ann/it'\''s' && vomgr night`},
		{"/p/$(x)", history.Terminal, Pending, `hint: start it here: cd '/p/$(x)' && vomgr run`},
		{"/p/a\nb", history.Terminal, Pending, "hint: start it here: cd into the project && vomgr run"},
		{"/p", history.Preferences, Broken, "hint: vomgr settings check\n      go on here: cd /p && vomgr night"},
		{"/p", history.Started, Broken, "hint: vomgr doctor tells whether codex can be started\n"},
		{"/p", history.Working, Broken, "hint: see what it waits for: cd /p && codex\n"},
	} {
		chain := Chain{ID: "k1", Project: c.project, State: c.state, Broken: &Break{Hop: 2, Target: "codex", Step: c.step}}
		got := text(t, func(b *strings.Builder) error { good().view().hint(b, chain); return nil })
		if !strings.HasPrefix(got, c.want) || !strings.HasSuffix(got, "\n      vomgr log k1 2 (its steps)\n") {
			t.Errorf("%+v:\n%s", c, got)
		}
	}
}

func TestRestingChain(t *testing.T) {
	n := begin("k1", "/home/ann/x", "22:00:00").over(1, "claude", "codex", "finished").at("22:20:00").hook(2, "codex", "claude", "finished")
	n.add(2, "codex", "claude", history.Rested, "20 hand-overs within the last hour", "")
	n.at("22:30:00")
	wantText(t, text(t, func(w *strings.Builder) error { return n.view().Chain(w, only(t, n.log())) }), `
k1  ~/x  22:00 - now
1 hand-over; rests: 20 hand-overs within the last hour

HOP  WHO             START  WORKED  STOPPED BECAUSE
  1  claude (yours)  -           -  finished
  2  codex           22:00  20 min  finished
     22:20                          rested: 20 hand-overs within the last hour

hint: start it at once: cd ~/x && vomgr run
      vomgr log k1 --steps
`)
}

func TestSteps(t *testing.T) {
	b := bad()
	c := only(t, b.log())
	v := b.view()
	wantText(t, text(t, func(w *strings.Builder) error { return v.Steps(w, c, 3) }), `
c42 hop 3  codex -> claude  ~/src/web
03:55:00.001  called       finished
03:55:00.002  project
03:55:00.003  preferences
03:55:00.004  guard
03:55:00.005  prompt
03:55:00.006  command
03:55:00.007  job          failed: write ~/.vexy-overnight/jobs/c42h3x.json: no
                           space left on device
`)
	v.Now = v.Now.AddDate(0, 0, 2)
	all := text(t, func(w *strings.Builder) error { return v.Steps(w, c, -1) })
	if !strings.HasPrefix(all, "c42  ~/src/web  30 Nov 2026\n22:04:00.001   1  called       codex -> claude: finished\n") || strings.Count(all, "\n") != 1+len(b.entries)+1 {
		t.Error(all)
	}
	if err := v.Steps(&strings.Builder{}, c, 9); err == nil || err.Error() != "chain c42 has no hop 9; vomgr log c42 lists its hops" {
		t.Error(err)
	}
}

func TestEntries(t *testing.T) {
	b := bad()
	wantText(t, text(t, func(w *strings.Builder) error { return b.view().Entries(w, b.entries[len(b.entries)-7:]) }), `
03:55:00.001  c42      3  called       codex -> claude: finished
03:55:00.002  c42      3  project
03:55:00.003  c42      3  preferences
03:55:00.004  c42      3  guard
03:55:00.005  c42      3  prompt
03:55:00.006  c42      3  command
03:55:00.007  c42      3  job          failed: write
                                       ~/.vexy-overnight/jobs/c42h3x.json: no
                                       space left on device
`)
}

func TestJSON(t *testing.T) {
	g := good()
	got, err := json.MarshalIndent(only(t, Build(g.entries[:11], g.now)), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, string(got), `{
 "id": "c41",
 "project": "/home/ann/src/api",
 "first": "2026-11-30T22:12:00.001+01:00",
 "last": "2026-11-30T22:12:00.011+01:00",
 "hand_overs": 1,
 "state": "running",
 "turns": [
  {
   "hop": 1,
   "who": "claude",
   "yours": true,
   "stop": "2026-11-30T22:12:00.001+01:00",
   "reason": "finished"
  },
  {
   "hop": 2,
   "who": "codex",
   "start": "2026-11-30T22:12:00.01+01:00"
  }
 ]
}`)
}

// Law: whatever the history holds, showing it works, and no control character reaches the terminal.
func TestAnyHistory(t *testing.T) {
	steps := []string{
		history.Called, history.Guard, history.Job, history.Terminal, history.Claimed, history.Started, history.Exited,
		history.Rested, history.Woke, history.Crashed, history.TakenOver, history.Ended, "x\x1b[2J",
	}
	foreign := rapid.SampledFrom([]string{"", "", "codex", "\x1b[31m", "a\nb\tc", "日本語の長い説明" + strings.Repeat("長", 60), strings.Repeat("x", 200), "\u202e", "e\u0301"})
	entry := rapid.Custom(func(t *rapid.T) history.Entry {
		return history.Entry{
			Time:  time.Unix(rapid.Int64Range(1_700_000_000, 1_700_200_000).Draw(t, "time"), 0),
			Chain: rapid.SampledFrom([]string{"", "k1", "k\x1b2"}).Draw(t, "chain"), Hop: rapid.IntRange(-1, 4).Draw(t, "hop"),
			Step: rapid.SampledFrom(steps).Draw(t, "step"), Source: foreign.Draw(t, "source"), Target: foreign.Draw(t, "target"),
			Project: foreign.Draw(t, "project"), Detail: foreign.Draw(t, "detail"), Error: foreign.Draw(t, "error"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SliceOfN(entry, 0, 30).Draw(t, "entries")
		v := View{Now: time.Unix(1_700_100_000, 0), Tilde: func(p string) string { return p }, All: rapid.Bool().Draw(t, "all")}
		l := Build(entries, v.Now)
		var b strings.Builder
		_ = v.Glance(&b, l)
		for _, c := range l.Chains {
			_ = v.Chain(&b, c)
			_ = v.Steps(&b, c, -1)
			if c.State == "" || (c.State == Broken || c.State == Pending) != (c.Broken != nil) {
				t.Fatalf("%+v", c)
			}
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if history.Printable(line) != line {
				t.Fatalf("%q", line)
			}
		}
	})
}

func TestWrap(t *testing.T) {
	for s, want := range map[string]string{
		"":                      "",
		"a  b":                  "a b",
		"one two three":         "one two|three",
		"abcdefghijkl":          "abcdefgh|ijkl",
		"日本語日本語":                "日本語日|本語",
		"x abcdefghijklmnopq y": "x|abcdefgh|ijklmnop|q y",
	} {
		if got := strings.Join(wrap(s, 8), "|"); got != want {
			t.Errorf("wrap(%q) = %s, want %s", s, got, want)
		}
	}
	for s, want := range map[string]string{"~/src/api": "~/src/api", "~/source/api": "...rce/api", "日本語日本語": "...日本語"} {
		if got := tail(s, 10); got != want {
			t.Errorf("tail(%q) = %s, want %s", s, got, want)
		}
	}
	for d, want := range map[time.Duration]string{6 * time.Second: "6 s", 59*time.Second + 600*time.Millisecond: "1 min", 90 * time.Minute: "1 h 30 min", 0: "0 s"} {
		if got := lasting(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// Many identical failures, and many chains that broke alike, are told once, with how many there were; --all tells each.
func TestManyAlike(t *testing.T) {
	n := &night{project: "/home/ann/p", now: time.Date(2026, 11, 30, 22, 0, 0, 0, zone)}
	for i := range 45 {
		why := "no lock"
		if i < 30 {
			why = fmt.Sprint("other ", i)
		}
		n.chain = ""
		n.add(0, "claude", "", history.Called, "", "").add(0, "claude", "", history.Preferences, "", why)
	}
	for i := range 8 {
		n.chain = fmt.Sprint("k", i)
		n.add(1, "claude", "codex", history.Called, "", "").add(1, "claude", "codex", history.Job, "", "no space left on device")
	}
	n.now = n.now.Add(time.Second)
	v := n.view()
	glance := func(entries []history.Entry) string {
		said := text(t, func(b *strings.Builder) error { return v.Glance(b, Build(entries, n.now)) })
		return strings.Join(strings.Fields(said), " ") // lines are broken anywhere
	}
	said := glance(n.entries[90:])
	if strings.Count(said, " broke at ") != 1 || !strings.Contains(said, "k7 broke at") || !strings.Contains(said, "… 7 more") {
		t.Errorf("chains that broke alike:\n%s", said)
	}
	said = glance(n.entries[:90])
	if strings.Count(said, "a stop of claude") != Shown || !strings.Contains(said, "no lock … 14 more") || !strings.Contains(said, "26 failed stops before these (vomgr log --all)") {
		t.Errorf("stops that failed alike:\n%s", said)
	}
	v.All = true
	said = glance(n.entries)
	if strings.Count(said, "a stop of claude") != 45 || strings.Count(said, " broke at ") != 8 || strings.Contains(said, "more") {
		t.Errorf("--all:\n%s", said)
	}
}
