//go:build e2e

package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain removes what earlier runs left, and what this one leaves when it is interrupted.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := sweepHomes(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		removeOwnHomes()
		os.Exit(1)
	}()
	os.Exit(m.Run())
}

// recorder is a hook that writes down its arguments and its standard input.
const recorder = `#!/bin/sh
set -e
call=$(mktemp "$HOME/call.XXXXXX")
{ for arg in "$@"; do printf '%s\n' "$arg"; done; [ -t 0 ] || cat; } >"$call"
mv "$call" "$call.done"
`

// record installs the recorder into each assistant and returns a function that lists its calls.
func record(t *testing.T, h *Home) func() []string {
	t.Helper()
	h.Write(t, "recorder", recorder)
	path := filepath.Join(h.Dir, "recorder")
	must(t, os.Chmod(path, 0o700))
	hook := []obj{{"hooks": []obj{{"type": "command", "command": `"` + path + `" "$CLAUDE_PROJECT_DIR"`}}}}
	h.Write(t, ".claude/settings.json", encode(obj{"skipDangerousModePermissionPrompt": true, "hooks": obj{"Stop": hook, "StopFailure": hook}}))
	codex, err := os.ReadFile(filepath.Join(h.Dir, ".codex/config.toml"))
	must(t, err)
	h.Write(t, ".codex/config.toml", "notify = ["+strconv.Quote(path)+"]\n"+string(codex))
	gemini, err := os.ReadFile(filepath.Join(h.Dir, ".gemini/settings.json"))
	must(t, err)
	var settings obj
	must(t, json.Unmarshal(gemini, &settings))
	settings["hooks"] = obj{"AfterAgent": []obj{{"matcher": "*", "hooks": []obj{{"name": "recorder", "type": "command", "command": path, "timeout": 30000}}}}}
	h.Write(t, ".gemini/settings.json", encode(settings))
	return func() []string {
		names, _ := filepath.Glob(filepath.Join(h.Dir, "call.*.done"))
		var all []string
		for _, name := range names {
			text, err := os.ReadFile(name)
			must(t, err)
			all = append(all, string(text))
		}
		return all
	}
}

// commands is how each assistant is started with a prompt, in the forms its present version accepts.
func commands(tool Tool, dir, prompt string) []string {
	switch tool {
	case Claude:
		return []string{"claude", "--dangerously-skip-permissions", "--disallowedTools", "AskUserQuestion", "--", prompt}
	case Codex:
		return []string{"codex", "--cd=" + dir, "--dangerously-bypass-approvals-and-sandbox", "--sandbox", "danger-full-access", "--", prompt}
	default:
		return []string{"gemini", "-r", "latest", "-y", "--prompt-interactive=" + prompt}
	}
}

// Each assistant, in a terminal, sends the prompt to the model from its folder, and calls its hook once for the turn.
func TestAssistants(t *testing.T) {
	for _, p := range []Program{ClaudeOld, ClaudeNew, CodexNow, GeminiNow} {
		t.Run(string(p.Tool)+"-"+p.Version, func(t *testing.T) {
			r := NewRig(t, nil, "", p)
			dir := r.Home.Project(t, "proj", "- [ ] First\n")
			calls := record(t, r.Home)
			prompt := "- [ ] First item, with 'quotes', \"more\", $HOME, `id`\n- [ ] ünï 日本"
			begin := time.Now()
			r.Tmux.Start(t, "one", dir, commands(p.Tool, dir, prompt)...)
			r.Until(t, time.Minute, "the prompt reaches the model", func() bool { return len(r.Model.Turns(p.Tool)) > 0 })
			reached := time.Since(begin)
			r.Until(t, time.Minute, "the hook is called for the turn", func() bool { return len(ownCalls(calls())) > 0 })
			t.Logf("prompt after %.1f s, hook after %.1f s", reached.Seconds(), time.Since(begin).Seconds())
			turn := r.Model.Turns()[0]
			if turn.Prompt != prompt || turn.Dir != dir {
				t.Errorf("the model saw %q from %q, want %q from %q", turn.Prompt, turn.Dir, prompt, dir)
			}
			if got := assistantsOf(r.Home.Dir); len(got) != 1 || got[0].Tool != p.Tool {
				t.Errorf("alive: %v, want one %s", got, p.Tool)
			}
			for _, c := range ownCalls(calls()) {
				if !strings.Contains(c, encode(dir)) {
					t.Errorf("the hook was told %s, want the folder %s in it", c, dir)
				}
			}
		})
	}
}

// A refused turn: Claude calls StopFailure, not Stop; Codex calls nothing.
func TestRefused(t *testing.T) {
	for _, p := range []Program{ClaudeOld, ClaudeNew, CodexNow} {
		t.Run(string(p.Tool)+"-"+p.Version, func(t *testing.T) {
			r := NewRig(t, func(Request) Reply { return Reply{Status: http.StatusTooManyRequests, Text: "no more today"} }, "", p)
			dir := r.Home.Project(t, "proj", "- [ ] First\n")
			calls := record(t, r.Home)
			r.Tmux.Start(t, "one", dir, commands(p.Tool, dir, "go on")...)
			r.Until(t, time.Minute, "the model refuses a turn", func() bool { return len(r.Model.Turns(p.Tool)) > 0 })
			if p.Tool == Codex {
				r.Until(t, time.Minute, "codex says so", func() bool { return strings.Contains(r.Tmux.Screen("one"), "usage limit") })
				r.UntilQuiet(t, time.Minute, time.Second, "no hook is called any more", func() int { return len(calls()) })
				if c := ownCalls(calls()); len(c) > 0 {
					t.Errorf("codex called its hook: %s", c)
				}
				return
			}
			r.Until(t, time.Minute, "the hook is called", func() bool { return len(calls()) > 0 })
			if c := calls()[0]; !strings.Contains(c, `"hook_event_name":"StopFailure"`) || !strings.Contains(c, `"error":"rate_limit"`) {
				t.Errorf("the hook was told %s, want a StopFailure with rate_limit", c)
			}
		})
	}
}

// Claude uses a tool the model asks for, and the turn goes on after it.
func TestClaudeTool(t *testing.T) {
	r := NewRig(t, func(q Request) Reply {
		if q.Kind == Turn {
			return Reply{Call: &Call{Name: "Bash", Input: obj{"command": "echo hello >made", "description": "Make a file"}}}
		}
		return Reply{}
	}, "", ClaudeNew)
	dir := r.Home.Project(t, "proj", "- [ ] First\n")
	calls := record(t, r.Home)
	r.Tmux.Start(t, "one", dir, commands(Claude, dir, "make a file")...)
	r.Until(t, time.Minute, "the turn ends", func() bool { return len(calls()) > 0 })
	if made, err := os.ReadFile(filepath.Join(dir, "made")); string(made) != "hello\n" {
		t.Errorf("made = %q, %v", made, err)
	}
}

// A home leaves nothing: no process, not even Codex's shared server, and no file.
func TestHomeIsRemoved(t *testing.T) {
	var home string
	t.Run("home", func(t *testing.T) {
		r := NewRig(t, nil, "", CodexNow)
		home = r.Home.Dir
		dir := r.Home.Project(t, "proj", "- [ ] First\n")
		r.Tmux.Start(t, "one", dir, commands(Codex, dir, "hello")...)
		r.Until(t, time.Minute, "codex starts its shared server", func() bool { return sharedServer(home) })
	})
	if left := procsOf(home); len(left) > 0 {
		t.Errorf("alive: %v", left)
	}
	if _, err := os.Stat(home); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", home, err)
	}
}

// sharedServer tells whether Codex's background server runs in a home.
func sharedServer(home string) bool {
	return slices.ContainsFunc(procsOf(home), func(p Proc) bool { return slices.Contains(p.Args, "--managed-daemon") })
}

// ownCalls leaves out the calls for Codex's hidden title thread.
func ownCalls(calls []string) []string {
	var own []string
	for _, c := range calls {
		if !strings.Contains(c, codexTitle) {
			own = append(own, c)
		}
	}
	return own
}
