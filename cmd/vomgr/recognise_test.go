//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/platform"
)

// TestRecognised: the assistant before is ended when it is the process that was recorded, by the kernel's own word or,
// where only the four documented keys are left, by its start; else it is left alone, and the history says why
// (gastown#1681, wazuh#38155, monk-plugin#98).
func TestRecognised(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("windows are terminals of Linux here")
	}
	for name, c := range map[string]struct {
		record func(*testing.T, house, *chain.Session) // changes the project's record
		seed   [2]string                               // an expression and what takes its place in session_state.json
		lost   bool                                    // the project's record is lost
		env    []string                                // of the helper that comes next
		ends   bool
		says   string
	}{
		"as it is":                                {ends: true, says: "gone in"},
		"after a step of clock":                   {record: func(_ *testing.T, _ house, s *chain.Session) { s.StartTime = "2026-01-01T00:00:00.000000" }, seed: oclock, ends: true, says: "gone in"},
		"in another time zone":                    {env: []string{"TZ=Asia/Tokyo"}, ends: true, says: "gone in"},
		"by the four keys alone":                  {lost: true, ends: true, says: "gone in"},
		"by the four keys, after a step of clock": {lost: true, seed: oclock, says: "another process has its number: it began .* away from the time recorded"},
		"by the four keys, in another time zone":  {lost: true, env: []string{"TZ=Asia/Tokyo"}, says: "it began 9h0m0s away from the time recorded"},
		"another project's":                       {lost: true, seed: [2]string{`"cwd": ".*"`, `"cwd": "/"`}, says: "no earlier session of vomgr's is recorded here"},
		"a number used again":                     {record: func(_ *testing.T, _ house, s *chain.Session) { s.Start = "1" }, says: "left alone: .*another process has its number"},
		"before a restart":                        {record: func(_ *testing.T, _ house, s *chain.Session) { s.Boot = "x" + s.Boot }, says: "from before a restart"},
		"in another container":                    {record: func(_ *testing.T, _ house, s *chain.Session) { s.Boot = strings.Replace(s.Boot, "/", "/1", 1) }, says: "in another container"},
		// The next three are of a record that names somebody else; session_state.json names codex, rightly.
		"a sleep called claude":      {record: namesake, ends: true, says: "left alone: .*another process has its number"},
		"a process of another name":  {record: stranger, ends: true, says: "is none of claude, codex, gemini"},
		"what the helper runs under": {record: ancestor, ends: true, says: "it is the process vomgr itself runs under"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, crashToml)
			h.tell(t, "codex.do", "stay 60")
			h.inTerminal(t, nil, "run", "codex")
			h.untilRecorded(t, "codex", 1)
			h.until(t, "codex runs", func() bool {
				_, err := os.Stat(filepath.Join(h["STANDIN"], "codex.1.pid"))
				return err == nil
			})
			time.Sleep(30 * time.Millisecond) // the kernel counts starts in steps of 10 ms: what is started now has another
			h.change(t, c.record)
			if c.lost {
				if err := os.RemoveAll(filepath.Join(h["STATE"], "projects")); err != nil {
					t.Fatal(err)
				}
			}
			if c.seed[0] != "" {
				path := filepath.Join(h["STATE"], "session_state.json")
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				h.write(t, path, regexp.MustCompile(c.seed[0]).ReplaceAllString(string(data), c.seed[1]))
			}
			h.inTerminal(t, c.env, "run", "claude")
			h.until(t, "claude is recorded", func() bool { return strings.Count(h.history(), `"step":"recorded"`) == 2 })
			if lives := h.alive(t, "codex.1"); lives == c.ends {
				t.Errorf("codex lives: %v", lives)
			}
			if c.ends { // its window is a plain terminal again
				h.until(t, "the terminal is put right", func() bool { return strings.Contains(h.read(t, "terminal.1.out"), "\x1b[?1049l") })
			}
			if !regexp.MustCompile(`"step":"replaced".*` + c.says).MatchString(h.history()) {
				t.Errorf("the history does not say %q:\n%s", c.says, h.history())
			}
		})
	}
}

// oclock makes session_state.json tell of another hour, as one written before the clock was set does.
var oclock = [2]string{`T[0-9]{2}:`, `T99:`}

func init() { oclock[1] = "T" + time.Now().Add(3*time.Hour).Format("15") + ":" }

// change changes the project's record of its session.
func (h house) change(t *testing.T, f func(*testing.T, house, *chain.Session)) {
	t.Helper()
	if f == nil {
		return
	}
	err := h.store().Project(h["P"]).Change(time.Second, func(st *chain.State) error {
		f(t, h, st.Session)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// namesake records the number of a program that is called claude and began at another time.
func namesake(t *testing.T, h house, s *chain.Session) { s.Pid = h.sleeps(t, "claude").Pid }

// stranger records a program of another name, rightly in all else.
func stranger(t *testing.T, h house, s *chain.Session) {
	id := h.sleeps(t, "somebody")
	s.Pid, s.Start, s.Boot = id.Pid, id.Start, id.Boot
}

// ancestor records this process, under which the next helper runs.
func ancestor(_ *testing.T, _ house, s *chain.Session) {
	id := platform.Self()
	s.Pid, s.Start, s.Boot = id.Pid, id.Start, id.Boot
}

// sleeps starts a sleep of another name.
func (h house) sleeps(t *testing.T, name string) platform.Identity {
	t.Helper()
	program, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "100")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	id, err := platform.Identify(cmd.Process.Pid)
	t.Cleanup(func() {
		if !platform.Alive(id) {
			t.Errorf("%s was ended", name)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// inTerminal runs vomgr in a window, and returns the process that is the window.
func (h house) inTerminal(t *testing.T, env []string, args ...string) *os.Process {
	t.Helper()
	cmd := exec.Command(filepath.Join(h["BIN"], "terminal"), append([]string{"vomgr"}, args...)...)
	cmd.Dir, cmd.Env = h["P"], append(h.environ(), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = cmd.Wait() }()
	return cmd.Process
}

// TestSignals: however an assistant or its window ends, the record is true and the history has a line of it; nobody is
// left (CC#64017: Claude ended by a signal calls no hook).
func TestSignals(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("windows are terminals of Linux here")
	}
	for name, c := range map[string]struct {
		do     func(window *os.Process, helper, assistant int)
		orders string
		says   string
	}{
		"the window is closed":       {func(w *os.Process, _, _ int) { _ = w.Kill() }, "stay 60", "codex, status (129|143)"},
		"ctrl-c":                     {func(_ *os.Process, helper, _ int) { _ = syscall.Kill(-helper, syscall.SIGINT) }, "stay 60", "codex, status 130"},
		"the helper is to end":       {func(_ *os.Process, helper, _ int) { _ = syscall.Kill(helper, syscall.SIGTERM) }, "stay 60", "codex, status 143"},
		"and its assistant will not": {func(_ *os.Process, helper, _ int) { _ = syscall.Kill(helper, syscall.SIGTERM) }, "stubborn\nstay 60", "codex, status 137"},
		"it fails at once":           {func(w *os.Process, _, _ int) { _ = w.Kill() }, "exit 3", "codex, status 3"}, // and waits for a key, or the end of the window
		"the assistant is killed":    {func(_ *os.Process, _, a int) { _ = syscall.Kill(a, syscall.SIGKILL) }, "stay 60", "codex, status 137"},
		"the person logs out": {func(w *os.Process, helper, a int) {
			_ = syscall.Kill(a, syscall.SIGTERM)
			_ = syscall.Kill(helper, syscall.SIGTERM)
			_ = w.Kill()
		}, "stay 60", "codex, status (129|143)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, crashToml)
			h.tell(t, "codex.do", c.orders)
			window := h.inTerminal(t, nil, "run", "codex")
			h.untilRecorded(t, "codex", 1)
			_ = h.read(t, "codex.1.args")
			time.Sleep(100 * time.Millisecond) // it does what it was told
			session := h.state(t).Session
			j, err := h.store().Find(session.Job)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			c.do(window, pidOf(j.Claimant), session.Pid)
			h.until(t, "the history tells of the end", func() bool {
				return regexp.MustCompile(`"step":"exited".*"detail":"` + c.says + `"`).MatchString(h.history())
			})
			h.until(t, "all are gone", func() bool { return len(h.alivePids()) == 0 && len(running(h["W"])) == 0 })
			t.Logf("after %.1f s", time.Since(began).Seconds())
			if name == "the assistant is killed" && !strings.Contains(h.read(t, "terminal.1.out"), "\x1b[?1049l") {
				t.Error("the terminal was not put right")
			}
			st := h.state(t)
			if st.Session.Pid != session.Pid || alive(st.Session) || st.InFlight != nil || len(pendingIn(h)) > 0 {
				t.Errorf("recorded: %+v, in flight %v", st.Session, st.InFlight)
			}
			status := exec.Command(filepath.Join(h["BIN"], "vomgr"), "status", "--json")
			status.Env = h.environ()
			if out, err := status.Output(); err != nil || !bytes.Contains(out, []byte(`"projects": []`)) {
				t.Errorf("status: %v %s", err, out)
			}
		})
	}
}

func pidOf(token string) int {
	pid := 0
	for _, digit := range token {
		if digit < '0' || digit > '9' {
			break
		}
		pid = 10*pid + int(digit-'0')
	}
	return pid
}
