// Package atomicfile replaces a file whole or not at all, and edits other people's configuration files without losing a change of theirs.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// On Windows a file that somebody has open cannot be renamed, nor opened while somebody renames it (a sharing violation,
// measured under Wine 8). It passes: with pauses of at first 1 and then 20 ms we are ready to wait two seconds.
const (
	busyTries = 104
	busyPause = 20 * time.Millisecond
)

// Write puts data into the file at path, whole or not at all: a unique temporary file beside it is renamed over it.
// Nothing is flushed to the disk, and a symbolic link at path is replaced: Write is for job and state files, Update for
// what belongs to others. The folder must exist.
func Write(path string, data []byte, perm fs.FileMode) error {
	return write(path, data, perm, false)
}

// WriteFlushed is Write for what must outlive a power failure: file and folder are flushed to the disk.
func WriteFlushed(path string, data []byte, perm fs.FileMode) error {
	return write(path, data, perm, true)
}

func write(path string, data []byte, perm fs.FileMode, flush bool) error {
	tmp, err := create(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	_, err = tmp.Write(data)
	if err == nil && perm != 0o600 {
		err = tmp.Chmod(perm)
	}
	if err == nil && flush {
		err = tmp.Sync()
	}
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = Rename(tmp.Name(), path)
	}
	if err == nil && flush {
		return syncDir(path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	return nil
}

// Symlink makes path a symbolic link to target, whatever is there, in one step. The folder must exist.
func Symlink(target, path string) error {
	dir, base := filepath.Split(path)
	tmp := dir + tempPrefix(base) + rand.Text() + partSuffix
	if err := os.Symlink(target, tmp); err != nil {
		return err
	}
	if err := Rename(tmp, path); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}

// create opens a new file of mode 0600 beside target, under a name no other process uses.
func create(target string) (*os.File, error) {
	dir, base := split(target)
	return os.CreateTemp(dir, tempPrefix(base)+"*"+partSuffix)
}

// split is filepath.Split without its trailing separator. The folder is not cleaned: with a link on the way, a/../b and b
// are different files.
func split(path string) (dir, base string) {
	dir, base = filepath.Split(path)
	if dir == "" {
		return ".", base
	}
	return dir, base
}

// Rename is os.Rename that waits, on Windows for at most two seconds, for a file which another process has open.
func Rename(from, to string) error {
	return retry(func() error { return os.Rename(from, to) })
}

// Open opens a regular file for reading that another process may rename or replace meanwhile: on Windows it stands in
// nobody's way, and waits for at most two seconds for a rename. Anything else that took the file's place (a folder, a
// pipe, whose other end nobody waits for, a device) is an error. Errors name the path, once.
func Open(path string) (*os.File, error) {
	var f *os.File
	err := retry(func() (err error) {
		f, err = open(path)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, cause(err))
	}
	fi, err := f.Stat()
	if err == nil {
		err = regular(path, fi)
	}
	if err != nil {
		_ = f.Close() // read only: nothing can be lost
		return nil, err
	}
	return f, nil
}

// ReadFile is os.ReadFile for vomgr's own files, on which no part of it may hang: see Open. One over 64 MiB, more than
// vomgr writes, is an error.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only: nothing can be lost
	return readAll(f, path)
}

// readAll reads a file that was not of its size when it was looked at, too.
func readAll(f *os.File, path string) ([]byte, error) {
	var data []byte
	fi, err := f.Stat()
	size := maxSize + int64(1)
	if err == nil && fi.Size() <= maxSize {
		data, err = io.ReadAll(io.LimitReader(f, maxSize+1))
		size = int64(len(data))
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, cause(err))
	case size > maxSize:
		return nil, fmt.Errorf("%s: over %d MiB, which is more than vomgr reads", path, maxSize>>20)
	}
	return data, nil
}

func retry(do func() error) error {
	err := do()
	for n := range busyTries {
		if !busy(err) {
			break
		}
		time.Sleep(min(time.Millisecond<<min(n, 5), busyPause))
		err = do()
	}
	return err
}
