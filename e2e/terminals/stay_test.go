//go:build e2e

package terminals

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// tmuxHome is a home whose chain begins in a tmux session, whose windows can be looked at and typed into.
func tmuxHome(t *testing.T, settings string) (h *home, project string) {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip(err)
	}
	h = newHome(t)
	must(t, h.inTmux())
	h.enable(t)
	must(t, os.WriteFile(filepath.Join(h.dir, ".vexy-overnight", "settings.toml"), []byte(settings), 0o600))
	project = filepath.Join(h.dir, "src", "proj")
	must(t, os.Mkdir(project, 0o700))
	return h, project
}

const auto = "[terminals]\nkeep_open = KEEP\n[terminals.defaults]\nlinux = [\"auto\"]\n"

// tmux asks the server the chain lives in.
func (h *home) tmux(args ...string) string {
	out, _ := h.command(h.dir, "tmux", append([]string{"-S", filepath.Join(h.dir, "run", "tmux")}, args...)...).CombinedOutput()
	return strings.TrimSpace(string(out))
}

// order tells the stand-ins that start from now on what to do.
func (h *home) order(t *testing.T, name string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(h.dir, "reports", name), nil, 0o600))
}

// window is the name of the window the assistant runs in, after it has said that it does.
func (h *home) window(t *testing.T) string {
	t.Helper()
	seen, ok := h.answer(20 * time.Second)
	if !ok {
		t.Fatal("nothing was started")
	}
	panes := h.tmux("list-panes", "-a", "-F", "#{pane_tty} #{window_id}")
	for line := range strings.Lines(panes) {
		if tty, id, _ := strings.Cut(strings.TrimSpace(line), " "); tty == seen.Tty {
			return id
		}
	}
	t.Fatalf("%s is none of\n%s", seen.Tty, panes)
	return ""
}

// shows waits until the window shows the text.
func (h *home) shows(t *testing.T, window, text string) {
	t.Helper()
	until(t, "the window shows "+text, func() bool { return strings.Contains(h.tmux("capture-pane", "-p", "-J", "-t", window), text) })
}

func (h *home) closes(t *testing.T, window string) {
	t.Helper()
	until(t, "the window closes", func() bool { return !strings.Contains(h.tmux("list-windows", "-a", "-F", "#{window_id}."), window+".") })
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited 15 s for this: " + what)
		}
	}
}

// next hands the work over to target, once the assistant before it is recorded.
func (h *home) next(t *testing.T, project, target string) {
	t.Helper()
	until(t, "the assistant is recorded", func() bool {
		return slices.ContainsFunc(h.history(t, project), func(s step) bool { return s.Step == "recorded" })
	})
	if out, err := h.command(project, "vomgr", "next", target).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
}

// An assistant that fails to start leaves its words on the screen until a key is pressed.
func TestFailedStartStays(t *testing.T) {
	t.Parallel()
	h, project := tmuxHome(t, strings.ReplaceAll(auto, "KEEP", "false"))
	h.order(t, "fail")
	h.stops(t, project)
	window := h.window(t)
	h.shows(t, window, "the stand-in fails")
	h.shows(t, window, "vomgr: codex ended with status 3 before it finished a turn")
	h.shows(t, window, "press a key to close this window")
	h.tmux("send-keys", "-t", window, "x")
	h.closes(t, window)
}

// The window of an assistant that was replaced closes, with keep_open after a key; what the assistant did to the
// terminal is undone.
func TestReplacedWindow(t *testing.T) {
	for _, keep := range []string{"false", "true"} {
		t.Run("keep_open="+keep, func(t *testing.T) {
			t.Parallel()
			h, project := tmuxHome(t, strings.ReplaceAll(auto, "KEEP", keep))
			h.order(t, "screen")
			h.stops(t, project)
			first := h.window(t)
			h.shows(t, first, "full screen")
			h.next(t, project, "claude")
			second := h.window(t)
			if keep == "true" {
				h.shows(t, first, "press a key to close this window")
				if modes := h.tmux("display-message", "-p", "-t", first, "#{alternate_on} #{mouse_any_flag} #{cursor_flag}"); modes != "0 0 1" {
					t.Errorf("alternate screen, mouse, cursor: %s", modes)
				}
				h.tmux("send-keys", "-t", first, "x")
			}
			h.closes(t, first)
			h.shows(t, second, "full screen")
		})
	}
}

// An assistant that a person started with vomgr run gives the shell a terminal that works.
func TestShellGetsItsTerminalBack(t *testing.T) {
	t.Parallel()
	h, project := tmuxHome(t, strings.ReplaceAll(auto, "KEEP", "false"))
	h.order(t, "screen")
	shell := h.command(project, "tmux", "-S", filepath.Join(h.dir, "run", "tmux"), "new-window", "-d", "-P", "-F", "#{window_id}", "--",
		"sh", "-c", `stty -a >"$HOME/before"; vomgr run claude; echo status $?; stty -a >"$HOME/after"; read x`)
	out, err := shell.CombinedOutput()
	must(t, err)
	window := strings.TrimSpace(string(out))
	if got := h.window(t); got != window {
		t.Fatalf("it runs in %s, not in %s", got, window)
	}
	h.shows(t, window, "full screen")
	h.next(t, project, "codex")
	h.window(t)
	h.shows(t, window, "status 0")
	if modes := h.tmux("display-message", "-p", "-t", window, "#{alternate_on} #{mouse_any_flag} #{cursor_flag}"); modes != "0 0 1" {
		t.Errorf("alternate screen, mouse, cursor: %s", modes)
	}
	before, err := os.ReadFile(filepath.Join(h.dir, "before"))
	must(t, err)
	until(t, "the modes are noted", func() bool {
		after, _ := os.ReadFile(filepath.Join(h.dir, "after"))
		return strings.Count(string(after), "\n") == strings.Count(string(before), "\n")
	})
	if after, _ := os.ReadFile(filepath.Join(h.dir, "after")); string(after) != string(before) {
		t.Errorf("the terminal's modes were\n%s\nand are\n%s", before, after)
	}
}
