package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/edit"
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
	if unknown(w) {
		return r, nil
	}
	if err := usable(w, dry); err != nil {
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

// unknown tells that vomgr never was here: it has no state folder, and no file calls a program of its.
func unknown(w world.World) bool {
	if _, err := os.Lstat(w.StateDir()); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	for _, a := range assistant.All() {
		for _, c := range a.Configs(w) {
			doc, _, err := atomicfile.Read(c.Path)
			if err != nil {
				return false
			}
			if s, err := c.State(doc); err != nil || s.Registered() {
				return false
			}
		}
	}
	return true
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
	r.Failures = slices.DeleteFunc(r.Failures, func(f Failure) bool { return neverOurs(w, f) })
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
	if purge {
		r.purge(w)
	} else if len(r.Failures) == 0 {
		if err := gone(os.Remove(foldersPath(w))); err != nil {
			r.Failures = append(r.Failures, Failure{Path: foldersPath(w), Err: err})
		}
	}
	return r, nil
}

// neverOurs tells that a file was refused, as one with comments in it, in which nothing of ours can be: we never edited it,
// and it names no program of ours.
func neverOurs(w world.World, f Failure) bool {
	var refusal *edit.Refusal
	if f.Assistant == "" || !errors.As(f.Err, &refusal) {
		return false
	}
	_, _, edited := load(w, f.Path)
	doc, _, err := atomicfile.Read(f.Path)
	return err == nil && !edited && !assistant.Mentions(doc)
}

// purge removes the state, unless something else than the settings in it failed before.
func (r *Report) purge(w world.World) {
	others := slices.DeleteFunc(slices.Clone(r.Failures), func(f Failure) bool { return f.Path == w.SettingsPath() })
	if _, err := os.Lstat(w.StateDir()); err != nil || len(others) > 0 {
		return
	}
	r.Failures = nil
	if err := atomicfile.RemoveTree(w.StateDir()); err != nil {
		r.Failures = []Failure{{Path: w.StateDir(), Err: err}}
		return
	}
	r.Removed = append(r.Removed, w.StateDir())
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
