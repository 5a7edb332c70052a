package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/vexyart/vomgr/install"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/history"
)

// vomgr checks that this vomgr is the one that PATH leads to, by a path that an upgrade keeps.
func (e *exam) vomgr() {
	const id = "vomgr.path"
	lasting := install.Lasting(e.w)
	switch path := e.w.LookPath("vomgr"); {
	case path == "":
		e.warn(id, "put the folder of vomgr on PATH: "+e.w.Tilde(filepath.Dir(e.w.Exe)), "vomgr is not on PATH")
	case !sameFile(path, e.w.Exe):
		e.warn(id, "remove one of them, then vomgr install", "%s comes first on PATH, and is not this vomgr, %s", e.w.Tilde(path), e.w.Tilde(e.w.Exe))
	case lasting == "":
		e.warn(id, "put the folder on PATH that your package manager links programs into", "%s is the path of one version; it is gone after an upgrade", e.w.Tilde(path))
	default:
		e.ok(id, "%s", e.w.Tilde(lasting))
	}
}

func sameFile(a, b string) bool {
	fa, errA := os.Stat(a)
	fb, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(fa, fb)
}

// placed checks the hook and helper programs of those who hand over. Gemini calls vomgr by words.
func (e *exam) placed() {
	for _, s := range e.there {
		if !e.hands(s.Name) || s.Name == assistant.Gemini || !s.Registered() {
			continue
		}
		for _, p := range s.Programs {
			id := string(s.Name) + ".hook-program"
			at := stop{tool: s.Name, step: history.Called, why: string(s.Name) + " would call a hook program that is not there"}
			if p.Path == s.HelperPath(e.w) {
				id = string(s.Name) + ".helper-program"
				at = stop{tool: s.Name, step: history.Terminal, why: "the helper of " + string(s.Name) + " is missing"}
			}
			e.placedProgram(id, p, at)
		}
	}
}

func (e *exam) placedProgram(id string, p install.ProgramStatus, at stop) {
	shown, link := e.w.Tilde(p.Path), e.w.Tilde(p.Link)
	switch {
	case p.Err != nil:
		e.fail(id, at, "move it away, then vomgr install", "%s", e.tilde(p.Err.Error()))
	case p.State == install.ProgramMissing:
		e.fail(id, at, "vomgr install", "%s is not there", shown)
	case p.State == install.ProgramDangling:
		e.fail(id, at, "vomgr install", "%s leads to %s, which is gone", shown, link)
	case !startable(p.Path):
		e.fail(id, at, "remove it, then vomgr install", "%s cannot be started", shown)
	case p.State == install.ProgramCurrent:
		e.ok(id, "%s is this vomgr", shown)
	case p.Link != "" && install.Versioned(p.Link):
		e.warn(id, "vomgr install", "%s leads to %s, which is gone after an upgrade", shown, link)
	case p.Link != "" && sameFile(p.Path, e.w.Exe):
		e.ok(id, "%s is this vomgr, by %s", shown, link)
	case p.Link != "":
		e.warn(id, "vomgr install", "%s leads to %s, which is another vomgr than this one, %s", shown, link, e.w.Tilde(e.w.Exe))
	case runtime.GOOS != "windows" && install.Lasting(e.w) != "":
		e.warn(id, "vomgr install", "%s is a copy, which an upgrade of vomgr does not renew", shown)
	default:
		e.warn(id, "vomgr install", "%s is a copy of another vomgr than this one", shown)
	}
}

func startable(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && (runtime.GOOS == "windows" || fi.Mode().Perm()&0o111 != 0)
}

// python tells of what the Python original left beside vomgr's programs.
func (e *exam) python(a assistant.Assistant) {
	id := string(a.Name) + ".python"
	names := []string{filepath.Base(a.Hook) + ".py", filepath.Base(a.Helper) + ".py"}
	left := slices.DeleteFunc(names, func(name string) bool {
		_, err := os.Lstat(filepath.Join(a.ProgramDir(e.w), name))
		return err != nil
	})
	if len(left) == 0 {
		e.ok(id, "nothing of the Python original is left")
		return
	}
	e.info(id, "remove it when you are sure", "%s is left of the Python original, in %s", left[0], e.w.Tilde(a.ProgramDir(e.w)))
}
