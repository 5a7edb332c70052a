package assistant

import (
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/world"
)

func TestByProgram(t *testing.T) {
	for path, want := range map[string]struct {
		name Name
		role Role
	}{
		"/home/u/.claude/hooks/vocl-go":   {Claude, StopRole},
		"vocl-new":                        {Claude, HelpRole},
		"./voco-go":                       {Codex, StopRole},
		`C:\Users\u\.codex\voco-new.exe`:  {Codex, HelpRole},
		"C:/Users/u/.gemini/voge-go.exe":  {Gemini, StopRole},
		"voge-new":                        {Gemini, HelpRole},
		"vomgr":                           {"", NoRole},
		"":                                {"", NoRole},
		"/home/u/.claude/hooks/":          {"", NoRole},
		"/vocl-go/vomgr":                  {"", NoRole},
		"vocl-go.py":                      {"", NoRole},
		"vocl-go2":                        {"", NoRole},
		"my-vocl-go":                      {"", NoRole},
		"/home/u/.claude/hooks/vocl-go.x": {"", NoRole},
	} {
		if a, role := ByProgram(path); a.Name != want.name || role != want.role {
			t.Errorf("%q: %q %d", path, a.Name, role)
		}
	}
	wantRole := NoRole
	if runtime.GOOS == "windows" {
		wantRole = StopRole
	}
	if _, role := ByProgram("VOCL-GO.exe"); role != wantRole {
		t.Errorf("with other case: %d", role)
	}
}

func TestTarget(t *testing.T) {
	for name, want := range map[string]Name{"claude": Claude, "codex": Codex, "gemini": Gemini, "": Claude, "Codex": Claude, "emacs": Claude} {
		if got := Target(name).Name; got != want {
			t.Errorf("%q: %s", name, got)
		}
	}
}

func TestPaths(t *testing.T) {
	home := filepath.FromSlash("/h")
	if runtime.GOOS == "windows" {
		t.Skip("the paths here are those of Unix")
	}
	for _, c := range []struct {
		env  []string
		name Name
		want []string // hook, helper, job
	}{
		{nil, Claude, []string{"/h/.claude/hooks/vocl-go", "/h/.claude/hooks/vocl-new", "/h/.claude/hooks/vocl-new.json"}},
		{nil, Codex, []string{"/h/.codex/voco-go", "/h/.codex/voco-new", "/h/.codex/voco-new.json"}},
		{nil, Gemini, []string{"/h/.gemini/voge-go", "/h/.gemini/voge-new", "/h/.gemini/voge-new.json"}},
		{[]string{"CLAUDE_CONFIG_DIR=/c"}, Claude, []string{"/c/hooks/vocl-go", "/c/hooks/vocl-new", "/c/hooks/vocl-new.json"}},
		{[]string{"CODEX_HOME=/c"}, Codex, []string{"/c/voco-go", "/c/voco-new", "/c/voco-new.json"}},
		{[]string{"GEMINI_CLI_HOME=/c"}, Gemini, []string{"/c/.gemini/voge-go", "/c/.gemini/voge-new", "/c/.gemini/voge-new.json"}},
		{[]string{"CODEX_HOME="}, Codex, []string{"/h/.codex/voco-go", "/h/.codex/voco-new", "/h/.codex/voco-new.json"}},
	} {
		w := world.World{Home: home, Env: c.env}
		a := known(t, c.name)
		if diff := cmp.Diff(c.want, []string{a.HookPath(w), a.HelperPath(w), a.JobPath(w)}); diff != "" {
			t.Errorf("%s with %q:\n%s", c.name, c.env, diff)
		}
		if a.ProgramDir(w) != filepath.Dir(c.want[0]) {
			t.Errorf("%s: programs in %s", c.name, a.ProgramDir(w))
		}
	}
}

// TestCleanEnv: exactly what a former assistant left goes, and what vomgr itself set; CC#72347: with
// CLAUDE_CODE_CHILD_SESSION an interactive Claude keeps no transcript. Tokens, homes and the rest stay, in their order.
func TestCleanEnv(t *testing.T) {
	goes := []string{
		"CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1", "CLAUDE_CODE_SESSION_ID=x", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PROJECT_DIR=/p",
		"CLAUDE_EFFORT=high", "AI_AGENT=x", "CLAUDE_CODE_EXECPATH=/x", "CLAUDE_CODE_SIMPLE=1", "CLAUDE_CODE_SAFE_MODE=1",
		"NoDefaultCurrentDirectoryInExePath=1", "CODEX_MANAGED_BY_NPM=1", "CODEX_MANAGED_PACKAGE_ROOT=/x", "GEMINI_CLI_NO_RELAUNCH=true",
		"GEMINI_SESSION_ID=x", "GEMINI_PROJECT_DIR=/p", "GEMINI_CWD=/p", "GEMINI_PLANS_DIR=/x", "COLUMNS=80", "LINES=24",
		"VOMGR_PROMPT=old", "VOMGR_KILL_OLD=1", "VOMGR_HOOK_FORCE_DIRECT=1", "VOMGR_ANYTHING=",
	}
	stays := []string{
		"PATH=/bin", "HOME=/h", "ANTHROPIC_API_KEY=k", "OPENAI_API_KEY=k", "GEMINI_API_KEY=k", "CLAUDE_CONFIG_DIR=/c", "CODEX_HOME=/c",
		"GEMINI_CLI_HOME=/g", "CLAUDE_CODE_USE_BEDROCK=1", "CLAUDE_CODE_OAUTH_TOKEN=t", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=1", "IS_SANDBOX=1",
		"VOMGR_TERMINAL_APP=iTerm", "TMUX=/s,1,0", "DISPLAY=:0", "COLUMNS_OTHER=1", "MY_CLAUDECODE=1", "CODEX_MANAGED=1", "VOMGR=1", "odd", "=C:=x", "",
	}
	var env []string
	for i := range max(len(goes), len(stays)) {
		if i < len(goes) {
			env = append(env, goes[i])
		}
		if i < len(stays) {
			env = append(env, stays[i])
		}
	}
	before := slices.Clone(env)
	if diff := cmp.Diff(stays, CleanEnv(env)); diff != "" {
		t.Error(diff)
	}
	if !slices.Equal(before, env) {
		t.Error("the environment itself was changed")
	}
}

func TestShared(t *testing.T) {
	for _, c := range []struct {
		args []string
		want bool
	}{
		{[]string{"codex", "app-server", "--listen", "unix:///x", "--managed-daemon"}, true},
		{[]string{"node", "/usr/lib/node_modules/@openai/codex/bin/codex.js", "app-server"}, true},
		{[]string{"/opt/codex-x86_64-unknown-linux-musl", "app-server"}, true},
		{[]string{"codex", "--cd=/app-server"}, false},
		{[]string{"npm", "run", "app-server"}, false},
		{[]string{"app-server"}, false},
		{nil, false},
	} {
		if Shared(c.args) != c.want {
			t.Errorf("%q: %v", c.args, !c.want)
		}
	}
}
