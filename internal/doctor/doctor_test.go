package doctor

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/history"
)

// bad lists what is neither ok nor skipped.
func bad(r Report) []Check {
	var list []Check
	for _, c := range r.Checks {
		if c.Level != OK && c.Level != Skipped {
			list = append(list, c)
		}
	}
	return list
}

func TestHealthy(t *testing.T) {
	r := newHome(t).run()
	if d := cmp.Diff([]Check(nil), bad(r)); d != "" || !r.OK() {
		t.Errorf("(-want +got):\n%s", d)
	}
	const want = "tonight's chain would run: claude, codex, claude, ..."
	if r.Verdict != want || r.Step != "" {
		t.Errorf("%q, step %q", r.Verdict, r.Step)
	}
	if n := r.Count(OK); n < 30 {
		t.Errorf("only %d checks", n)
	}
}

// sound checks what holds for every report.
func sound(t *testing.T, r Report) {
	t.Helper()
	if (r.Step == "") != r.OK() || !strings.HasPrefix(r.Verdict, "tonight's chain would ") {
		t.Errorf("step %q, ok %t, %q", r.Step, r.OK(), r.Verdict)
	}
	for _, c := range r.Checks {
		if c.ID == "" || c.Message == "" || c.Level == Error && c.Remedy == "" || c.Level == OK && c.Remedy != "" {
			t.Errorf("%+v", c)
		}
		if strings.Contains(c.Message+c.Remedy+r.Verdict, apiKey) {
			t.Errorf("%s tells the key", c.ID)
		}
	}
	if _, err := json.Marshal(r.Checks); err != nil {
		t.Error(err)
	}
}

// Codex 0.171.0 took this hash for this handler (measured).
func TestHookTrust(t *testing.T) {
	h := newHome(t)
	h.foreignHook()
	hash, known := hookHash("stop", map[string]any{"hooks": nil}, map[string]any{"type": "command", "command": "/opt/ding"})
	if !known {
		t.Fatal("the plain handler is not known")
	}
	h.trust(hash)
	if r := h.run(); !r.OK() {
		t.Errorf("%+v", bad(r))
	}
	if _, known := hookHash("stop", map[string]any{"hooks": nil}, map[string]any{"type": "command", "async": true}); known {
		t.Error("a handler with more fields than were measured")
	}
}

// The stop that comes first in the night is the one named, whatever the order of the checks.
func TestFirstStop(t *testing.T) {
	h := newHome(t)
	h.remove(".codex/auth.json")                                                            // codex, second: working
	h.edit(".claude/settings.json", func(m map[string]any) { m["disableAllHooks"] = true }) // claude, first: called
	r := h.run()
	if want := "tonight's chain would stop at: called. claude would not call its hook"; r.Verdict != want {
		t.Errorf("%q", r.Verdict)
	}
	h.opts.First = assistant.Codex
	if r := h.run(); r.Step != history.Working || !strings.Contains(r.Verdict, "codex would be started and wait") {
		t.Errorf("%q", r.Verdict)
	}
}

func TestPlan(t *testing.T) {
	h := newHome(t)
	h.replace(".vexy-overnight/settings.toml", "[continuations.codex]\nenabled = true", "[continuations.codex]\nenabled = false")
	if r := h.run(); r.Verdict != "tonight's chain would run: claude, codex; there it ends, since codex hands nothing over" {
		t.Errorf("%q %+v", r.Verdict, bad(r))
	}
	h.opts.First = assistant.Gemini
	if r := h.run(); r.Step != history.Started || r.Count(Error) == 0 {
		t.Errorf("gemini is not installed: %q", r.Verdict)
	}
}

func TestGemini(t *testing.T) {
	base := func(t *testing.T) *home {
		h := newHome(t)
		h.replace(".vexy-overnight/settings.toml", `target = "codex"`, `target = "gemini"`)
		h.program("gemini", "0.61.0")
		h.write(".gemini/settings.json", "{ // mine\n \"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}}", 0o600)
		h.edit(".gemini/trustedFolders.json", func(m map[string]any) { m[h.project] = "TRUST_FOLDER" })
		return h
	}
	for _, c := range []struct {
		name   string
		change func(h *home)
		id     string
		level  Level
	}{
		{"healthy", func(*home) {}, "gemini.trust", OK},
		{"a byte order mark", func(h *home) { h.write(".gemini/settings.json", "\ufeff{}", 0o600) }, "gemini.config", Error},
		{"empty", func(h *home) { h.write(".gemini/settings.json", "", 0o600) }, "gemini.config", Error},
		{"no login", func(h *home) { h.write(".gemini/settings.json", "{}", 0o600) }, "gemini.login", Error},
		{"undecided", func(h *home) { h.write(".gemini/trustedFolders.json", "{}", 0o600) }, "gemini.trust", Error},
		{"a parent is trusted", func(h *home) {
			h.write(".gemini/trustedFolders.json", "{}", 0o600)
			h.edit(".gemini/trustedFolders.json", func(m map[string]any) { m[h.path("src/web")] = "TRUST_PARENT" })
		}, "gemini.trust", OK},
		{"not to be trusted", func(h *home) {
			h.edit(".gemini/trustedFolders.json", func(m map[string]any) { m[h.project] = "DO_NOT_TRUST" })
		}, "gemini.trust", Error},
		{"trust is switched off", func(h *home) { h.remove(".gemini/trustedFolders.json"); h.env("GEMINI_CLI_TRUST_WORKSPACE=true") }, "gemini.trust", OK},
		{"hands over, unregistered", func(h *home) {
			h.replace(".vexy-overnight/settings.toml", "[continuations.gemini]\nenabled = false", "[continuations.gemini]\nenabled = true")
		}, "gemini.hook", Error},
		{"hooks off", func(h *home) {
			h.replace(".vexy-overnight/settings.toml", "[continuations.gemini]\nenabled = false", "[continuations.gemini]\nenabled = true")
			h.write(".gemini/settings.json", `{"hooksConfig": {"disabled": ["vomgr"]}}`, 0o600)
		}, "gemini.hooks-off", Error},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := base(t)
			c.change(h)
			r := h.run()
			sound(t, r)
			for _, k := range r.Checks {
				if k.ID == c.id && k.Level == c.level {
					return
				}
			}
			t.Errorf("no %s, %s: %+v", c.id, c.level, bad(r))
		})
	}
}

// A program whose files name no version is asked once, from the home folder, and its answer remembered.
func TestAsk(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	h := newHome(t)
	h.remove("bin/node_modules/@anthropic-ai")
	h.write("bin/claude", "#!/bin/sh\necho \"$PWD $*\" >> \"$HOME/asked\"\necho '2.1.300 (Claude Code)'\n", 0o700)
	for range 2 {
		r := h.run()
		sound(t, r)
		if !r.OK() || len(bad(r)) > 0 {
			t.Errorf("%+v", bad(r))
		}
	}
	if d := cmp.Diff(h.dir+" --version\n", h.read("asked")); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	a, _ := assistant.Get(assistant.Claude)
	if in := a.Installed(h.w); in.Version != "2.1.300" {
		t.Errorf("%+v", in)
	}
	h.write("bin/claude", "#!/bin/sh\nexit 1\n", 0o700)
	h.remove(".vexy-overnight/programs.json")
	r := h.run()
	if len(bad(r)) != 1 || bad(r)[0].ID != "claude.version" || bad(r)[0].Level != Warning {
		t.Errorf("%+v", bad(r))
	}
}

// What a terminal of the settings comes to depends on the system's own ways; here they are those of Linux.
func TestTerminal(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the ways of Linux")
	}
	for _, c := range []struct {
		name   string
		change func(h *home)
		level  Level
		says   string
	}{
		{"of the settings", func(*home) {}, OK, "term (settings)"},
		{"not there, nor anything else", func(h *home) { h.remove("bin/term") }, Error, "neither tmux nor screen"},
		{"not there", func(h *home) { h.remove("bin/term"); h.program("tmux", "") }, Warning, "term is not on PATH; taken instead: tmux session vomgr-…"},
		{"auto", func(h *home) {
			h.replace(".vexy-overnight/settings.toml", `["term", "{command}"]`, `["auto"]`)
			h.program("tmux", "")
		}, OK, "tmux session vomgr-…"},
		{"names nothing", func(h *home) { h.replace(".vexy-overnight/settings.toml", `["term", "{command}"]`, `["term"]`) }, Warning, "term (settings): it names neither {command}"},
		{"nothing configured", func(h *home) { h.replace(".vexy-overnight/settings.toml", `linux = ["term", "{command}"]`, "") }, Error, "no terminal is configured"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			c.change(h)
			r := h.run()
			sound(t, r)
			for _, k := range r.Checks {
				if k.ID == "terminal.codex" && (k.Level != c.level || !strings.Contains(k.Message, c.says)) {
					t.Errorf("%+v", k)
				}
			}
			if c.level == Error && r.Step != history.Terminal {
				t.Errorf("%q", r.Verdict)
			}
		})
	}
}

// Codex 0.171.0 writes the number of its shared server into a file of JSON.
func TestCodexServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell")
	}
	server := exec.CommandContext(t.Context(), "/bin/sh", "-c", "read x", "codex", "app-server") // lives until its input ends
	input, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Wait() //nolint:errcheck // it ends with a status of read's
	defer input.Close() //nolint:errcheck // likewise
	for _, c := range []struct {
		pid  int
		want Level
	}{{server.Process.Pid, Info}, {os.Getpid(), OK}, {0, OK}} {
		h := newHome(t)
		h.write(".codex/app-server-daemon/daemon.pid", fmt.Sprintf(`{"pid":%d,"processStartTime":"Mon Nov 30 15:59:02 2026"}`, c.pid), 0o600)
		for _, k := range h.run().Checks {
			if k.ID == "codex.server" && k.Level != c.want {
				t.Errorf("pid %d: %+v", c.pid, k)
			}
		}
	}
}

func TestSnake(t *testing.T) {
	for event, want := range map[string]string{"Stop": "stop", "SessionStart": "session_start", "PreToolUse": "pre_tool_use"} {
		if got := snake(event); got != want {
			t.Errorf("snake(%q) = %q", event, got)
		}
	}
}
