// Package doctor looks for what would stop tonight's chain of hand-overs, without changing anything of the person's.
package doctor

import (
	"fmt"
	"strings"

	"github.com/vexyart/vomgr/install"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// Level says what a check came to.
type Level string

// The levels, the worst last but one. Only an error stops a chain.
const (
	OK      Level = "ok"
	Info    Level = "info"
	Warning Level = "warning"
	Error   Level = "error"
	Skipped Level = "skipped" // it does not apply here
)

// Check is what one look came to.
type Check struct {
	ID      string `json:"id"` // part and subject, like claude.trust; it stays the same from one version to the next
	Level   Level  `json:"level"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"` // what the person can do; "" where there is nothing to do
}

// Report is what all checks came to.
type Report struct {
	Checks  []Check
	Step    string // the step, of those in package history, at which tonight's chain would stop; "" when it would run
	Verdict string // that in a sentence or two
}

// OK tells whether no check is an error.
func (r Report) OK() bool { return r.Count(Error) == 0 }

// Count is how many checks came to level.
func (r Report) Count(level Level) int {
	n := 0
	for _, c := range r.Checks {
		if c.Level == level {
			n++
		}
	}
	return n
}

// Options says what the checks are for.
type Options struct {
	First   assistant.Name // who begins; "" for the first whose continuation is on
	Night   bool           // the folder is about to be armed, and First to be started
	Root    bool           // this is the superuser
	Managed string         // Claude Code's managed settings; "" for this system's own file
}

// Run does every check for project, the folder with its links resolved. Programs whose files name no version are asked
// for it, and their answers remembered.
func Run(w world.World, project string, opts Options) Report {
	e := &exam{w: w, project: project, opts: opts}
	e.settings()
	e.there = install.Inspect(w)
	e.plan = planFor(w, e.set, opts.First)
	for _, look := range []func(){
		e.continuations, e.vomgr, e.programs, e.placed, e.registrations, e.stateFolder,
		e.claude, e.codex, e.gemini, e.terminals, e.environment, e.folder, e.chains,
	} {
		look()
	}
	return e.report()
}

// exam is one run of the checks.
type exam struct {
	w       world.World
	project string
	opts    Options
	set     settings.Settings
	there   []install.Status // what is of vomgr in each assistant
	plan    plan
	all     []Check
	stops   []stop
}

// stop is where and why a chain would stop.
type stop struct {
	tool assistant.Name // whose step it is; "" for the first's
	step string
	why  string // a sentence without its full stop
}

func (e *exam) note(level Level, id, remedy, format string, args ...any) {
	e.all = append(e.all, Check{ID: id, Level: level, Message: fmt.Sprintf(format, args...), Remedy: remedy})
}

func (e *exam) ok(id, format string, args ...any)   { e.note(OK, id, "", format, args...) }
func (e *exam) skip(id, format string, args ...any) { e.note(Skipped, id, "", format, args...) }
func (e *exam) info(id, remedy, format string, args ...any) {
	e.note(Info, id, remedy, format, args...)
}

func (e *exam) warn(id, remedy, format string, args ...any) {
	e.note(Warning, id, remedy, format, args...)
}

// fail notes an error, which always says where the chain would stop.
func (e *exam) fail(id string, at stop, remedy, format string, args ...any) {
	e.note(Error, id, remedy, format, args...)
	e.stops = append(e.stops, at)
}

// absent tells why there is nothing to check of name's own, or "".
func (e *exam) absent(name assistant.Name) string {
	switch own := e.set.Command(string(name)); {
	case e.plan.index(name) < 0:
		return string(name) + " takes no part"
	case len(own) == 0 && e.w.LookPath(string(name)) == "":
		return string(name) + " is not installed"
	}
	return ""
}

// hands tells whether name takes part and hands its work over.
func (e *exam) hands(name assistant.Name) bool {
	return e.plan.index(name) >= 0 && e.set.Continuation(string(name)).Enabled
}

func (e *exam) report() Report {
	r := Report{Checks: e.all}
	if len(e.stops) == 0 {
		r.Verdict = "tonight's chain would run: " + e.plan.String()
		return r
	}
	first := e.stops[0]
	for _, s := range e.stops[1:] {
		if e.plan.when(s) < e.plan.when(first) {
			first = s
		}
	}
	r.Step = first.step
	r.Verdict = fmt.Sprintf("tonight's chain would stop at: %s. %s", first.step, first.why)
	return r
}

// plan is who would work tonight, in the order of their first turns.
type plan struct {
	order []assistant.Assistant
	ends  string // why the chain ends after the last of order by itself; "" when it goes round
}

// planFor follows the targets from first, or from each assistant whose continuation is on and that is installed.
func planFor(w world.World, set settings.Settings, first assistant.Name) plan {
	var p plan
	if a, ok := assistant.Get(first); ok {
		p.follow(set, a)
		return p
	}
	var on []assistant.Assistant
	for _, a := range assistant.All() {
		if set.Continuation(string(a.Name)).Enabled {
			on = append(on, a)
		}
	}
	for _, a := range on {
		if w.LookPath(string(a.Name)) != "" {
			p.follow(set, a)
		}
	}
	if len(p.order) == 0 && len(on) > 0 {
		p.follow(set, on[0])
	}
	return p
}

func (p *plan) follow(set settings.Settings, a assistant.Assistant) {
	for p.index(a.Name) < 0 {
		p.order = append(p.order, a)
		c := set.Continuation(string(a.Name))
		if !c.Enabled {
			p.ends = string(a.Name) + " hands nothing over"
			return
		}
		a = assistant.Target(c.Target)
	}
}

// index is the place of name among those who work, -1 when it takes no part.
func (p plan) index(name assistant.Name) int {
	for i, a := range p.order {
		if a.Name == name {
			return i
		}
	}
	return -1
}

// String says who works, and whether it goes round.
func (p plan) String() string {
	names := make([]string, 0, len(p.order)+1)
	for _, a := range p.order {
		names = append(names, string(a.Name))
	}
	if p.ends != "" {
		return strings.Join(names, ", ") + "; there it ends, since " + p.ends
	}
	if len(names) > 0 {
		names = append(names, names[0])
	}
	return strings.Join(names, ", ") + ", ..."
}

// steps are those of a night in their order: an assistant is started and works, then its stop is carried on.
var steps = []string{
	history.Started, history.Working, history.Called, history.Project, history.Preferences, history.Guard,
	history.Prompt, history.Command, history.Job, history.Terminal, history.Claimed,
}

// when tells two stops apart: the smaller one comes first in the night.
func (p plan) when(s stop) int {
	turn := max(0, p.index(s.tool))
	for i, step := range steps {
		if s.step == step {
			return turn*len(steps) + i
		}
	}
	return turn * len(steps)
}
