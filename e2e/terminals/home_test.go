//go:build e2e

package terminals

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// home is a throw-away home with vomgr enabled in it and stand-ins for the assistants, on an X server of its own.
type home struct {
	dir  string
	env  []string
	path []string
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newHome makes one. The system's programs are on its PATH, but for those named.
func newHome(t *testing.T, without ...string) *home {
	t.Helper()
	dir, err := os.MkdirTemp("", "vt") // a short path, fit for sockets
	must(t, err)
	h := &home{dir: dir}
	t.Cleanup(func() { h.end(t) })
	for _, d := range []string{"bin", "run", "reports", "src", "screens"} {
		must(t, os.Mkdir(filepath.Join(dir, d), 0o700))
	}
	self, err := os.Executable()
	must(t, err)
	for name, to := range map[string]string{"claude": self, "codex": self, "vomgr": vomgr} {
		must(t, os.Symlink(to, filepath.Join(dir, "bin", name)))
	}
	system := []string{"/usr/local/bin", "/usr/bin", "/bin"}
	if len(without) > 0 {
		system = []string{h.mirror(t, without)}
	}
	h.path = append([]string{filepath.Join(dir, "bin")}, system...)
	h.env = []string{
		"HOME=" + dir, "PATH=" + strings.Join(h.path, ":"), "USER=e2e", "LANG=C.UTF-8", "SHELL=/bin/sh",
		"XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"), "TMUX_TMPDIR=" + filepath.Join(dir, "run"), "SCREENDIR=" + filepath.Join(dir, "screens"),
		"LIBGL_ALWAYS_SOFTWARE=1", "GSETTINGS_BACKEND=memory", "NO_AT_BRIDGE=1", "TOKEN=of this night",
	}
	return h
}

// mirror makes a folder with links to the system's programs without the named ones.
func (h *home) mirror(t *testing.T, without []string) string {
	t.Helper()
	dir := filepath.Join(h.dir, "usr")
	must(t, os.Mkdir(dir, 0o700))
	entries, err := os.ReadDir("/usr/bin")
	must(t, err)
	for _, e := range entries {
		if !slices.Contains(without, e.Name()) {
			must(t, os.Symlink(filepath.Join("/usr/bin", e.Name()), filepath.Join(dir, e.Name())))
		}
	}
	return dir
}

// enable puts vomgr into the stand-ins' configuration.
func (h *home) enable(t *testing.T) {
	t.Helper()
	if out, err := h.command(h.dir, "vomgr", "enable", "--everywhere", "claude", "codex").CombinedOutput(); err != nil {
		t.Fatalf("vomgr enable: %v\n%s", err, out)
	}
}

// terminal writes the settings: how a terminal is opened.
func (h *home) terminal(t *testing.T, template []string) {
	t.Helper()
	quoted := make([]string, len(template))
	for i, arg := range template {
		quoted[i] = strconv.Quote(arg)
	}
	text := "[terminals.defaults]\nlinux = [" + strings.Join(quoted, ", ") + "]\n"
	must(t, os.WriteFile(filepath.Join(h.dir, ".vexy-overnight", "settings.toml"), []byte(text), 0o600))
}

// command prepares a program, looked up on the home's PATH.
func (h *home) command(dir, name string, args ...string) *exec.Cmd {
	for _, p := range h.path {
		if _, err := os.Stat(filepath.Join(p, name)); err == nil {
			name = filepath.Join(p, name)
			break
		}
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, h.env
	return cmd
}

// start starts a program that ends with the home.
func (h *home) start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.WaitDelay = time.Second
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// xserver starts an X server and a bus, and puts them into the environment.
func (h *home) xserver(t *testing.T) {
	t.Helper()
	number, told, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() { _ = number.Close() }) // not before: it writes twice
	server := h.command(h.dir, "Xvfb", "-displayfd", "3", "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-noreset")
	server.ExtraFiles = []*os.File{told}
	h.start(t, server)
	must(t, told.Close())
	h.env = append(h.env, "DISPLAY=:"+firstLine(t, number))
	h.bus(t)
}

// bus starts a message bus, without which some emulators do not start.
func (h *home) bus(t *testing.T) {
	t.Helper()
	address, told, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() { _ = address.Close() })
	bus := h.command(h.dir, "dbus-daemon", "--session", "--nofork", "--print-address=3")
	if !filepath.IsAbs(bus.Path) {
		return
	}
	bus.ExtraFiles = []*os.File{told}
	h.start(t, bus)
	must(t, told.Close())
	h.env = append(h.env, "DBUS_SESSION_BUS_ADDRESS="+firstLine(t, address))
}

// firstLine reads what a server says about itself.
func firstLine(t *testing.T, from *os.File) string {
	t.Helper()
	must(t, from.SetReadDeadline(time.Now().Add(20*time.Second)))
	var line []byte
	for b := make([]byte, 1); ; {
		if _, err := from.Read(b); err != nil {
			t.Fatal("the server does not start: ", err)
		}
		if b[0] == '\n' {
			return string(line)
		}
		line = append(line, b[0])
	}
}

// stops calls the hook as Claude does when it stopped in a project, and returns how long that took.
func (h *home) stops(t *testing.T, project string) time.Duration {
	t.Helper()
	payload, err := json.Marshal(map[string]any{
		"session_id": "of " + project, "cwd": project, "prompt_id": project, "hook_event_name": "Stop",
		"stop_hook_active": false, "last_assistant_message": "done", "background_tasks": []any{}, "session_crons": []any{},
	})
	must(t, err)
	hook := h.command(project, "sh", "-c", `"$HOME/.claude/hooks/vocl-go" "$CLAUDE_PROJECT_DIR"`)
	hook.Env = append(slices.Clone(h.env), "CLAUDE_PROJECT_DIR="+project, "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDECODE=1")
	hook.Stdin = bytes.NewReader(payload)
	began := time.Now()
	if out, err := hook.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("the hook: %v %s", err, out)
	}
	return time.Since(began)
}

// answer waits for the report of the assistant started in project.
func (h *home) answer(limit time.Duration) (report, bool) {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(h.dir, "reports", "[0-9]*[0-9]"))
		for _, f := range files {
			var r report
			text, err := os.ReadFile(f)
			if err != nil || json.Unmarshal(text, &r) != nil {
				continue
			}
			_ = os.Rename(f, f+".seen")
			return r, true
		}
	}
	return report{}, false
}

// dismiss lets the assistants end, and waits until their windows, with all that runs in them, are gone.
func (h *home) dismiss(t *testing.T, r report) {
	t.Helper()
	quit := filepath.Join(h.dir, "reports", "quit")
	must(t, os.WriteFile(quit, nil, 0o600))
	defer os.Remove(quit)
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(30 * time.Millisecond) {
		if !slices.ContainsFunc(h.processes(), func(p process) bool { return p.program == "vocl-new" || p.pid == r.Pid }) {
			return
		}
	}
	t.Errorf("the window does not close: %v", h.processes())
}

// serverLeaves waits a moment for the terminal's own server, which some end with their last window.
func (h *home) serverLeaves(terminal string) {
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); time.Sleep(30 * time.Millisecond) {
		if !slices.ContainsFunc(h.processes(), func(p process) bool { return strings.HasPrefix(p.program, terminal) }) {
			return
		}
	}
}

// step is one line of the history.
type step struct{ Step, Project, Detail, Error string }

// history lists the steps of a project.
func (h *home) history(t *testing.T, project string) []step {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(h.dir, ".vexy-overnight", "history.jsonl"))
	if err != nil {
		return nil
	}
	var all []step
	for line := range strings.Lines(string(text)) {
		var s step
		if json.Unmarshal([]byte(line), &s) == nil && s.Project == project {
			all = append(all, s)
		}
	}
	return all
}

// process is one whose HOME is this home.
type process struct {
	pid     int
	program string // the base of its first argument
}

func (h *home) processes() []process {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var all []process
	for _, dir := range dirs {
		env, err := os.ReadFile(dir + "/environ")
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00HOME="+h.dir+"\x00")) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(dir))
		args, _ := os.ReadFile(dir + "/cmdline")
		program, _, _ := bytes.Cut(args, []byte{0})
		if len(program) > 0 { // else it is a zombie
			all = append(all, process{pid, filepath.Base(string(program))})
		}
	}
	return all
}

// end ends what still runs in the home, and removes it.
func (h *home) end(t *testing.T) {
	signal := syscall.SIGTERM
	for start := time.Now(); time.Since(start) < 10*time.Second; time.Sleep(50 * time.Millisecond) {
		all := h.processes()
		if len(all) == 0 {
			break
		}
		if time.Since(start) > 2*time.Second {
			signal = syscall.SIGKILL
		}
		for _, p := range all {
			_ = syscall.Kill(p.pid, signal)
		}
	}
	if err := os.RemoveAll(h.dir); err != nil {
		t.Error(err)
	}
}

// picture writes what the X server shows into a file.
func (h *home) picture(t *testing.T, name string) {
	if *shots == "" {
		return
	}
	time.Sleep(500 * time.Millisecond) // for the window to be drawn
	shot := h.command(h.dir, "import", "-window", "root", filepath.Join(*shots, name+".png"))
	if out, err := shot.CombinedOutput(); err != nil {
		t.Log(fmt.Errorf("a picture of %s: %w: %s", name, err, out))
	}
}
