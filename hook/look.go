package hook

import (
	"encoding/json"
	"fmt"

	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

// What the hook would find, for those who ask before a night: no file is changed and nothing is started.

// Refuses gives the reason for which no stop in project would be handed over, whoever stops and whenever, or "". What
// changes from one stop to the next (limits, scope mode "armed", a pause) is not looked at.
func Refuses(w world.World, set settings.Settings, project string) string {
	switch reason := badPlace(w, project, set.Scope.Folders); {
	case reason != "":
		return reason
	case stateInside(w, project):
		return fmt.Sprintf("%s lies inside the project; nothing a project can write decides what is started", w.Tilde(w.StateDir()))
	case set.Scope.Mode == settings.OnlyFolders && !inScope(project, set.Scope.Folders, w.Home):
		return `scope.mode is "only", and this folder is not listed`
	}
	return ""
}

// OpenItems returns the open items of the project's TODO.md, at most n.
func OpenItems(project string, n int) []string { return projectFiles{project}.openItems(n) }

// Branch is the branch checked out in the project, "" for none; ok is false where there is no git repository.
func Branch(project string) (name string, ok bool) {
	r, ok := findRepository(project)
	if !ok {
		return "", false
	}
	return r.branch(), true
}

// Alive tells whether the process of a recorded session lives.
func Alive(s *chain.Session) bool { return alive(s) }

// Seat looks for the terminal that the recorded session of a project runs in.
func Seat(w world.World, st chain.State) (platform.Seat, error) {
	var place platform.Place
	if st.Chain != nil && len(st.Chain.Place) > 0 {
		_ = json.Unmarshal(st.Chain.Place, &place) // without a place the usual ones are looked at
	}
	return platform.FindSeat(w, place, st.Session.Pid, st.Session.Job)
}
