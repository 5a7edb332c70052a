package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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
	return folderWritable(target, dir)
}

// CheckFolder tells whether files can be made in dir, or dir itself where it is not there yet, and why not; it changes
// nothing.
func CheckFolder(dir string) error { return folderWritable(dir, dir) }

// folderWritable looks at the nearest folder from dir upwards that exists, for the sake of what.
func folderWritable(what, dir string) error {
	for {
		if fi, err := os.Stat(dir); err == nil && !fi.IsDir() {
			return fmt.Errorf("%s is a file where a folder is expected; move it away", dir)
		}
		err := dirWritable(dir)
		switch above := filepath.Dir(dir); {
		case err == nil:
			return nil
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) || above == dir:
			return fmt.Errorf("%s cannot be written: %s: %w; make that folder writable first", what, strings.TrimSuffix(dir, "/"), explain(dir, err))
		default:
			if _, err := os.Lstat(dir); err == nil {
				return fmt.Errorf("%s is a symbolic link to a folder that does not exist; create it or remove the link", dir)
			}
			dir = above
		}
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
	if mounted(target) {
		return errMounted(target)
	}
	f, err := os.OpenFile(target, os.O_WRONLY, 0) // without O_TRUNC: changes nothing
	if errors.Is(err, fs.ErrNotExist) {
		return errMoved
	}
	if busy(err) {
		return nil // the rename will wait for it
	}
	if err != nil {
		return fmt.Errorf("%s: %w; make it writable first", target, explain(target, cause(err)))
	}
	if foreign(fi) {
		return errors.Join(fmt.Errorf("%s belongs to another user, and would become yours; let that user run this", target), f.Close())
	}
	if gid, lost := losesGroup(target, fi); lost {
		return errors.Join(fmt.Errorf("%s belongs to group %d, which is none of yours, and would lose it; give it a group of yours first (chgrp)", target, gid), f.Close())
	}
	return f.Close()
}

func errMounted(target string) error {
	return fmt.Errorf("%s is mounted by itself and cannot be replaced; mount its folder instead", target)
}

// cause is what went wrong without the name of the file with which it did: it may be one of our temporary names.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
