package overview

import (
	"os"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/world"
)

// hookState looks whether a calls vomgr, and whether what it calls can be started and is this vomgr. A copy, as on
// Windows, cannot be told from another version without reading it whole: doctor does.
func hookState(w world.World, a assistant.Assistant) HookState {
	found := HookNone
	for _, c := range a.Configs(w) {
		doc, _, err := atomicfile.Read(c.Path)
		if err != nil {
			continue
		}
		s, err := c.State(doc)
		if err != nil || !s.Registered() {
			continue
		}
		found = HookCurrent
		for _, e := range s.Entries {
			if !current(w, e.Program) {
				return HookOutdated
			}
		}
	}
	return found
}

func current(w world.World, program string) bool {
	path := w.LookPath(program)
	if path == "" {
		return false
	}
	if _, err := os.Readlink(path); err != nil {
		return true
	}
	is, errIs := os.Stat(path)
	exe, errExe := os.Stat(w.Exe)
	return errIs == nil && errExe == nil && os.SameFile(is, exe)
}
