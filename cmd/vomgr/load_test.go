package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/chain"
)

// size is how much a load test does: few, or with VOMGR_LOAD=full what docs/processes.md tells of:
//
//	VOMGR_LOAD=full go test ./cmd/vomgr -run Load -v -timeout 60m
func size(few, full int) int {
	if os.Getenv("VOMGR_LOAD") == "full" {
		return full
	}
	return few
}

const loadToml = `
[limits]
max_handovers = 0
max_per_hour = 0
max_quick = 0
stop_when_stalled = 0
[prompts]
claude = "{todo}"
codex = "{todo}"
[terminals.defaults]
linux = ["sh", "-c", "{command}"]
darwin = ["sh", "-c", "{command}"]
`

// TestLoadManyProjects: hooks at once in as many projects start as many assistants, each once, each with its own prompt
// and folder.
func TestLoadManyProjects(t *testing.T) {
	skipLoad(t)
	n := size(12, 100)
	h := newHouse(t, loadToml)
	h.tell(t, "codex.do", "stay 300")
	dirs := make([]string, n)
	for i := range dirs {
		dirs[i] = filepath.Join(h["P"], fmt.Sprint("p", i))
		if err := os.MkdirAll(dirs[i], 0o700); err != nil {
			t.Fatal(err)
		}
		h.write(t, filepath.Join(dirs[i], "TODO.md"), fmt.Sprintf("- [ ] only of p%d\n", i))
	}
	began := time.Now()
	slowest := atOnce(n, func(i int) { h.stopIn(t, dirs[i], h.environ()) })
	hooks := time.Since(began)
	h.untilFor(t, 3*time.Minute, "all are recorded", func() bool { return strings.Count(h.history(), `"step":"recorded"`) >= n })
	t.Logf("%d hooks at once: all returned after %.2f s, the slowest took %.2f s; all assistants recorded after %.2f s",
		n, hooks.Seconds(), slowest.Seconds(), time.Since(began).Seconds())
	called := func() int {
		got, _ := filepath.Glob(filepath.Join(h["STANDIN"], "codex.*.args"))
		return len(got)
	}
	h.until(t, "all have noted how they were called", func() bool { return called() >= n })
	time.Sleep(200 * time.Millisecond)
	if got := called(); got != n || strings.Count(h.history(), `"step":"started"`) != n {
		t.Errorf("%d assistants, want %d", got, n)
	}
	met := map[string]bool{}
	for i := range n {
		cwd := strings.TrimSpace(h.read(t, fmt.Sprintf("codex.%d.cwd", i+1)))
		args := h.read(t, fmt.Sprintf("codex.%d.args", i+1))
		if met[cwd] || !slices.Contains(dirs, cwd) || !strings.HasSuffix(args, fmt.Sprintf("%q\n", "- [ ] only of "+filepath.Base(cwd))) {
			t.Errorf("in %s (again: %v): %s", cwd, met[cwd], args)
		}
		met[cwd] = true
	}
	h.noErrors(t)
}

// TestLoadOneProject: of hooks at once in one project one hands over; the others say why they do not.
func TestLoadOneProject(t *testing.T) {
	skipLoad(t)
	n := size(20, 100)
	h := newHouse(t, loadToml)
	h.tell(t, "codex.do", "stay 300")
	began := time.Now()
	slowest := atOnce(n, func(i int) { h.stop(t, fmt.Sprint("s", i), "1", nil) })
	hooks := time.Since(began)
	h.untilFor(t, time.Minute, "it is recorded", func() bool { return strings.Count(h.history(), `"step":"recorded"`) > 0 })
	t.Logf("%d hooks at once: all returned after %.2f s, the slowest took %.2f s", n, hooks.Seconds(), slowest.Seconds())
	_ = h.read(t, "codex.1.args")
	log := h.history()
	started := strings.Count(log, `"step":"started"`)
	why := map[string]int{}
	for _, m := range regexp.MustCompile(`"(?:detail|error)":"(in-flight|busy|locking)`).FindAllStringSubmatch(log, -1) {
		why[m[1]]++
	}
	called := func() int {
		got, _ := filepath.Glob(filepath.Join(h["STANDIN"], "codex.*.args"))
		return len(got)
	}
	h.until(t, "the assistant has noted how it was called", func() bool { return called() > 0 })
	if got := called(); got != 1 || started != 1 {
		t.Errorf("%d assistants, %d starts, want one", got, started)
	}
	if why["in-flight"]+why["busy"]+why["locking"] != n-1 {
		t.Errorf("reasons: %v of %d", why, n-1)
	}
	t.Logf("the others: %v", why)
}

// TestLoadManyHandOvers: after many hand-overs in a row nothing is left over, and whoever looks at a state file at any
// moment finds a whole one.
func TestLoadManyHandOvers(t *testing.T) {
	skipLoad(t)
	n := size(20, 1000)
	h := newHouse(t, strings.Replace(loadToml, "max_handovers = 0", fmt.Sprint("max_handovers = ", n), 1))
	h.write(t, filepath.Join(h["P"], "TODO.md"), "- [ ] one\n")
	h.tell(t, "codex.do", "stop done\nstay 600")
	h.tell(t, "claude.do", "stop done\nstay 600")
	reads, stop := h.readAlways(t)
	began := time.Now()
	h.stop(t, "first", "1", nil)
	early := map[string]int{}
	h.untilFor(t, time.Minute, "the fifth hand-over", func() bool { return h.state(t).Chain.Hops >= 5 })
	h.untilFor(t, time.Minute, "an early measure", func() bool { early = h.measure(t); return early["helper kB"] > 0 })
	h.untilFor(t, time.Hour, "the end", func() bool {
		return strings.Contains(h.history()+h.old(), `"step":"ended"`) && strings.Contains(h.history(), fmt.Sprintf(`"hop":%d,"step":"recorded"`, n))
	})
	took := time.Since(began)
	h.until(t, "one assistant is left", func() bool { return len(running(h["W"])) <= 3 && len(h.alivePids()) == 1 })
	stop()
	late := h.measure(t)
	t.Logf("%d hand-overs in %.1f s, %.0f ms each; %d reads of state files; after five: %v, at the end: %v",
		n, took.Seconds(), took.Seconds()*1000/float64(n), *reads, early, late)
	if hops := h.state(t).Chain.Hops; hops != n {
		t.Errorf("%d hand-overs", hops)
	}
	if late["helper kB"] > 2*early["helper kB"] || late["state bytes"] > 64<<10 {
		t.Errorf("it grows: %v, then %v", early, late)
	}
	first := h.read(t, "codex.1.fds")
	for i := range n / 2 {
		if got := h.read(t, fmt.Sprintf("codex.%d.fds", i+1)); got != first {
			t.Errorf("codex %d began with %s descriptors, the first with %s", i+1, got, first)
		}
	}
	if late["files"] > 20+12 || late["temporary files"] > 0 || late["processes"] > 3 {
		t.Errorf("left over: %v", late)
	}
	h.noErrors(t)
}

func skipLoad(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the stand-ins are measured by /proc")
	}
}

// atOnce runs f for 0 to n-1 at once and returns how long the slowest took.
func atOnce(n int, f func(int)) (slowest time.Duration) {
	var wg sync.WaitGroup
	took := make([]time.Duration, n)
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			began := time.Now()
			f(i)
			took[i] = time.Since(began)
		})
	}
	close(start)
	wg.Wait()
	return slices.Max(took)
}

// untilFor is until with its own limit.
func (h house) untilFor(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			log := h.history()
			t.Fatalf("waited for this: %s\n%s", what, log[max(0, len(log)-20_000):])
		}
	}
}

// old is the part of the history that was put aside.
func (h house) old() string {
	data, _ := os.ReadFile(filepath.Join(h["STATE"], "history.1.jsonl"))
	return string(data)
}

func (h house) noErrors(t *testing.T) {
	t.Helper()
	for line := range strings.Lines(h.old() + h.history()) {
		if blank := line == "\n"; !blank && !json.Valid([]byte(line)) || strings.Contains(line, `"error"`) {
			t.Errorf("history: %s", line)
		}
	}
}

// readAlways reads every state file again and again until stop is called, and wants each whole.
func (h house) readAlways(t *testing.T) (reads *int, stop func()) {
	t.Helper()
	reads = new(int)
	quit, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for {
			select {
			case <-quit:
				return
			default:
			}
			for _, pattern := range []string{"projects/*/state.json", "session_state.json", "jobs/*.json"} {
				files, _ := filepath.Glob(filepath.Join(h["STATE"], pattern))
				files = append(files, filepath.Join(h["CLAUDE"], "vocl-new.json"), filepath.Join(h["CODEX"], "voco-new.json"))
				for _, f := range files {
					data, err := os.ReadFile(f)
					if err == nil && !json.Valid(data) {
						t.Errorf("%s is not whole: %q", f, data)
					}
					if err == nil {
						*reads++
					}
				}
			}
			time.Sleep(time.Millisecond)
		}
	}()
	return reads, func() {
		close(quit)
		<-over
	}
}

// measure counts what could be left over.
func (h house) measure(t *testing.T) map[string]int {
	t.Helper()
	m := map[string]int{"processes": len(running(h["W"]))}
	_ = filepath.WalkDir(h["STATE"], func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			m["files"]++
			if strings.HasSuffix(path, ".tmp") || strings.Contains(path, ".part") {
				m["temporary files"]++
			}
		}
		if fi, err := os.Stat(path); err == nil && filepath.Base(path) == "state.json" {
			m["state bytes"] = int(fi.Size())
		}
		return nil
	})
	st := h.state(t)
	if st.Session == nil {
		return m
	}
	if j, err := h.store().Find(st.Session.Job); err == nil && j.Phase == chain.Started {
		helper, _, _ := strings.Cut(j.Claimant, "-")
		fds, _ := os.ReadDir("/proc/" + helper + "/fd")
		m["helper's descriptors"] = len(fds)
		status, _ := os.ReadFile("/proc/" + helper + "/status")
		if peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status); peak != nil {
			m["helper kB"], _ = strconv.Atoi(string(peak[1]))
		}
	}
	return m
}
