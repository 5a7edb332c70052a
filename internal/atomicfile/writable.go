package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Check tells whether Update could write the file that path means, and why not; it changes nothing. What it cannot know
// beforehand, such as a full disk, is Update's to say.
func Check(path string) error {
	target, err := Resolve(path)
	if err != nil {
		return err
	}
	_, fi, err := read(target)
	if err != nil {
		return err
	}
	return writable(target, fi)
}

// writable tells early, and with a reason, that target may not be written: renaming over it would succeed all the same.
func writable(target string, fi fs.FileInfo) error {
	if fi != nil {
		if err := fileWritable(target, fi); err != nil {
			return err
		}
	}
	dir, _ := split(target)
	for { // the nearest folder that exists
		err := dirWritable(dir)
		above := filepath.Dir(dir)
		if errors.Is(err, fs.ErrNotExist) && above != dir {
			dir = above
			continue
		}
		if err != nil {
			return fmt.Errorf("%s cannot be written: %w; make that folder writable first", target, err)
		}
		return nil
	}
}

func fileWritable(target string, fi fs.FileInfo) error {
	if fi.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("%s is read-only; make it writable first (something else may generate it)", target)
	}
	if n := names(fi); n > 1 {
		return fmt.Errorf("%s is one of %d names of the same file (hard links), and the others would keep the old text; "+
			"make it a file of its own (cp it, then mv the copy over it) or a symbolic link", target, n)
	}
	f, err := os.OpenFile(target, os.O_WRONLY, 0) // without O_TRUNC: changes nothing
	if errors.Is(err, fs.ErrNotExist) {
		return errMoved
	}
	if busy(err) {
		return nil // the rename will wait for it
	}
	if err != nil {
		return fmt.Errorf("%w; make it writable first", explain(target, err))
	}
	return f.Close()
}
