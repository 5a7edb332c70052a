package overview

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/chainlog"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

var clock = time.Date(2026, 11, 30, 22, 10, 0, 0, time.Local)

func fresh(t *testing.T) (world.World, chain.Store) {
	t.Helper()
	dir := t.TempDir()
	w := world.World{Home: dir, Env: []string{"PATH=" + filepath.Join(dir, "bin")}, Exe: filepath.Join(dir, "vomgr"), Now: func() time.Time { return clock }}
	return w, chain.Store{Dir: w.StateDir(), Now: w.Now}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFresh(t *testing.T) {
	w, _ := fresh(t)
	got := Read(w)
	want := Overview{
		Assistants: []Assistant{
			{Name: assistant.Claude, Target: assistant.Codex, Hook: HookNone},
			{Name: assistant.Codex, Target: assistant.Claude, Hook: HookNone},
			{Name: assistant.Gemini, Hook: HookNone},
		},
		Scope: settings.Everywhere, Projects: []Project{}, Last: []Past{},
	}
	if d := cmp.Diff(want, got); d != "" || got.Enabled() {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, err := os.Lstat(w.StateDir()); !os.IsNotExist(err) {
		t.Errorf("looking has made the state folder: %v", err)
	}
}

func TestBrokenSettings(t *testing.T) {
	w, _ := fresh(t)
	must(t, os.MkdirAll(w.StateDir(), 0o700))
	f, err := os.OpenFile(w.SettingsPath(), os.O_CREATE|os.O_WRONLY, 0o600)
	must(t, err)
	_, err = f.WriteString("kill_old_sessions = 3\n")
	must(t, err)
	must(t, f.Close())
	if o := Read(w); o.Settings == "" || len(o.Assistants) != 3 {
		t.Errorf("%+v", o)
	}
}

// What Claude calls is not in place.
func TestHookStates(t *testing.T) {
	w, _ := fresh(t)
	a, _ := assistant.Get(assistant.Claude)
	out, err := a.Configs(w)[0].Register(nil, assistant.Registration{Hook: a.HookPath(w), UsageLimit: true})
	must(t, err)
	must(t, os.MkdirAll(filepath.Dir(a.ConfigPath(w)), 0o700))
	f, err := os.Create(a.ConfigPath(w))
	must(t, err)
	_, err = f.Write(out)
	must(t, err)
	must(t, f.Close())
	o := Read(w)
	if !o.Enabled() || o.Assistants[0].Hook != HookOutdated { // the programs are missing
		t.Errorf("%+v", o.Assistants)
	}
}

func TestProjects(t *testing.T) {
	me := platform.Self()
	lives := &chain.Session{Tool: "codex", Pid: me.Pid, Start: me.Start, Boot: me.Boot, Began: clock.Add(-12 * time.Minute)}
	gone := &chain.Session{Tool: "claude", Pid: me.Pid, Start: "1", Boot: me.Boot, Began: clock.Add(-time.Hour)}
	of := func(id string) *chain.Chain {
		return &chain.Chain{ID: id, Hops: 14, Until: clock.Add(9 * time.Hour), Alive: clock.Add(-time.Minute)}
	}
	w, store := fresh(t)
	put := func(project string, st chain.State) {
		t.Helper()
		must(t, store.Project(project).Change(time.Second, func(s *chain.State) error {
			st.Project = project
			*s = st
			return nil
		}))
	}
	job := chain.Job{ID: "c42x00001", Chain: "c42", Hop: 10, Source: "codex", Target: "claude", Project: "/src/b", Created: clock.Add(-time.Minute), Phase: chain.Pending, Rests: "paused"}
	must(t, store.Put(job))
	flying := chain.Job{ID: "c43x00001", Chain: "c43", Hop: 3, Source: "codex", Target: "claude", Project: "/src/c", Created: clock, Phase: chain.Pending}
	must(t, store.Put(flying))
	over := of("c44")
	over.Ended, over.Max = "until 22:00", 20
	put("/src/a", chain.State{Chain: of("c41"), Session: lives})
	put("/src/b", chain.State{Chain: of("c42"), Session: lives})
	put("/src/c", chain.State{Chain: of("c43"), Session: gone, InFlight: &chain.InFlight{Job: flying.ID, Since: clock.Add(-time.Second)}})
	put("/src/d", chain.State{Chain: over, Session: lives})
	put("/src/e", chain.State{Chain: of("c45"), Session: gone})
	put("/src/f", chain.State{Session: lives})
	base := func(project, id string) Project {
		return Project{Project: project, Chain: id, Hop: 14, Max: 50, Until: clock.Add(9 * time.Hour), LastWork: clock.Add(-time.Minute)}
	}
	a, b, c, d := base("/src/a", "c41"), base("/src/b", "c42"), base("/src/c", "c43"), base("/src/d", "c44")
	a.State, a.Tool, a.Pid, a.Since = Works, "codex", me.Pid, lives.Began
	b.State, b.Tool, b.Since, b.Reason = Pending, "claude", job.Created, "paused"
	c.State, c.Tool, c.Since = HandsOver, "claude", clock.Add(-time.Second)
	d.State, d.Tool, d.Pid, d.Since, d.Reason, d.Max = Ended, "codex", me.Pid, lives.Began, "until 22:00", 20
	f := Project{Project: "/src/f", State: Works, Tool: "codex", Pid: me.Pid, Since: lives.Began, Max: 50}
	if diff := cmp.Diff([]Project{a, b, c, d, f}, Read(w).Projects); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLast(t *testing.T) {
	w, _ := fresh(t)
	path := filepath.Join(w.StateDir(), "history.jsonl")
	step := func(ago time.Duration, id string, hop int, step, detail, err string) {
		history.Append(path, history.Entry{
			Time: clock.Add(-ago), Chain: id, Hop: hop, Step: step, Source: "claude", Target: "codex", Project: "/src/" + id, Detail: detail, Error: err,
		})
	}
	step(30*time.Hour, "old", 1, history.Called, "finished", "")
	step(30*time.Hour, "old", 1, history.Ended, "max_hours: 12 h", "")
	for _, id := range []string{"c41", "c42", "c43"} {
		step(3*time.Hour, id, 1, history.Called, "finished", "")
	}
	step(2*time.Hour, "c42", 1, history.Job, "", "no space left on device")
	step(3*time.Hour, "c41", 1, history.Started, "codex, pid 5", "")
	step(time.Hour, "c41", 2, history.Called, "finished", "")
	step(time.Hour, "c41", 2, history.Ended, "until 21:10", "")
	step(time.Minute, "c43", 1, history.Started, "codex, pid 6", "")
	got := Read(w).Last
	want := []Past{
		{Chain: "c42", Project: "/src/c42", First: clock.Add(-3 * time.Hour), Last: clock.Add(-2 * time.Hour), State: chainlog.Broken, Reason: "at job, no space left on device"},
		{Chain: "c41", Project: "/src/c41", First: clock.Add(-3 * time.Hour), Last: clock.Add(-time.Hour), HandOvers: 1, State: chainlog.Ended, Reason: "until 21:10"},
		{Chain: "c43", Project: "/src/c43", First: clock.Add(-3 * time.Hour), Last: clock.Add(-time.Minute), HandOvers: 1, State: chainlog.Ended, Reason: "its assistant is gone"},
	}
	if d := cmp.Diff(want, got, cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
