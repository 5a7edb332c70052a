package install

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// Options says what Enable shall do. The zero value enables every assistant found of Claude and Codex.
type Options struct {
	Assistants []assistant.Name
	Target     assistant.Name     // who goes on; "" leaves the setting
	Scope      settings.ScopeMode // where hand-overs may happen; "" leaves the setting
	Folder     string             // with settings.OnlyFolders: this folder, absolute, is added
	Via        string             // Codex: "notify" or "hooks"; "" keeps what is there, else notify
	Gemini     bool               // register with Gemini, which is an experiment
	DryRun     bool               // write nothing; Changes hold the diffs
}

// ErrNone says that no assistant was named and none was found.
var ErrNone = errors.New("no assistant found")

// Enable places the programs, creates settings.toml if it is missing, switches the continuation on in it, and registers
// the hook, in this order, so that a hook which runs finds all it needs. A file that is refused is a Failure in the
// report, and the other assistants go on; the error is for what concerns all of them.
func Enable(w world.World, o Options) (Report, error) {
	r := Report{}
	if err := usable(w, o.DryRun); err != nil {
		return r, err
	}
	chosen, err := r.choose(w, o.Assistants)
	if err != nil {
		return r, err
	}
	e := editor{w: w, dry: o.DryRun}
	var plans []plan
	for _, a := range chosen {
		if p, ok := r.plan(w, a, o); ok {
			plans = append(plans, p)
		}
	}
	placed, failures := PlacePrograms(w, programsOf(plans), o.DryRun)
	r.Placed, r.Failures = placed, append(r.Failures, failures...)
	plans = slices.DeleteFunc(plans, func(p plan) bool { return r.failed(p.a.Name) })
	if len(plans) == 0 {
		return r, nil
	}
	if r.Settings, err = r.switchOn(e, plans, o); err != nil {
		r.Failures = append(r.Failures, Failure{Path: w.SettingsPath(), Err: err})
		return r, nil // unreadable preferences start nothing: nothing is registered
	}
	for _, p := range plans {
		r.registerAll(e, p)
	}
	r.warn(w, plans)
	return r, nil
}

// needHome refuses to write into whatever folder this happens to be.
func needHome(w world.World) error {
	if filepath.IsAbs(w.Home) {
		return notOurs(w)
	}
	return fmt.Errorf("no home folder is known (%q); set HOME", w.Home)
}

// usable refuses to begin where nothing could be finished: without a home, or with a state folder that the hook would not
// trust, or, unless dry, that cannot be written.
func usable(w world.World, dry bool) error {
	err := needHome(w)
	if err == nil {
		err = settings.CheckFolder(w.StateDir())
	}
	for _, dir := range []string{".", "locks", "edits"} {
		if err == nil && !dry {
			err = atomicfile.CheckFolder(filepath.Join(w.StateDir(), dir))
		}
	}
	return err
}

// plan is what is to be done for one assistant.
type plan struct {
	a        assistant.Assistant
	r        assistant.Registration
	register bool
}

// Here says which assistants are on this computer, by a program on PATH or by their folder, and which are not.
func Here(w world.World) (found, missing []Found) {
	for _, a := range assistant.All() {
		f := look(w, a)
		if f.Path != "" || f.Folder != "" {
			found = append(found, f)
		} else {
			missing = append(missing, f)
		}
	}
	return found, missing
}

func look(w world.World, a assistant.Assistant) Found {
	f := Found{Assistant: a, Installed: a.Installed(w)}
	if fi, err := os.Stat(a.Dir(w)); err == nil && fi.IsDir() {
		f.Folder = a.Dir(w)
	}
	return f
}

// choose gives the assistants named, or those of Claude and Codex that are here.
func (r *Report) choose(w world.World, names []assistant.Name) ([]assistant.Assistant, error) {
	r.Found, r.Missing = Here(w)
	if len(names) == 0 {
		for _, f := range r.Found {
			if f.Name != assistant.Gemini {
				names = append(names, f.Name)
			}
		}
	}
	var chosen []assistant.Assistant
	for _, a := range assistant.All() {
		if slices.Contains(names, a.Name) {
			chosen = append(chosen, a)
		}
	}
	if len(chosen) > 0 {
		return chosen, nil
	}
	var folders []string
	for _, f := range r.Missing {
		if f.Name != assistant.Gemini {
			folders = append(folders, w.Tilde(f.Dir(w)))
		}
	}
	return nil, fmt.Errorf("%w: looked on PATH for claude and codex, and for %s", ErrNone, strings.Join(folders, " and "))
}

// registration is how o wants a registered; what o leaves open stays as it is. The Failure has no Err if all is well.
func registration(w world.World, a assistant.Assistant, o Options) (assistant.Registration, Failure) {
	reg := assistant.Registration{
		Hook:       a.HookPath(w),
		Vomgr:      lastingOr(w, a.HookPath(w)),
		UsageLimit: usageLimit(w),
		ViaHooks:   o.Via == "hooks",
		Gemini:     o.Gemini,
		Windows:    runtime.GOOS == "windows",
	}
	if !utf8.ValidString(reg.Hook) || !utf8.ValidString(reg.Vomgr) {
		err := fmt.Errorf("%q: a path that is not UTF-8 cannot be written into a configuration; move that folder", reg.Hook)
		return reg, Failure{a.Name, a.ConfigPath(w), err}
	}
	for i, c := range a.Configs(w) {
		doc, _, err := atomicfile.Read(c.Path)
		state := assistant.State{}
		if err == nil {
			state, err = c.State(doc)
		}
		if err != nil {
			return reg, Failure{a.Name, c.Path, err}
		}
		here := len(state.Entries) > 0
		reg.ViaHooks = reg.ViaHooks || i > 0 && here && o.Via == ""
		reg.Gemini = reg.Gemini || a.Name == assistant.Gemini && here
	}
	return reg, Failure{}
}

// plan finds out how a is to be registered, and whether its files can be edited.
func (r *Report) plan(w world.World, a assistant.Assistant, o Options) (p plan, ok bool) {
	reg, failure := registration(w, a, o)
	for _, c := range a.Configs(w) {
		if failure.Err != nil {
			break
		}
		failure = Failure{a.Name, c.Path, registrable(c, reg)}
	}
	if failure.Err != nil {
		r.Failures = append(r.Failures, failure)
		return plan{}, false
	}
	p = plan{a: a, r: reg, register: a.Name != assistant.Gemini || reg.Gemini}
	if !p.register {
		r.Nothing = append(r.Nothing, a.Name)
	}
	return p, true
}

// registrable tells whether the file c can be edited as reg wants.
func registrable(c assistant.Config, reg assistant.Registration) error {
	doc, _, err := atomicfile.Read(c.Path)
	if err != nil {
		return err
	}
	fresh, err := c.Register(doc, reg)
	if err != nil || bytes.Equal(fresh, doc) {
		return err
	}
	return atomicfile.Check(c.Path)
}

// lastingOr is the path by which vomgr itself can be called.
func lastingOr(w world.World, other string) string {
	if l := Lasting(w); l != "" {
		return l
	}
	return other
}

// usageLimit reads the setting as it is now; settings that cannot be read are refused later, by name.
func usageLimit(w world.World) bool {
	doc, existed, err := atomicfile.Read(w.SettingsPath())
	if err != nil || !existed {
		doc = settings.Default
	}
	s, _, err := settings.Parse(doc)
	return err != nil || s.HandoverOnUsageLimit
}

func programsOf(plans []plan) []assistant.Assistant {
	var all []assistant.Assistant
	for _, p := range plans {
		all = append(all, p.a)
	}
	return all
}

func (r *Report) failed(name assistant.Name) bool {
	return slices.ContainsFunc(r.Failures, func(f Failure) bool { return f.Assistant == name })
}

// registerAll writes the configuration files of one assistant.
func (r *Report) registerAll(e editor, p plan) {
	touched := slices.ContainsFunc(r.Placed, func(x Placed) bool { return x.Assistant == p.a.Name })
	if !p.register {
		return
	}
	for _, c := range p.a.Configs(e.w) {
		done, err := e.register(c, p.r)
		if err != nil {
			r.Failures = append(r.Failures, Failure{p.a.Name, c.Path, err})
			return
		}
		touched = r.note(e, p.a.Name, c, done) || touched
		if s, err := c.State(done.after); err == nil {
			r.noteNotify(s)
		}
	}
	if !touched {
		r.Already = append(r.Already, p.a.Name)
	}
}

// note reports what was done to the file c, if anything was.
func (r *Report) note(e editor, name assistant.Name, c assistant.Config, done edited) bool {
	if !done.changed() {
		return false
	}
	ch := newChange(e.w, c.Path, done.before, done.after)
	ch.Assistant, ch.Created, ch.Deleted = name, !done.existed, !done.exists
	for _, doc := range [][]byte{done.before, done.after} {
		if s, err := c.State(doc); err == nil {
			ch.What = appendNew(ch.What, places(s)...)
		}
	}
	if _, _, ok := load(e.w, c.Path); ok {
		ch.Backup = copyPath(e.w, c.Path)
	}
	r.Changes = append(r.Changes, ch)
	return true
}

// places names the entries of ours as a person would.
func places(s assistant.State) []string {
	var all []string
	for _, e := range s.Entries {
		if e.Event == "notify" {
			all = append(all, e.Event)
		} else {
			all = append(all, "hooks."+e.Event)
		}
	}
	return all
}

func appendNew(list []string, more ...string) []string {
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

func (r *Report) noteNotify(s assistant.State) {
	switch {
	case len(s.Kept) > 0:
		r.Notify = append(r.Notify, Notify{Argv: s.Kept})
	case len(s.Wrapped) > 0:
		r.Notify = append(r.Notify, Notify{Argv: s.Wrapped, Wrapped: true})
	}
}

// warn looks for what does not hinder the edit but may hinder a night.
func (r *Report) warn(w world.World, plans []plan) {
	for _, p := range plans {
		if !p.register || r.failed(p.a.Name) {
			continue
		}
		for _, c := range p.a.Configs(w) {
			doc, _, err := atomicfile.Read(c.Path)
			if err != nil {
				continue
			}
			s, err := c.State(doc)
			if err == nil && s.Off {
				r.addWarning("hooks-off", "hooks are switched off in %s: disableAllHooks", w.Tilde(c.Path))
			}
			for _, name := range s.Repeated {
				r.addWarning("repeated", "%s stands twice in %s; %s takes the last one", name, w.Tilde(c.Path), p.a.Name)
			}
		}
		target := assistant.Target(r.Settings.Continuation(string(p.a.Name)).Target)
		if target.Installed(w).Path == "" {
			r.addWarning("target-missing", "%s hands over to %s, which is not on PATH", p.a.Name, target.Name)
		}
	}
}

func (r *Report) addWarning(id, format string, args ...any) {
	warning := Warning{id, fmt.Sprintf(format, args...)}
	if !slices.Contains(r.Warnings, warning) {
		r.Warnings = append(r.Warnings, warning)
	}
}
