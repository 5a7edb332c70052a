// Package overview tells how things stand: who hands over to whom, which projects have a chain now, and how the latest ones ended.
package overview

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/install"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/chainlog"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// Overview is how things stand.
type Overview struct {
	Assistants []Assistant        `json:"assistants"`
	Scope      settings.ScopeMode `json:"scope"`
	Settings   string             `json:"settings_error,omitempty"` // why settings.toml cannot be read; then nothing is started
	Faults     []string           `json:"state_errors,omitempty"`   // projects whose state cannot be read; nothing is handed over there
	Paused     *chain.Pause       `json:"paused,omitempty"`
	Projects   []Project          `json:"projects"` // with a chain now, in the order of their paths
	Last       []Past             `json:"last"`     // chains of the last day that are over, in the order in which they ended
}

// Assistant is one assistant's part.
type Assistant struct {
	Name    assistant.Name `json:"name"`
	Version string         `json:"version,omitempty"`
	Path    string         `json:"path,omitempty"`   // "" when it is not installed
	Target  assistant.Name `json:"target,omitempty"` // "" when its continuation is off
	Hook    HookState      `json:"hook"`
}

// HookState says how an assistant's hook stands.
type HookState string

// The states of a hook.
const (
	HookNone     HookState = "none"     // the assistant does not call vomgr
	HookCurrent  HookState = "current"  // it calls this vomgr
	HookOutdated HookState = "outdated" // it calls another one, or what it calls is gone
)

// State is how a project's chain stands.
type State string

// The states of a project's chain.
const (
	Works     State = "works"     // its assistant runs
	HandsOver State = "hand-over" // a hand-over is on its way
	Pending   State = "pending"   // a hand-over waits for vomgr run
	Ended     State = "ended"     // the chain is over, and its last assistant is still open
	Stuck     State = "stuck"     // the helper died while it started the assistant; whether that runs nobody knows
)

// Project is a project with a chain now.
type Project struct {
	Project  string    `json:"project"`
	Chain    string    `json:"chain,omitempty"`
	State    State     `json:"state"`
	Tool     string    `json:"tool"` // who works, or is to go on
	Pid      int       `json:"pid,omitempty"`
	Since    time.Time `json:"since"`
	Reason   string    `json:"reason,omitempty"`
	Hop      int       `json:"hop"`
	Max      int       `json:"max,omitempty"`  // hand-overs after which the chain ends; 0 for no such limit
	Until    time.Time `json:"until,omitzero"` // when it ends
	LastWork time.Time `json:"last_work,omitzero"`
}

// Past is a chain that is over.
type Past struct {
	Chain     string         `json:"chain"`
	Project   string         `json:"project"`
	First     time.Time      `json:"first"`
	Last      time.Time      `json:"last"`
	HandOvers int            `json:"hand_overs"`
	State     chainlog.State `json:"state"`
	Reason    string         `json:"reason,omitempty"`
}

// Read looks at how things stand now. What cannot be read is left out.
func Read(w world.World) Overview {
	store := chain.Store{Dir: w.StateDir(), Now: w.Now}
	set, err := readSettings(w.SettingsPath())
	o := Overview{Scope: set.Scope.Mode, Paused: store.Paused(), Projects: []Project{}, Last: []Past{}}
	if err != nil {
		o.Settings = err.Error()
	}
	for _, s := range install.Inspect(w) {
		o.Assistants = append(o.Assistants, about(set, s))
	}
	jobs := hook.PendingJobs(store, "")
	states, faults := store.Projects()
	for _, err := range faults {
		o.Faults = append(o.Faults, err.Error())
	}
	for _, st := range states {
		p, ok := present(st, jobs, set.Limits, w.Now())
		if !ok {
			p, ok = stuck(w, p)
		}
		if p.State == HandsOver {
			p.Tool = targetOf(store, st.InFlight.Job)
		}
		if ok {
			o.Projects = append(o.Projects, p)
		}
	}
	slices.SortFunc(o.Projects, func(a, b Project) int {
		if a.Project < b.Project {
			return -1
		}
		return 1
	})
	o.Last = past(w, o.Projects)
	return o
}

// readSettings makes no file, unlike settings.Load: looking changes nothing.
func readSettings(path string) (settings.Settings, error) {
	fresh, _, _ := settings.Parse(settings.Default)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	set, err := settings.Load(path)
	if err != nil {
		return fresh, err
	}
	return set, nil
}

func about(set settings.Settings, s install.Status) Assistant {
	out := Assistant{Name: s.Name, Version: s.Version, Path: s.Path, Hook: HookNone}
	if c := set.Continuation(string(s.Name)); c.Enabled {
		out.Target = assistant.Target(c.Target).Name
	}
	if s.Registered() {
		out.Hook = HookOutdated
		if s.Current() {
			out.Hook = HookCurrent
		}
	}
	return out
}

// Enabled tells whether any assistant calls vomgr.
func (o Overview) Enabled() bool {
	return slices.ContainsFunc(o.Assistants, func(a Assistant) bool { return a.Hook != HookNone })
}

// targetOf is who goes on by a job, "" when it is not written yet.
func targetOf(store chain.Store, id string) string {
	j, err := store.Find(id)
	if err != nil {
		return ""
	}
	return j.Target
}

// present tells how the chain of a project stands; ok is false when it has none now.
func present(st chain.State, jobs []chain.Job, limits settings.Limits, now time.Time) (p Project, ok bool) {
	p = Project{Project: st.Project, Max: limits.MaxHandovers}
	if c := st.Chain; c != nil {
		p.Chain, p.Hop, p.Until, p.LastWork = c.ID, c.Hops, c.Until, c.Alive
		if c.Max > 0 {
			p.Max = c.Max
		}
	}
	alive := hook.Alive(st.Session)
	if alive {
		p.Tool, p.Pid, p.Since = st.Session.Tool, st.Session.Pid, st.Session.Began
	}
	job := slices.IndexFunc(jobs, func(j chain.Job) bool { return j.Project == st.Project })
	switch {
	case st.Underway(now):
		p.State, p.Since = HandsOver, st.InFlight.Since
	case job >= 0:
		p.State, p.Tool, p.Pid, p.Since, p.Reason = Pending, jobs[job].Target, 0, jobs[job].Created, jobs[job].Rests
	case !alive:
		return p, false
	case st.Chain != nil && st.Chain.Ended != "":
		p.State, p.Reason = Ended, st.Chain.Ended
	default:
		p.State = Works
	}
	return p, true
}

// stuck tells of a hand-over whose helper died over it, where nothing else goes on.
func stuck(w world.World, p Project) (Project, bool) {
	jobs := hook.StuckJobs(w, p.Project)
	if len(jobs) == 0 {
		return p, false
	}
	j := jobs[len(jobs)-1]
	p.State, p.Tool, p.Since = Stuck, j.Target, j.Created
	p.Reason = "its helper died while it started " + j.Target + "; look whether that runs"
	return p, true
}

// past lists the chains that had a step within the last day and are over.
func past(w world.World, present []Project) []Past {
	entries, err := history.Read(filepath.Join(w.StateDir(), "history.jsonl"))
	if err != nil {
		return []Past{}
	}
	all := []Past{}
	for _, c := range chainlog.Build(entries, w.Now()).Chains {
		goesOn := slices.ContainsFunc(present, func(p Project) bool { return p.Chain == c.ID })
		if goesOn || w.Now().Sub(c.Last) > 24*time.Hour {
			continue
		}
		p := Past{Chain: c.ID, Project: c.Project, First: c.First, Last: c.Last, HandOvers: c.HandOvers, State: c.State, Reason: c.Reason}
		switch {
		case c.Broken != nil:
			p.Reason = "at " + c.Broken.Step + ", " + c.Broken.Why
		case c.State == chainlog.Running: // the history tells of no end, but the process is gone
			p.State, p.Reason = chainlog.Ended, "its assistant is gone"
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b Past) int { return a.Last.Compare(b.Last) })
	return all
}
