package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/chain"
)

// hop is one hand-over as the launcher sees it: after a turn of this length, in which the project changed or not.
func hop(t *testing.T, l *launching, c *clock, turn time.Duration, work func()) string {
	t.Helper()
	began := c.now
	err := l.store.Project(l.job.Project).Change(time.Second, func(st *chain.State) error {
		st.Session = &chain.Session{Tool: "claude", Began: began}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c.pass(turn)
	if work != nil {
		work()
	}
	l.job.Created = c.now
	return l.changedNothing()
}

// newLaunching is a launcher in a project; git puts a repository there.
func newLaunching(t *testing.T, c *clock, toml string, git bool) (l *launching, project string) {
	t.Helper()
	w, project := newWorld(t, c)
	write(t, filepath.Join(project, "main.go"), "package main\n")
	if git {
		write(t, filepath.Join(project, ".git", "HEAD"), "ref: refs/heads/main\n")
		write(t, filepath.Join(project, ".git", "refs", "heads", "main"), fmt.Sprintf("%040x\n", 1))
	}
	l = &launching{w: w, store: chain.Store{Dir: w.StateDir(), Now: w.Now}, set: set(t, toml)}
	l.job = chain.Job{ID: "thejob111", Chain: "cnow1", Project: project}
	err := l.store.Project(project).Change(time.Second, func(st *chain.State) error {
		st.Chain = &chain.Chain{ID: "cnow1", Began: c.now, Alive: c.now}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return l, project
}

func TestStalled(t *testing.T) {
	const long = time.Minute
	clock := newClock()
	l, project := newLaunching(t, clock, "", true)
	n := 0
	for _, c := range []struct {
		name string
		work func()
	}{
		{"a new file", func() { write(t, filepath.Join(project, fmt.Sprint("f", n)), "") }},
		{"a larger file", func() { write(t, filepath.Join(project, "main.go"), fmt.Sprintf("package main // %0*d\n", n, 0)) }},
		{"a file touched", func() { touch(t, filepath.Join(project, "main.go"), clock.now.Add(time.Duration(n)*time.Second)) }},
		{"a commit", func() {
			write(t, filepath.Join(project, ".git", "refs", "heads", "main"), fmt.Sprintf("%040x\n", n))
		}},
		{"a branch", func() {
			write(t, filepath.Join(project, ".git", "HEAD"), fmt.Sprintf("%040x\n", n))
		}},
	} {
		n += 2
		for i := range 2 {
			if i == 0 {
				wantPrefix(t, hop(t, l, clock, long, c.work), "")
			}
			wantPrefix(t, hop(t, l, clock, long, nil), "")
		}
		// Two have changed nothing. This one did, and the count begins anew.
		n += 2
		if over := hop(t, l, clock, long, c.work); over != "" {
			t.Errorf("after %s: %s", c.name, over)
		}
	}
	wantPrefix(t, hop(t, l, clock, long, nil), "")
	wantPrefix(t, hop(t, l, clock, long, nil), "")
	wantPrefix(t, hop(t, l, clock, long, nil), "stop_when_stalled: 3 hand-overs in a row changed nothing")
}

func touch(t *testing.T, path string, at time.Time) {
	t.Helper()
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// TestNotStalled: what is no work of an assistant's, or no limit, ends nothing.
func TestNotStalled(t *testing.T) {
	for name, c := range map[string]struct {
		toml string
		git  bool
		turn time.Duration
		want string // at the sixth hand-over that changed nothing
	}{
		"without git only quick turns count":   {"", false, time.Minute, ""},
		"no such limit":                        {"[limits]\nstop_when_stalled = 0\nmax_quick = 0", true, time.Second, ""},
		"quick turns, no limit on stalls":      {"[limits]\nstop_when_stalled = 0", true, time.Second, "max_quick: 5 turns in a row under 15s changed nothing"},
		"quick turns without git":              {"", false, 14 * time.Second, "max_quick: 5"},
		"turns of 15 s are not quick":          {"", false, 15 * time.Second, ""},
		"a larger number":                      {"[limits]\nmax_quick = 6", false, time.Second, "max_quick: 6"},
		"a number that is not reached by then": {"[limits]\nmax_quick = 7", false, time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			l, project := newLaunching(t, clock, c.toml, c.git)
			got := hop(t, l, clock, c.turn, nil) // the first look has nothing to compare with
			for range 6 {
				if got != "" {
					break
				}
				// git's own files are not the work tree
				if c.git {
					write(t, filepath.Join(project, ".git", "index"), clock.now.String())
				}
				got = hop(t, l, clock, c.turn, nil)
			}
			wantPrefix(t, got, c.want)
		})
	}
}

// TestQuickInARow: one long turn between quick ones breaks the row.
func TestQuickInARow(t *testing.T) {
	clock := newClock()
	l, _ := newLaunching(t, clock, "[limits]\nmax_quick = 2", false)
	for i, turn := range []time.Duration{time.Second, time.Second, time.Minute, time.Second} {
		if over := hop(t, l, clock, turn, nil); over != "" {
			t.Errorf("turn %d: %s", i, over)
		}
	}
	wantPrefix(t, hop(t, l, clock, time.Second, nil), "max_quick: 2")
}

// TestOtherChain: a launcher that comes late counts nothing in a chain that is not its own.
func TestOtherChain(t *testing.T) {
	clock := newClock()
	l, project := newLaunching(t, clock, "[limits]\nmax_quick = 1", false)
	l.job.Chain = "cother"
	for range 3 {
		wantPrefix(t, hop(t, l, clock, time.Second, nil), "")
	}
	if st, err := l.store.Project(project).Read(); err != nil || st.Chain.Print != "" || st.Chain.Quick != 0 {
		t.Errorf("%s %v", asJSON(st.Chain), err)
	}
}

func TestTreePrint(t *testing.T) {
	clock := newClock()
	_, project := newWorld(t, clock)
	at := clock.now
	write(t, filepath.Join(project, "a"), "1")
	touch(t, filepath.Join(project, "a"), at)
	before := treePrint(project, clock.Now)
	if before == "" || before != treePrint(project, clock.Now) {
		t.Fatal("the print of a tree that stays is another")
	}
	link := filepath.Join(project, "link")
	relink := func(to string) {
		_ = os.Remove(link)
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
	}
	for _, c := range []struct {
		name string
		work func()
	}{
		{"a link", func() { relink("a") }},
		{"a link to another file", func() { relink("b") }},
		{"a folder's file", func() { write(t, filepath.Join(project, "d", "x"), "") }},
	} {
		c.work()
		if now := treePrint(project, clock.Now); now == before {
			t.Errorf("%s changes nothing", c.name)
		} else {
			before = now
		}
	}
}

// TestTreePrintGivesUp: a tree that takes too long counts as changed.
func TestTreePrintGivesUp(t *testing.T) {
	_, project := newWorld(t, newClock())
	for i := range 1001 {
		write(t, filepath.Join(project, fmt.Sprint(i)), "")
	}
	slow := newClock()
	if got := treePrint(project, func() time.Time { slow.pass(2 * time.Second); return slow.now }); got == "" {
		t.Error("it gave up after 2 s")
	}
	if got := treePrint(project, func() time.Time { slow.pass(4 * time.Second); return slow.now }); got != "" {
		t.Error("it went on after 4 s")
	}
}
