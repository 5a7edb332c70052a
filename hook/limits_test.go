package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/world"
)

func TestOver(t *testing.T) {
	clock := newClock()
	now := clock.now
	for name, c := range map[string]struct {
		toml  string
		chain chain.Chain
		want  string
	}{
		"fresh":                        {"", chain.Chain{Began: now}, ""},
		"one below max_handovers":      {"", chain.Chain{Began: now, Hops: 49}, ""},
		"max_handovers":                {"", chain.Chain{Began: now, Hops: 50}, "max_handovers: 50 hand-overs"},
		"no max_handovers":             {"max_handovers = 0", chain.Chain{Began: now, Hops: 5000}, ""},
		"a night's own number":         {"", chain.Chain{Began: now, Hops: 3, Max: 3}, "max_handovers: 3 hand-overs"},
		"a night's number is larger":   {"max_handovers = 2", chain.Chain{Began: now, Hops: 2, Max: 3}, ""},
		"a second before max_hours":    {"", chain.Chain{Began: now.Add(time.Second - 12*time.Hour)}, ""},
		"max_hours":                    {"", chain.Chain{Began: now.Add(-12 * time.Hour)}, "max_hours: 12 h"},
		"no max_hours":                 {"max_hours = 0", chain.Chain{Began: now.Add(-1000 * time.Hour)}, ""},
		"before until":                 {"", chain.Chain{Began: now, Until: now.Add(time.Second)}, ""},
		"until":                        {"", chain.Chain{Began: now, Until: now}, "until 22:00"},
		"handovers before hours":       {"", chain.Chain{Began: now.Add(-12 * time.Hour), Hops: 50}, "max_handovers"},
		"until of the settings, later": {`until = "07:00"`, chain.Chain{Began: now.Add(-9 * time.Hour)}, ""}, // resolved when the chain began
	} {
		t.Run(name, func(t *testing.T) {
			w, project := newWorld(t, clock)
			h := newStopping(w, project, assistant.Claude, stopOf("s", "1"), set(t, "[limits]\n"+c.toml))
			wantPrefix(t, h.over(&c.chain, now), c.want)
		})
	}
}

// TestUntilIsResolvedOnce: the hour a chain ends at is worked out when it begins; an armed night has its own.
func TestUntilIsResolvedOnce(t *testing.T) {
	clock := newClock() // 22:00
	w, project := newWorld(t, clock)
	toml := "[limits]\nuntil = \"07:00\""
	h := newStopping(w, project, assistant.Claude, stopOf("s", "1"), set(t, toml))
	wantPrefix(t, admitted(t, h), "")
	want := time.Date(2026, 12, 1, 7, 0, 0, 0, time.Local)
	if st := state(t, h); !st.Chain.Until.Equal(want) {
		t.Errorf("until %s, want %s", st.Chain.Until, want)
	}
	clock.now = want.Add(-time.Minute)
	change(t, h, func(st *chain.State) { st.InFlight, st.Chain.Alive = nil, clock.now })
	wantPrefix(t, admitted(t, newStopping(w, project, assistant.Claude, stopOf("s", "2"), set(t, toml))), "")
	clock.now = want
	change(t, h, func(st *chain.State) { st.InFlight = nil })
	wantPrefix(t, admitted(t, newStopping(w, project, assistant.Claude, stopOf("s", "3"), set(t, toml))), "until 07:00")
	// The chain's own sessions begin none until the next morning; a stranger's stop does.
	h = newStopping(w, project, assistant.Claude, stopOf("stranger", "1"), set(t, toml))
	wantPrefix(t, admitted(t, h), "")
	if st := state(t, h); !st.Chain.Until.Equal(want.AddDate(0, 0, 1)) {
		t.Errorf("until %s", st.Chain.Until)
	}

	armed := clock.now.Add(3 * time.Hour)
	w, project = newWorld(t, clock)
	h = newStopping(w, project, assistant.Claude, stopOf("s", "1"), set(t, toml))
	change(t, h, func(st *chain.State) { st.Armed = &chain.Armed{Until: armed, Max: 7} })
	wantPrefix(t, admitted(t, h), "")
	if st := state(t, h); !st.Chain.Until.Equal(armed) || st.Chain.Max != 7 {
		t.Errorf("chain %s", asJSON(st.Chain))
	}
}

func TestStopWhenDone(t *testing.T) {
	const open, done = "- [ ] one\n- [x] two\n", "- [x] one\n- [x] two\n"
	over := "stop_when_done: TODO.md has no open item left"
	for name, c := range map[string]struct {
		toml          string
		before, after string // TODO.md at two stops, "" is none
		want          string
	}{
		"auto, items left":            {`"auto"`, open, open, ""},
		"auto, all done":              {`"auto"`, open, done, over},
		"auto, TODO.md removed":       {`"auto"`, open, "", over},
		"auto, never any":             {`"auto"`, done, done, ""},
		"auto, no TODO.md":            {`"auto"`, "", "", ""},
		"true, items left":            {`true`, open, open, ""},
		"true, all done":              {`true`, open, done, over},
		"false, all done":             {`false`, open, done, ""},
		"auto, an item in the middle": {`"auto"`, "# plan\n\n  - [ ] indented\n", done, over},
	} {
		t.Run(name, func(t *testing.T) {
			w, project := newWorld(t, newClock())
			put := func(content string) {
				path := filepath.Join(project, "TODO.md")
				if content == "" {
					_ = os.Remove(path)
					return
				}
				write(t, path, content)
			}
			toml := "[limits]\nstop_when_done = " + c.toml
			put(c.before)
			h := newStopping(w, project, assistant.Claude, stopOf("s", "1"), set(t, toml))
			wantPrefix(t, admitted(t, h), "")
			change(t, h, func(st *chain.State) { st.InFlight = nil })
			put(c.after)
			wantPrefix(t, admitted(t, newStopping(w, project, assistant.Claude, stopOf("s", "2"), set(t, toml))), c.want)
		})
	}
	t.Run("true, done from the first", func(t *testing.T) {
		w, project := newWorld(t, newClock())
		write(t, filepath.Join(project, "TODO.md"), done)
		wantPrefix(t, admitted(t, newStopping(w, project, assistant.Claude, stopOf("s", "1"), set(t, "[limits]\nstop_when_done = true"))), over)
	})
}

// TestMaxPerHour: the job is made and waits; when the hour has room again it is not held back.
func TestMaxPerHour(t *testing.T) {
	clock := newClock()
	w, project := newWorld(t, clock)
	toml := "[limits]\nmax_per_hour = 3"
	began := clock.now
	h := newStopping(w, project, assistant.Claude, stopOf("s", "0"), set(t, toml))
	change(t, h, func(st *chain.State) {
		Begin(st, h.set, clock.now)
		for hop := range 3 {
			st.Chain.Started(hop+1, clock.now)
			clock.pass(10 * time.Minute)
		}
	})
	for i, c := range []struct {
		at    time.Duration
		rests bool
	}{{30 * time.Minute, true}, {time.Hour, true}, {time.Hour + time.Second, false}} {
		clock.now = began.Add(c.at)
		h := newStopping(w, project, assistant.Claude, stopOf("s", fmt.Sprint(i+1)), set(t, toml))
		wantPrefix(t, admitted(t, h), "")
		if (h.rests != "") != c.rests {
			t.Errorf("after %s: %q", c.at, h.rests)
		}
		change(t, h, func(st *chain.State) { st.InFlight = nil })
	}
	h = newStopping(w, project, assistant.Claude, stopOf("s", "9"), set(t, "[limits]\nmax_per_hour = 0"))
	clock.now = began.Add(30 * time.Minute)
	wantPrefix(t, admitted(t, h), "")
	wantPrefix(t, h.rests, "")
}

// TestPaused: while vomgr is paused a job is made and waits.
func TestPaused(t *testing.T) {
	clock := newClock()
	w, project := newWorld(t, clock)
	h := newStopping(w, project, assistant.Claude, stopOf("s", "1"), set(t, ""))
	if err := h.store.Pause(clock.now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	wantPrefix(t, admitted(t, h), "")
	wantPrefix(t, h.rests, "paused; vomgr resume")
	change(t, h, func(st *chain.State) { st.InFlight = nil })
	clock.pass(time.Hour)
	h = newStopping(w, project, assistant.Claude, stopOf("s", "2"), set(t, ""))
	wantPrefix(t, admitted(t, h), "")
	wantPrefix(t, h.rests, "")
}

// TestHindered: what the helper looks at again when it takes the job.
func TestHindered(t *testing.T) {
	clock := newClock()
	for name, c := range map[string]struct {
		toml   string
		edit   func(*resuming, *chain.Job)
		state  func(*chain.State)
		byHand string // what holds it back even when a person asks for it
		want   string
		phase  chain.Phase
	}{
		"nothing": {},
		"switched off meanwhile": {
			toml: "[continuations.claude]\nenabled = false", want: "the continuation of claude was switched off", phase: chain.Dropped,
		},
		"paused meanwhile": {
			edit: func(r *resuming, _ *chain.Job) { _ = r.store.Pause(time.Time{}) }, want: "paused; vomgr resume",
		},
		"not in scope any more": {
			toml: "[scope]\nmode = \"only\"", want: `scope "only": this folder is not listed`,
		},
		"in scope": {toml: "[scope]\nmode = \"only\"\nfolders = [\"~/src\"]"},
		"the night is over": {
			toml: "[scope]\nmode = \"armed\"", state: func(st *chain.State) { st.Armed = &chain.Armed{Until: clock.now} },
			want: `scope "armed"`,
		},
		"the night goes on": {
			toml: "[scope]\nmode = \"armed\"", state: func(st *chain.State) { st.Armed = &chain.Armed{Until: clock.now.Add(time.Second)} },
		},
		"a minute old": {
			edit: func(_ *resuming, j *chain.Job) { j.Created = clock.now.Add(-time.Minute) },
		},
		"older": {
			edit: func(_ *resuming, j *chain.Job) { j.Created = clock.now.Add(-61 * time.Second) }, want: "it was made at 21:58:59 and is too old",
		},
		"older, where a person may have been asked": {
			edit: func(_ *resuming, j *chain.Job) {
				j.Created, j.Patience = clock.now.Add(-10*time.Minute), chain.Duration(10*time.Minute)
			},
		},
		"from the future": {
			edit: func(_ *resuming, j *chain.Job) { j.Created = clock.now.Add(2 * time.Minute) }, want: "it was made at 22:02:00 and is too old",
		},
		"its chain ended": {
			state: func(st *chain.State) { st.Chain.Ended = "max_quick: 5" }, want: "max_quick: 5",
		},
		"its chain is too long": {
			state: func(st *chain.State) { st.Chain.Hops = 50 }, want: "max_handovers: 50",
		},
		"its chain took too long": {
			state: func(st *chain.State) { st.Chain.Began = clock.now.Add(-12 * time.Hour) }, want: "max_hours: 12 h",
		},
		"its hour came": {
			state: func(st *chain.State) { st.Chain.Until = clock.now }, want: "until 22:00",
		},
		"another chain ended": {
			state: func(st *chain.State) { st.Chain.ID, st.Chain.Ended = "cother", "max_quick: 5" },
		},
		"a newer job of the project": {
			edit: func(r *resuming, j *chain.Job) {
				newer := *j
				newer.ID, newer.Created = "newerjob1", j.Created.Add(time.Millisecond)
				_ = r.store.Put(newer)
			},
			want: "a newer job of this project took its place", byHand: "a newer job", phase: chain.Superseded,
		},
		"a newer job of another project": {
			edit: func(r *resuming, j *chain.Job) {
				newer := *j
				newer.ID, newer.Created, newer.Project = "newerjob1", j.Created.Add(time.Millisecond), "/other"
				_ = r.store.Put(newer)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, project := newWorld(t, clock)
			ask := func(byHand bool) (string, *resuming) {
				r := newResumingOf(t, w, project, c.toml, c.state)
				r.job.ByHand = byHand
				if c.edit != nil {
					c.edit(r, &r.job)
				}
				if err := r.store.Put(r.job); err != nil {
					t.Fatal(err)
				}
				st, err := r.store.Project(project).Read()
				if err != nil {
					t.Fatal(err)
				}
				return r.hindered(st), r
			}
			got, r := ask(false)
			wantPrefix(t, got, c.want)
			want := c.phase
			if want == "" {
				want = chain.Pending
			}
			if j, err := r.store.Find("thejob111"); err != nil || j.Phase != want {
				t.Errorf("the job is %s, want %s (%v)", j.Phase, want, err)
			} else if err := os.RemoveAll(filepath.Join(w.StateDir(), "jobs")); err != nil {
				t.Fatal(err)
			}
			got, _ = ask(true)
			wantPrefix(t, got, c.byHand)
		})
	}
}

// newResumingOf is a helper with a job of the project's chain, which edit may change.
func newResumingOf(t *testing.T, w world.World, project, toml string, edit func(*chain.State)) *resuming {
	t.Helper()
	now := w.Now()
	r := &resuming{w: w, store: chain.Store{Dir: w.StateDir(), Now: w.Now}, set: set(t, toml)}
	r.job = chain.Job{
		ID: "thejob111", Chain: "cnow1", Hop: 1, Source: "claude", Target: "codex", Project: project, Created: now, Phase: chain.Pending,
	}
	err := r.store.Project(project).Change(time.Second, func(st *chain.State) error {
		st.Chain = &chain.Chain{ID: "cnow1", Began: now, Alive: now}
		if edit != nil {
			edit(st)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
