package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// checkStateDir refuses a state folder that another user could have made or could change: what it holds decides which
// programs are started. A missing one is made.
func checkStateDir(dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("state folder %q is relative; set HOME to an absolute path", dir)
	}
	fi, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("making the state folder: %w", err)
		}
		return nil
	}
	switch {
	case err != nil:
		return fmt.Errorf("state folder: %w", err)
	case !fi.IsDir():
		return fmt.Errorf("state folder %s is not a folder; move it away", dir)
	case foreignOwner(fi):
		return fmt.Errorf("state folder %s belongs to another user; remove it, then run vomgr install", dir)
	case runtime.GOOS != "windows" && fi.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("state folder %s can be written by others; chmod 700 %s", dir, dir)
	}
	return nil
}
