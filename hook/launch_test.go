package hook

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

// playRole lets this binary stand in for the helper, and for an assistant, when it is called by their names.
func playRole() (status int, played bool) {
	name := assistant.Base(os.Args[0])
	if _, role := assistant.ByProgram(name); role != assistant.NoRole {
		dir, _ := os.Getwd()
		w := world.World{
			Home: os.Getenv("HOME"), Env: os.Environ(), Dir: dir, Args: os.Args,
			Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Now: time.Now,
		}
		return Dispatch(w)
	}
	if slices.Contains(assistant.Marks(), name) {
		return runsUntilTold(), true
	}
	return 0, false
}

// runsUntilTold stands in for an assistant: it notes its environment in ~/ran.N and stays until there is ~/quit.
func runsUntilTold() int {
	home := os.Getenv("HOME")
	path := filepath.Join(home, "ran."+strconv.Itoa(os.Getpid()))
	_ = os.WriteFile(path+".tmp", []byte(strings.Join(os.Environ(), "\n")), 0o600)
	_ = os.Rename(path+".tmp", path)
	for range 3000 {
		if _, err := os.Stat(filepath.Join(home, "quit")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return 0
}

// stage is a home with a job that is to be launched, and stand-ins for terminals.
type stage struct {
	t       *testing.T
	w       world.World
	project string
	bin     string
	store   chain.Store
	job     chain.Job
}

// newStage prepares one whose settings say linux = template.
func newStage(t *testing.T, template string) *stage {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the ways of Linux, with stand-ins for sh")
	}
	t.Parallel()
	w, project := newWorld(t, newClock())
	w.Now = time.Now
	s := &stage{t: t, w: w, project: project, bin: filepath.Join(w.Home, "bin"), store: chain.Store{Dir: w.StateDir(), Now: time.Now}}
	s.w.Env = []string{"HOME=" + w.Home, "PATH=" + s.bin, "KEY=new", "GORACE=atexit_sleep_ms=0"}
	write(t, w.SettingsPath(), "[terminals.defaults]\nlinux = "+template+"\n")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mkdir(t, s.bin)
	for name, to := range map[string]string{"vocl-new": self, "codex": self, "sh": "/bin/sh", "sleep": "/bin/sleep", "env": "/usr/bin/env"} {
		if err := os.Symlink(to, filepath.Join(s.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	s.job = chain.Job{
		ID: "0123abcd", Chain: "c1", Hop: 1, Source: "claude", Target: "codex", Project: project, Created: time.Now(),
		Command: []string{filepath.Join(s.bin, "codex")}, Cwd: project, Env: [][2]string{{"VOMGR_PROMPT", "p"}},
	}
	if err := s.store.Put(s.job); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.end)
	return s
}

// end lets the stand-ins go, and waits until they and their helpers, who still write, have.
func (s *stage) end() {
	write(s.t, filepath.Join(s.w.Home, "quit"), "")
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if !s.runs() {
			return
		}
	}
	s.t.Error("the stand-ins stay")
}

// runs tells whether a process of this stage lives: its programs are below the stage's home.
func (s *stage) runs() bool {
	all, err := platform.Processes()
	if err != nil {
		s.t.Fatal(err)
	}
	return slices.ContainsFunc(all, func(p platform.Process) bool {
		return p.Pid != os.Getpid() && slices.ContainsFunc(p.Args, func(arg string) bool { return strings.HasPrefix(arg, s.w.Home+"/") })
	})
}

// terminal places a stand-in for a terminal: a program for sh, in which "$@" is how it was called and run the function
// that runs the last two words, the helper and the job, and outlives it.
func (s *stage) terminal(name, text string) {
	s.t.Helper()
	const run = "#!/bin/sh\nrun() { while [ $# -gt 2 ]; do [ \"$3\" = ';' ] && break; shift; done; \"$1\" \"$2\" & }\n"
	path := filepath.Join(s.bin, name)
	if err := os.WriteFile(path, []byte(run+text+"\n"), 0o700); err != nil {
		s.t.Fatal(err)
	}
}

// display makes a display that answers, or one that takes guests and says nothing, and puts it into the environment.
func (s *stage) display(answers bool) {
	s.t.Helper()
	dir, err := os.MkdirTemp("", "vt") // short enough for a socket
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "x")
	l, err := net.Listen("unix", path)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = l.Close() })
	go func() {
		var silent []net.Conn // or they would be closed for want of a user
		defer func() {
			for _, conn := range silent {
				_ = conn.Close()
			}
		}()
		for {
			conn, err := l.Accept()
			switch {
			case err != nil:
				return
			case !answers:
				silent = append(silent, conn)
				continue
			}
			_, _ = conn.Read(make([]byte, 64))
			_, _ = conn.Write([]byte{0})
			_ = conn.Close()
		}
	}()
	s.w.Env = append(s.w.Env, "DISPLAY="+path)
}

// launch plays the launcher, which is to need between least and most, and returns what the history says then.
func (s *stage) launch(least, most time.Duration) string {
	s.t.Helper()
	began := time.Now()
	status := Launch(s.w, s.job.ID, filepath.Join(s.bin, "vocl-new"), "")
	if took := time.Since(began); status != 0 || took < least || took > most {
		s.t.Errorf("status %d after %s", status, took)
	}
	return s.history()
}

// history is the history in short: a line for each step.
func (s *stage) history() string {
	s.t.Helper()
	entries, err := history.Read(filepath.Join(s.w.StateDir(), "history.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%s %s%s\n", e.Step, e.Detail, e.Error)
	}
	return b.String()
}

// says wants each text in the history.
func (s *stage) says(story string, want ...string) {
	s.t.Helper()
	for _, text := range want {
		if !strings.Contains(story, text) {
			s.t.Errorf("the history lacks %q:\n%s", text, story)
		}
	}
}

// run is one start of the stand-in assistant.
type run struct {
	pid int
	env []string
}

func (r run) alive() bool {
	_, err := platform.Identify(r.pid)
	return err == nil
}

func (s *stage) ran() []run {
	files, _ := filepath.Glob(filepath.Join(s.w.Home, "ran.*"))
	var all []run
	for _, f := range files {
		pid, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(f), "ran."))
		env, _ := os.ReadFile(f)
		if err == nil {
			all = append(all, run{pid, strings.Split(string(env), "\n")})
		}
	}
	return all
}

// once wants the assistant to have been started exactly once, and returns that run.
func (s *stage) once() run {
	s.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); len(s.ran()) == 0 && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	all := s.ran()
	if len(all) != 1 {
		s.t.Fatalf("the assistant was started %d times:\n%s", len(all), s.history())
	}
	return all[0]
}

// byHand is vomgr run in the project: what is pending is started by it.
func (s *stage) byHand() {
	s.t.Helper()
	write(s.t, filepath.Join(s.w.Home, "quit"), "")
	s.w.Env = append([]string{"BY=hand"}, s.w.Env...)
	if status, found := RunPending(s.w, s.project); status != 0 || !found {
		s.t.Fatalf("status %d, found %t", status, found)
	}
	if got := s.once(); !slices.Contains(got.env, "BY=hand") {
		s.t.Errorf("the environment is not that of vomgr run: %q", got.env)
	}
}

const soon = 8 * time.Second // on a machine that has other things to do

func TestLaunchNoDisplay(t *testing.T) {
	s := newStage(t, `["auto"]`)
	s.terminal("xterm", `run "$@"`)
	story := s.launch(0, soon)
	s.says(story, "rested no terminal could be opened; vomgr run in "+s.w.Tilde(s.project)+" starts it")
	if strings.Contains(story, "xterm") {
		t.Errorf("a window was tried without a display:\n%s", story)
	}
	if j, err := s.store.Find(s.job.ID); err != nil || j.Phase != chain.Pending || j.Rests != "no terminal could be opened" {
		t.Errorf("the job is %s and rests for %q: %v", j.Phase, j.Rests, err)
	}
	s.byHand()
}

func TestLaunchDisplaySilent(t *testing.T) {
	s := newStage(t, `["auto"]`)
	s.display(false)
	s.terminal("xterm", `run "$@"`)
	s.terminal("tmux", `run "$@"`)
	s.says(s.launch(time.Second, soon), "terminal tmux session vomgr-0123abcd\n")
	s.once()
}

func TestLaunchNotInstalled(t *testing.T) {
	s := newStage(t, `["kitty", "sh", "-c", "{command}"]`)
	s.display(true)
	s.terminal("xterm", `run "$@"`)
	s.says(s.launch(0, soon), "terminal kitty (settings): kitty is not on PATH\n", "terminal xterm\n")
	s.once()
}

func TestLaunchFailsAtOnce(t *testing.T) {
	s := newStage(t, `["auto"]`)
	s.display(true)
	s.terminal("konsole", "kill -ABRT $$")
	s.terminal("xterm", "exit 101")
	s.terminal("tmux", "echo no space left on device >&2; exit 1")
	s.terminal("screen", `run "$@"`)
	s.says(s.launch(0, soon), "terminal konsole: konsole ended at once: signal: aborted", "terminal xterm: xterm ended at once: exit status 101\n",
		"terminal tmux session vomgr-0123abcd: tmux ended at once: exit status 1: no space left on device\n", "terminal screen session vomgr-0123abcd\n")
	s.once()
}

// kitty --detach and mlterm answer 0 and open nothing when there is no display (measured).
func TestLaunchOpensNothing(t *testing.T) {
	s := newStage(t, `["mlterm", "-e", "sh", "-c", "{command}"]`)
	s.terminal("mlterm", "exit 0")
	s.terminal("tmux", `run "$@"`)
	s.says(s.launch(10*time.Second, 12*time.Second+soon/2), "terminal mlterm (settings): nothing was started within 10s\n", "terminal tmux session vomgr-0123abcd\n")
	s.once()
}

// A template that starts nothing in what it opens says so.
func TestLaunchNamesNothing(t *testing.T) {
	s := newStage(t, `["mlterm"]`)
	s.terminal("mlterm", "exit 0")
	s.terminal("tmux", `run "$@"`)
	s.says(s.launch(10*time.Second, 12*time.Second+soon/2), "terminal mlterm (settings): nothing was started within 10s: it names neither {command} nor {helper} {job}", "terminal tmux session vomgr-0123abcd\n")
	s.once()
}

// A template that would have a shell run parts of the folder's name is not tried.
func TestLaunchUnsafeTemplate(t *testing.T) {
	s := newStage(t, `["sh", "-c", "sh -c '{command}'"]`)
	hostile := filepath.Join(filepath.Dir(s.project), "it's $(touch pwned)")
	mkdir(t, hostile)
	s.job.ID, s.job.Project, s.job.Cwd = "0123abce", hostile, hostile
	if err := s.store.Put(s.job); err != nil {
		t.Fatal(err)
	}
	s.terminal("tmux", `run "$@"`)
	s.says(s.launch(0, soon), "terminal sh (settings): {command} stands between quotes", "terminal tmux session vomgr-0123abce\n")
	s.once()
}

// A terminal that opens two windows starts one assistant.
func TestLaunchTwice(t *testing.T) {
	s := newStage(t, `["twice", "{helper}", "{job}"]`)
	s.terminal("twice", `"$@" & "$@"; wait`)
	s.launch(0, soon)
	s.once()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(s.history(), "was taken already") && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	s.says(s.history(), "was taken already")
	s.once()
}

// A terminal with a server hands on the environment of its first window: keys, PATH and all.
func TestLaunchStaleEnvironment(t *testing.T) {
	s := newStage(t, `["auto"]`)
	s.display(true)
	s.terminal("xfce4-terminal", `exec env -i HOME="$HOME" GORACE="$GORACE" PATH=/old KEY=old LEFT=over TERM=xterm-256color WINDOWID=7 "$3" "$4"`)
	s.says(s.launch(0, soon), "terminal xfce4-terminal\n")
	env := s.once().env
	for _, want := range []string{"KEY=new", "PATH=" + s.bin, "TERM=xterm-256color", "WINDOWID=7", "VOMGR_PROMPT=p"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing in %q", want, env)
		}
	}
	if strings.Contains(strings.Join(env, "\n"), "LEFT=") {
		t.Errorf("the first window's environment is still there: %q", env)
	}
	if left, _ := filepath.Glob(filepath.Join(s.w.StateDir(), "jobs", "*.env")); len(left) > 0 {
		t.Errorf("the environment is still on the disk: %q", left)
	}
}

func TestLaunchTmuxGone(t *testing.T) {
	s := newStage(t, `["auto"]`)
	s.display(true)
	place := []byte(`{"tmux_socket":"/nonexistent/tmux","tmux_session":"$3"}`)
	err := s.store.Project(s.project).Change(time.Second, func(st *chain.State) error {
		st.Chain = &chain.Chain{ID: "c1", Place: place, Hops: 1, Began: time.Now(), Alive: time.Now()}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.terminal("tmux", `[ "$3" = new-window ] && { echo "no server running on $2" >&2; exit 1; }; run "$@"`)
	s.says(s.launch(0, soon), "terminal tmux window: tmux ended at once: exit status 1: no server running on /nonexistent/tmux\n",
		"terminal tmux session vomgr-0123abcd\n")
	s.once()
}

// A helper that may not start the job says why, and no further window is opened for it.
func TestLaunchRefused(t *testing.T) {
	s := newStage(t, `["auto"]`)
	s.display(true)
	err := s.store.Project(s.project).Change(time.Second, func(st *chain.State) error {
		st.Chain = &chain.Chain{ID: "c1", Hops: 1, Began: time.Now().Add(-13 * time.Hour), Alive: time.Now()}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.terminal("xterm", `run "$@"`)
	s.terminal("tmux", `run "$@"`)
	story := s.launch(0, soon)
	s.says(story, "terminal xterm: the window opened, and nothing is started in it: max_hours")
	if strings.Contains(story, "tmux") || len(s.ran()) > 0 {
		t.Errorf("the next way was tried:\n%s", story)
	}
}

// The window that arrives after the next way was taken finds the job taken.
func TestLaunchLateWindow(t *testing.T) {
	s := newStage(t, `["slow", "{helper}", "{job}"]`)
	s.terminal("slow", `sleep 11; "$@"; echo $? >"$HOME/late"`)
	s.terminal("tmux", `run "$@"`)
	s.says(s.launch(10*time.Second, 12*time.Second+soon/2), "terminal slow (settings): nothing was started within 10s\n", "terminal tmux session vomgr-0123abcd\n")
	s.once()
	s.arrives("late", "1\n")
	s.once()
	s.says(s.history(), "claimed job 0123abcd: the job was taken already (started)\n")
}

// The window that arrives after the last way failed still starts what is pending, once.
func TestLaunchLastWindowLate(t *testing.T) {
	s := newStage(t, `["slow", "{helper}", "{job}"]`)
	s.terminal("slow", `sleep 11; "$@"; echo $? >"$HOME/late"`)
	s.says(s.launch(10*time.Second, 12*time.Second+soon/2), "nothing was started within 10s\n", "rested no terminal could be opened")
	s.once()
	if status, found := RunPending(s.w, s.project); found {
		t.Errorf("it was started once more, status %d", status)
	}
	write(t, filepath.Join(s.w.Home, "quit"), "")
	s.arrives("late", "0\n")
}

// arrives waits for a file in the home.
func (s *stage) arrives(name, want string) {
	s.t.Helper()
	var got []byte
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if got, _ = os.ReadFile(filepath.Join(s.w.Home, name)); len(got) > 0 {
			break
		}
	}
	if string(got) != want {
		s.t.Errorf("%s: %q, want %q; the history:\n%s", name, got, want, s.history())
	}
}
