//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

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
