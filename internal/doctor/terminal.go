package doctor

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/platform"
)

// terminals says how a terminal would be opened for each assistant that is handed to.
func (e *exam) terminals() {
	var done []string
	place := platform.PlaceOf(e.w.Getenv)
	for _, source := range e.plan.order {
		c := e.set.Continuation(string(source.Name))
		if !c.Enabled {
			continue
		}
		target := assistant.Target(c.Target)
		if slices.Contains(done, string(target.Name)) {
			continue
		}
		done = append(done, string(target.Name))
		e.terminal(source, target, place)
	}
}

func (e *exam) terminal(source, target assistant.Assistant, place platform.Place) {
	id := "terminal." + string(target.Name)
	w := e.w
	w.Env = assistant.CleanEnv(w.Env)
	template := e.set.Template(string(target.Name), runtime.GOOS)
	ways := platform.Ways(platform.Request{
		Helper: source.HelperPath(w), Job: "job00000", Project: e.project, Template: template, Place: place, World: w,
	})
	at := stop{tool: source.Name, step: history.Terminal, why: "no terminal could be opened for " + string(target.Name) + "; the hand-over would wait for vomgr run"}
	var names []string
	for _, way := range ways {
		if !way.Direct && len(way.Argv) > 0 {
			names = append(names, strings.ReplaceAll(way.Name, "vomgr-job00000", "vomgr-…"))
		}
	}
	switch {
	case len(ways) > 0 && ways[0].Direct:
		at.why = "the next assistant would run in the hook of the one before, without a terminal"
		e.fail(id, at, `[terminals.defaults] linux = ["auto"] in `+w.Tilde(w.SettingsPath()), "no terminal is configured")
	case len(names) == 0:
		e.fail(id, at, "install tmux, or begin the night inside tmux or on a desktop", "no display answers, and neither tmux nor screen is installed")
	case ways[0].Doubt != "":
		e.warn(id, "correct the template in settings.toml; vomgr terminal test", "%s: %s", ways[0].Name, ways[0].Doubt)
	case len(template) > 0 && template[0] != platform.Auto && w.LookPath(template[0]) == "":
		e.warn(id, "correct the template in settings.toml, or install it", "%s is not on PATH; taken instead: %s", filepath.Base(template[0]), names[0])
	case ways[0].AsksPerson:
		e.info(id, "", "%s; the system may ask once whether vomgr may open windows", names[0])
	default:
		e.ok(id, "%s", strings.Join(names, ", else "))
	}
}
