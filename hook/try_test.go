package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/platform"
)

// What opens nothing and answers 0 has not opened a window.
func TestTryWindowSilence(t *testing.T) {
	s := newStage(t, `["auto"]`)
	way := platform.Way{Name: "x", Argv: []string{"/bin/sh", "-c", "exit 0"}, Env: s.w.Env, Dir: s.project, Wait: 200 * time.Millisecond, Doubt: "it is a test"}
	id := WindowID()
	if got, err := TryWindow(s.w, way, id); err == nil || err.Error() != "nothing answered within 200ms: it is a test" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, called := answerWindow(s.w, id); called {
		t.Error("a window that comes late is still asked")
	}
}

// A chain keeps the place it began in, whatever the environment of a later hook says: Codex's shared server carries that of
// another day. When its display is gone, what needs none is taken.
func TestLaunchKeepsPlace(t *testing.T) {
	s := newStage(t, `["auto"]`)
	err := s.store.Project(s.project).Change(time.Second, func(st *chain.State) error {
		st.Chain = &chain.Chain{ID: "c1", Hops: 1, Began: time.Now(), Alive: time.Now()}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.display(true)
	first := s.w.Getenv("DISPLAY")
	s.terminal("xterm", `echo "$DISPLAY" >>"$HOME/displays"; run "$@"`)
	s.says(s.launch(0, soon), "terminal xterm\n")
	s.once()
	later := s.job
	later.ID, later.Order = "0123abce", time.Now().UnixMilli()+1
	if err := s.store.Put(later); err != nil {
		t.Fatal(err)
	}
	s.job = later
	s.w.Env = append([]string{"DISPLAY=:59011"}, s.w.Env...)
	s.launch(0, soon)
	if got, _ := os.ReadFile(filepath.Join(s.w.Home, "displays")); string(got) != first+"\n"+first+"\n" {
		t.Errorf("opened on %q, the chain began on %s", got, first)
	}
}

// Where a person may be asked first, as on macOS, their answer may come minutes later and still counts.
func TestLaunchPatience(t *testing.T) {
	s := newStage(t, `["auto"]`)
	l := &launching{w: s.w, store: s.store, job: s.job}
	way := platform.Way{Name: "x", Argv: []string{"/bin/sh", "-c", "exit 0"}, Env: s.w.Env, Dir: s.project, Wait: 50 * time.Millisecond}
	for _, asks := range []bool{false, true} {
		way.AsksPerson = asks
		if done, err := l.try(way); done || err == nil {
			t.Errorf("done %v: %v", done, err)
		}
		j, err := s.store.Find(s.job.ID)
		if err != nil || j.Stale(j.Created.Add(5*time.Minute)) == asks {
			t.Errorf("asks %v: patience %s, %v", asks, time.Duration(j.Patience), err)
		}
	}
}

// A helper that died while it started the assistant: nobody knows whether that runs, so nobody starts it again by itself,
// and the history says what to do. One that died before gives the job back, and the next way is tried.
func TestLaunchHelperDied(t *testing.T) {
	s := newStage(t, `["auto"]`)
	l := &launching{w: s.w, store: s.store, job: s.job}
	dead := platform.Self().Token() + "0"
	j, err := s.store.Find(s.job.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.store.Move(j, chain.Claimed, dead); err != nil {
		t.Fatal(err)
	}
	if done, err := l.arrived(); done || err == nil || err.Error() != "the helper died before it started anything" {
		t.Errorf("claimed: done %v, %v", done, err)
	}
	if j, err = s.store.Find(j.ID); err != nil || j.Phase != chain.Pending {
		t.Fatalf("%s %v", j.Phase, err)
	}
	for _, phase := range []chain.Phase{chain.Claimed, chain.Starting} {
		if j, err = s.store.Move(j, phase, dead); err != nil {
			t.Fatal(err)
		}
	}
	if done, err := l.arrived(); !done || err == nil || !strings.HasSuffix(err.Error(), "look whether that runs, if not: vomgr run codex") {
		t.Errorf("starting: done %v, %v", done, err)
	}
	if j, err = s.store.Find(j.ID); err != nil || j.Phase != chain.Starting {
		t.Errorf("%s %v", j.Phase, err)
	}
}

// A helper that has the job and is slow to start gets as long again; no other window is opened meanwhile, although the
// terminal has complained.
func TestLaunchSlowHelper(t *testing.T) {
	s := newStage(t, `["auto"]`)
	l := &launching{w: s.w, store: s.store, job: s.job}
	j, err := s.store.Find(s.job.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.store.Move(j, chain.Claimed, platform.Self().Token()); err != nil {
		t.Fatal(err)
	}
	way := platform.Way{Name: "x", Argv: []string{"/bin/sh", "-c", "exit 1"}, Env: s.w.Env, Dir: s.project, Wait: 100 * time.Millisecond}
	if done, err := l.try(way); !done || err == nil || err.Error() != "a helper took the job and has not started it within 100ms" {
		t.Errorf("done %v, %v", done, err)
	}
}
