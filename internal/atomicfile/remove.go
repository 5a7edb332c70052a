package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// RemoveIf removes the file that path means if it holds exactly want, and tells whether it did. A file that is not there
// counts as not removed. The file is moved aside, looked at, and put back if somebody changed it meanwhile; if we are
// killed in between, Recover does that.
func RemoveIf(path string, want []byte) (removed bool, err error) {
	return removeIf(path, want, Rename)
}

func removeIf(path string, want []byte, rename func(from, to string) error) (bool, error) {
	target, err := Resolve(path)
	if err != nil {
		return false, err
	}
	if !holds(target, want) {
		return false, nil
	}
	aside := unique(target, want, want)
	if err := rename(target, aside); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, fmt.Errorf("removing %s: %w", target, err)
	}
	if !holds(aside, want) {
		return false, returnTo(target, aside)
	}
	if err := os.Remove(aside); err != nil {
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

// RemoveTree removes dir with all that is in it, never following a link. Where os.RemoveAll finds the file system unable
// ("Invalid function": Wine 8, and network drives of Windows), it goes file by file.
func RemoveTree(dir string) error {
	_, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // RemoveAll would open a pipe above it, and wait
		return nil
	}
	if err = os.RemoveAll(dir); err == nil {
		return nil
	}
	if oneByOne := removeOneByOne(dir); oneByOne != nil {
		return errors.Join(err, oneByOne)
	}
	return nil
}

func removeOneByOne(dir string) error {
	var paths []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, path := range slices.Backward(paths) { // what is in a folder before the folder
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
