package demo

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/world"
)

// Variables that the demo's processes find in their environment. They are no VOMGR_ ones, which the helper removes.
const (
	markVar = "VEXY_DEMO"      // the throw-away home
	workVar = "VEXY_DEMO_WORK" // how long a stand-in works
)

// stage is the throw-away home.
type stage struct {
	w       world.World // what the demo's processes see
	project string
	wish    string // what the person asks the first assistant for
	bin     string
}

// What the two configuration files hold before: enable has to leave it alone, disable to give it back.
const (
	claudeBefore = "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"deny\": [\"Bash(git push:*)\"]\n  }\n}\n"
	codexBefore  = "# the settings of somebody who uses codex\nmodel = \"gpt-5\"\n\n[tui]\nnotifications = false\n"
)

// preferences are the demo's own: a terminal that needs no display, and limits that a fault could not outrun.
const preferences = `kill_old_sessions = true
replace_first = "never"

[continuations.claude]
enabled = true
target = "codex"

[continuations.codex]
enabled = true
target = "claude"

[prompts]
claude = "Open items:\n{todo}"
codex = "Open items:\n{todo}"

[notifications]
enabled = true
message = "Handing over to {target}"
desktop = "never"

[terminals.defaults]
linux = ["sh", "-c", "{command}"]
darwin = ["sh", "-c", "{command}"]
windows = ["{helper}", "{job}"]

[scope]
mode = "only"
folders = ["~/project"]

[limits]
max_handovers = 6
max_hours = 1
max_per_hour = 6
`

// build makes the home: a project, the two assistants' folders, and a folder of programs in which claude and codex
// are vomgr.
func build(w world.World, o Options) (*stage, error) {
	home, err := os.MkdirTemp("", "vomgr-demo-")
	if err != nil {
		return nil, err
	}
	if home, err = filepath.EvalSymlinks(home); err != nil { //nolint:forbidigo // a folder of the demo's own, compared with resolved ones
		return nil, err
	}
	s := &stage{
		project: filepath.Join(home, "project"), bin: filepath.Join(home, "bin"),
		wish: "Write a plan with three items into TODO.md",
	}
	s.w = world.World{
		Home: home, Dir: s.project, Exe: w.Exe, Stdout: io.Discard, Stderr: io.Discard, Now: w.Now,
		Env: append(environment(w, home, s.bin, cmp.Or(o.Work, 500*time.Millisecond)), o.env...),
	}
	if err := s.furnish(); err != nil {
		return nil, errors.Join(err, s.strike())
	}
	return s, nil
}

// environment is made from nothing: what the person has set (CLAUDE_CONFIG_DIR, CODEX_HOME, TMUX, DISPLAY, keys) is
// not there.
func environment(w world.World, home, bin string, work time.Duration) []string {
	env := []string{
		"PATH=" + bin + string(filepath.ListSeparator) + w.Getenv("PATH"), "HOME=" + home,
		markVar + "=" + home, workVar + "=" + work.String(),
		"TMPDIR=" + home, "TMUX_TMPDIR=" + home,
	}
	if runtime.GOOS != "windows" {
		return env
	}
	env = append(env, "USERPROFILE="+home, "TEMP="+home, "TMP="+home)
	for _, key := range []string{"SystemRoot", "ComSpec", "PATHEXT"} { // without them Windows starts little
		env = append(env, key+"="+w.Getenv(key))
	}
	return env
}

func (s *stage) furnish() error {
	files := s.before()
	files[s.w.SettingsPath()] = preferences
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := atomicfile.Write(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return errors.Join(os.MkdirAll(s.project, 0o700), s.placeProgram("vomgr"), s.placeProgram("claude"), s.placeProgram("codex"))
}

// placeProgram makes a program of vomgr, and makes sure that it is the one found: no other claude may ever be started.
func (s *stage) placeProgram(name string) error {
	path := filepath.Join(s.bin, name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if err := os.MkdirAll(s.bin, 0o700); err != nil {
		return err
	}
	if err := link(s.w.Exe, path); err != nil {
		return err
	}
	if found := s.w.LookPath(name); found != path {
		return fmt.Errorf("%s is found at %q instead of %s", name, found, path)
	}
	return nil
}

// before is what the two configuration files hold before, by path.
func (s *stage) before() map[string]string {
	claude, _ := assistant.Get(assistant.Claude)
	codex, _ := assistant.Get(assistant.Codex)
	return map[string]string{claude.ConfigPath(s.w): claudeBefore, codex.ConfigPath(s.w): codexBefore}
}

// link makes path another name of program; on Windows, where links need a privilege, a copy.
func link(program, path string) error {
	if runtime.GOOS != "windows" {
		return os.Symlink(program, path)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, data, 0o700)
}

// strike removes the throw-away home. Windows keeps the file of a program for a moment after its end.
func (s *stage) strike() error {
	var err error
	for range 20 {
		if err = atomicfile.RemoveTree(s.w.Home); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("removing the throw-away home: %w", err)
}

// actsPath is the history that the stand-ins write.
func (s *stage) actsPath() string { return actsPath(s.w.Home) }

func (s *stage) historyPath() string { return filepath.Join(s.w.StateDir(), "history.jsonl") }

// terminalPath holds what the first assistant's terminal would show.
func (s *stage) terminalPath() string { return filepath.Join(s.w.Home, "terminal.txt") }

// start is the first assistant with its helper, as a person starts it.
type start struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // once ended is closed
}

// begin starts the first assistant.
func (s *stage) begin() (*start, error) {
	screen, err := os.OpenFile(s.terminalPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer screen.Close() //nolint:errcheck // the child has its own
	cmd := &exec.Cmd{
		Path: s.w.Exe, Args: []string{"vomgr", "run", "claude", "-C", s.project, "--", s.wish},
		Dir: s.project, Env: s.w.Env, Stdout: screen, Stderr: screen,
	}
	ownSession(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting vomgr run claude: %w", err)
	}
	first := &start{cmd: cmd, ended: make(chan struct{})}
	go func() {
		first.err = cmd.Wait()
		close(first.ended)
	}()
	return first, nil
}

// failed says why the first assistant's helper ended, when it did so with a failure.
func (s *stage) failed(first *start) error {
	select {
	case <-first.ended:
	default:
		return nil
	}
	if first.err == nil {
		return nil
	}
	said, _ := os.ReadFile(s.terminalPath())
	lines := strings.Split(string(bytes.TrimSpace(said)), "\n")
	return fmt.Errorf("vomgr run claude: %w: %s", first.err, lines[len(lines)-1])
}

// workDone says whether the stand-ins have ticked every item.
func (s *stage) workDone() error {
	data, err := os.ReadFile(filepath.Join(s.project, "TODO.md"))
	if err != nil {
		return err
	}
	if n := bytes.Count(data, []byte("- [x]")); n != handovers || bytes.Contains(data, []byte("- [ ]")) {
		return fmt.Errorf("TODO.md has %d items ticked instead of %d", n, handovers)
	}
	return nil
}

// files lists what there is to look at.
func (s *stage) files(out io.Writer) {
	fmt.Fprintf(out, "\nkept      %s\n", s.w.Home)
	for _, f := range [][2]string{
		{s.rel(assistant.Claude), "the job file of the hand-overs from claude"},
		{s.rel(assistant.Codex), "the job file of the hand-over from codex"},
		{".vexy-overnight/history.jsonl", "every step, one a line"},
		{"project/TODO.md", "what the assistants worked on"},
	} {
		fmt.Fprintf(out, "          %-30s %s\n", filepath.FromSlash(f[0]), f[1])
	}
}

func (s *stage) rel(name assistant.Name) string {
	a, _ := assistant.Get(name)
	return a.Folder + "/" + a.Job
}
