package hook

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

// livesVar in the environment makes this binary a process that lives until its standard input ends.
const livesVar = "HOOK_TEST_LIVES"

func TestMain(m *testing.M) {
	if status, played := playRole(); played {
		os.Exit(status)
	}
	if os.Getenv(livesVar) != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	os.Exit(m.Run())
}

// clock is the time in a test's world.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 11, 30, 22, 0, 0, 0, time.Local)} }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }

// newWorld is an empty home with a project in it.
func newWorld(t *testing.T, c *clock) (w world.World, project string) {
	t.Helper()
	home := tempDir(t)
	project = filepath.Join(home, "src", "proj")
	mkdir(t, project)
	mkdir(t, filepath.Join(home, ".vexy-overnight"))
	return world.World{Home: home, Dir: project, Stdout: io.Discard, Stderr: io.Discard, Now: c.Now, Exe: "/nonexistent"}, project
}

// tempDir is t.TempDir with links resolved, as a project's folder is.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, ok := ResolveDir(t.TempDir())
	if !ok {
		t.Fatal("no temporary folder")
	}
	return dir
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// payload reads one of the recorded payloads.
func payload(t *testing.T, name assistant.Name, file string) assistant.Stop {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "internal", "assistant", "testdata", "payloads", file))
	if err != nil {
		t.Fatal(err)
	}
	s, ok := get(name).ParseStop(data)
	if !ok {
		t.Fatalf("%s cannot be read", file)
	}
	return s
}

func get(name assistant.Name) assistant.Assistant {
	a, _ := assistant.Get(name)
	return a
}

// set reads settings, which must be right.
func set(t *testing.T, toml string) settings.Settings {
	t.Helper()
	s, _, err := settings.Parse([]byte(toml))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newStopping is a stop of source in project, as far as it is known when the guards are asked.
func newStopping(w world.World, project string, source assistant.Name, s assistant.Stop, set settings.Settings) *stopping {
	h := &stopping{
		w: w, self: get(source), project: project, payload: s, set: set,
		store:    chain.Store{Dir: w.StateDir(), Now: w.Now},
		sessions: codexSessions{dir: filepath.Join(w.Home, ".codex", "sessions"), now: w.Now()},
		target:   assistant.Target(set.Continuation(string(source)).Target),
	}
	h.log = newRecord(w, history.Entry{Source: string(source), Project: project})
	return h
}

// lives starts a process that lives until the test ends, and returns it as a recorded session would name it.
func lives(t *testing.T, tool string) *chain.Session {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), livesVar+"=1", "GORACE=atexit_sleep_ms=0") // a race build would end a second late
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	return recorded(t, tool, cmd.Process.Pid)
}

// recorded names a living process as the record of a session does.
func recorded(t *testing.T, tool string, pid int) *chain.Session {
	t.Helper()
	id, err := platform.Identify(pid)
	if err != nil {
		t.Fatal(err)
	}
	return &chain.Session{Tool: tool, Pid: id.Pid, Start: id.Start, Boot: id.Boot}
}

// change changes the project's state.
func change(t *testing.T, h *stopping, f func(*chain.State)) {
	t.Helper()
	err := h.store.Project(h.project).Change(time.Second, func(st *chain.State) error {
		f(st)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// state reads the project's state.
func state(t *testing.T, h *stopping) chain.State {
	t.Helper()
	st, err := h.store.Project(h.project).Read()
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// lastDetail is what the guard said last.
func lastDetail(h *stopping) string {
	for i := len(h.log.waiting) - 1; i >= 0; i-- {
		if h.log.waiting[i].Step == history.Guard {
			return h.log.waiting[i].Detail
		}
	}
	return ""
}

func asJSON(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

func wantPrefix(t *testing.T, got, prefix string) {
	t.Helper()
	if prefix == "" && got != "" || !strings.HasPrefix(got, prefix) {
		t.Errorf("%q, want %q", got, prefix)
	}
}
