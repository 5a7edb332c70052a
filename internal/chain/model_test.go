package chain

import (
	"fmt"
	"hash/fnv"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The model runs the protocol of the jobs, by the very functions of this package, in every order in which the processes
// of a hand-over can take their steps on the disk, with a crash of any of them before any step.

// part is one process of a model: straight on, by the store it is given.
type part struct {
	name    string
	waits   string // for a window of that name
	durable bool   // never crashes
	play    func(*model, *process)
}

// process is a part that plays.
type process struct {
	part
	store Store
	next  func() (step, bool)
	stop  func()
	at    step   // it stands before this step
	over  bool   // ended or crashed
	seen  uint64 // what it has seen: with where it stands, all that decides what it does next
}

type step struct{ op, arg string }

// model is one run.
type model struct {
	dir     string
	clock   time.Time
	parts   []*process
	locked  *process
	windows map[string]bool
	spawned []Job
	ended   []string // sessions that were ended
	crashes int
	fault   string
}

type crashed struct{}

func newModel(dir string, prepare func(*model), parts []part) *model {
	_ = os.RemoveAll(dir)
	m := &model{dir: dir, clock: now, windows: map[string]bool{}}
	prepare(m)
	for _, p := range parts {
		pr := &process{part: p}
		var yield func(step) bool
		pr.store = Store{Dir: dir, Now: func() time.Time { return m.clock }, pause: func(op string, args ...string) {
			if !yield(step{op, strings.Join(args, " ")}) {
				panic(crashed{})
			}
		}}
		pr.next, pr.stop = iter.Pull(func(y func(step) bool) {
			yield = y
			defer func() {
				if r := recover(); r != nil && r != (crashed{}) {
					panic(r)
				}
			}()
			pr.store.step("begin")
			pr.play(m, pr)
		})
		pr.at, _ = pr.next()
		m.parts = append(m.parts, pr)
	}
	return m
}

func (m *model) plain() Store { return Store{Dir: m.dir, Now: func() time.Time { return m.clock }} }

func (m *model) close() {
	for _, p := range m.parts {
		p.stop()
	}
}

// alive tells whether the process of that name has neither ended nor crashed.
func (m *model) alive(name string) bool {
	return slices.ContainsFunc(m.parts, func(p *process) bool { return p.name == name && !p.over })
}

// choice is a step of one process, or its crash.
type choice struct {
	part  int
	crash bool
}

// choices lists what can happen next. A step that nobody else can see, and that keeps nobody from anything, comes at
// once: any order with it later is as good as one with it now.
func (m *model) choices(maxCrashes int) []choice {
	var list []choice
	for i, p := range m.parts {
		if p.over || p.waits != "" && !m.windows[p.waits] {
			continue
		}
		if unseen := p.at.op == "begin" || p.at.op == "spawn" || p.at.op == "unlock"; unseen {
			list = nil
			if p.at.op == "spawn" && m.crashes < maxCrashes {
				list = append(list, choice{i, true})
			}
			return append(list, choice{i, false})
		}
		if p.at.op != "lock" || m.locked == nil {
			list = append(list, choice{i, false})
		}
		if !p.durable && m.crashes < maxCrashes && p.at.op != "begin" {
			list = append(list, choice{i, true})
		}
	}
	return list
}

// do takes a step.
func (m *model) do(c choice) {
	p := m.parts[c.part]
	if c.crash {
		p.stop()
		p.over = true
		m.crashes++
		if m.locked == p {
			m.locked = nil
		}
		return
	}
	p.seen = hash(p.seen, p.at.op, p.at.arg, m.view(p.at))
	switch p.at.op {
	case "lock":
		m.locked = p
	case "unlock":
		m.locked = nil
	}
	at, more := p.next()
	p.at, p.over = at, !more
	if n := m.twice(); n != "" {
		m.fail("two files of job %s", n)
	}
}

func (m *model) fail(format string, args ...any) {
	if m.fault == "" {
		m.fault = fmt.Sprintf(format, args...)
	}
}

// view is what the step of a process can see.
func (m *model) view(s step) string {
	switch s.op {
	case "rename":
		_, err := os.Lstat(s.arg)
		return fmt.Sprint(err == nil)
	case "list":
		return m.jobs()
	case "read", "lock":
		return m.state()
	}
	return ""
}

func (m *model) jobs() string {
	entries, _ := os.ReadDir(filepath.Join(m.dir, "jobs"))
	var b strings.Builder
	for _, e := range entries {
		_, _, claimant, _ := splitName(e.Name())
		fmt.Fprintln(&b, e.Name(), claimant != "" && m.alive(claimant))
	}
	return b.String()
}

func (m *model) state() string {
	data, _ := os.ReadFile(m.plain().Project("/p").statePath())
	return string(data)
}

// twice names a job of which there are two files.
func (m *model) twice() string {
	entries, _ := os.ReadDir(filepath.Join(m.dir, "jobs"))
	met := map[string]bool{}
	for _, e := range entries {
		id, _, _, ok := splitName(e.Name())
		if ok && met[id] {
			return id
		}
		met[id] = true
	}
	return ""
}

// print tells one state of the model from another.
func (m *model) print() uint64 {
	h := hash(0, m.jobs(), m.state(), fmt.Sprint(m.windows, m.crashes, len(m.spawned), m.ended))
	for _, p := range m.parts {
		h = hash(h, fmt.Sprint(p.seen, p.at, p.over, m.locked == p))
	}
	return h
}

func hash(from uint64, parts ...string) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, from)
	for _, p := range parts {
		_, _ = h.Write([]byte(p + "\x00"))
	}
	return h.Sum64()
}

// shm is a folder of the test's in memory, where there is one: the model makes files by the hundred thousand.
func shm(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "model")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// explorer goes through all orders, depth first.
type explorer struct {
	t       *testing.T
	make    func() *model
	crashes int
	seen    map[uint64]bool
	ends    int
	steps   int
}

func (x *explorer) visit(m *model, path []choice) {
	if m.fault != "" {
		x.report(m, path)
	}
	if p := m.print(); x.seen[p] {
		m.close()
		return
	} else {
		x.seen[p] = true
	}
	choices := m.choices(x.crashes)
	if len(choices) == 0 {
		x.ends++
		m.judge()
		if m.fault != "" {
			x.report(m, path)
		}
		m.close()
		return
	}
	for i, c := range choices {
		if i > 0 {
			m = x.make()
			for _, done := range path {
				m.do(done)
			}
			x.steps += len(path)
		}
		m.do(c)
		x.steps++
		x.visit(m, append(slices.Clip(path), c))
	}
}

// report tells how it came to a fault, and ends the test.
func (x *explorer) report(m *model, path []choice) {
	x.t.Helper()
	again := x.make()
	var b strings.Builder
	for _, c := range path {
		p := again.parts[c.part]
		fmt.Fprintf(&b, "%s: %s %s, crash %v\n", p.name, p.at.op, filepath.Base(p.at.arg), c.crash)
		again.do(c)
	}
	again.close()
	m.close()
	x.t.Fatalf("%s\n%s%s%s", m.fault, &b, m.jobs(), m.state())
}
