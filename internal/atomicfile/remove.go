package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// RemoveIf removes the file that path means if it holds exactly want, and tells whether it did. A file that is not there
// counts as not removed. The file is moved aside, looked at, and put back if somebody changed it meanwhile.
func RemoveIf(path string, want []byte) (removed bool, err error) {
	target, err := Resolve(path)
	if err != nil {
		return false, err
	}
	if !holds(target, want) {
		return false, nil
	}
	aside, err := create(target)
	if err != nil {
		return false, fmt.Errorf("removing %s: %w", target, err)
	}
	name := aside.Name()
	if err := aside.Close(); err != nil {
		return false, fmt.Errorf("removing %s: %w", target, err)
	}
	if err := Rename(target, name); err != nil {
		_ = os.Remove(name)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, fmt.Errorf("removing %s: %w", target, err)
	}
	if !holds(name, want) {
		return false, returnTo(target, name)
	}
	if err := os.Remove(name); err != nil {
		return false, fmt.Errorf("removing %s: %w", target, err)
	}
	return true, syncDir(target)
}

// returnTo puts the file at aside back to target; if a newer one appeared there, that one counts.
func returnTo(target, aside string) error {
	err := renameNew(aside, target)
	if errors.Is(err, errMoved) {
		return os.Remove(aside)
	}
	if err != nil {
		return fmt.Errorf("%s changed while it was removed and could not be put back from %s: %w", target, aside, err)
	}
	return nil
}

// RemoveLeftovers deletes temporary files that a killed run left beside the file that path means. Call it only under that
// file's Lock: a running Update's temporary file would go, too.
func RemoveLeftovers(path string) error {
	target, err := Resolve(path)
	if err != nil {
		return err
	}
	dir, base := split(target)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix(base)) && strings.HasSuffix(e.Name(), tempSuffix) {
			errs = append(errs, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}
