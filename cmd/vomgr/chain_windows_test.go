package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/windows"

	"github.com/vexyart/vomgr/platform"
)

// shimmed installs a stand-in as npm does on Windows: NAME.cmd starts node with a script below node_modules.
func (h house) shimmed(t *testing.T, name, pkg, version string) {
	t.Helper()
	if err := os.Rename(filepath.Join(h["BIN"], name+".exe"), filepath.Join(h["BIN"], "node.exe")); err != nil {
		t.Fatal(err)
	}
	module := `node_modules\` + strings.ReplaceAll(pkg, "/", `\`)
	for file, text := range map[string]string{
		name + ".cmd": "@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n\r\n" +
			"IF EXIST \"%dp0%\\node.exe\" (\r\n  SET \"_prog=%dp0%\\node.exe\"\r\n) ELSE (\r\n  SET \"_prog=node\"\r\n  SET PATHEXT=%PATHEXT:;.JS;=;%\r\n)\r\n\r\n" +
			`endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\` + module + `\bin\` + name + `.js" %*` + "\r\n",
		module + `\bin\` + name + ".js": "// the stand-in for node plays it\n",
		module + `\package.json`:        fmt.Sprintf("{\"name\": %q, \"version\": %q}\n", pkg, version),
	} {
		path := filepath.Join(h["BIN"], file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// hook calls the program that Claude has registered, in the exec form, as Claude does on Windows, and returns its status
// once nobody holds its streams any more.
func (h house) hook(t *testing.T, dir, payload string, env ...string) (status int, said string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	start := func() (*exec.Cmd, error) {
		cmd := exec.Command(filepath.Join(h["CLAUDE"], "vocl-go.exe"), dir)
		cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(payload), w, w
		cmd.Env = append(append(h.environ(), "USERPROFILE="+h["HOME"], "CLAUDE_PROJECT_DIR="+dir, "CLAUDE_CODE_ENTRYPOINT=cli"), env...)
		return cmd, cmd.Start()
	}
	cmd, err := start()
	if errors.Is(err, windows.ERROR_INTERNAL_ERROR) { // of Wine 8, now and then, for no program in particular
		cmd, err = start()
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

const stopPayload = `{"session_id":"s","prompt_id":%q,"cwd":%q,"hook_event_name":"Stop","stop_hook_active":false,"background_tasks":[],"session_crons":[]}` + "\n"

// TestChainWindows hands over by the system's own way, a new console, in folders whose names cmd.exe would take apart,
// to an assistant that npm installed, with a prompt of which cmd.exe would run parts (golang/go#69939).
func TestChainWindows(t *testing.T) {
	const prompt = `a&b|c>d %PATH% ^e "f" (g) !h! \`
	h := newHouse(t, "[prompts]\nclaude = '''\n"+prompt+"'''\n[notifications]\nenabled = false\n")
	h.shimmed(t, "codex", "@openai/codex", "0.171.0")
	h.tell(t, "codex.do", "stay")
	for i, name := range []string{"two words", "R&D", "%PATH%", "^caret^", "it's;日本 🚀", "(a) & b"} {
		dir := filepath.Join(h["P"], fmt.Sprint(i), name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		status, said := h.hook(t, dir, fmt.Sprintf(stopPayload, fmt.Sprint(i), dir))
		if status != 0 || said != "" {
			t.Fatalf("%q: status %d, %s\n%s", name, status, said, h.history())
		}
		note := fmt.Sprintf("codex.%d", i+1)
		h.startedIn(t, note+".", dir)
		if args := h.read(t, note+".args"); !strings.HasSuffix(args, fmt.Sprintf("%q\n%q\n", "--", prompt)) {
			t.Errorf("%q: called with %s", name, args)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(h.read(t, note+".pid")))
		if _, gone := platform.Describe(pid); err != nil || gone != nil {
			t.Errorf("%q: the hook's streams ended only when the next assistant did: %v %v", name, err, gone)
		}
	}
}

// TestHookStatusWindows: whatever comes in, the hook answers 0 or 1.
func TestHookStatusWindows(t *testing.T) {
	for name, c := range map[string]struct {
		settings, payload string
		want              int
	}{
		"nothing on stdin":  {"[continuations.claude]\nenabled = false\n", "", 0},
		"broken payload":    {"[continuations.claude]\nenabled = false\n", `{"hook_event_name":`, 0},
		"broken settings":   {"kill_old_sessions = 7\n", fmt.Sprintf(stopPayload, "1", `C:\`), 1},
		"a stop forced":     {"", `{"hook_event_name":"Stop","stop_hook_active":true}`, 0},
		"a batch file only": {"[terminals.defaults]\nwindows = ['codex.cmd', '{job}']\n", fmt.Sprintf(stopPayload, "1", `C:\`), 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, c.settings)
			if status, said := h.hook(t, h["P"], c.payload); status != c.want || strings.Count(said, "\n") != c.want {
				t.Errorf("status %d, %q", status, said)
			}
		})
	}
}
