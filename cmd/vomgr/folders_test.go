package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// nasty are names of folders in which something is executed, or another folder is opened, when any shell, tmux or
// template on the way takes them for more than a name.
var nasty = []string{
	"sp ace", " leading and trailing ", `quo"te`, "it's", `back\slash`, "$HOME", "$(touch pwned)", "`touch pwned`",
	"#(touch pwned)", "#{session_name}", "#[fg=red]", "a;touch pwned;", "a&touch pwned&", "a\ntouch pwned\n",
	"';touch pwned;'", `";touch pwned;"`, "new\nline", "tab\there", "-dash", "--help", "*", "~", "%s %n %PATH%", "{command}", "{prompt}{project}",
	"ünï 日本 🚀", `\'$(touch pwned)`, "\x01\x1b[2J",
}

// TestFolders runs the command that Claude has registered as Claude does, by /bin/sh -c, in folders of every kind of
// name: the next assistant starts in the right folder, and nothing is executed, whichever way the terminal is opened.
func TestFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sh, and no such names")
	}
	template := fmt.Sprintf("[terminals.defaults]\n%s = [\"sh\", \"-c\", \"{command}\"]\n", runtime.GOOS)
	t.Run("direct", func(t *testing.T) {
		t.Parallel()
		inFolders(t, "none: the helper runs in the hook's own process", "", "VOMGR_HOOK_FORCE_DIRECT=1")
	})
	t.Run("template", func(t *testing.T) { t.Parallel(); inFolders(t, "sh (settings)", template) })
	t.Run("tmux", func(t *testing.T) { t.Parallel(); inFolders(t, "tmux session vomgr-", tmuxOnly(t)) })
	t.Run("tmux window", func(t *testing.T) { t.Parallel(); inFolders(t, "tmux window", tmuxOnly(t), "IN_TMUX=1") })
}

// tmuxOnly is for the system whose own way tmux is, and where it is installed.
func tmuxOnly(t *testing.T) (toml string) {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil || runtime.GOOS != "linux" {
		t.Skip("tmux is not installed, or is not this system's own way")
	}
	return "[terminals.defaults]\nlinux = [\"auto\"]\n"
}

// inFolders hands over in each of the nasty folders, by the way that the history names, and looks where codex was
// started.
func inFolders(t *testing.T, way, toml string, env ...string) {
	h := newHouse(t, "[notifications]\nenabled = false\n"+toml)
	touch, err := exec.LookPath("touch")
	if err == nil {
		err = os.Symlink(touch, filepath.Join(h["BIN"], "touch"))
	}
	if err != nil {
		t.Fatal(err)
	}
	env = append(h.environ(), env...)
	if strings.Contains(toml, "auto") {
		env = append(env, h.tmux(t, env)...)
	}
	for i, name := range nasty {
		dir := filepath.Join(h["P"], fmt.Sprint(i), name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		h.stopIn(t, dir, env)
		h.startedIn(t, fmt.Sprintf("codex.%d.", i+1), dir)
	}
	for end := time.Now().Add(10 * time.Second); strings.Count(h.history(), `"detail":"`+way) < len(nasty); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not all by %s:\n%s", way, h.history())
		}
	}
	_ = filepath.WalkDir(h["W"], func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.Name() == "pwned" {
			t.Errorf("executed: %q", path)
		}
		return nil
	})
}

// startedIn waits for the stand-in that notes down under note, and wants it, and the job, in dir.
func (h house) startedIn(t *testing.T, note, dir string) {
	t.Helper()
	args := h.read(t, note+"args")
	if cwd := h.read(t, note+"cwd"); cwd != dir+"\n" {
		t.Errorf("%q: started in %q", dir, cwd)
	}
	if !strings.HasPrefix(args, fmt.Sprintf("%q\n", "--cd="+dir)) {
		t.Errorf("%q: called with %s", dir, args)
	}
	var job struct{ Cwd string }
	data, err := os.ReadFile(filepath.Join(h["CLAUDE"], "vocl-new.json"))
	if err != nil || json.Unmarshal(data, &job) != nil || job.Cwd != dir {
		t.Errorf("%q: the job is for %q, %v", dir, job.Cwd, err)
	}
}

// newHouse is a house for a test that is no script.
func newHouse(t *testing.T, toml string) house {
	t.Helper()
	h, err := furnish(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left := h.endAll(); len(left) > 0 {
			t.Log("still running at the end of the test: ", left)
		}
	})
	if err := os.Mkdir(h["STATE"], 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h["STATE"], "settings.toml"), []byte(toml), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

// stopIn plays Claude, which stops in dir.
func (h house) stopIn(t *testing.T, dir string, env []string) {
	t.Helper()
	payload, err := json.Marshal(map[string]any{"session_id": dir, "prompt_id": "p", "cwd": dir, "hook_event_name": "Stop"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", `"`+filepath.Join(h["CLAUDE"], "vocl-go")+`" "$CLAUDE_PROJECT_DIR"`)
	cmd.Dir, cmd.Env = dir, append(env[:len(env):len(env)], "CLAUDE_PROJECT_DIR="+dir)
	cmd.Stdin = strings.NewReader(string(payload) + "\n")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("in %q: %v\n%s", dir, err, out)
	}
}

func (h house) history() string {
	data, _ := os.ReadFile(filepath.Join(h["STATE"], "history.jsonl"))
	return string(data)
}

// tmux puts tmux on PATH, with a server of the house's own, in a session of which the hook runs if IN_TMUX is in env.
// What it returns belongs to the environment.
func (h house) tmux(t *testing.T, env []string) []string {
	t.Helper()
	program, err := exec.LookPath("tmux")
	if err == nil {
		err = os.Symlink(program, filepath.Join(h["BIN"], "tmux"))
	}
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "vt") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	own := []string{"TMUX_TMPDIR=" + dir, "LANG=C.UTF-8"}
	tmux := func(args ...string) (string, error) {
		cmd := exec.Command(program, args...)
		cmd.Env, cmd.Dir = append(env[:len(env):len(env)], own...), dir
		out, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	t.Cleanup(func() {
		_, _ = tmux("kill-server")
		_ = os.RemoveAll(dir)
	})
	// A session that stays: one that is asked for while the server ends with its last one fails (tmux 3.3a).
	if out, err := tmux("-f", os.DevNull, "new-session", "-d", "-s", "person", "--", filepath.Join(h["BIN"], "window"), h["W"]+"/"); err != nil {
		t.Fatal(err, out)
	}
	if !strings.HasSuffix(env[len(env)-1], "IN_TMUX=1") {
		return own
	}
	out, err := tmux("display-message", "-p", "-t", "person:", "#{socket_path},#{pid},#{s/[$]//:session_id} #{pane_id}")
	if err != nil {
		t.Fatal(err, out)
	}
	where, pane, _ := strings.Cut(out, " ")
	return append(own, "TMUX="+where, "TMUX_PANE="+pane)
}
