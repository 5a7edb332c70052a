package doctor

import (
	"path/filepath"
	"strings"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/edit"
	"github.com/vexyart/vomgr/internal/history"
)

// gemini checks whether Gemini CLI would work in the project without a person; all measured with Gemini CLI 0.61.0.
func (e *exam) gemini() {
	if why := e.absent(assistant.Gemini); why != "" {
		e.skip("gemini.consent", "%s", why)
		return
	}
	a, _ := assistant.Get(assistant.Gemini)
	config := readJSON("user", a.ConfigPath(e.w), edit.JSONComments)
	if config.err != nil || config.there && len(strings.TrimSpace(string(config.doc))) == 0 {
		message, remedy := e.w.Tilde(config.path)+" is empty", "remove it, or write {} into it"
		if config.err != nil {
			message, remedy = e.fault(config)
		}
		e.fail("gemini.config", stop{tool: assistant.Gemini, step: history.Started, why: "gemini would not start"}, remedy, "gemini ends with status 52 at this file: %s", message)
		return
	}
	e.ok("gemini.config", "gemini reads %s", e.w.Tilde(config.path))
	e.geminiLogin(config)
	e.geminiTrust(a, config)
	e.geminiHooks(config)
}

// geminiLogin: without a chosen way of logging in Gemini CLI asks, also when GEMINI_API_KEY is set.
func (e *exam) geminiLogin(config layer) {
	const id = "gemini.login"
	if way := text(config.members, "security", "auth", "selectedType"); way != "" {
		e.ok(id, "gemini logs in by %s", way)
		return
	}
	e.fail(id, asks(assistant.Gemini), "gemini, choose once how to log in", "gemini asks how to log in")
}

// geminiTrust: in a folder nobody decided on, Gemini CLI runs the prompt once without its rights behind a dialog; in one
// that is not trusted it takes -y away and runs no hooks.
func (e *exam) geminiTrust(a assistant.Assistant, config layer) {
	const id = "gemini.trust"
	if get(config.members, "security", "folderTrust", "enabled") == false || e.w.Getenv("GEMINI_CLI_TRUST_WORKSPACE") == "true" {
		e.ok(id, "gemini is told to trust every folder")
		return
	}
	folders := readJSON("trust", filepath.Join(a.Dir(e.w), "trustedFolders.json"), edit.JSONComments)
	decided := map[string]string{}
	for dir := range folders.members {
		if level := text(folders.members, dir); level == "TRUST_PARENT" {
			decided[filepath.Dir(dir)] = level
		} else if decided[dir] == "" {
			decided[dir] = level
		}
	}
	level, where := "", ""
	upwards(e.project, func(dir string) bool {
		level, where = decided[dir], dir
		if level == "DO_NOT_TRUST" && dir != e.project {
			level = "" // it holds for the folder itself
		}
		return level == ""
	})
	switch {
	case level == "DO_NOT_TRUST":
		e.fail(id, asks(assistant.Gemini), "gemini, /permissions, trust the folder", "gemini was told not to trust %s: it asks before each tool and runs no hooks", e.w.Tilde(where))
	case level != "":
		e.ok(id, "%s is trusted", e.w.Tilde(where))
	default:
		e.fail(id, asks(assistant.Gemini), e.answerOnce("gemini"), `gemini asks "do you trust the files in this folder?" in %s`, e.w.Tilde(e.project))
	}
}

// geminiHooks: what keeps a registered hook from running. Only a chain that goes on from Gemini needs it.
func (e *exam) geminiHooks(config layer) {
	const id = "gemini.hooks-off"
	at := stop{tool: assistant.Gemini, step: history.Called, why: "gemini would not call its hook"}
	switch {
	case !e.hands(assistant.Gemini):
		e.skip(id, "gemini hands nothing over")
	case get(config.members, "hooksConfig", "enabled") == false:
		e.fail(id, at, "remove hooksConfig.enabled", "%s switches all hooks off", e.w.Tilde(config.path))
	case hasText(elements(config.members, "hooksConfig", "disabled"), "vomgr"):
		e.fail(id, at, `remove "vomgr" from hooksConfig.disabled`, "%s switches vomgr's hook off", e.w.Tilde(config.path))
	default:
		e.ok(id, "nothing switches gemini's hooks off")
	}
}

func hasText(list []any, want string) bool {
	for _, v := range list {
		if v == want {
			return true
		}
	}
	return false
}
