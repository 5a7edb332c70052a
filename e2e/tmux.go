//go:build e2e

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Tmux is a terminal multiplexer of a home's own: a private socket, 200 columns and 50 lines, no configuration but that a terminal
// whose program failed stays to be looked at.
type Tmux struct {
	home   *Home
	socket string
	config string
}

// Pane is one terminal.
type Pane struct {
	ID      string // %0, %1, …
	Session string
	Window  string // the window's name
	PID     int    // of the program started in it
	Program string // the name of what runs in the foreground
	Dir     string
	Dead    bool // its program failed
}

// NewTmux prepares a multiplexer; the server starts with the first session and ends with the home.
func NewTmux(t *testing.T, h *Home) *Tmux {
	t.Helper()
	h.Write(t, "tmux.conf", "set -g remain-on-exit failed\n")
	return &Tmux{home: h, socket: filepath.Join(h.Dir, "tmux"), config: filepath.Join(h.Dir, "tmux.conf")}
}

// command prepares one tmux call.
func (x *Tmux) command(args ...string) *exec.Cmd {
	return x.home.command(x.home.Dir, "tmux", append([]string{"-S", x.socket, "-f", x.config}, args...)...)
}

// Start opens a session called name in dir that runs argv, with the home's exact environment.
func (x *Tmux) Start(t *testing.T, name, dir string, argv ...string) {
	t.Helper()
	args := []string{"new-session", "-d", "-s", name, "-x", "200", "-y", "50", "--"}
	for _, arg := range argv {
		if bare, ok := strings.CutSuffix(arg, ";"); ok {
			arg = bare + `\;` // or tmux takes it for the end of the command
		}
		args = append(args, arg)
	}
	cmd := x.command(args...)
	cmd.Dir = dir // not -c: tmux runs a #(…) it finds in that value
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("starting %q in tmux: %v: %s", argv, err, out)
	}
}

// Type types text into a session, as keys.
func (x *Tmux) Type(t *testing.T, session, text string) { x.keys(t, session, "-l", text) }

// Press presses one named key: Enter, Escape, C-c.
func (x *Tmux) Press(t *testing.T, session, key string) { x.keys(t, session, key) }

func (x *Tmux) keys(t *testing.T, session string, args ...string) {
	t.Helper()
	if out, err := x.command(append([]string{"send-keys", "-t", "=" + session + ":"}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("typing into %s: %v: %s", session, err, out)
	}
}

// Panes lists every pane of every session; none when the server does not run.
func (x *Tmux) Panes() []Pane {
	const format = "#{pane_id}\t#{session_name}\t#{window_name}\t#{pane_pid}\t#{pane_current_command}\t#{pane_dead}\t#{pane_current_path}"
	out, err := x.command("list-panes", "-a", "-F", format).Output()
	if err != nil {
		return nil
	}
	var all []Pane
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 7 {
			continue // the tail of a folder name with a line break in it
		}
		pid, _ := strconv.Atoi(f[3])
		all = append(all, Pane{ID: f[0], Session: f[1], Window: f[2], PID: pid, Program: f[4], Dead: f[5] == "1", Dir: f[6]})
	}
	return all
}

// Screen returns what the target (a pane's ID or a session's name) shows, without empty lines.
func (x *Tmux) Screen(target string) string {
	if !strings.HasPrefix(target, "%") {
		target = "=" + target + ":"
	}
	out, err := x.command("capture-pane", "-p", "-t", target).CombinedOutput()
	if err != nil {
		return fmt.Sprintf("(no screen: %v: %s)", err, out)
	}
	var b strings.Builder
	for line := range strings.Lines(string(out)) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
	}
	return b.String()
}

// Dump describes every pane and its screen.
func (x *Tmux) Dump() string {
	var b strings.Builder
	for _, p := range x.Panes() {
		fmt.Fprintf(&b, "--- pane %s, session %s, window %s, pid %d, dead %t, %s in %s\n%s", p.ID, p.Session, p.Window, p.PID, p.Dead, p.Program, p.Dir, x.Screen(p.ID))
	}
	return b.String()
}
