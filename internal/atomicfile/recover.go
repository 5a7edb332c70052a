package atomicfile

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A temporary file lies beside its target under one of two names: while it is being written, with partSuffix; then, and
// when it holds what was displaced, with tempSuffix, and with the hashes of the two contents that it may hold without
// being of any worth: those that were there when we looked, and those that were to be there. So whoever comes after a
// run that was killed can tell a leftover from somebody's only copy.
const (
	partSuffix = ".vomgr-part"
	tempSuffix = ".vomgr-tmp"
	hashSize   = 12 // hexadecimal digits
)

func tempPrefix(base string) string { return "." + base + "." }

// unique names a temporary file beside target that may hold old or fresh.
func unique(target string, old, fresh []byte) string {
	dir, base := filepath.Split(target)
	return dir + tempPrefix(base) + short(old) + "-" + short(fresh) + "." + rand.Text() + tempSuffix
}

func short(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:hashSize]
}

// Recover finishes what killed runs left beside the file that path means: temporary files are deleted, but one that holds
// somebody's version of the file, displaced in the moment of the kill, goes back to its place unless a newer one is there.
// Call it only under that file's Lock: a running Update's temporary file would go, too.
func Recover(path string) error {
	target, err := Resolve(path)
	if err != nil {
		return err
	}
	return leftovers(target, func(left, name string) error {
		if name, ok := strings.CutSuffix(name, tempSuffix); ok {
			hashes, _, _ := strings.Cut(name, ".")
			return settle(target, left, strings.Split(hashes, "-"))
		}
		return removePart(left)
	})
}

// Sweep deletes what killed runs of Write and Symlink left beside path, which may be a link. Call it only where no other
// vomgr can be at work.
func Sweep(path string) error {
	return leftovers(path, func(left, _ string) error { return removePart(left) })
}

func removePart(left string) error {
	if !strings.HasSuffix(left, partSuffix) {
		return nil
	}
	return os.Remove(left)
}

// leftovers calls do for each file beside target that may be one of our temporary files; name is what follows the prefix.
func leftovers(target string, do func(left, name string) error) error {
	dir, base := filepath.Split(target) // never joined again: that would cut ".." without looking
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if name, ok := strings.CutPrefix(e.Name(), tempPrefix(base)); ok {
			errs = append(errs, do(dir+e.Name(), name))
		}
	}
	return errors.Join(errs...)
}

// settle decides about one temporary file; hashes are those of contents without worth.
func settle(target, left string, hashes []string) error {
	data, fi, err := read(left)
	switch {
	case err != nil || fi == nil:
		return err
	case slices.Contains(hashes, short(data)):
		return os.Remove(left)
	}
	is, there, err := read(target)
	switch {
	case err != nil:
		return err
	case there == nil:
		return returnTo(target, left)
	case !slices.Contains(hashes, short(is)) && !there.ModTime().Before(fi.ModTime()):
		return os.Remove(left) // what is there is newer
	}
	err = replace(left, target, is, data, exchange)
	if errors.Is(err, errMoved) { // newer still
		return returnTo(target, left)
	}
	return err
}
