package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const (
	maxHops = 40       // as the Linux kernel
	maxSize = 64 << 20 // bytes; a file of vomgr's or a configuration file beyond that is something else
)

// Resolve follows the symbolic links at path to the file they mean, hop by hop, since filepath.EvalSymlinks fails in
// Homebrew's and Scoop's folders. A path without a file is returned as it is; a link to nothing is an error.
// Links in the folders above are left to the system.
func Resolve(path string) (string, error) {
	target := path
	for range maxHops {
		fi, err := os.Lstat(target)
		if errors.Is(err, fs.ErrNotExist) && target != path {
			return "", fmt.Errorf("%s is a symbolic link to %s, which does not exist; create that file or remove the link", path, target)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return target, nil
		}
		if errors.Is(err, syscall.ENOTDIR) {
			return "", fmt.Errorf("%s: a file stands where its folder is expected; move it away", target)
		}
		if err != nil {
			return "", err
		}
		if fi.Mode()&fs.ModeSymlink == 0 {
			return target, straight(path, target, fi)
		}
		next, err := os.Readlink(target)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(next) {
			dir, _ := filepath.Split(target) // not Join: it would cut ".." without looking
			next = dir + next
		}
		target = next
	}
	return "", fmt.Errorf("%s: more than %d symbolic links, or links in a circle; replace the link by the file", path, maxHops)
}

// straight tells that a link at path leads to something else than a file.
func straight(path, target string, fi fs.FileInfo) error {
	if path == target || fi.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s is a symbolic link to %s, %s; remove the link", path, target, kindOf(fi))
}

// Read returns the bytes of the file that path means, with exists false when there is none. What Update would refuse
// (a link to nothing, a folder, a pipe, over 64 MiB) is an error here, too.
func Read(path string) (data []byte, exists bool, err error) {
	target, err := Resolve(path)
	if err != nil {
		return nil, false, err
	}
	data, fi, err := read(target)
	return data, fi != nil, err
}

// read returns what is in the regular file at target; fi is nil when there is no file. It never follows a link and never
// waits for a pipe's other end.
func read(target string) (data []byte, fi fs.FileInfo, err error) {
	fi, err = os.Lstat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if err := regular(target, fi); err != nil {
		return nil, nil, err
	}
	f, err := Open(target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() // read only: nothing can be lost
	if fi, err = f.Stat(); err != nil {
		return nil, nil, err
	}
	if data, err = readAll(f, target); err != nil {
		return nil, nil, err
	}
	return data, fi, nil
}

func regular(path string, fi fs.FileInfo) error {
	if fi.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s is %s where a file is expected; move it away", path, kindOf(fi))
}

func kindOf(fi fs.FileInfo) string {
	switch {
	case fi.IsDir():
		return "a folder"
	case fi.Mode()&fs.ModeNamedPipe != 0:
		return "a pipe"
	}
	return "not a regular file"
}
