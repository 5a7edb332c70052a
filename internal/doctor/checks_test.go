package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/history"
)

// Each case makes one thing wrong in a healthy home, and names the one check that is to say so.
func TestChecks(t *testing.T) {
	type want struct {
		id    string
		level Level
		says  string // part of the message
		step  string // of the verdict; "" where the chain would run
	}
	cases := []struct {
		name   string
		change func(h *home)
		want   want
	}{
		// vomgr itself
		{"vomgr not on PATH", func(h *home) { h.remove("bin/vomgr" + exe) }, want{"vomgr.path", Warning, "not on PATH", ""}},
		{"another vomgr first", func(h *home) { h.remove("bin/vomgr" + exe); h.write("bin/vomgr"+exe, "other", 0o700) }, want{"vomgr.path", Warning, "is not this vomgr, ~/opt/vomgr", ""}},
		{"a versioned folder on PATH", func(h *home) {
			h.remove("bin/vomgr" + exe)
			h.link("Cellar/vomgr/1.0.0/bin/vomgr"+exe, "opt/vomgr"+exe)
			h.w.Env = []string{"PATH=" + h.path("bin") + string(os.PathListSeparator) + h.path("Cellar/vomgr/1.0.0/bin")}
		}, want{"vomgr.path", Warning, "gone after an upgrade", ""}},

		// programs
		{"codex not installed", func(h *home) { h.remove("bin/codex" + exe) }, want{"codex.program", Error, "codex is not on PATH", "started"}},
		{"a newer version", func(h *home) { h.program("claude", "9.0.0") }, want{"claude.version", Info, "9.0.0 is newer than the newest vomgr was tried with", ""}},
		{"documented form", func(h *home) { h.setting(`command_style = "documented"`) }, want{"claude.version", Error, "--prompt PROMPT", "started"}},
		{"own command", func(h *home) { h.setting(`commands.codex = ["term", "{prompt}"]`) }, want{"codex.program", OK, "term {prompt}", ""}},
		{"own command without prompt", func(h *home) { h.setting(`commands.codex = ["term", "x"]`) }, want{"codex.program", Warning, "no {prompt}", ""}},
		{"own command that is not there", func(h *home) { h.setting(`commands.codex = ["gone", "{prompt}"]`) }, want{"codex.program", Error, "gone, which is not on PATH", "started"}},
		{"no node", func(h *home) { h.write("bin/codex"+exe, "#!/usr/bin/env -S node\n", 0o700) }, want{"codex.program", Error, "needs node", "started"}},

		// programs placed
		{"no helper", func(h *home) { h.remove(".claude/hooks/vocl-new" + exe) }, want{"claude.helper-program", Error, "~/.claude/hooks/vocl-new" + exe + " is not there", "terminal"}},
		{"a hook that is no program", func(h *home) {
			h.remove(".codex/voco-new" + exe)
			h.must(os.Mkdir(h.path(".codex/voco-new"+exe), 0o700))
		}, want{"codex.helper-program", Error, "is a folder", "terminal"}},
		{"an old copy", func(h *home) { h.write(".codex/voco-go"+exe, "vomgr 0.9.0", 0o700) }, want{"codex.hook-program", Warning, "is a copy", ""}},
		{"copies where there is no lasting path", func(h *home) {
			h.remove("bin/vomgr" + exe)
			for _, a := range assistant.All()[:2] {
				for _, path := range []string{a.HookPath(h.w), a.HelperPath(h.w)} {
					h.write(h.rel(path), h.read("opt/vomgr"+exe), 0o700)
				}
			}
		}, want{"codex.hook-program", OK, "is this vomgr", ""}},
		{"a copy of another vomgr where there is no lasting path", func(h *home) {
			h.remove("bin/vomgr" + exe)
			h.write(".codex/voco-go"+exe, "vomgr 0.9.0", 0o700)
		}, want{"codex.hook-program", Warning, "another vomgr than this one", ""}},
		{"the original is left", func(h *home) { h.write(".claude/hooks/vocl-go.py", "", 0o600) }, want{"claude.python", Info, "vocl-go.py", ""}},

		// registration
		{"claude not registered", func(h *home) { h.write(".claude/settings.json", `{"skipDangerousModePermissionPrompt": true}`, 0o600) }, want{"claude.hook", Error, "claude does not call vomgr", "called"}},
		{"codex not registered", func(h *home) { h.codexSays("") }, want{"codex.hook", Error, "codex does not call vomgr", "called"}},
		{"codex is somebody else's", func(h *home) { h.codexSays(`notify = ["/opt/ding", "x"]`) }, want{"codex.hook", Error, "another program, not vomgr: /opt/ding x", "called"}},
		{"codex calls through another", func(h *home) {
			h.codexSays(`notify = ["/opt/app", "--previous-notify", '["` + filepath.ToSlash(h.path(".codex/voco-go")) + `"]']`)
		}, want{"codex.hook", Info, "through /opt/app", ""}},
		{"below a table", func(h *home) { h.codexSays("[tui]\nnotify = [\"/x/voco-go\"]\n") }, want{"codex.notify", Error, "below [tui]", "called"}},
		{"a chained program is gone", func(h *home) {
			h.codexSays(`notify = ['` + h.path(".codex/voco-go"+exe) + `', "--then", "/opt/ding"]`)
		}, want{"codex.notify", Warning, "/opt/ding is called after vomgr", ""}},
		{"home is not expanded", func(h *home) { h.codexSays(`notify = ["~/.codex/voco-go"]`) }, want{"codex.hook", Error, "does not expand ~/.codex/voco-go", "called"}},
		{"a path that is gone", func(h *home) { h.codexSays(`notify = ['` + h.path("gone/voco-go"+exe) + `']`) }, want{"codex.hook", Error, "is not there", "called"}},
		{"another place", func(h *home) {
			h.link("old/voco-go"+exe, "opt/vomgr"+exe)
			h.codexSays(`notify = ['` + h.path("old/voco-go"+exe) + `']`)
		}, want{"codex.hook", Warning, "~/old/voco-go", ""}},
		{"notify and hook", func(h *home) {
			h.write(".codex/hooks.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"`+filepath.ToSlash(h.path(".codex/voco-go"+exe))+`"}]}]}}`, 0o600)
			h.write(".codex/config.toml", h.read(".codex/config.toml")+"[features]\nhooks = false\n", 0o600)
		}, want{"codex.hook", Warning, "more than once", ""}},
		{"the original is called", func(h *home) { h.replace(".claude/settings.json", "vocl-go"+exe, "vocl-go.py") }, want{"claude.hook", Error, "Python original", "called"}},
		{"no StopFailure", func(h *home) {
			h.edit(".claude/settings.json", func(m map[string]any) { delete(m["hooks"].(map[string]any), "StopFailure") })
		}, want{"claude.usage-limit", Warning, "usage limit", ""}},
		{"StopFailure against the settings", func(h *home) { h.setting("handover_on_usage_limit = false") }, want{"claude.usage-limit", Info, "though", ""}},
		{"the project, too", func(h *home) { h.write("src/api/.claude/settings.local.json", h.read(".claude/settings.json"), 0o600) }, want{"claude.project-hook", Warning, "told twice", ""}},
		{"registered but off", func(h *home) {
			h.replace(".vexy-overnight/settings.toml", "[continuations.codex]\nenabled = true", "[continuations.codex]\nenabled = false")
		}, want{"codex.hook", Info, "its continuation is off", ""}},

		// Claude Code
		{"a trailing comma", func(h *home) { h.write("src/api/.claude/settings.json", "{\n \"model\": \"x\",\n}", 0o600) }, want{"claude.config.project", Warning, "settings.json:2:14: trailing comma", ""}},
		// With the file the answer to the warning is gone, too, and that is asked before any stop.
		{"a comment", func(h *home) { h.write(".claude/settings.json", "{ // mine\n}", 0o600) }, want{"claude.config", Error, "~/.claude/settings.json:1:3: a comment", "working"}},
		{"a flat handler", func(h *home) {
			h.edit(".claude/settings.json", func(m map[string]any) {
				m["hooks"].(map[string]any)["PreToolUse"] = []any{map[string]any{"type": "command", "command": "x"}}
			})
		}, want{"claude.config", Error, "hooks.PreToolUse[0]", "called"}},
		{"a wrong type elsewhere", func(h *home) { h.edit(".claude/settings.json", func(m map[string]any) { m["model"] = 5 }) }, want{"claude.config", Error, `"model" is no string`, "called"}},
		{"hooks off", func(h *home) { h.edit(".claude/settings.json", func(m map[string]any) { m["disableAllHooks"] = true }) }, want{"claude.hooks-off", Error, "~/.claude/settings.json switches all hooks off", "called"}},
		{"hooks off in the project", func(h *home) { h.write("src/api/.claude/settings.json", `{"disableAllHooks": true}`, 0o600) }, want{"claude.hooks-off", Error, "~/src/api/.claude/settings.json", "called"}},
		{"hooks off in the project's local settings", func(h *home) { h.write("src/api/.claude/settings.local.json", `{"disableAllHooks": true}`, 0o600) }, want{"claude.hooks-off", Error, "settings.local.json", "called"}},
		{"managed hooks only", func(h *home) { h.write("etc/managed-settings.json", `{"allowManagedHooksOnly": true}`, 0o600) }, want{"claude.hooks-off", Error, "allowManagedHooksOnly", "called"}},
		{"never set up", func(h *home) { h.remove(".claude.json") }, want{"claude.onboarding", Error, "never set up", "working"}},
		{"its own file is broken", func(h *home) { h.write(".claude.json", "{", 0o600) }, want{"claude.state", Error, "~/.claude.json:1:2", "working"}},
		{"not trusted", func(h *home) { h.answered(map[string]any{"hasCompletedOnboarding": true}) }, want{"claude.trust", Error, "in ~/src/api and waits for a key", "working"}},
		{"a parent is trusted, a repository below it", func(h *home) {
			h.answered(map[string]any{"hasCompletedOnboarding": true, "projects": map[string]any{filepath.Dir(h.project): map[string]any{"hasTrustDialogAccepted": true}}})
		}, want{"claude.trust", Error, "trust of ~/src does not cover a git repository below it", "working"}},
		{"a parent is trusted, no repository", func(h *home) {
			h.answered(map[string]any{"hasCompletedOnboarding": true, "projects": map[string]any{filepath.Dir(h.project): map[string]any{"hasTrustDialogAccepted": true}}})
			h.remove("src/api/.git")
		}, want{"claude.trust", OK, "~/src is trusted", ""}},
		{"the warning was not accepted", func(h *home) {
			h.edit(".claude/settings.json", func(m map[string]any) { delete(m, "skipDangerousModePermissionPrompt") })
		}, want{"claude.bypass", Error, "leaves unless somebody accepts it", "working"}},
		{"accepted in the project does not count", func(h *home) {
			h.edit(".claude/settings.json", func(m map[string]any) { delete(m, "skipDangerousModePermissionPrompt") })
			h.write("src/api/.claude/settings.json", `{"skipDangerousModePermissionPrompt": true}`, 0o600)
		}, want{"claude.bypass", Error, "leaves", "working"}},
		{"the mode is forbidden", func(h *home) {
			h.write("etc/managed-settings.json", `{"permissions": {"disableBypassPermissionsMode": "disable"}}`, 0o600)
		}, want{"claude.bypass", Error, "forbids", "working"}},
		{"the superuser", func(h *home) { h.opts.Root = true; h.env("IS_SANDBOX=yes") }, want{"claude.root", Error, `IS_SANDBOX is "yes"`, "started"}},
		{"the superuser in a sandbox", func(h *home) { h.opts.Root = true; h.env("IS_SANDBOX=1") }, want{"claude.root", OK, "", ""}},
		{"a key nobody was asked about", func(h *home) { h.env("ANTHROPIC_API_KEY=" + apiKey) }, want{"claude.key", Error, "asks whether to use", "working"}},
		{"a key that was approved", func(h *home) {
			h.env("ANTHROPIC_API_KEY=" + apiKey)
			h.edit(".claude.json", func(m map[string]any) {
				m["customApiKeyResponses"] = map[string]any{"approved": []string{apiKey[len(apiKey)-20:]}}
			})
		}, want{"claude.key", OK, "approved", ""}},
		{"it goes on by itself", func(h *home) {
			h.setting(`replace_first = "never"`)
			h.edit(".claude.json", func(m map[string]any) { m["oauthAccount"] = map[string]any{} })
		}, want{"claude.autocontinue", Warning, "usage limit resets", ""}},

		// Codex
		{"no toml", func(h *home) { h.write(".codex/config.toml", "a = 1\na = 2\n", 0o600) }, want{"codex.config", Error, "~/.codex/config.toml:2:1", "started"}},
		{"a legacy profile", func(h *home) { h.write(".codex/config.toml", "profile = \"x\"\n"+h.read(".codex/config.toml"), 0o600) }, want{"codex.config", Error, "does not start", "started"}},
		{"not logged in", func(h *home) { h.remove(".codex/auth.json") }, want{"codex.login", Error, "not logged in", "working"}},
		{"a provider's key", func(h *home) {
			h.provider()
			h.env("MOCK_KEY=x")
		}, want{"codex.login", OK, "MOCK_KEY", ""}},
		{"a provider without its key", func(h *home) { h.provider() }, want{"codex.login", Error, "MOCK_KEY, which is not set", "working"}},
		{"a key ring", func(h *home) {
			h.remove(".codex/auth.json")
			h.write(".codex/config.toml", "cli_auth_credentials_store = \"keyring\"\n"+h.read(".codex/config.toml"), 0o600)
		}, want{"codex.login", Info, "key ring", ""}},
		{"codex: undecided", func(h *home) { h.codexTrusts("/elsewhere", "trusted") }, want{"codex.trust", Error, `"trust this folder?" in ~/src/api`, "working"}},
		{"codex: a repository below a trusted folder", func(h *home) { h.codexTrusts(filepath.Dir(h.project), "trusted") }, want{"codex.trust", Error, `"trust this folder?"`, "working"}},
		{"codex: a folder below a trusted repository", func(h *home) {
			h.project = h.path("src/api/cmd")
			h.must(os.Mkdir(h.project, 0o700))
		}, want{"codex.trust", OK, "~/src/api is trusted", ""}},
		{"codex: no repository", func(h *home) { h.codexTrusts("/elsewhere", "trusted"); h.remove("src/api/.git") }, want{"codex.trust", OK, "does not ask", ""}},
		{"codex: no repository, with a .codex", func(h *home) {
			h.codexTrusts("/elsewhere", "trusted")
			h.remove("src/api/.git")
			h.must(os.Mkdir(h.path("src/api/.codex"), 0o700))
		}, want{"codex.trust", Error, `"trust this folder?"`, "working"}},
		{"codex: no repository, below a trusted folder", func(h *home) {
			h.codexTrusts(filepath.Dir(h.project), "trusted")
			h.remove("src/api/.git")
			h.must(os.Mkdir(h.path("src/api/.codex"), 0o700))
		}, want{"codex.trust", OK, "~/src is trusted", ""}},
		{"codex: not to be trusted", func(h *home) { h.codexTrusts(h.project, "untrusted") }, want{"codex.trust", Error, "asks at every start", "working"}},
		{"a hook to be reviewed", func(h *home) { h.foreignHook() }, want{"codex.hook-trust", Error, "~/.codex/hooks.json Stop", "working"}},
		{"a hook that changed since its review", func(h *home) {
			h.foreignHook()
			h.trust("sha256:00")
		}, want{"codex.hook-trust", Error, "new or changed", "working"}},
		{"a profile's notify", func(h *home) { h.write(".codex/work.config.toml", `notify = ["/x"]`, 0o600) }, want{"codex.profiles", Warning, "work.config.toml", ""}},
		{"a project's notify", func(h *home) {
			h.write("src/api/.codex/config.toml", `notify = ["/x"]`, 0o600)
		}, want{"codex.project", Info, "ignores the notify", ""}},

		// settings
		{"no settings", func(h *home) { h.remove(".vexy-overnight/settings.toml") }, want{"settings.file", Info, "not there yet", "-"}},
		{"a wrong type", func(h *home) { h.setting(`kill_old_sessions = "yes"`) }, want{"settings.file", Error, "~/.vexy-overnight/settings.toml:1:", "preferences"}},
		{"an unknown key", func(h *home) { h.setting("colour = true") }, want{"settings.keys", Warning, "colour (line 1)", ""}},
		{"a target that is none", func(h *home) { h.replace(".vexy-overnight/settings.toml", `target = "codex"`, `target = "emacs"`) }, want{"settings.claude.target", Warning, `"emacs"`, ""}},
		{"all off", func(h *home) {
			h.replace(".vexy-overnight/settings.toml", "enabled = true\ntarget", "enabled = false\ntarget")
		}, want{"settings.continuations", Error, "no assistant hands anything over", "preferences"}},
		{"scope only, elsewhere", func(h *home) { h.replace(".vexy-overnight/settings.toml", `mode = "everywhere"`, `mode = "only"`) }, want{"scope", Error, "not listed", "guard"}},
		{"scope only, here", func(h *home) {
			h.replace(".vexy-overnight/settings.toml", "mode = \"everywhere\"\nfolders = []", "mode = \"only\"\nfolders = [\"~/src\"]")
		}, want{"scope", OK, "", ""}},
		{"scope armed", func(h *home) { h.replace(".vexy-overnight/settings.toml", `mode = "everywhere"`, `mode = "armed"`) }, want{"scope", Info, "only after vomgr night", ""}},
		{"home itself", func(h *home) {
			h.project = h.dir
			h.edit(".claude.json", func(m map[string]any) {
				m["projects"] = map[string]any{h.dir: map[string]any{"hasTrustDialogAccepted": true}}
			})
		}, want{"scope", Error, "could reach everything below it", "guard"}},

		// terminal, environment, project, chains
		{"below claude", func(h *home) { h.env("CLAUDE_CODE_CHILD_SESSION=1") }, want{"environment.child-session", Warning, "keeps no transcript", ""}},
		{"direct", func(h *home) { h.env("VOMGR_HOOK_FORCE_DIRECT=1") }, want{"environment.direct", Warning, "without a terminal", ""}},
		{"no items", func(h *home) { h.remove("src/api/TODO.md") }, want{"project.todo", Info, "no open item", ""}},
		{"no items, and they are wanted", func(h *home) {
			h.remove("src/api/TODO.md")
			h.replace(".vexy-overnight/settings.toml", `stop_when_done = "auto"`, `stop_when_done = true`)
		}, want{"project.todo", Error, "no open item", "guard"}},
		{"many items", func(h *home) { h.write("src/api/TODO.md", strings.Repeat("- [ ] x\n", 12), 0o600) }, want{"project.todo", Info, "12 open items; {todo} shows the first 5", ""}},
		{"no git", func(h *home) { h.remove("src/api/.git") }, want{"project.git", Warning, "no git repository", ""}},
		{"no branch", func(h *home) { h.write("src/api/.git/HEAD", strings.Repeat("a", 40), 0o600) }, want{"project.git", Info, "no branch", ""}},
		{"paused", func(h *home) { h.must(h.store().Pause(clock.Add(time.Hour))) }, want{"chain.pause", Error, "paused until 22:58", "guard"}},
		{"a hand-over waits here", func(h *home) { h.pending(h.project) }, want{"chain.pending", Warning, "to codex waits here since 21:58: no terminal could be opened", ""}},
		{"a hand-over waits elsewhere", func(h *home) { h.pending(h.path("src/web")) }, want{"chain.pending", Info, "1 hand-over waits elsewhere", ""}},
		{"a helper died", func(h *home) {
			_, err := h.store().Move(h.pending(h.path("src/web")), chain.Starting, "4194304-1-x")
			h.must(err)
		}, want{"chain.stuck", Warning, "died while it started codex in ~/src/web", ""}},
		{"somebody works here", func(h *home) { h.session() }, want{"chain.session", Info, "claude, pid", ""}},
		{"somebody works here, and a night is to begin", func(h *home) { h.session(); h.opts.Night = true }, want{"chain.session", Warning, "is ended once the new one runs", ""}},
		{"the last chain broke", func(h *home) {
			history.Append(h.path(".vexy-overnight/history.jsonl"),
				history.Entry{Time: clock.Add(-time.Hour), Chain: "c41", Hop: 1, Step: history.Called, Source: "claude", Project: h.project},
				history.Entry{Time: clock.Add(-time.Hour), Chain: "c41", Hop: 1, Step: history.Job, Source: "claude", Target: "codex", Project: h.project, Error: "no space left on device"})
		}, want{"chain.last", Warning, "c41 in ~/src/api, broke at 20:58, hop 1, step job: no space left on device", ""}},
		{"a state that cannot be read", func(h *home) {
			h.session()
			files, _ := filepath.Glob(h.path(".vexy-overnight/projects/*/state.json"))
			h.write(h.rel(files[0]), "{", 0o600)
		}, want{"chain.session", Error, "to begin anew", "guard"}},
	}
	if runtime.GOOS != "windows" {
		cases = append(cases, []struct {
			name   string
			change func(h *home)
			want   want
		}{
			{"a hook program that is gone", func(h *home) {
				h.remove("opt/old")
				h.must(os.Remove(h.path(".claude/hooks/vocl-new")))
				h.must(os.Symlink(h.path("opt/old"), h.path(".claude/hooks/vocl-new")))
			}, want{"claude.helper-program", Error, "leads to ~/opt/old, which is gone", "terminal"}},
			{"a link to one version", func(h *home) {
				h.write("Caskroom/vomgr/1.0.0/vomgr", "vomgr 1.0.0", 0o700)
				h.link(".codex/voco-go", "Caskroom/vomgr/1.0.0/vomgr")
			}, want{"codex.hook-program", Warning, "gone after an upgrade", ""}},
			{"a link to another vomgr", func(h *home) { h.write("opt/other", "x", 0o700); h.link(".codex/voco-go", "opt/other") }, want{"codex.hook-program", Warning, "another vomgr than this one", ""}},
			{"a state folder that others write", func(h *home) { h.must(os.Chmod(h.path(".vexy-overnight"), 0o770)) }, want{"state.folder", Error, "can be written by others", "called"}},
			{"a state file that others read", func(h *home) { h.write(".vexy-overnight/history.jsonl", "", 0o644) }, want{"state.modes", Warning, "~/.vexy-overnight/history.jsonl", ""}},
			{"settings that others write", func(h *home) { h.must(os.Chmod(h.path(".vexy-overnight/settings.toml"), 0o606)) }, want{"settings.file", Error, "others may write it", "preferences"}},
			{"a folder everybody writes", func(h *home) { h.must(os.Chmod(h.project, 0o707)) }, want{"project.writable", Warning, "by everybody", ""}},
		}...)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			c.change(h)
			r := h.run()
			sound(t, r)
			var found []Check
			for _, k := range r.Checks {
				if k.ID == c.want.id {
					found = append(found, k)
				}
			}
			if len(found) != 1 || found[0].Level != c.want.level || !strings.Contains(filepath.ToSlash(found[0].Message), c.want.says) {
				t.Errorf("want one %s, %s, %q; got %+v\nall: %+v", c.want.id, c.want.level, c.want.says, found, bad(r))
			}
			if c.want.step != "-" && r.Step != c.want.step {
				t.Errorf("stops at %q, want %q: %s\n%+v", r.Step, c.want.step, r.Verdict, bad(r))
			}
		})
	}
}
