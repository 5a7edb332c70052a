package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/edit"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/settings"
)

// The dialogs of Claude Code that hold an unattended session up, in the order in which they come, and the keys that say
// they were answered: measured with Claude Code 2.1.197 and 2.1.332. They are consents, so vomgr only reports them.

// asks is a stop at a dialog.
func asks(name assistant.Name) stop {
	return stop{tool: name, step: history.Working, why: string(name) + " would be started and wait for an answer of yours"}
}

// claude checks whether Claude Code would work in the project without a person.
func (e *exam) claude() {
	if why := e.absent(assistant.Claude); why != "" {
		e.skip("claude.consent", "%s", why)
		return
	}
	layers := e.claudeLayers()
	e.claudeFiles(layers)
	e.claudeHooksOff(layers)
	e.claudeRoot()
	state := readJSON("state", e.claudeState(), edit.JSON)
	if state.err != nil {
		message, remedy := e.fault(state)
		e.fail("claude.state", asks(assistant.Claude), remedy, "%s", message)
		return
	}
	e.claudeOnboarding(state)
	e.claudeTrust(state)
	e.claudeKey(state)
	e.claudeBypass(state, layers)
	e.claudeAutoContinue(state, layers)
	if dir := e.w.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		e.info("claude.folder", "set it where windows are opened, too: in your shell's profile", "CLAUDE_CONFIG_DIR=%s", e.w.Tilde(dir))
	}
}

// claudeState is the file in which Claude Code keeps what was answered.
func (e *exam) claudeState() string {
	if dir := e.w.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, ".claude.json")
	}
	return filepath.Join(e.w.Home, ".claude.json")
}

// claudeFiles tells of files that Claude Code passes over whole and in silence, and with them everything they say.
func (e *exam) claudeFiles(layers []layer) {
	bad := false
	for _, l := range layers {
		message, remedy := "", "correct it; claude then reads the file again"
		if l.err != nil {
			message, remedy = e.fault(l)
		} else if why := ignored(l); why != "" {
			message = e.w.Tilde(l.path) + ": " + why
		}
		switch {
		case message == "":
			continue
		case l.name == "user":
			e.fail("claude.config", stop{tool: assistant.Claude, step: history.Called, why: "claude ignores its whole settings file, and the hook in it"},
				remedy, "claude would ignore this file: %s", message)
		default:
			e.warn("claude.config."+l.name, remedy, "claude would ignore this file: %s", message)
		}
		bad = true
	}
	if !bad {
		e.ok("claude.config", "claude reads its settings files")
	}
}

// ignored gives the reason for which Claude Code 2.1.197 passes over a whole file that is valid JSON (measured), or "".
func ignored(l layer) string {
	if v := l.members["model"]; v != nil && !isText(v) {
		return `"model" is no string`
	}
	if v := l.members["permissions"]; v != nil {
		if _, ok := v.(map[string]any); !ok {
			return `"permissions" is no object`
		}
	}
	if faults, err := assistant.ClaudeFaults(l.doc); err == nil && len(faults) > 0 {
		return faults[0].Error()
	}
	return ""
}

func isText(v any) bool {
	_, ok := v.(string)
	return ok
}

// claudeHooksOff finds the switches that keep every hook from running, without a word.
func (e *exam) claudeHooksOff(layers []layer) {
	const id = "claude.hooks-off"
	if !e.hands(assistant.Claude) {
		e.skip(id, "claude hands nothing over")
		return
	}
	at := stop{tool: assistant.Claude, step: history.Called, why: "claude would not call its hook"}
	off := false
	for _, l := range layers {
		switch {
		case isTrue(l.members, "disableAllHooks"):
			e.fail(id, at, "remove disableAllHooks there", "%s switches all hooks off (disableAllHooks)", e.w.Tilde(l.path))
		case l.name == "managed" && isTrue(l.members, "allowManagedHooksOnly"):
			e.fail(id, at, "ask your administrator", "%s allows no hooks but its own (allowManagedHooksOnly)", l.path)
		default:
			continue
		}
		off = true
	}
	if !off {
		e.ok(id, "nothing switches claude's hooks off")
	}
}

func (e *exam) claudeRoot() {
	const id = "claude.root"
	switch {
	case !e.opts.Root:
		e.ok(id, "you are not the superuser")
	case e.w.Getenv("IS_SANDBOX") == "1" || e.w.Getenv("CLAUDE_CODE_BUBBLEWRAP") != "":
		e.ok(id, "claude is told that it runs in a sandbox, so the superuser may start it without prompts")
	default:
		e.fail(id, stop{tool: assistant.Claude, step: history.Started, why: "claude refuses to run without permission prompts as the superuser"},
			"work as another user, or export IS_SANDBOX=1 (exactly 1) where this is a sandbox",
			"you are the superuser, and IS_SANDBOX is %q", e.w.Getenv("IS_SANDBOX"))
	}
}

func (e *exam) claudeOnboarding(state layer) {
	const id = "claude.onboarding"
	if isTrue(state.members, "hasCompletedOnboarding") {
		e.ok(id, "claude was set up")
		return
	}
	e.fail(id, asks(assistant.Claude), "claude, answer what it asks at its first start", "claude was never set up here; it asks for a theme and a login")
}

// claudeTrust: trust of a folder covers what is below it, but not a git repository below it (2.1.332).
func (e *exam) claudeTrust(state layer) {
	const id = "claude.trust"
	trusted, above := "", ""
	inside := true
	upwards(e.project, func(dir string) bool {
		if claudeTrusts(state.members, dir) {
			if inside {
				trusted = dir
			} else {
				above = dir
			}
			return false
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			inside = false
		}
		return true
	})
	switch {
	case trusted != "":
		e.ok(id, "%s is trusted", e.w.Tilde(trusted))
	case above != "":
		e.fail(id, asks(assistant.Claude), e.answerOnce("claude"),
			`claude asks "is this a project you trust?" in %s; trust of %s does not cover a git repository below it`, e.w.Tilde(e.project), e.w.Tilde(above))
	default:
		e.fail(id, asks(assistant.Claude), e.answerOnce("claude"), `claude asks "is this a project you trust?" in %s and waits for a key`, e.w.Tilde(e.project))
	}
}

func claudeTrusts(members map[string]any, dir string) bool {
	return isTrue(members, "projects", dir, "hasTrustDialogAccepted") ||
		isTrue(members, "projects", filepath.ToSlash(dir), "hasTrustDialogAccepted")
}

// answerOnce is how a person answers an assistant's dialog in the project.
func (e *exam) answerOnce(program string) string {
	return "cd " + quoted(e.w.Tilde(e.project)) + " && " + program + ", answer once"
}

// quoted makes a path fit to be pasted into a shell; ~ stays outside the quotes.
func quoted(path string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,@%~"
	if strings.Trim(path, plain) == "" {
		return path
	}
	lead := ""
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		lead, path = "~/", rest
	}
	return lead + "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// claudeKey: a key in the environment is asked about once, and told again by its last 20 characters.
func (e *exam) claudeKey(state layer) {
	const id = "claude.key"
	key := e.w.Getenv("ANTHROPIC_API_KEY")
	if key == "" {
		e.ok(id, "ANTHROPIC_API_KEY is not set")
		return
	}
	tail := key[max(0, len(key)-20):]
	switch {
	case slices.Contains(elements(state.members, "customApiKeyResponses", "approved"), any(tail)):
		e.ok(id, "ANTHROPIC_API_KEY was approved")
	case slices.Contains(elements(state.members, "customApiKeyResponses", "rejected"), any(tail)):
		e.info(id, "", "ANTHROPIC_API_KEY is set and was rejected; claude goes by its login")
	default:
		e.fail(id, asks(assistant.Claude), "claude, choose once whether to use the key, or unset ANTHROPIC_API_KEY", "claude asks whether to use the ANTHROPIC_API_KEY it finds")
	}
}

// claudeBypass: the warning of the mode without permission prompts, whose preselected answer is to leave.
func (e *exam) claudeBypass(state layer, layers []layer) {
	const id = "claude.bypass"
	accepted := isTrue(state.members, "bypassPermissionsModeAccepted")
	for _, l := range layers {
		if text(l.members, "permissions", "disableBypassPermissionsMode") == "disable" {
			e.fail(id, asks(assistant.Claude), "remove disableBypassPermissionsMode there",
				"%s forbids the mode without permission prompts; claude would ask at the first tool", e.w.Tilde(l.path))
			return
		}
		accepted = accepted || l.name != "project" && isTrue(l.members, "skipDangerousModePermissionPrompt")
	}
	if accepted {
		e.ok(id, "the mode without permission prompts was accepted")
		return
	}
	e.fail(id, asks(assistant.Claude), "claude --dangerously-skip-permissions, read the warning, accept once",
		"claude warns of the mode without permission prompts, and leaves unless somebody accepts it")
}

// claudeAutoContinue: since 2.1.234 a session of a claude.ai login goes on by itself when its usage limit resets. vomgr
// ends it at the hand-over, unless the settings keep the person's own session.
func (e *exam) claudeAutoContinue(state layer, layers []layer) {
	const id = "claude.autocontinue"
	user := layers[len(layers)-1]
	if get(user.members, "autoContinueAtUsageLimit") == false || get(state.members, "oauthAccount") == nil ||
		e.set.ReplaceFirst != settings.ReplaceNever {
		e.ok(id, "no claude goes on by itself beside its successor")
		return
	}
	e.warn(id, `"autoContinueAtUsageLimit": false in `+e.w.Tilde(user.path)+`, or replace_first = "limit"`,
		"a claude you started goes on by itself when its usage limit resets, beside its successor (replace_first is \"never\")")
}
