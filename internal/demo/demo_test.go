package demo

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/world"
)

// TestMain makes the test program stand for vomgr: the demo starts it under vomgr's names.
func TestMain(m *testing.M) {
	w := thisWorld()
	if status, called := hook.Dispatch(w); called {
		os.Exit(status)
	}
	if status, called := StandIn(w); called {
		os.Exit(status)
	}
	if w.Getenv(markVar) != "" { // vomgr run claude -C PROJECT -- WISH
		claude, _ := assistant.Get(assistant.Claude)
		os.Exit(hook.Run(w, claude, os.Args[4], os.Args[6:]))
	}
	os.Exit(m.Run())
}

func thisWorld() world.World {
	home, _ := os.UserHomeDir() //nolint:forbidigo // the test stands for main
	dir, _ := os.Getwd()        //nolint:forbidigo // likewise
	exe, _ := os.Executable()
	return world.World{
		Home: home, Env: os.Environ(), Dir: dir, Args: os.Args, Exe: exe,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Now: time.Now,
	}
}

// person is the world of somebody whose own folders must stay as they are.
func person(t *testing.T, out *bytes.Buffer) world.World {
	t.Helper()
	home := t.TempDir()
	w := thisWorld()
	w.Home, w.Stdout, w.Stderr = home, out, out
	w.Env = []string{
		"HOME=" + home, "PATH=" + w.Getenv("PATH"), "SystemRoot=" + w.Getenv("SystemRoot"), "PATHEXT=" + w.Getenv("PATHEXT"),
		"CLAUDE_CONFIG_DIR=" + filepath.Join(home, "claude"), "CODEX_HOME=" + filepath.Join(home, "codex"),
		"CLAUDE_CODE_CHILD_SESSION=1", "VOMGR_HOOK_FORCE_DIRECT=1", "DISPLAY=:99", "TMUX=/nowhere,1,0",
	}
	t.Cleanup(func() {
		if entries, err := os.ReadDir(home); err != nil || len(entries) > 0 {
			t.Errorf("in the person's home: %v, %v", entries, err)
		}
	})
	return w
}

// quick are stand-ins that work for a moment only. The race detector otherwise holds every process for a second at its
// end.
var quick = Options{Work: 20 * time.Millisecond, env: []string{"GORACE=atexit_sleep_ms=0"}}

func TestRun(t *testing.T) {
	var out bytes.Buffer
	err := Run(t.Context(), person(t, &out), quick)
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	text, called := out.String(), "vocl-go, by sh -c"
	if runtime.GOOS == "windows" {
		called = "vocl-go.exe, started straight"
	}
	for _, want := range []string{
		"hop 1     claude ---- answer finished", `codex  ---- working; ticks "First task"`, called,
		"hop 3     claude", "ended     TODO.md has no open item left", "a second call, for the title of the thread",
		"3 hand-overs, 39 steps, none missing; 1 assistant alive at the end, then none",
		"disable   both files as before, byte for byte",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("not shown: %s", want)
		}
	}
	for line := range strings.Lines(text) {
		if len(line) > 81 && !strings.Contains(line, "vomgr-demo-") {
			t.Errorf("longer than 80: %s", line)
		}
	}
	home := regexp.MustCompile(`\S*vomgr-demo-\d+`).FindString(text)
	if _, err := os.Stat(home); home == "" || !os.IsNotExist(err) {
		t.Errorf("home %q: %v", home, err)
	}
	if t.Failed() {
		t.Log(text)
	}
}

// atLength is for the tests that take long where starting a program does.
func atLength(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short")
	}
}

func TestKeep(t *testing.T) {
	atLength(t)
	var out bytes.Buffer
	o := quick
	o.Keep = true
	err := Run(t.Context(), person(t, &out), o)
	home := regexp.MustCompile(`\S*vomgr-demo-\d+`).FindString(out.String())
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for line := range strings.Lines(out.String()[strings.Index(out.String(), "\nkept ")+1:]) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(line, "          ") {
			if _, err := os.Stat(filepath.Join(home, name)); err != nil {
				t.Error(err)
			}
		}
	}
}

// broken plays a demo with a part taken away.
func broken(t *testing.T, take func(*stage)) (said string, s *stage) {
	t.Helper()
	var out bytes.Buffer
	s, err := build(person(t, &out), quick)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.strike(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.enable(&out); err != nil {
		t.Fatal(err)
	}
	take(s)
	err = s.perform(t.Context(), &out)
	if err == nil {
		t.Fatalf("nothing is missed\n%s", &out)
	}
	if left := s.processes(); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
	return err.Error(), s
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func TestMissingPart(t *testing.T) {
	atLength(t)
	claude, _ := assistant.Get(assistant.Claude)
	codex, _ := assistant.Get(assistant.Codex)
	for name, c := range map[string]struct {
		take func(*testing.T, *stage)
		want string
	}{
		"helper of claude": {
			func(t *testing.T, s *stage) { remove(t, claude.HelperPath(s.w)) },
			"hop 1, claude -> codex: step terminal: Helper script",
		},
		"helper of codex": {
			func(t *testing.T, s *stage) { remove(t, codex.HelperPath(s.w)) },
			"hop 2, codex -> claude: step terminal: Helper script",
		},
		"hook of claude": {
			func(t *testing.T, s *stage) { remove(t, claude.HookPath(s.w)) },
			"hop 1, claude -> codex: step called is missing (claude's hook:",
		},
		"registration with codex": {
			func(t *testing.T, s *stage) { write(t, codex.ConfigPath(s.w), codexBefore) },
			"hop 2, codex -> claude: step called is missing (codex's hook: config.toml names no program",
		},
		"settings": {
			func(t *testing.T, s *stage) { write(t, s.w.SettingsPath(), "kill_old_sessions = 1\n") },
			"vomgr run claude: exit status 1",
		},
		"second item": {
			func(t *testing.T, s *stage) {
				write(t, filepath.Join(s.project, "TODO.md"), "- [ ] First task\n- [ ] Second task\n")
			},
			"hop 2, codex -> claude: step",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, _ := broken(t, func(s *stage) { c.take(t, s) })
			if !strings.Contains(said, c.want) {
				t.Errorf("said: %s\nwant: %s", said, c.want)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil { //nolint:forbidigo // a test breaks things
		t.Fatal(err)
	}
}

// interrupting ends a demo once it has come to the words.
type interrupting struct {
	bytes.Buffer
	words string
	end   context.CancelFunc
}

func (i *interrupting) Write(p []byte) (int, error) {
	n, err := i.Buffer.Write(p)
	if strings.Contains(i.String(), i.words) {
		i.end()
	}
	return n, err
}

func TestInterrupted(t *testing.T) {
	atLength(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &interrupting{words: "hop 2", end: cancel}
	s, err := build(person(t, &out.Buffer), quick)
	if err != nil {
		t.Fatal(err)
	}
	defer s.strike() //nolint:errcheck // checked below
	if err = s.play(ctx, out); err == nil || err.Error() != "interrupted" {
		t.Errorf("%v\n%s", err, out)
	}
	if left := s.processes(); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
	if err := s.strike(); err != nil {
		t.Error(err)
	}
}

func TestStandInIsForTheDemoAlone(t *testing.T) {
	home := t.TempDir()
	for name, w := range map[string]world.World{
		"no mark":      {Args: []string{filepath.Join(home, "bin", "claude")}},
		"other folder": {Args: []string{"/usr/bin/claude"}, Env: []string{markVar + "=" + home}},
		"bare name":    {Args: []string{"codex"}, Env: []string{markVar + "=" + home}},
		"other name":   {Args: []string{filepath.Join(home, "bin", "vomgr")}, Env: []string{markVar + "=" + home}},
		"no name":      {Env: []string{markVar + "=" + home}},
	} {
		if _, called := StandIn(w); called {
			t.Errorf("%s: played", name)
		}
	}
	if entries, _ := os.ReadDir(home); len(entries) > 0 {
		t.Errorf("written: %v", entries)
	}
}

func TestEnvironmentHoldsNothingOfThePerson(t *testing.T) {
	w := world.World{Env: []string{"PATH=/usr/bin", "HOME=/home/ann", "TOKEN=secret", "CODEX_HOME=/home/ann/codex", "DISPLAY=:0"}}
	for _, kv := range environment(w, "/demo", "/demo/bin", time.Second) {
		if slices.ContainsFunc([]string{"ann", "secret", "DISPLAY", "CODEX_HOME"}, func(s string) bool { return strings.Contains(kv, s) }) {
			t.Error(kv)
		}
	}
}
