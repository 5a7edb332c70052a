package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/settings"
)

// stateFolder checks who could write what decides which programs are started. The hook refuses a folder that others
// may write; files that others may read hold prompts.
func (e *exam) stateFolder() {
	const id = "state.folder"
	dir := e.w.StateDir()
	fi, err := os.Stat(dir)
	at := stop{step: history.Called, why: "the hook does nothing while its state folder cannot be trusted"}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.info(id, "vomgr enable", "%s is not there yet", e.w.Tilde(dir))
		return
	case err != nil:
		e.fail(id, at, "mend it, or move it away", "%s", e.tilde(err.Error()))
	case !fi.IsDir():
		e.fail(id, at, "move it away", "%s is not a folder", e.w.Tilde(dir))
	case foreign(fi):
		e.fail(id, at, "remove it, then vomgr install", "%s belongs to another user", e.w.Tilde(dir))
	case runtime.GOOS != "windows" && fi.Mode().Perm()&0o022 != 0:
		e.fail(id, at, "chmod 700 "+e.w.Tilde(dir), "%s can be written by others", e.w.Tilde(dir))
	default:
		e.ok(id, "%s is yours alone", e.w.Tilde(dir))
	}
	e.stateModes(dir)
}

// stateModes names what others may read or write below the state folder.
func (e *exam) stateModes(dir string) {
	const id = "state.modes"
	if runtime.GOOS == "windows" {
		e.skip(id, "the folder's own permissions count here")
		return
	}
	var open []string
	for _, pattern := range []string{"*", "jobs/*", "projects/*", "projects/*/*", "edits/*"} {
		found, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, path := range found {
			if fi, err := os.Lstat(path); err == nil && fi.Mode()&fs.ModeSymlink == 0 && fi.Mode().Perm()&0o077 != 0 {
				open = append(open, e.w.Tilde(path))
			}
		}
	}
	if len(open) == 0 {
		e.ok(id, "nothing below it is open to others")
		return
	}
	const most = 3
	more := ""
	if len(open) > most {
		more = ", …"
	}
	e.warn(id, "chmod -R go-rwx "+e.w.Tilde(dir), "others may read or write %s%s", strings.Join(open[:min(most, len(open))], ", "), more)
}

// environment looks at variables that change what the chain does.
func (e *exam) environment() {
	if e.w.Getenv("CLAUDE_CODE_CHILD_SESSION") == "" {
		e.ok("environment.child-session", "no assistant's variables are left over here")
	} else {
		e.warn("environment.child-session", "unset CLAUDE_CODE_CHILD_SESSION, or use another terminal",
			"this shell runs below Claude Code: a claude started here by hand keeps no transcript (vomgr's own are cleaned)")
	}
	if e.w.Getenv("VOMGR_HOOK_FORCE_DIRECT") == "1" {
		e.warn("environment.direct", "unset VOMGR_HOOK_FORCE_DIRECT", "VOMGR_HOOK_FORCE_DIRECT=1: the next assistant runs in the hook of the one before, without a terminal")
	}
}

// folder looks at the project.
func (e *exam) folder() {
	e.todo()
	e.git()
	const id = "project.writable"
	fi, err := os.Stat(e.project)
	switch {
	case err == nil && runtime.GOOS != "windows" && fi.Mode().Perm()&0o002 != 0:
		e.warn(id, "chmod o-w "+e.w.Tilde(e.project), "%s can be written by everybody on this computer, and what stands there tells the assistants what to do", e.w.Tilde(e.project))
	default:
		e.ok(id, "%s cannot be written by everybody", e.w.Tilde(e.project))
	}
}

// manyItems bounds how many open items are counted.
const manyItems = 10_000

func (e *exam) todo() {
	const id = "project.todo"
	n := len(hook.OpenItems(e.project, manyItems))
	switch {
	case n == 0 && e.set.Limits.StopWhenDone == settings.DoneTrue:
		e.fail(id, stop{step: history.Guard, why: "stop_when_done is true, and TODO.md has no open item"},
			"add items like: - [ ] what is to be done", "TODO.md has no open item")
	case n == 0:
		e.info(id, "", `TODO.md has no open item ("- [ ] …"); the assistants are told so`)
	case n > 5:
		e.info(id, "", "TODO.md has %d open items; {todo} shows the first 5", n)
	default:
		e.ok(id, "TODO.md has %d open items", n)
	}
}

func (e *exam) git() {
	const id = "project.git"
	switch branch, ok := hook.Branch(e.project); {
	case !ok:
		e.warn(id, "git init, and a first commit", "no git repository: nothing tells what a night changed, nor whether it changes anything any more")
	case branch == "":
		e.info(id, "git switch BRANCH", "no branch is checked out; commits of a night would belong to none")
	default:
		e.ok(id, "branch %s", branch)
	}
}
