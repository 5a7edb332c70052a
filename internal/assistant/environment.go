package assistant

import "strings"

// leftOver lists the variables that an assistant sets for the programs it starts and that would harm the next one,
// measured with Claude Code 2.1.197, Codex 0.171.0 and Gemini CLI 0.61.0: with CLAUDE_CODE_CHILD_SESSION an
// interactive Claude keeps no transcript, with GEMINI_CLI_NO_RELAUNCH Gemini runs without its larger heap, COLUMNS and
// LINES are another window's.
var leftOver = map[string]bool{
	"AI_AGENT":                           true,
	"CLAUDECODE":                         true,
	"CLAUDE_CODE_CHILD_SESSION":          true,
	"CLAUDE_CODE_ENTRYPOINT":             true,
	"CLAUDE_CODE_EXECPATH":               true,
	"CLAUDE_CODE_SAFE_MODE":              true,
	"CLAUDE_CODE_SESSION_ID":             true,
	"CLAUDE_CODE_SIMPLE":                 true,
	"CLAUDE_EFFORT":                      true,
	"CLAUDE_PROJECT_DIR":                 true,
	"COLUMNS":                            true,
	"GEMINI_CLI_NO_RELAUNCH":             true,
	"GEMINI_CWD":                         true,
	"GEMINI_PLANS_DIR":                   true,
	"GEMINI_PROJECT_DIR":                 true,
	"GEMINI_SESSION_ID":                  true,
	"LINES":                              true,
	"NoDefaultCurrentDirectoryInExePath": true,
}

// CleanEnv returns env without what a former assistant left in it and without the VOMGR_ variables of a former
// hand-over; VOMGR_TERMINAL_APP is the person's own and stays, as does everything else.
func CleanEnv(env []string) []string {
	out := make([]string, 0, len(env))
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case leftOver[name], strings.HasPrefix(name, "CODEX_MANAGED_"):
		case strings.HasPrefix(name, "VOMGR_") && name != "VOMGR_TERMINAL_APP":
		default:
			out = append(out, kv)
		}
	}
	return out
}
