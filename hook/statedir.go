package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// checkStateDir refuses a state folder that another user could have made or could change: what it holds decides which
// programs are started. A missing one is made, but never a home.
func checkStateDir(dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("state folder %q is relative; set HOME to an absolute path", dir)
	}
	if err := settings.CheckFolder(dir); err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("making the state folder: %w", err)
	}
	return nil
}

// stateInside tells whether the state folder lies inside the project, links followed: by what a project can write nobody
// decides what is started. In a project that is home or above it (refused on other grounds) it belongs there.
func stateInside(w world.World, project string) bool {
	state, ok := ResolveDir(w.StateDir())
	return ok && contains(project, state) && !contains(project, homeOf(w))
}

// homeOf is the home folder with links resolved, where it exists.
func homeOf(w world.World) string {
	if home, ok := ResolveDir(w.Home); ok {
		return home
	}
	return w.Home
}
