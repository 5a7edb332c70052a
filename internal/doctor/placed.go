package doctor

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/history"
)

// vomgr checks that this vomgr is the one that PATH leads to, by a path that an upgrade keeps.
func (e *exam) vomgr() {
	const id = "vomgr.path"
	path := e.w.LookPath("vomgr")
	switch {
	case path == "":
		e.warn(id, "put the folder of vomgr on PATH: "+e.w.Tilde(filepath.Dir(e.w.Exe)), "vomgr is not on PATH; the hooks hold a copy of it, which an upgrade does not renew")
	case !sameFile(path, e.w.Exe):
		e.warn(id, "remove one of them, then vomgr install", "%s comes first on PATH, and is not this vomgr, %s", e.w.Tilde(path), e.w.Tilde(e.w.Exe))
	case versioned(path):
		e.warn(id, "put the folder on PATH that your package manager links programs into", "%s is the path of one version; it is gone after an upgrade", e.w.Tilde(path))
	default:
		e.ok(id, "%s", e.w.Tilde(path))
	}
}

// versionedPath finds the folders in which Homebrew and Scoop keep single versions; Scoop's "current" is lasting.
var versionedPath = regexp.MustCompile(`(?i)[/\\](Cellar|Caskroom)[/\\]|[/\\]scoop[/\\]apps[/\\][^/\\]+[/\\][0-9]`)

// versioned tells whether path leads through the folder of one version of a program.
func versioned(path string) bool { return versionedPath.MatchString(path) }

func sameFile(a, b string) bool {
	fa, errA := os.Stat(a)
	fb, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(fa, fb)
}

// placed checks the hook and helper programs of those who hand over.
func (e *exam) placed() {
	for _, a := range e.plan.order {
		if !e.hands(a.Name) || !e.calledByProgram(a) {
			continue
		}
		e.placedProgram(a, "hook-program", a.HookPath(e.w), stop{
			tool: a.Name, step: history.Called, why: string(a.Name) + " would call a hook program that is not there",
		})
		e.placedProgram(a, "helper-program", a.HelperPath(e.w), stop{
			tool: a.Name, step: history.Terminal, why: "the helper of " + string(a.Name) + " is missing",
		})
	}
}

// calledByProgram tells whether the assistant calls one of the programs placed for it; Gemini calls vomgr by words.
func (e *exam) calledByProgram(a assistant.Assistant) bool {
	return a.Name != assistant.Gemini && e.registered(a)
}

func (e *exam) placedProgram(a assistant.Assistant, what, path string, at stop) {
	id := string(a.Name) + "." + what
	shown := e.w.Tilde(path)
	link, linkErr := os.Readlink(path)
	fi, err := os.Stat(path)
	switch {
	case err != nil && linkErr == nil:
		e.fail(id, at, "vomgr install", "%s leads to %s, which is gone", shown, e.w.Tilde(link))
	case err != nil:
		e.fail(id, at, "vomgr install", "%s is not there", shown)
	case !fi.Mode().IsRegular() || runtime.GOOS != "windows" && fi.Mode().Perm()&0o111 == 0:
		e.fail(id, at, "remove it, then vomgr install", "%s is no program that can be started", shown)
	case linkErr == nil && versioned(link):
		e.warn(id, "vomgr install, with vomgr on PATH by a path that lasts", "%s leads to %s, which is gone after an upgrade", shown, e.w.Tilde(link))
	case sameFile(path, e.w.Exe) || linkErr != nil && sameContent(path, e.w.Exe, fi):
		e.ok(id, "%s is this vomgr", shown)
	case linkErr == nil:
		e.warn(id, "vomgr install", "%s leads to %s, which is another vomgr than this one, %s", shown, e.w.Tilde(link), e.w.Tilde(e.w.Exe))
	default:
		e.warn(id, "vomgr install", "%s is a copy of another version than this one", shown)
	}
}

// sameContent compares a copy with the program it was made of.
func sameContent(path, original string, fi fs.FileInfo) bool {
	of, err := os.Stat(original)
	if err != nil || of.Size() != fi.Size() {
		return false
	}
	a, errA := os.ReadFile(path)
	b, errB := os.ReadFile(original)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// pythonNames are the original's programs beside which vomgr's are placed.
func pythonNames(a assistant.Assistant) []string {
	return []string{filepath.Base(a.Hook) + ".py", filepath.Base(a.Helper) + ".py"}
}

// python tells of what the Python original left.
func (e *exam) python(a assistant.Assistant) {
	id := string(a.Name) + ".python"
	left := slices.DeleteFunc(pythonNames(a), func(name string) bool {
		_, err := os.Lstat(filepath.Join(a.ProgramDir(e.w), name))
		return err != nil
	})
	if len(left) == 0 {
		e.ok(id, "nothing of the Python original is left")
		return
	}
	e.info(id, "remove it when you are sure", "%s is left of the Python original, in %s", left[0], e.w.Tilde(a.ProgramDir(e.w)))
}
