//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Rig is everything a test needs: a model, a home with assistants that know it, and a terminal.
type Rig struct {
	Home  *Home
	Model *Model
	Tmux  *Tmux
}

// NewRig builds a rig whose model answers with answer; when the test fails it tells what can be seen.
func NewRig(t *testing.T, answer func(Request) Reply, vomgr string, programs ...Program) *Rig {
	t.Helper()
	m := StartModel(answer)
	t.Cleanup(m.Close)
	h := NewHome(t, m, vomgr, programs...)
	r := &Rig{Home: h, Model: m, Tmux: NewTmux(t, h)}
	t.Cleanup(func() { // runs before the home is removed
		if t.Failed() {
			t.Log(r.dump())
		}
	})
	return r
}

// Until waits until ok is true; after limit the test fails, saying what it waited for.
func (r *Rig) Until(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for start := time.Now(); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Since(start) > limit {
			t.Fatalf("waited %s for this: %s", limit, what)
		}
	}
}

// UntilQuiet waits until value has stayed the same for quiet.
func (r *Rig) UntilQuiet(t *testing.T, limit, quiet time.Duration, what string, value func() int) {
	t.Helper()
	was, since := value(), time.Now()
	r.Until(t, limit, what, func() bool {
		if now := value(); now != was {
			was, since = now, time.Now()
		}
		return time.Since(since) >= quiet
	})
}

// typePrompt starts claude in a shell in the session "mine", and types a prompt of one line into it.
func (r *Rig) typePrompt(t *testing.T, dir, prompt string) {
	t.Helper()
	r.Tmux.Start(t, "mine", dir, "sh", "-i")
	r.Tmux.Type(t, "mine", "claude --dangerously-skip-permissions")
	r.Tmux.Press(t, "mine", "Enter")
	r.Until(t, time.Minute, "claude shows its prompt", func() bool { return strings.Contains(r.Tmux.Screen("mine"), "❯") })
	r.Tmux.Type(t, "mine", prompt)
	r.Until(t, 30*time.Second, "claude shows what was typed", func() bool { return strings.Contains(r.Tmux.Screen("mine"), prompt) })
	r.Tmux.Press(t, "mine", "Enter")
}

// dump describes the rig: what runs, what the terminals show, what the model saw, what vomgr wrote.
func (r *Rig) dump() string {
	var b strings.Builder
	b.WriteString("what can be seen:\n=== processes\n")
	for _, p := range procsOf(r.Home.Dir) {
		fmt.Fprintln(&b, p)
	}
	fmt.Fprintf(&b, "=== terminals\n%s=== model\n%s", r.Tmux.Dump(), r.Model.Log())
	state := filepath.Join(r.Home.Dir, ".vexy-overnight")
	_ = filepath.WalkDir(state, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(path) == "settings.toml" {
			return nil
		}
		text, _ := os.ReadFile(path)
		if len(text) > 0 {
			fmt.Fprintf(&b, "=== %s\n%s\n", strings.TrimPrefix(path, r.Home.Dir), short(string(text), 20_000))
		}
		return nil
	})
	return strings.ReplaceAll(b.String(), r.Home.Dir, "~")
}
