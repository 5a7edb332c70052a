package assistant

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/vexyart/vomgr/internal/edit"
)

// claudeEvents are the events in which one group or handler of the wrong shape makes Claude Code 2.1.197 drop its whole
// settings file, without a word; names it does not know may hold anything.
var claudeEvents = []string{
	"PreToolUse", "PostToolUse", "Notification", "UserPromptSubmit", "Stop", "StopFailure", "SubagentStop", "PreCompact", "SessionStart", "SessionEnd",
}

// What Claude Code makes of a file that is no JSON, and of a hook of the wrong shape: 2.1.197 passes over the whole file,
// 2.1.332 in most cases over the hook alone (measured).
const (
	claudeDrops   = "claude ignores the whole file because of it, so your other settings are off, too"
	claudeDropped = "claude ignores it, and older versions the whole file because of it"
)

// claudeSettings is settings.json: one group for Stop and, for usage limits, one for StopFailure.
var claudeSettings = configKind{
	broken: claudeDrops,
	register: func(doc []byte, r Registration) ([]byte, error) {
		faults, err := claudeFaults(doc)
		if err != nil {
			return nil, err
		}
		if len(faults) > 0 {
			return nil, faults[0]
		}
		h := r.claudeHandler()
		failure := &h
		if !r.UsageLimit {
			failure = nil
		}
		hooks := []edit.Hook{{Event: "Stop", Handler: &h}, {Event: "StopFailure", Handler: failure}}
		return edit.JSON.SetHooks(doc, hooks, ours(Claude))
	},
	unregister: unhook(edit.JSON, Claude),
	state: func(doc []byte) (State, error) {
		s, err := hooksState(edit.JSON, Claude, doc)
		if err != nil {
			return s, err
		}
		var off struct {
			DisableAllHooks bool `json:"disableAllHooks"`
		}
		s.Off = json.Unmarshal(bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf")), &off) == nil && off.DisableAllHooks
		return s, nil
	},
}

// claudeHandler is the seed's shell form, or, on Windows, the exec form: there Claude Code runs a command text through
// Git Bash, which eats backslashes, or through PowerShell. Both take the project folder as an argument.
func (r Registration) claudeHandler() edit.Handler {
	if r.Windows {
		return edit.Handler{Command: slashes(r.Hook), Args: []string{"${CLAUDE_PROJECT_DIR}"}}
	}
	return edit.Handler{Command: doubleQuoted(r.Hook) + ` "$CLAUDE_PROJECT_DIR"`}
}

// slashes writes a Windows path so that nothing takes its separators for escapes.
func slashes(path string) string { return strings.ReplaceAll(path, `\`, "/") }

// doubleQuoted writes s for a POSIX shell.
func doubleQuoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s) + `"`
}

// codexHooks is hooks.json, read by Codex since 0.171.0 at the latest; Codex asks for a review before it runs a new hook.
var codexHooks = configKind{
	broken: "codex cannot read its hooks from it",
	register: func(doc []byte, r Registration) ([]byte, error) {
		if !r.ViaHooks {
			return unhook(edit.JSON, Codex)(doc, nil)
		}
		command := doubleQuoted(r.Hook)
		if r.Windows {
			command = `"` + slashes(r.Hook) + `"`
		}
		h := edit.Handler{Command: command, Timeout: 30}
		return edit.JSON.SetHooks(doc, []edit.Hook{{Event: "Stop", Handler: &h}}, ours(Codex))
	},
	unregister: unhook(edit.JSON, Codex),
	state:      func(doc []byte) (State, error) { return hooksState(edit.JSON, Codex, doc) },
}

// geminiSettings is settings.json: vomgr called by words for AfterAgent, since the program placed for Gemini only says
// that nothing is there yet. Its timeout is in milliseconds, measured with Gemini CLI 0.61.0.
var geminiSettings = configKind{
	broken: "gemini ends with status 52 at this file",
	register: func(doc []byte, r Registration) ([]byte, error) {
		if !r.Gemini {
			return unhook(edit.JSONComments, Gemini)(doc, nil)
		}
		h := edit.Handler{Name: "vomgr", Command: singleQuoted(r.Vomgr) + " hook stop gemini", Timeout: 30000}
		if r.Windows {
			h.Command = "& '" + strings.ReplaceAll(r.Vomgr, "'", "''") + "' hook stop gemini"
		}
		hook := edit.Hook{Event: "AfterAgent", Matcher: "*", Handler: &h}
		return edit.JSONComments.SetHooks(doc, []edit.Hook{hook}, ours(Gemini))
	},
	unregister: unhook(edit.JSONComments, Gemini),
	state:      func(doc []byte) (State, error) { return hooksState(edit.JSONComments, Gemini, doc) },
}

// unhook takes the hook of the assistant called name out of every event.
func unhook(d edit.Dialect, name Name) func(doc, before []byte) ([]byte, error) {
	return func(doc, before []byte) ([]byte, error) { return d.DropHooks(doc, before, ours(name)) }
}

func singleQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
