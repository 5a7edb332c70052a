package doctor

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vexyart/vomgr/install"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/history"
)

// registrations checks how each assistant calls vomgr.
func (e *exam) registrations() {
	for _, s := range e.there {
		id := string(s.Name) + ".hook"
		switch {
		case e.hands(s.Name):
			e.registration(s)
			e.python(s.Assistant)
		case s.Registered():
			e.info(id, fmt.Sprintf("vomgr enable %s switches it on, vomgr disable %s takes the hook out", s.Name, s.Name), "%s calls vomgr, but its continuation is off", s.Name)
		default:
			e.skip(id, "%s hands nothing over", s.Name)
		}
	}
}

func (e *exam) registration(status install.Status) {
	a, first := status.Assistant, status.Configs[0]
	id := string(a.Name) + ".hook"
	at := stop{tool: a.Name, step: history.Called, why: "nothing is called when " + string(a.Name) + " stops"}
	remedy := "vomgr enable " + string(a.Name)
	var entries []assistant.Entry
	for _, c := range status.Configs {
		entries = append(entries, c.Entries...)
	}
	switch {
	case len(entries) > 0:
		if e.entries(a, entries, at, remedy) {
			e.ok(id, "%s calls %s", a.Name, e.w.Tilde(entries[0].Program))
		}
	case len(first.Wrapped) > 0:
		e.info(id, "", "%s calls vomgr through %s", a.Name, e.w.Tilde(first.Wrapped[0]))
	case len(first.Foreign) > 0:
		e.fail(id, at, remedy+" (it is kept, and still called)", "%s calls another program, not vomgr: %s", a.Name, strings.Join(first.Foreign, " "))
	case a.Name == assistant.Gemini:
		e.fail(id, at, "vomgr enable gemini --experimental, or choose another target in settings.toml", "gemini does not call vomgr")
	default:
		e.fail(id, at, remedy, "%s does not call vomgr", a.Name)
	}
	switch a.Name {
	case assistant.Claude:
		e.usageLimit(entries)
		e.projectHooks(a)
	case assistant.Codex:
		e.notify(first)
	}
}

// entries checks what is called; ok is false when it said something worse.
func (e *exam) entries(a assistant.Assistant, entries []assistant.Entry, at stop, remedy string) (ok bool) {
	id := string(a.Name) + ".hook"
	ok = true
	times := map[string]int{}
	for _, en := range entries {
		event := en.Event
		if a.Name == assistant.Codex {
			event = assistant.EventStop // notify and the Stop hook tell of the same turns
		}
		if times[event]++; times[event] == 2 {
			e.warn(id, remedy, "%s calls vomgr more than once for %s", a.Name, event)
			ok = false
		}
		if message := e.entryFault(a, en); message != "" {
			e.fail(id, at, remedy, "%s", message)
			return false
		}
		if a.Name != assistant.Gemini && !samePath(en.Program, a.HookPath(e.w)) {
			e.warn(id, remedy, "%s calls %s instead of %s", a.Name, e.w.Tilde(en.Program), e.w.Tilde(a.HookPath(e.w)))
			ok = false
		}
	}
	return ok
}

// entryFault says why what is called cannot carry a stop on, or "".
func (e *exam) entryFault(a assistant.Assistant, en assistant.Entry) string {
	where := ""
	if en.Line > 0 {
		where = fmt.Sprintf(" (line %d)", en.Line)
	}
	switch p := en.Program; {
	case strings.HasSuffix(p, ".py") || strings.HasPrefix(assistant.Base(p), "python"):
		return fmt.Sprintf("%s calls the Python original, %s%s", a.Name, p, where)
	case a.Name == assistant.Codex && en.Event == "notify" && (strings.HasPrefix(p, "~") || strings.Contains(p, "$")):
		return fmt.Sprintf("codex does not expand %s, and starts nothing%s", p, where)
	case !filepath.IsAbs(p) && e.w.LookPath(p) == "":
		return fmt.Sprintf("%s calls %s, which is not on PATH%s", a.Name, p, where)
	case filepath.IsAbs(p) && e.w.LookPath(p) == "":
		return fmt.Sprintf("%s calls %s, which is not there, or cannot be started%s", a.Name, e.w.Tilde(p), where)
	}
	return ""
}

func samePath(a, b string) bool { return filepath.Clean(filepath.FromSlash(a)) == filepath.Clean(b) }

// usageLimit: without StopFailure a night ends at Claude's usage limit.
func (e *exam) usageLimit(entries []assistant.Entry) {
	const id = "claude.usage-limit"
	is := slices.ContainsFunc(entries, func(en assistant.Entry) bool { return en.Event == assistant.EventStopFailure })
	switch wanted := e.set.HandoverOnUsageLimit; {
	case len(entries) == 0:
		e.skip(id, "claude does not call vomgr")
	case wanted && !is:
		e.warn(id, "vomgr enable claude", "claude does not call vomgr when it meets a usage limit; a night would end there")
	case is && !wanted:
		e.info(id, "vomgr enable claude", "claude calls vomgr at a usage limit, though handover_on_usage_limit is off")
	default:
		e.ok(id, "handover_on_usage_limit is %t, and claude's settings say so", wanted)
	}
}

// projectHooks: hooks of the project are called beside those of the person.
func (e *exam) projectHooks(a assistant.Assistant) {
	const id = "claude.project-hook"
	for _, name := range []string{"settings.json", "settings.local.json"} {
		path := filepath.Join(e.project, ".claude", name)
		doc, _, err := atomicfile.Read(path)
		if err != nil || samePath(path, a.ConfigPath(e.w)) {
			continue
		}
		if s, err := a.Configs(e.w)[0].State(doc); err == nil && s.Registered() {
			e.warn(id, "remove the entry there", "%s calls vomgr, too: each stop is told twice", e.w.Tilde(path))
			return
		}
	}
	e.ok(id, "the project does not call vomgr a second time")
}

// notify checks what stands around vomgr's entry in Codex's config.toml.
func (e *exam) notify(c install.ConfigStatus) {
	const id = "codex.notify"
	config := readTOML("user", c.Path)
	if table := notifyTable(config.members, ""); table != "" && !c.Registered() {
		e.fail(id, stop{tool: assistant.Codex, step: history.Called, why: "codex would not call vomgr"}, "vomgr enable codex, and remove the line below ["+table+"]",
			"notify stands below [%s] in %s, where codex does not look for it", table, e.w.Tilde(config.path))
		return
	}
	if len(c.Kept) > 0 && e.w.LookPath(c.Kept[0]) == "" {
		e.warn(id, "correct it behind --then in "+e.w.Tilde(config.path), "your own notify program %s is called after vomgr, but is not there", e.w.Tilde(c.Kept[0]))
		return
	}
	e.ok(id, "notify stands where codex looks for it, or is not used")
}

// notifyTable finds a table whose notify names vomgr's hook: a line appended to the file lands in its last table.
func notifyTable(members map[string]any, prefix string) string {
	for name, v := range members {
		table, ok := v.(map[string]any)
		if !ok {
			continue
		}
		for _, arg := range elements(table, "notify") {
			program, _ := arg.(string)
			if found, role := assistant.ByProgram(program); role == assistant.StopRole && found.Name == assistant.Codex {
				return prefix + name
			}
		}
		if found := notifyTable(table, prefix+name+"."); found != "" {
			return found
		}
	}
	return ""
}
