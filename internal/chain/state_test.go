package chain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/atomicfile"
)

func change(t *testing.T, p Project, f func(*State)) {
	t.Helper()
	if err := p.Change(10*time.Second, func(st *State) error { f(st); return nil }); err != nil {
		t.Fatal(err)
	}
}

func TestStateRoundTrip(t *testing.T) {
	s := newStore(t)
	p := s.Project("/p")
	if st, err := p.Read(); err != nil || !cmp.Equal(st, State{Project: "/p"}) {
		t.Errorf("a project never seen: %+v, %v", st, err)
	}
	if all, faults := s.Projects(); len(all)+len(faults) != 0 {
		t.Error("reading made a project")
	}
	want := State{
		Project: "/p", Conversations: map[string]string{"claude": "s"}, Handled: []string{"k"}, InFlight: &InFlight{Job: "j", Since: now},
		Armed: &Armed{Until: now, Max: 3}, Session: &Session{Tool: "codex", Pid: 9, Start: "1", Boot: "b", Prompt: "<&>", Began: now},
		Chain: &Chain{ID: "c", Began: now, Starts: []time.Time{now}, Alive: now, Sessions: []string{"s"}, Place: []byte(`{"screen":"x"}`)},
	}
	change(t, p, func(st *State) { *st = want })
	got, err := p.Read()
	compact := strings.NewReplacer(" ", "", "\n", "")
	if got.Chain != nil {
		got.Chain.Place = []byte(compact.Replace(string(got.Chain.Place)))
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	change(t, s.Project("/other"), func(*State) {})
	if all, faults := s.Projects(); len(all) != 2 || len(faults) != 0 {
		t.Errorf("%d projects", len(all))
	}
	if runtime.GOOS != "windows" {
		for _, file := range []string{p.statePath(), filepath.Join(p.folder, "lock")} {
			if fi, err := os.Stat(file); err != nil || fi.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", file, fi.Mode(), err)
			}
		}
	}
}

// TestChangeLosesNothing: 200 changes at once are all in.
func TestChangeLosesNothing(t *testing.T) {
	p := newStore(t).Project("/p")
	n := 200
	if runtime.GOOS == "windows" {
		n = 20 // Wine's server answers one question at a time, and so many would wait longer than a lock is waited for
	}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			change(t, p, func(st *State) {
				if st.Chain == nil {
					st.Chain = &Chain{}
				}
				st.Chain.Hops++
				if st.Conversations == nil {
					st.Conversations = map[string]string{}
				}
				st.Conversations[fmt.Sprint(i)] = "x"
			})
		})
	}
	wg.Wait()
	if st, err := p.Read(); err != nil || st.Chain.Hops != n || len(st.Conversations) != n {
		t.Errorf("%+v, %v", st.Chain, err)
	}
}

// TestChangeRefused: an error of the change is passed on, and nothing is written.
func TestChangeRefused(t *testing.T) {
	p := newStore(t).Project("/p")
	refused := errors.New("no")
	err := p.Change(time.Second, func(st *State) error { st.Handle("k"); return refused })
	if !errors.Is(err, refused) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(p.statePath()); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}

// TestLockTimesOut: one that waits gives up after its time, and says whose lock it was; another project is free.
func TestLockTimesOut(t *testing.T) {
	s := newStore(t)
	p := s.Project("/p")
	change(t, p, func(*State) {})
	lock := flock.New(filepath.Join(p.folder, "lock"))
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	began := time.Now()
	err := p.Change(100*time.Millisecond, func(*State) error { t.Error("it went in"); return nil })
	if !errors.Is(err, atomicfile.ErrLocked) || !strings.Contains(err.Error(), "/p") {
		t.Errorf("%v", err)
	}
	if took := time.Since(began); took < 90*time.Millisecond {
		t.Errorf("it gave up after %s", took)
	}
	if _, err := p.Read(); err != nil {
		t.Errorf("reading needs no lock: %v", err)
	}
	change(t, s.Project("/other"), func(*State) {})
	go func() {
		time.Sleep(20 * time.Millisecond)
		_ = lock.Unlock()
	}()
	change(t, p, func(*State) {}) // it waits, and gets in
	if _, err := os.Stat(filepath.Join(p.folder, "lock")); err != nil {
		t.Errorf("the lock file was deleted: %v", err)
	}
}

// TestTornState: a state that cannot be read stops everything there, says where it is, and is not written over.
func TestTornState(t *testing.T) {
	for name, content := range map[string]string{
		"empty": "", "torn": `{"project":"/p","chain":{"id":`, "another type": `{"handled":"x"}`, "no object": `[]`, "zeros": "\x00\x00\x00",
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			p := s.Project("/p")
			change(t, p, func(*State) {})
			if err := os.WriteFile(p.statePath(), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := p.Read()
			if err == nil || !strings.Contains(err.Error(), p.statePath()) || !strings.Contains(err.Error(), "/p") {
				t.Errorf("%v", err)
			}
			if err := p.Change(time.Second, func(*State) error { t.Error("it went in"); return nil }); err == nil {
				t.Error("it was changed")
			}
			if data, err := os.ReadFile(p.statePath()); err != nil || string(data) != content {
				t.Errorf("now %q, %v", data, err)
			}
			if all, faults := s.Projects(); len(all) != 0 || len(faults) != 1 {
				t.Errorf("listed: %+v", all)
			}
		})
	}
}

func TestProjectsAreApart(t *testing.T) {
	s := newStore(t)
	if s.Project("/a").folder == s.Project("/b").folder || s.Project("/a").folder == s.Project("/a/").folder {
		t.Error("two folders, one place")
	}
	folds := runtime.GOOS == "darwin" || runtime.GOOS == "windows"
	if same := s.Project("/A").folder == s.Project("/a").folder; same != folds {
		t.Errorf("case is folded: %v", same)
	}
}

func TestUnderway(t *testing.T) {
	for _, c := range []struct {
		since *time.Duration
		want  bool
	}{
		{nil, false}, {new(time.Duration), true}, {ptr(59 * time.Second), true}, {ptr(time.Minute), false}, {ptr(-time.Second), false},
	} {
		st := State{}
		if c.since != nil {
			st.InFlight = &InFlight{Job: "j", Since: now.Add(-*c.since)}
		}
		if got := st.Underway(now); got != c.want {
			t.Errorf("%v: %v", c.since, got)
		}
		st.Landed("other")
		if (st.InFlight == nil) != (c.since == nil) {
			t.Error("another job landed")
		}
		st.Landed("j")
		if st.InFlight != nil {
			t.Error("it did not land")
		}
	}
}

func ptr[T any](v T) *T { return &v }

func TestHandled(t *testing.T) {
	var st State
	st.Handle("")
	if st.Seen("") || len(st.Handled) != 0 {
		t.Error("a turn without a name was noted")
	}
	for i := range 100 {
		st.Handle(fmt.Sprint(i))
		st.Handle(fmt.Sprint(i))
	}
	if len(st.Handled) != keptTurns || !st.Seen("99") || !st.Seen("36") || st.Seen("35") {
		t.Errorf("%d kept: %q", len(st.Handled), st.Handled)
	}
}

func TestArmedAt(t *testing.T) {
	var st State
	if st.ArmedAt(now) {
		t.Error("armed by nobody")
	}
	st.Armed = &Armed{Until: now}
	if st.ArmedAt(now) || !st.ArmedAt(now.Add(-time.Second)) {
		t.Error("the night ends at its hour")
	}
}

func TestStarted(t *testing.T) {
	c := &Chain{}
	c.Started(0, now) // a person's start is no hand-over
	if c.Hops != 0 || len(c.Starts) != 0 || !c.Alive.Equal(now) {
		t.Errorf("%+v", c)
	}
	for i := range 10 {
		c.Started(i+1, now.Add(time.Duration(i)*10*time.Minute))
	}
	c.Started(10, now.Add(2*time.Hour)) // once more: it counts nothing
	if c.Hops != 10 || !c.Alive.Equal(now.Add(2*time.Hour)) {
		t.Errorf("%+v", c)
	}
	if got := c.LastHour(now.Add(90 * time.Minute)); got != 7 {
		t.Errorf("%d within the hour, want 7", got)
	}
	if len(c.Starts) != 7 || !slices.IsSortedFunc(c.Starts, time.Time.Compare) {
		t.Errorf("kept: %v", c.Starts)
	}
}

// TestJoinIsBounded: a chain without a limit of hand-overs does not make its file grow for ever, and knows the session it
// began with.
func TestJoinIsBounded(t *testing.T) {
	var c Chain
	for i := range 1000 {
		c.Join(fmt.Sprint(i))
	}
	if len(c.Sessions) != keptSessions || !c.Belongs("0") || !c.Belongs("999") || !c.Belongs("950") || c.Belongs("5") {
		t.Errorf("%d: %v", len(c.Sessions), c.Sessions)
	}
}

func TestBelongs(t *testing.T) {
	var c Chain
	c.Join("")
	c.Join("a")
	c.Join("a")
	if !slices.Equal(c.Sessions, []string{"a"}) || !c.Belongs("a") || c.Belongs("b") || c.Belongs("") {
		t.Errorf("%q", c.Sessions)
	}
}

func TestPause(t *testing.T) {
	s := newStore(t)
	if s.Paused() != nil {
		t.Error("paused from the first")
	}
	if err := s.Resume(); err != nil {
		t.Errorf("nothing to resume: %v", err)
	}
	if err := s.Pause(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if p := s.Paused(); p == nil || !p.Since.Equal(now) || !p.Until.IsZero() {
		t.Errorf("%+v", p)
	}
	if err := s.Resume(); err != nil || s.Paused() != nil {
		t.Errorf("%v", err)
	}
	for until, want := range map[time.Duration]bool{time.Second: true, 0: false, -time.Second: false} {
		if err := s.Pause(now.Add(until)); err != nil {
			t.Fatal(err)
		}
		if got := s.Paused() != nil; got != want {
			t.Errorf("until %s: %v", until, got)
		}
	}
	// What cannot be read counts as a pause.
	if err := os.WriteFile(s.pausePath(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s.Paused() == nil {
		t.Error("a broken file is no pause")
	}
}
