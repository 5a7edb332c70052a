package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/settings"
)

// settings reads settings.toml, or takes the fresh one where there is none; unlike the hook it makes no file.
func (e *exam) settings() {
	path := e.w.SettingsPath()
	e.set, _, _ = settings.Parse(settings.Default)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		e.info("settings.file", "vomgr enable", "%s is not there yet; what a fresh one says counts", e.w.Tilde(path))
		return
	}
	set, err := settings.Load(path)
	if err != nil {
		e.fail("settings.file", stop{step: history.Preferences, why: "the settings cannot be read, and then nothing is started"},
			"mend it, or move it away: vomgr enable makes a fresh one", "%s", e.tilde(err.Error()))
		return
	}
	e.set = set
	e.ok("settings.file", "%s is read", e.w.Tilde(path))
	e.unknownKeys(path)
}

func (e *exam) unknownKeys(path string) {
	doc, err := atomicfile.ReadFile(path)
	if err != nil {
		return
	}
	_, unknown, _ := settings.Parse(doc)
	if len(unknown) == 0 {
		e.ok("settings.keys", "every key is known")
		return
	}
	var list []string
	for _, u := range unknown {
		list = append(list, fmt.Sprintf("%s (line %d)", u.Key, u.Line))
	}
	e.warn("settings.keys", "correct or remove", "vomgr does not know %s in %s", strings.Join(list, ", "), e.w.Tilde(path))
}

// continuations says who hands over to whom, and where that may happen.
func (e *exam) continuations() {
	var on []string
	for _, a := range assistant.All() {
		c := e.set.Continuation(string(a.Name))
		if !c.Enabled {
			continue
		}
		target := assistant.Target(c.Target)
		on = append(on, fmt.Sprintf("%s -> %s", a.Name, target.Name))
		if string(target.Name) != c.Target {
			e.warn("settings."+string(a.Name)+".target", "one of claude, codex, gemini",
				"continuations.%s.target is %q, which is no assistant; claude is taken", a.Name, c.Target)
		}
	}
	switch {
	case len(on) > 0:
		e.ok("settings.continuations", "%s", strings.Join(on, ", "))
	default:
		e.fail("settings.continuations", stop{step: history.Preferences, why: "the continuation is off for every assistant"},
			"vomgr enable", "no assistant hands anything over")
	}
	e.scope()
}

func (e *exam) scope() {
	const id = "scope"
	reason := hook.Refuses(e.w, e.set, e.project)
	switch mode := e.set.Scope.Mode; {
	case reason != "":
		e.fail(id, stop{step: history.Guard, why: "no hand-over may happen in this folder"},
			"add the folder to scope.folders in "+e.w.Tilde(e.w.SettingsPath())+", or take another", "%s", reason)
	case mode == settings.Armed && !e.opts.Night && !e.armed():
		e.info(id, "", "hand-overs happen only after vomgr night")
	default:
		e.ok(id, "hand-overs may happen in %s", e.w.Tilde(e.project))
	}
}

// tilde writes home as ~ wherever a message of others names a path below it.
func (e *exam) tilde(message string) string {
	if e.w.Home == "" || e.w.Home == "/" {
		return message
	}
	return strings.ReplaceAll(message, e.w.Home+string(os.PathSeparator), "~"+string(os.PathSeparator))
}
