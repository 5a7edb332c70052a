package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/platform"
)

// crashPoints are the places in the chain at which one part of it is killed, and what is left of the hand-over then.
var crashPoints = []struct {
	point string
	left  string // the phase of its job, "" where there is none
	keeps bool   // the assistant before lives still
}{
	{"hook admitted", "", true},
	{"hook put", "pending", true},
	{"hook left", "started", false}, // the launcher goes on by itself
	{"launcher began", "pending", true},
	{"launcher opened", "started", false}, // the helper goes on by itself
	{"helper began", "pending", true},
	{"helper claimed", "pending", true}, // given back by the launcher
	{"helper starting", "starting", true},
	{"helper spawned", "starting", true}, // the assistant is hung up with its window
	{"helper started", "started", true},  // so is this one, and the one before is left to the next helper
	{"helper replaced", "started", false},
	{"helper recorded", "started", false},
}

// TestKilledAnywhere kills each part of the chain at each of its steps, by SIGKILL. The next stop, a minute later, or a
// person's vomgr run goes on, and in the end exactly one assistant works in the project, the recorded one: none was
// started twice, and whoever should have been ended is.
func TestKilledAnywhere(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("windows are terminals of Linux here")
	}
	program := faultyVomgr(t)
	for _, c := range crashPoints {
		for _, by := range []string{"run", "stop"} {
			t.Run(c.point+"/"+by, func(t *testing.T) {
				t.Parallel()
				h := newHouse(t, crashToml)
				h.useProgram(t, program)
				h.tell(t, "codex.do", "stay 60")
				h.tell(t, "claude.do", "stay 60")
				h.stop(t, "one", "", nil)
				h.untilRecorded(t, "codex", 1)
				mark := filepath.Join(h["W"], "crash")
				h.write(t, mark, "")
				h.codexStops(t, "two", []string{"CRASH=" + c.point + ":" + mark})
				h.untilGone(t, mark)
				h.untilSettled(t, c.left)
				if alive := h.alive(t, "codex.1"); alive != c.keeps {
					t.Errorf("the assistant before lives: %v\n%s", alive, h.history())
				}
				h.minutePasses(t)
				if by == "run" {
					h.goOnByRun(t, c.left == "started")
				} else {
					h.codexStops(t, "three", nil)
				}
				h.untilOneWorks(t)
			})
		}
	}
}

const crashToml = `
[limits]
max_quick = 0
[terminals.defaults]
linux = ["terminal", "sh", "-c", "{command}"]
`

// useProgram makes vomgr of the house another build.
func (h house) useProgram(t *testing.T, program string) {
	t.Helper()
	for dir, names := range map[string][]string{"CLAUDE": {"vocl-go", "vocl-new"}, "CODEX": {"voco-go", "voco-new"}, "BIN": {"vomgr"}} {
		for _, name := range names {
			link := filepath.Join(h[dir], name)
			if err := os.Remove(link); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(program, link); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (h house) write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// stop plays a Claude of a person's that stops in the project.
func (h house) stop(t *testing.T, session, turn string, env []string) {
	t.Helper()
	payload, err := json.Marshal(map[string]any{"session_id": session, "prompt_id": turn, "cwd": h["P"], "hook_event_name": "Stop"})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(h["CLAUDE"], "vocl-go"), h["P"])
	cmd.Dir, cmd.Env, cmd.Stdin = h["P"], append(h.environ(), env...), strings.NewReader(string(payload))
	h.call(t, cmd)
}

// codexStops plays the Codex that vomgr started first.
func (h house) codexStops(t *testing.T, turn string, env []string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(h.read(t, "codex.1.args")), "\n")
	prompt, err := strconv.Unquote(lines[len(lines)-1])
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(map[string]any{
		"type": "agent-turn-complete", "thread-id": "mine", "turn-id": turn, "cwd": h["P"], "client": "codex-tui", "input-messages": []string{prompt},
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(h["CODEX"], "voco-go"), string(payload))
	cmd.Dir, cmd.Env = h["P"], append(h.environ(), env...)
	h.call(t, cmd)
}

// call runs a hook, which may be killed.
func (h house) call(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if status := statusOf(err); status == 2 || len(out) > 0 {
		t.Errorf("the hook: %v: %s", err, out)
	}
}

// until waits for ok, at most 40 s.
func (h house) until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(40 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			jobs, _ := os.ReadDir(filepath.Join(h["STATE"], "jobs"))
			t.Fatalf("waited for this: %s\n%s\n%v\n%+v", what, h.history(), jobs, h.state(t).Session)
		}
	}
}

func (h house) state(t *testing.T) chain.State {
	t.Helper()
	st, err := h.store().Project(h["P"]).Read()
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func (h house) store() chain.Store { return chain.Store{Dir: h["STATE"], Now: time.Now} }

// untilRecorded waits until the n-th start in the project is done with.
func (h house) untilRecorded(t *testing.T, tool string, n int) {
	t.Helper()
	h.until(t, fmt.Sprint(tool, " is recorded"), func() bool {
		return strings.Count(h.history(), `"step":"recorded"`) >= n && h.state(t).Session.Tool == tool && h.state(t).InFlight == nil
	})
}

func (h house) untilGone(t *testing.T, path string) {
	t.Helper()
	h.until(t, "the crash", func() bool { return !exists(path) })
}

// untilSettled waits until the second hand-over's job is in that phase and nobody but assistants and their helpers runs.
func (h house) untilSettled(t *testing.T, phase string) {
	t.Helper()
	h.until(t, "the job is "+phase, func() bool {
		jobs, _ := h.store().Jobs()
		for _, p := range running(h["W"]) {
			if strings.Contains(strings.Join(p.Args, " "), "hook launch") {
				return false
			}
		}
		is := ""
		for _, j := range jobs {
			if j.Hop == 2 {
				is = string(j.Phase)
			}
		}
		return is == phase && (phase != "started" || h.state(t).Chain.Hops == 2)
	})
	h.until(t, "nobody is ending anybody", func() bool {
		all := h.alivePids()
		time.Sleep(200 * time.Millisecond)
		return fmt.Sprint(all) == fmt.Sprint(h.alivePids())
	})
}

func (h house) alive(t *testing.T, name string) bool {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(h.read(t, name+".pid")))
	if err != nil {
		t.Fatal(err)
	}
	_, err = platform.Identify(pid)
	return err == nil
}

// alivePids lists the stand-in assistants that live.
func (h house) alivePids() (pids []int) {
	for _, p := range running(h["W"]) {
		if slices.Contains(assistant.Marks(), assistant.Base(p.Args[0])) {
			pids = append(pids, p.Pid)
		}
	}
	return pids
}

// minutePasses lets what is under way count as given up, as after a minute.
func (h house) minutePasses(t *testing.T) {
	t.Helper()
	err := h.store().Project(h["P"]).Change(time.Second, func(st *chain.State) error {
		if st.InFlight != nil {
			st.InFlight.Since = st.InFlight.Since.Add(-time.Minute)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// goOnByRun is a person who types vomgr run, and does what it says.
func (h house) goOnByRun(t *testing.T, started bool) {
	t.Helper()
	if started && alive(h.state(t).Session) && len(h.alivePids()) == 1 {
		return // nothing is wrong
	}
	argv := []string{"run"}
	for range 2 {
		cmd := exec.Command(filepath.Join(h["BIN"], "terminal"), append([]string{"vomgr"}, argv...)...)
		cmd.Dir, cmd.Env = h["P"], h.environ()
		cmd.Args[0] = filepath.Join(h["BIN"], "terminal")
		ended := make(chan error, 1)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { ended <- cmd.Wait() }()
		select {
		case <-ended:
		case <-time.After(2 * time.Second):
			return // it works; it ends with the house
		}
		said, err := os.ReadFile(latest(h["STANDIN"], "terminal.*.out"))
		hint := regexp.MustCompile(`vomgr run (claude|codex)`).FindStringSubmatch(string(said))
		if err != nil || hint == nil {
			t.Fatalf("vomgr run says: %s %v", said, err)
		}
		argv = []string{"run", hint[1]}
	}
	t.Fatal("vomgr run starts nothing")
}

func latest(dir, pattern string) string {
	files, _ := filepath.Glob(filepath.Join(dir, pattern))
	best := ""
	var when time.Time
	for _, f := range files {
		if fi, err := os.Stat(f); err == nil && fi.ModTime().After(when) {
			best, when = f, fi.ModTime()
		}
	}
	return best
}

func pendingIn(h house) []chain.Job {
	jobs, _ := h.store().Jobs(chain.Pending)
	return jobs
}

func alive(s *chain.Session) bool {
	return s != nil && platform.Alive(platform.Identity{Pid: s.Pid, Start: s.Start, Boot: s.Boot})
}

// untilOneWorks waits until the recorded session is the only assistant alive, nothing is on its way, and nobody is left
// to be ended.
func (h house) untilOneWorks(t *testing.T) {
	t.Helper()
	h.until(t, "one assistant works", func() bool {
		st, pids := h.state(t), h.alivePids()
		return len(pids) == 1 && alive(st.Session) && st.Session.Pid == pids[0] && st.InFlight == nil && len(st.Leaving) == 0
	})
	if jobs := pendingIn(h); len(jobs) > 0 {
		t.Errorf("pending: %+v", jobs)
	}
}
