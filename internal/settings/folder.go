package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckFolder tells why dir, the folder of settings.toml in a person's home, cannot be used or trusted: what is in it
// decides which programs are started. One that is not there yet is as good as an empty one, but not without its home.
func CheckFolder(dir string) error {
	fi, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return checkMissing(dir)
	case err != nil:
		return err
	case !fi.IsDir():
		return fmt.Errorf("%s is not a folder; move it away", dir)
	}
	if err := trusted(fi); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return nil
}

func checkMissing(dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("%s is a symbolic link to a folder that does not exist; create it or remove the link", dir)
	}
	home := filepath.Dir(dir)
	if fi, err := os.Stat(home); err != nil || !fi.IsDir() {
		return fmt.Errorf("the home folder %s does not exist; create it, or set HOME to yours", home)
	}
	return nil
}
