package install

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/world"
)

// Disable takes the hook out of the assistants named, or of all, and switches their continuation off. A file that is still
// as Enable left it is given back byte for byte; from any other only what is ours is taken. The programs stay.
func Disable(w world.World, names []assistant.Name, dry bool) (Report, error) {
	e := editor{w: w, dry: dry}
	r := Report{}
	if err := needHome(w); err != nil {
		return r, err
	}
	if len(names) == 0 {
		for _, a := range assistant.All() {
			names = append(names, a.Name)
		}
	}
	for _, a := range assistant.All() {
		if slices.Contains(names, a.Name) {
			r.unregisterAll(e, a)
		}
	}
	_, existed, err := atomicfile.Read(w.SettingsPath())
	if err == nil && existed {
		r.Settings, err = r.switchOff(e, names)
	}
	if err != nil {
		r.Failures = append(r.Failures, Failure{Path: w.SettingsPath(), Err: err})
	}
	return r, nil
}

func (r *Report) unregisterAll(e editor, a assistant.Assistant) {
	touched := false
	for _, c := range a.Configs(e.w) {
		done, err := e.unregister(c)
		if err != nil {
			r.Failures = append(r.Failures, Failure{a.Name, c.Path, err})
			continue
		}
		touched = r.note(e, a.Name, c, done) || touched
		was, err1 := c.State(done.before)
		is, err2 := c.State(done.after)
		switch {
		case err1 != nil || err2 != nil:
		case len(is.Wrapped) > 0:
			r.noteNotify(is)
		case len(was.Kept) > 0:
			r.Notify = append(r.Notify, Notify{Argv: was.Kept, Freed: true})
		}
	}
	if !touched {
		r.Already = append(r.Already, a.Name)
	}
}

// Uninstall disables every assistant and removes the programs, the job files beside them, and the folders we made, as
// far as they are empty; with purge also the state: settings, history, copies. Where an assistant's file was refused its
// programs stay, since it would call them at every turn.
func Uninstall(w world.World, purge bool) (Report, error) {
	r, err := Disable(w, nil, false)
	if err != nil {
		return r, err
	}
	for _, a := range assistant.All() {
		if r.failed(a.Name) {
			continue
		}
		for _, path := range []string{a.HookPath(w), a.HelperPath(w), a.JobPath(w)} {
			r.remove(a.Name, path)
			removeAside(path)
			_ = atomicfile.Sweep(path) // if not, its folder stays
		}
	}
	made := madeFolders(w)
	slices.Reverse(made)
	for _, dir := range made {
		if os.Remove(dir) == nil { // fails unless it is empty
			r.Removed = append(r.Removed, dir)
		}
	}
	if len(r.Failures) > 0 {
		return r, nil
	}
	if err := gone(os.Remove(foldersPath(w))); err != nil {
		r.Failures = append(r.Failures, Failure{Path: foldersPath(w), Err: err})
	}
	if purge {
		err := atomicfile.RemoveTree(w.StateDir())
		if err != nil {
			r.Failures = append(r.Failures, Failure{Path: w.StateDir(), Err: err})
		} else {
			r.Removed = append(r.Removed, w.StateDir())
		}
	}
	return r, nil
}

// remove deletes a program or a job file of ours.
func (r *Report) remove(name assistant.Name, path string) {
	fi, err := os.Lstat(path)
	if err != nil || fi.IsDir() {
		return
	}
	err = os.Remove(path)
	if aside := path + asideMark + "0"; err != nil && filepath.Ext(path) == ".exe" && os.Rename(path, aside) == nil {
		err = fmt.Errorf("it runs just now, and is %s instead; delete that once it has ended", aside)
	}
	if err != nil {
		r.Failures = append(r.Failures, Failure{name, path, err})
		return
	}
	r.Removed = append(r.Removed, path)
}
