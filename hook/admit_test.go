package hook

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/world"
)

// admitted asks for a stop and gives what was said against it, "" when it is handed over.
func admitted(t *testing.T, h *stopping) string {
	t.Helper()
	err := h.admit()
	if err == nil {
		return ""
	}
	if !errors.Is(err, errIgnored) {
		t.Fatal(err)
	}
	reason := lastDetail(h)
	if reason == "" {
		t.Fatal("ignored without a reason")
	}
	return reason
}

func stopOf(session, turn string) assistant.Stop {
	return assistant.Stop{Event: assistant.EventStop, Session: session, Turn: turn}
}

func TestAdmitFirstStop(t *testing.T) {
	c := newClock()
	w, project := newWorld(t, c)
	h := newStopping(w, project, assistant.Claude, stopOf("s1", "p1"), set(t, ""))
	wantPrefix(t, admitted(t, h), "")
	st := state(t, h)
	switch {
	case st.Chain == nil || st.Chain.Hops != 0 || !st.Chain.Began.Equal(c.now) || !st.Chain.Belongs("s1"):
		t.Errorf("chain %+v", st.Chain)
	case st.InFlight == nil || st.InFlight.Job != h.job.ID || !chain.ValidID(h.job.ID):
		t.Errorf("in flight %+v, job %s", st.InFlight, h.job.ID)
	case !st.Seen("claude:s1:p1"):
		t.Errorf("handled %q", st.Handled)
	case h.job.Hop != 1 || h.job.Source != "claude" || h.job.Target != "codex" || h.job.Chain != st.Chain.ID || h.job.Project != project:
		t.Errorf("job %+v", h.job)
	}
}

// TestTwiceReported: a turn counts once; a payload that names none is never one that was handled.
func TestTwiceReported(t *testing.T) {
	c := newClock()
	w, project := newWorld(t, c)
	ask := func(source assistant.Name, s assistant.Stop) string {
		h := newStopping(w, project, source, s, set(t, ""))
		reason := admitted(t, h)
		change(t, h, func(st *chain.State) { st.InFlight = nil })
		return reason
	}
	wantPrefix(t, ask(assistant.Claude, stopOf("s", "1")), "")
	wantPrefix(t, ask(assistant.Claude, stopOf("s", "1")), "this turn was handed over already")
	wantPrefix(t, ask(assistant.Claude, stopOf("s", "2")), "")
	wantPrefix(t, ask(assistant.Claude, stopOf("other", "1")), "")
	wantPrefix(t, ask(assistant.Codex, stopOf("s", "1")), "") // another assistant's ids are its own
	wantPrefix(t, ask(assistant.Claude, stopOf("s", "")), "")
	wantPrefix(t, ask(assistant.Claude, stopOf("s", "")), "")
	wantPrefix(t, ask(assistant.Claude, stopOf("s", "1")), "this turn was handed over already")
}

func TestInFlight(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration
		want  string
	}{
		"at once":                   {0, "in-flight: a hand-over of this project is under way (job "},
		"after 59 s":                {59 * time.Second, "in-flight"},
		"after a minute":            {time.Minute, ""},
		"the clock was turned back": {-time.Hour, ""},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			w, project := newWorld(t, clock)
			wantPrefix(t, admitted(t, newStopping(w, project, assistant.Claude, stopOf("a", "1"), set(t, ""))), "")
			clock.pass(c.after)
			wantPrefix(t, admitted(t, newStopping(w, project, assistant.Codex, stopOf("b", "1"), set(t, ""))), c.want)
		})
	}
}

// TestBusy: while the recorded session lives, only its own stops count.
func TestBusy(t *testing.T) {
	alive := lives(t, "codex")
	parent := &chain.Session{}
	if os.Getppid() > 0 { // Wine starts the test without a parent
		parent = recorded(t, "claude", os.Getppid())
	}
	gone := *alive
	gone.Start = "1" // another process of that number
	unknown := *alive
	unknown.Start = ""
	bound := *alive
	bound.Thread = "mine"
	told := *alive
	told.Prompt = "Carry on:\n- [ ] First task"
	rebound := bound
	rebound.Prompt = told.Prompt
	claude := lives(t, "claude")
	claudeBound := *claude
	claudeBound.Thread = "mine"
	turn := func(session string, inputs ...string) assistant.Stop {
		return assistant.Stop{Event: assistant.EventTurn, Session: session, Turn: "1", Inputs: inputs}
	}
	busy := "busy: codex, pid "
	for name, c := range map[string]struct {
		session *chain.Session
		source  assistant.Name
		s       assistant.Stop
		want    string
		own     bool
	}{
		"nobody is recorded":                         {nil, assistant.Claude, stopOf("x", "1"), "", false},
		"another assistant's":                        {alive, assistant.Claude, stopOf("x", "1"), busy, false},
		"another thread of codex":                    {&bound, assistant.Codex, turn("other", "hi"), busy, false},
		"its own thread":                             {&bound, assistant.Codex, turn("mine", "hi"), "", true},
		"a thread that was not given our prompt":     {&told, assistant.Codex, turn("x", "hi"), busy, false},
		"the first turn that was given our prompt":   {&told, assistant.Codex, turn("x", "before", told.Prompt), "", true},
		"our prompt with other white space":          {&told, assistant.Codex, turn("x", " Carry on: - [ ] First task\n"), "", true},
		"our prompt in a second thread":              {&rebound, assistant.Codex, turn("x", told.Prompt), busy, false},
		"no prompt of ours (vomgr run -- args)":      {alive, assistant.Codex, turn("x", "hi"), "", true},
		"the number was given to another process":    {&gone, assistant.Claude, stopOf("x", "1"), "", false},
		"a record without the kernel's start":        {&unknown, assistant.Claude, stopOf("x", "1"), "", false},
		"claude, by ancestry":                        {parent, assistant.Claude, stopOf("x", "1"), "", true},
		"claude, another one":                        {claude, assistant.Claude, stopOf("x", "1"), "busy: claude, pid ", false},
		"claude, its own conversation":               {&claudeBound, assistant.Claude, stopOf("mine", "1"), "", true},
		"gemini below claude, which runs its hook":   {parent, assistant.Gemini, stopOf("x", "1"), "busy: claude, pid ", false},
		"codex that claude started, by no ancestry":  {parent, assistant.Codex, turn("x", "hi"), "busy: claude, pid ", false},
		"codex, through its own hooks.json":          {&bound, assistant.Codex, stopOf("mine", "1"), "", true},
		"a session that names no thread is not mine": {&bound, assistant.Codex, stopOf("", "1"), busy, false},
	} {
		t.Run(name, func(t *testing.T) {
			if c.session == parent && parent.Pid == 0 {
				t.Skip("no parent")
			}
			w, project := newWorld(t, newClock())
			h := newStopping(w, project, c.source, c.s, set(t, ""))
			if c.session != nil {
				session := *c.session
				change(t, h, func(st *chain.State) { st.Session = &session })
			}
			wantPrefix(t, admitted(t, h), c.want)
			if h.own != c.own {
				t.Errorf("own %v", h.own)
			}
			st := state(t, h)
			if c.own && (st.Session.Stops != 1 || st.Session.Thread != c.s.Session || st.Conversations[st.Session.Tool] != c.s.Session) {
				t.Errorf("not noted: %s", asJSON(st))
			}
			if c.want != "" && (st.Chain != nil || st.InFlight != nil) {
				t.Errorf("a refused stop left %s", asJSON(st))
			}
		})
	}
}

func TestScope(t *testing.T) {
	now := newClock().now
	for name, c := range map[string]struct {
		toml  string
		armed *chain.Armed
		want  string
	}{
		"everywhere":        {`mode = "everywhere"`, nil, ""},
		"only, not listed":  {`mode = "only"`, nil, `scope "only": this folder is not listed`},
		"only, listed":      {"mode = \"only\"\nfolders = [\"~/src\"]", nil, ""},
		"only, a namesake":  {"mode = \"only\"\nfolders = [\"~/src/pro\"]", nil, `scope "only"`},
		"armed, no night":   {`mode = "armed"`, nil, `scope "armed": no night was begun here`},
		"armed, a night":    {`mode = "armed"`, &chain.Armed{Until: now.Add(time.Second)}, ""},
		"armed, it is over": {`mode = "armed"`, &chain.Armed{Until: now}, `scope "armed"`},
	} {
		t.Run(name, func(t *testing.T) {
			w, project := newWorld(t, newClock())
			h := newStopping(w, project, assistant.Claude, stopOf("s", "1"), set(t, "[scope]\n"+c.toml))
			change(t, h, func(st *chain.State) { st.Armed = c.armed })
			wantPrefix(t, admitted(t, h), c.want)
		})
	}
}

// TestEndedChain: after an end by a limit the chain's own sessions begin no new one; another's stop does.
func TestEndedChain(t *testing.T) {
	mine := lives(t, "codex")
	mine.Thread = "mine"
	for name, c := range map[string]struct {
		session string
		want    string
	}{
		"its recorded session":       {"mine", "the chain ended: max_handovers: 50 hand-overs"},
		"one that took part earlier": {"earlier", "the chain ended: "},
		"another":                    {"stranger", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, project := newWorld(t, newClock())
			h := newStopping(w, project, assistant.Codex, assistant.Stop{Event: assistant.EventTurn, Session: c.session, Turn: "1"}, set(t, ""))
			change(t, h, func(st *chain.State) {
				st.Chain = &chain.Chain{ID: "cold1", Ended: "max_handovers: 50 hand-overs", Sessions: []string{"earlier"}, Hops: 50}
				if c.session != "stranger" { // else it would be busy
					session := *mine
					st.Session = &session
				}
				if c.session == "earlier" {
					st.Session = nil
				}
			})
			wantPrefix(t, admitted(t, h), c.want)
			if st := state(t, h); (st.Chain.ID == "cold1") != (c.want != "") {
				t.Errorf("chain %s", asJSON(st.Chain))
			}
		})
	}
}

// TestIdleChain: two hours after the last of a chain was alive, a stop begins a new one, save the chain's own session's.
func TestIdleChain(t *testing.T) {
	mine := lives(t, "codex")
	mine.Thread = "mine"
	for name, c := range map[string]struct {
		session string
		after   time.Duration
		same    bool
	}{
		"another session, soon":      {"x", 2 * time.Hour, true},
		"another session, later":     {"x", 2*time.Hour + time.Second, false},
		"its own, after a long turn": {"mine", 5 * time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			w, project := newWorld(t, clock)
			h := newStopping(w, project, assistant.Codex, assistant.Stop{Event: assistant.EventTurn, Session: c.session, Turn: "1"}, set(t, ""))
			change(t, h, func(st *chain.State) {
				st.Chain = &chain.Chain{ID: "cold1", Began: clock.now, Alive: clock.now, Hops: 3}
				if c.session == "mine" {
					session := *mine
					st.Session = &session
				}
			})
			clock.pass(c.after)
			wantPrefix(t, admitted(t, h), "")
			st := state(t, h)
			if (st.Chain.ID == "cold1") != c.same || !st.Chain.Alive.Equal(clock.now) {
				t.Errorf("chain %s", asJSON(st.Chain))
			}
			if want := map[bool]int{true: 4, false: 1}[c.same]; h.job.Hop != want {
				t.Errorf("hop %d, want %d", h.job.Hop, want)
			}
		})
	}
}

// TestLimitEndsChain: the end is written down with its reason, and no job is promised.
func TestLimitEndsChain(t *testing.T) {
	w, project := newWorld(t, newClock())
	h := newStopping(w, project, assistant.Claude, stopOf("s", "1"), set(t, "[limits]\nmax_handovers = 2"))
	change(t, h, func(st *chain.State) {
		st.Chain = &chain.Chain{ID: "cnow1", Began: w.Now(), Alive: w.Now(), Hops: 2}
	})
	wantPrefix(t, admitted(t, h), "max_handovers: 2 hand-overs")
	st := state(t, h)
	if st.Chain.Ended != "max_handovers: 2 hand-overs" || st.InFlight != nil || h.job.ID != "" {
		t.Errorf("%s, job %q", asJSON(st), h.job.ID)
	}
	last := h.log.waiting[len(h.log.waiting)-1]
	if last.Step != "ended" || last.Chain != "cnow1" {
		t.Errorf("last step %+v", last)
	}
}

func TestReplaceFirst(t *testing.T) {
	first := lives(t, "claude")
	for name, c := range map[string]struct {
		toml, failure string
		own, want     bool
	}{
		"limit, finished":           {`"limit"`, "", false, false},
		"limit, at a usage limit":   {`"limit"`, "rate_limit", false, true},
		"limit, another error":      {`"limit"`, "unknown", false, false},
		"always":                    {`"always"`, "", false, true},
		"never":                     {`"never"`, "rate_limit", false, false},
		"always, a session of ours": {`"always"`, "", true, false}, // it is the recorded one, which is ended anyway
	} {
		t.Run(name, func(t *testing.T) {
			w, project := newWorld(t, newClock())
			s := stopOf("s", "1")
			if c.failure != "" {
				s.Event, s.Failure = assistant.EventStopFailure, c.failure
			}
			h := newStopping(w, project, assistant.Claude, s, set(t, "replace_first = "+c.toml))
			h.own = c.own
			job := h.newJob(&chain.Chain{ID: "c1234", First: first}, w.Now())
			if (job.First != nil) != c.want {
				t.Errorf("%+v", job.First)
			}
		})
	}
}

// TestLocked: an assistant waits for the hook, so the hook waits a second for a lock, and says why it gave up.
func TestLocked(t *testing.T) {
	w, project := newWorld(t, newClock())
	h := newStopping(w, project, assistant.Claude, stopOf("s", "1"), set(t, ""))
	change(t, h, func(*chain.State) {})
	lock := flock.New(lockOf(t, w))
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	defer lock.Unlock() //nolint:errcheck // the test is over
	began := time.Now()
	err := h.admit()
	if !errors.Is(err, atomicfile.ErrLocked) || !strings.Contains(err.Error(), project) {
		t.Errorf("%v", err)
	}
	if took := time.Since(began); took < 900*time.Millisecond || took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

// lockOf finds the one project's lock file.
func lockOf(t *testing.T, w world.World) string {
	t.Helper()
	dir := w.StateDir() + "/projects"
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	return dir + "/" + entries[0].Name() + "/lock"
}
