//go:build e2e

package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

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

// A claude that a person starts in a shell takes a prompt by its keys.
func TestTypedPrompt(t *testing.T) {
	for _, p := range []Program{ClaudeOld, ClaudeNew} {
		t.Run(p.Version, func(t *testing.T) {
			r := NewRig(t, nil, "", p)
			dir := r.Home.Project(t, "proj", "- [ ] First\n")
			calls := record(t, r.Home)
			r.typePrompt(t, dir, "do the first thing")
			r.Until(t, time.Minute, "the hook is called", func() bool { return len(calls()) > 0 })
			if got := r.Model.Turns()[0].Prompt; got != "do the first thing" {
				t.Errorf("the model saw %q", got)
			}
		})
	}
}

// hostile are folder names of which a shell, tmux or a quoting mistake would make something else. There is no backslash among them:
// Claude Code 2.1.197 does not start in such a folder ("Can't access working directory").
var hostile = map[string]string{
	"quotes":  `sp ace 'one' "two"`,
	"dollar":  "$HOME $(touch pwned) `touch pwned` ;touch pwned;",
	"tmux":    "#(touch pwned) #{pane_id} %1;",
	"newline": "new\nline ünï 日本 🚀",
}

// The assistants themselves work in folders with such names; Claude's hook command, as vomgr registers it, is given the right one.
func TestAssistantsInHostileFolders(t *testing.T) {
	t.Parallel()
	for _, p := range []Program{ClaudeOld, ClaudeNew, CodexNow, GeminiNow} {
		for label, name := range hostile {
			t.Run(string(p.Tool)+"-"+p.Version+"-"+label, func(t *testing.T) {
				t.Parallel()
				r := NewRig(t, nil, "", p)
				dir := r.Home.Project(t, name, "- [ ] First\n")
				calls := record(t, r.Home)
				r.Tmux.Start(t, "one", dir, commands(p.Tool, dir, "hello")...)
				r.Until(t, time.Minute, "the hook is called", func() bool { return len(ownCalls(calls())) > 0 })
				if got := r.Model.Turns()[0].Dir; !sameLine(got, dir) {
					t.Errorf("the assistant is in %q, want %q", got, dir)
				}
				c := ownCalls(calls())[0]
				var payload struct{ Cwd string }
				must(t, json.Unmarshal([]byte(c[strings.Index(c, "{\""):]), &payload))
				if payload.Cwd != dir || p.Tool == Claude && !strings.HasPrefix(c, dir+"\n{") {
					t.Errorf("the hook was told %q, want the folder %q", c, dir)
				}
				r.nothingExecuted(t, dir)
			})
		}
	}
}

// sameLine compares a folder with what an assistant says of it in a line: a name with a line break ends there.
func sameLine(said, dir string) bool {
	first, _, broken := strings.Cut(dir, "\n")
	return said == dir || broken && said == first
}

// nothingExecuted checks that no part of a hostile folder name was run.
func (r *Rig) nothingExecuted(t *testing.T, dir string) {
	t.Helper()
	for _, place := range []string{dir, filepath.Dir(dir), r.Home.Dir} {
		if _, err := os.Lstat(filepath.Join(place, "pwned")); err == nil {
			t.Errorf("a part of the folder's name was executed: there is %s/pwned", place)
		}
	}
}

// Claude goes on with a conversation: the latest of the folder, and a named one, with a prompt that looks like an option.
func TestClaudeResumes(t *testing.T) {
	for _, p := range []Program{ClaudeOld, ClaudeNew} {
		t.Run(p.Version, func(t *testing.T) {
			r := NewRig(t, nil, "", p)
			dir := r.Home.Project(t, "proj", "- [ ] First\n")
			calls := record(t, r.Home)
			run := func(session string, turn int, args ...string) {
				argv := append([]string{"claude", "--dangerously-skip-permissions", "--disallowedTools", "AskUserQuestion"}, args...)
				r.Tmux.Start(t, session, dir, append(argv, "--", "- [ ] "+session)...)
				r.Until(t, time.Minute, "the hook is called", func() bool { return len(calls()) == turn })
				must(t, syscall.Kill(assistantsOf(r.Home.Dir)[0].PID, syscall.SIGTERM))
				r.Until(t, 10*time.Second, "claude has ended", func() bool { return len(assistantsOf(r.Home.Dir)) == 0 })
			}
			run("one", 1)
			var payload struct {
				ID string `json:"session_id"`
			}
			c := calls()[0]
			must(t, json.Unmarshal([]byte(c[strings.Index(c, "{\""):]), &payload))
			run("two", 2, "--continue")
			run("three", 3, "--resume", payload.ID)
			turns := r.Model.Turns()
			if want := []string{"- [ ] one", "- [ ] two", "- [ ] three"}; len(turns) != 3 || !slices.Equal(turns[2].Inputs, want) {
				t.Errorf("the model saw\n%s\nand at last %q, want %q", r.Model.Log(), turns[len(turns)-1].Inputs, want)
			}
			if slices.Contains(turns[0].Offered, "AskUserQuestion") {
				t.Error("claude offers AskUserQuestion to the model")
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
