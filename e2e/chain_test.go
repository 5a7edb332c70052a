//go:build e2e

package e2e

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The main chain: eight hand-overs between claude and codex, ended by their number.
func TestChain(t *testing.T) {
	for _, claude := range []Program{ClaudeNew, ClaudeOld} {
		t.Run("claude-"+claude.Version, func(t *testing.T) {
			const hops = 8
			n := NewNight(t, "proj", 12, claude, CodexNow)
			n.Set(t, "max_handovers", strconv.Itoa(hops))
			n.Tmux.Start(t, "night", n.Dir, "vomgr", "run", "claude")
			n.UntilEnded(t)
			n.agree(t, Claude, hops)
		})
	}
}

// agree checks everything after a chain that vomgr run began: turns, processes, terminals, and what vomgr wrote down.
func (n *Night) agree(t *testing.T, first Tool, hops int) {
	t.Helper()
	tools := alternating(first, hops+1)
	n.turnsAgree(t, 0, tools...)
	alive := n.Finds(t, tools[hops])
	n.historyAgrees(t, hops, "max_handovers")
	n.sessionAgrees(t, alive[0])
	n.jobsAgree(t, hops)
	n.Until(t, 15*time.Second, "one terminal is left", func() bool { return len(n.Tmux.Panes()) == 1 })
}

// Codex begins.
func TestCodexFirst(t *testing.T) {
	const hops = 3
	n := NewNight(t, "proj", 8, ClaudeNew, CodexNow)
	n.Set(t, "max_handovers", strconv.Itoa(hops))
	n.Tmux.Start(t, "night", n.Dir, "vomgr", "run", "codex")
	n.UntilEnded(t)
	n.agree(t, Codex, hops)
}

// A person starts claude in a shell and types a prompt: the chain begins with its stop, leaves it alone, and does not go on with its
// conversation.
func TestStartedByHand(t *testing.T) {
	for _, claude := range []Program{ClaudeNew, ClaudeOld} {
		t.Run("claude-"+claude.Version, func(t *testing.T) {
			const hops = 4
			n := NewNight(t, "proj", 8, claude, CodexNow)
			n.Set(t, "max_handovers", strconv.Itoa(hops))
			n.typePrompt(t, n.Dir, "Please do the first item")
			n.Until(t, time.Minute, "claude's turn begins", func() bool { return len(n.Model.Turns()) > 0 })
			mine := assistantsOf(n.Home.Dir)[0]
			n.UntilEnded(t)
			turns := n.Model.Turns()
			n.typedAgree(t, turns, hops)
			alive := n.Finds(t, Claude, Claude)
			if !slices.ContainsFunc(alive, func(p Proc) bool { return p.PID == mine.PID }) {
				t.Errorf("the person's own claude, %v, was ended; alive: %v", mine, alive)
			}
			n.historyAgrees(t, hops, "max_handovers")
			n.jobsAgree(t, hops)
		})
	}
}

// typedAgree checks the turns after one that a person typed.
func (n *Night) typedAgree(t *testing.T, turns []Request, hops int) {
	t.Helper()
	want := alternating(Claude, hops+1)
	if len(turns) != len(want) {
		t.Fatalf("%d turns, want %d:\n%s", len(turns), len(want), n.Model.Log())
	}
	for i, q := range turns {
		if q.Tool != want[i] || q.Dir != n.Dir {
			t.Errorf("turn %d: %s in %s, want %s in %s", i+1, q.Tool, q.Dir, want[i], n.Dir)
		}
		if i == 0 {
			continue
		}
		if told := itemsIn(q.Prompt); !slices.Equal(told, openItems(i, n.items)[:min(5, n.items-i)]) {
			t.Errorf("turn %d was told of %q", i+1, told)
		}
		if strings.Contains(strings.Join(q.Inputs, "\n"), "Please do") {
			t.Errorf("turn %d goes on with the person's own conversation: %q", i+1, q.Inputs)
		}
	}
}

// With the settings as they come the chain ends when TODO.md has no open item left.
func TestFreshSettings(t *testing.T) {
	n := NewNight(t, "proj", 4, ClaudeNew, CodexNow)
	n.freshLimits(t)
	n.Tmux.Start(t, "night", n.Dir, "vomgr", "run", "claude")
	n.UntilEnded(t)
	n.turnsAgree(t, 0, alternating(Claude, 4)...)
	n.historyAgrees(t, 3, "stop_when_done")
	n.sessionAgrees(t, n.Finds(t, Codex)[0])
}

// Claude at its usage limit hands over to Codex, and says why.
func TestUsageLimit(t *testing.T) {
	for _, claude := range []Program{ClaudeNew, ClaudeOld} {
		t.Run("claude-"+claude.Version, func(t *testing.T) {
			n := NewNight(t, "proj", 4, claude, CodexNow)
			n.Set(t, "max_handovers", "1")
			n.Answer = func(q Request) Reply {
				if q.Tool == Claude {
					return Reply{Status: http.StatusTooManyRequests, Text: "This request would exceed your account's rate limit."}
				}
				return n.work(q)
			}
			n.Tmux.Start(t, "night", n.Dir, "vomgr", "run", "claude")
			n.UntilEnded(t)
			turns := n.Model.Turns(Codex)
			if len(turns) != 1 || !strings.Contains(turns[0].Prompt, "(usage limit)") {
				t.Errorf("codex was to be told once, of a usage limit:\n%s", n.Model.Log())
			}
			n.historyAgrees(t, 1, "max_handovers")
			n.sessionAgrees(t, n.Finds(t, Codex)[0])
		})
	}
}

// A person who types into the session of a chain has taken over: its stop is no hand-over, and the session stays.
func TestTakenOver(t *testing.T) {
	for _, claude := range []Program{ClaudeNew, ClaudeOld} {
		t.Run("claude-"+claude.Version, func(t *testing.T) {
			n := NewNight(t, "proj", 4, claude, CodexNow)
			n.Answer = func(q Request) Reply {
				if strings.HasPrefix(q.Prompt, "Continue") {
					return Reply{Delay: time.Minute} // until Escape
				}
				return Reply{}
			}
			n.Tmux.Start(t, "night", n.Dir, "vomgr", "run", "claude")
			n.Until(t, time.Minute, "claude's turn begins", func() bool { return len(n.Model.Turns()) == 1 })
			n.Tmux.Press(t, "night", "Escape")
			n.Until(t, 30*time.Second, "claude is interrupted", func() bool { return !strings.Contains(n.Tmux.Screen("night"), "to interrupt") })
			n.Tmux.Press(t, "night", "C-c") // Claude puts a prompt that had no answer yet back into its line
			n.Until(t, 30*time.Second, "claude's line is empty", func() bool { return !strings.Contains(n.Tmux.Screen("night"), "Item 01") })
			n.Tmux.Type(t, "night", "what is this about")
			n.Until(t, 30*time.Second, "claude shows what was typed", func() bool { return strings.Contains(n.Tmux.Screen("night"), "what is this about") })
			n.Tmux.Press(t, "night", "Enter")
			n.Until(t, time.Minute, "the person's turn is judged", func() bool {
				return slices.ContainsFunc(n.History(t), func(e Event) bool { return strings.Contains(e.Detail+e.Error, "person") })
			})
			n.UntilQuiet(t, 20*time.Second, 3*time.Second, "nothing happens any more", func() int { return len(n.Model.Requests()) })
			n.Finds(t, Claude)
			if turns := n.Model.Turns(Codex); len(turns) > 0 {
				t.Errorf("codex was started: %q", turns[0].Prompt)
			}
		})
	}
}

// Claude hands over to Gemini, which registers nothing: the chain ends there.
func TestToGemini(t *testing.T) {
	n := NewNight(t, "proj", 4, ClaudeNew, CodexNow, GeminiNow)
	n.SetTarget(t, Claude, Gemini)
	n.Tmux.Start(t, "night", n.Dir, "vomgr", "run", "claude")
	n.Until(t, time.Minute, "gemini gets its prompt", func() bool { return len(n.Model.Turns(Gemini)) > 0 })
	n.UntilQuiet(t, time.Minute, 3*time.Second, "nothing happens any more", func() int { return len(n.Model.Requests()) })
	n.turnsAgree(t, 0, Claude, Gemini)
	n.sessionAgrees(t, n.Finds(t, Gemini)[0])
}

// A prompt that begins with "- [ ]" looks like an option to all three assistants.
func TestPromptLikeAnOption(t *testing.T) {
	n := NewNight(t, "proj", 4, ClaudeNew, CodexNow, GeminiNow)
	n.Set(t, "claude", `"{todo}\n{target}"`)
	n.Set(t, "codex", `"{todo}\n{target}"`)
	n.SetTarget(t, Codex, Gemini)
	n.Tmux.Start(t, "night", n.Dir, "vomgr", "run", "claude")
	n.Until(t, 2*time.Minute, "gemini gets its prompt", func() bool { return len(n.Model.Turns(Gemini)) > 0 })
	n.turnsAgree(t, 0, Claude, Codex, Gemini)
	for _, q := range n.Model.Turns() {
		if !strings.HasPrefix(q.Prompt, "- [ ]") {
			t.Errorf("%s was told %q, want a prompt that begins with an item", q.Tool, q.Prompt)
		}
	}
}

// Codex's shared server runs already, started from another folder: its environment and its folder are that one's.
func TestSharedServerElsewhere(t *testing.T) {
	const hops = 4
	n := NewNight(t, "proj", 8, ClaudeNew, CodexNow)
	other := n.Home.Project(t, "other", "- [ ] Nothing of the night's\n")
	n.enable(t) // a new project's trust rewrites the assistants' files
	n.Set(t, "max_handovers", strconv.Itoa(hops))
	n.Set(t, "mode", `"only"`)
	n.Set(t, "folders", "["+strconv.Quote(n.Dir)+"]")
	n.Tmux.Start(t, "other", other, commands(Codex, other, "hello")...)
	n.Until(t, time.Minute, "codex answers elsewhere and its shared server runs", func() bool {
		return len(n.Model.Turns(Codex)) == 1 && sharedServer(n.Home.Dir)
	})
	elsewhere := n.Finds(t, Codex)[0]
	n.Tmux.Start(t, "night", n.Dir, "vomgr", "run", "claude")
	n.UntilEnded(t)
	n.turnsAgree(t, 0, alternating(Claude, hops+1)...)
	n.historyAgrees(t, hops, "max_handovers")
	alive := n.Finds(t, Claude, Codex)
	if !slices.ContainsFunc(alive, func(p Proc) bool { return p.PID == elsewhere.PID }) {
		t.Errorf("the codex of another folder, %v, was ended; alive: %v", elsewhere, alive)
	}
	if !sharedServer(n.Home.Dir) {
		t.Error("codex's shared server was ended")
	}
}

// The registered command of Claude finds the right folder whatever its name is, and nothing in the name is executed.
func TestHostileFolders(t *testing.T) {
	t.Parallel()
	for label, name := range hostile {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			n := NewNight(t, name, 4, ClaudeNew, CodexNow)
			n.Set(t, "max_handovers", "2")
			n.Tmux.Start(t, "night", n.Dir, "vomgr", "run", "claude")
			n.UntilEnded(t)
			n.agree(t, Claude, 2)
			n.nothingExecuted(t, n.Dir)
		})
	}
}
