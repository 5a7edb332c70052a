package hook

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/platform"
)

// TestClaimLooksAgain: between a job and its window a person may have changed their mind, or the night be over. What a
// person asks for is not held up by it.
func TestClaimLooksAgain(t *testing.T) {
	for name, c := range map[string]struct {
		toml  string
		given func(r *resuming, st *chain.State, c *clock)
		want  string
		phase chain.Phase
	}{
		"nothing changed":        {want: "", phase: chain.Pending},
		"switched off":           {toml: "[continuations.codex]\nenabled = false\n", want: "the continuation of codex was switched off", phase: chain.Dropped},
		"paused":                 {given: func(r *resuming, _ *chain.State, _ *clock) { _ = r.store.Pause(time.Time{}) }, want: "paused; vomgr resume", phase: chain.Pending},
		"paused until later":     {given: func(r *resuming, _ *chain.State, c *clock) { _ = r.store.Pause(c.Now().Add(time.Minute)) }, want: "paused; vomgr resume", phase: chain.Pending},
		"paused until now":       {given: func(r *resuming, _ *chain.State, c *clock) { _ = r.store.Pause(c.Now()) }, want: "", phase: chain.Pending},
		"out of scope":           {toml: "[scope]\nmode = 'only'\nfolders = ['/elsewhere']\n", want: `scope "only"`, phase: chain.Pending},
		"the night is over":      {toml: "[scope]\nmode = 'armed'\n", want: `scope "armed": the night here is over`, phase: chain.Pending},
		"armed":                  {toml: "[scope]\nmode = 'armed'\n", given: func(_ *resuming, st *chain.State, c *clock) { st.Armed = &chain.Armed{Until: c.Now().Add(time.Hour)} }, want: "", phase: chain.Pending},
		"a window after 61 s":    {given: func(_ *resuming, _ *chain.State, c *clock) { c.pass(61 * time.Second) }, want: "too old to start by itself", phase: chain.Pending},
		"the clock was set back": {given: func(_ *resuming, _ *chain.State, c *clock) { c.pass(-time.Hour) }, want: "too old to start by itself", phase: chain.Pending},
		"its chain ended":        {given: func(_ *resuming, st *chain.State, _ *clock) { st.Chain.Ended = "vomgr stop" }, want: "vomgr stop", phase: chain.Pending},
		"enough hand-overs":      {given: func(_ *resuming, st *chain.State, _ *clock) { st.Chain.Hops = 50 }, want: "max_handovers: 50 hand-overs", phase: chain.Pending},
		"enough hours":           {given: func(_ *resuming, st *chain.State, c *clock) { st.Chain.Began = c.Now().Add(-12 * time.Hour) }, want: "max_hours: 12 h", phase: chain.Pending},
		"its hour came":          {given: func(_ *resuming, st *chain.State, c *clock) { st.Chain.Until = c.Now() }, want: "until 22:00", phase: chain.Pending},
		"another chain by now":   {given: func(_ *resuming, st *chain.State, _ *clock) { st.Chain = &chain.Chain{ID: "cother", Ended: "x"} }, want: "", phase: chain.Pending},
		"a newer job": {given: func(r *resuming, _ *chain.State, _ *clock) {
			newer := r.job
			newer.ID, newer.Order = "cnewerh2x", r.job.Order+1
			_ = r.store.Put(newer)
		}, want: "a newer job of this project took its place", phase: chain.Superseded},
	} {
		for _, byHand := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				clock := newClock()
				w, project := newWorld(t, clock)
				r := &resuming{w: w, store: chain.Store{Dir: w.StateDir(), Now: w.Now}, set: set(t, c.toml), me: platform.Self()}
				r.job = chain.Job{
					ID: "cold1h1xx", Chain: "cold1", Hop: 1, Source: "codex", Target: "claude", Project: project, Created: clock.Now(), Order: 7,
					ByHand: byHand, Phase: chain.Pending,
				}
				if err := r.store.Put(r.job); err != nil {
					t.Fatal(err)
				}
				st := chain.State{Project: project, Chain: &chain.Chain{ID: "cold1", Began: clock.Now(), Alive: clock.Now()}}
				if c.given != nil {
					c.given(r, &st, clock)
				}
				want, phase := c.want, c.phase
				if byHand && phase != chain.Superseded {
					want, phase = "", chain.Pending
				}
				if got := r.hindered(st); !strings.Contains(got, want) || (got == "") != (want == "") {
					t.Errorf("by hand %v: %q, want %q", byHand, got, want)
				}
				if j, err := r.store.Find(r.job.ID); err != nil || j.Phase != phase {
					t.Errorf("by hand %v: the job is %s, %v; want %s", byHand, j.Phase, err, phase)
				}
			})
		}
	}
}

// An assistant that ends before a turn of it did, and soon, had failed to start; soon is more than a busy machine takes.
func TestEndedEarly(t *testing.T) {
	began := time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		after time.Duration
		stops int
		early bool
	}{
		{400 * time.Millisecond, 0, true},
		{20700 * time.Millisecond, 0, true}, // claude --continue without a conversation, on a busy machine
		{59 * time.Second, 0, true},
		{61 * time.Second, 0, false},
		{time.Second, 1, false}, // its turn ended: it had started
	} {
		s := chain.Session{Began: began}
		if early := endedEarly(s, chain.Session{Stops: c.stops}, began.Add(c.after)); early != c.early {
			t.Errorf("after %s and %d turns: early is %v", c.after, c.stops, early)
		}
	}
}

// What the helper starts finds the folder of its own program on PATH, also where the terminal knows less of PATH, and
// nothing that the assistant before left in the environment.
func TestEnviron(t *testing.T) {
	w, _ := newWorld(t, newClock())
	program := filepath.Join(t.TempDir(), "claude")
	w.Env = []string{"PATH=/usr/bin", "CLAUDE_CODE_CHILD_SESSION=1", "ANTHROPIC_API_KEY=k"}
	r := &resuming{w: w, job: chain.Job{Env: [][2]string{{"VOMGR_PROMPT", "p"}}}}
	want := []string{"PATH=/usr/bin" + string(filepath.ListSeparator) + filepath.Dir(program), "ANTHROPIC_API_KEY=k", "VOMGR_PROMPT=p"}
	if got := r.environ(program); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := r.environ("claude"); !slices.Contains(got, "PATH=/usr/bin") {
		t.Errorf("a bare name: %q", got)
	}
}

// session_state.json names the latest: a helper that was held up by the end of the old assistant does not put its own,
// former one over it.
func TestRecordNamesTheLatest(t *testing.T) {
	for latest, written := range map[string]bool{"cold1h1xx": true, "cold1h2xx": false} {
		w, project := newWorld(t, newClock())
		r := &resuming{w: w, store: chain.Store{Dir: w.StateDir(), Now: w.Now}, job: chain.Job{ID: "cold1h1xx", Project: project}}
		r.log = recordJob(w, r.job)
		err := r.store.Project(project).Change(time.Second, func(st *chain.State) error {
			st.Session = &chain.Session{Tool: "codex", Pid: 4711, Job: latest}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		r.record(&charge{resuming: r, session: chain.Session{Tool: "claude", Pid: 4242}}, "session_state.json")
		if s, ok := readSessionState(w); ok != written || ok && s.Pid != 4242 {
			t.Errorf("%s runs: recorded %v, %+v", latest, ok, s)
		}
	}
}
