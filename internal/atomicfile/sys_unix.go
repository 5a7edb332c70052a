//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// busy tells that err passes by itself; on Unix an open file is no obstacle.
func busy(error) bool { return false }

// names counts the hard links to a file.
func names(fi fs.FileInfo) int {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink) //nolint:unconvert // its type differs between systems
	}
	return 1
}

// dirWritable tells whether files can be made in dir.
func dirWritable(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

// foreign tells whether the file belongs to somebody in whose name we cannot write.
func foreign(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && os.Geteuid() != 0 && int(st.Uid) != os.Geteuid()
}

// losesGroup tells whether a new file in the place of this one could not have its group: we are not in it, and the folder
// does not hand it on (on macOS every folder does, elsewhere one with the setgid bit).
func losesGroup(target string, fi fs.FileInfo) (gid int, lost bool) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() == 0 {
		return 0, false
	}
	gid = int(st.Gid)
	ours, err := os.Getgroups()
	if err != nil || gid == os.Getegid() || slices.Contains(ours, gid) {
		return gid, false
	}
	dir, _ := split(target)
	above, err := os.Stat(dir)
	if err != nil {
		return gid, false
	}
	its, ok := above.Sys().(*syscall.Stat_t)
	handedOn := ok && its.Gid == st.Gid && (runtime.GOOS == "darwin" || above.Mode()&fs.ModeSetgid != 0)
	return gid, !handedOn
}

// explain puts into words what two errors mean here.
func explain(target string, err error) error {
	switch {
	case errors.Is(err, unix.EBUSY):
		return errMounted(target)
	case errors.Is(err, unix.EPERM):
		return fmt.Errorf("%w; it may be immutable (lsattr, chattr -i)", err)
	}
	return err
}

// open opens a file for reading without waiting for a pipe's other end.
func open(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) }

// keepAttributes gives f the owner, the extended attributes (Linux keeps its access lists there) and the mode of fi.
// macOS's access lists are not among them.
func keepAttributes(f *os.File, target string, fi fs.FileInfo) error {
	was, ok := fi.Sys().(*syscall.Stat_t)
	now, err := f.Stat()
	if err != nil {
		return err
	}
	is, ok2 := now.Sys().(*syscall.Stat_t)
	if ok && ok2 && (was.Uid != is.Uid || was.Gid != is.Gid) {
		if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil {
			return fmt.Errorf("its owner and group (%d:%d) cannot be kept: %w; give it a group of yours first (chgrp)", was.Uid, was.Gid, cause(err))
		}
	}
	copyXattrs(f, target)
	return f.Chmod(fi.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
}

// copyXattrs copies what may be copied; a file system without attributes, or one that is not ours to set, is no failure.
func copyXattrs(f *os.File, target string) {
	n, err := unix.Listxattr(target, nil)
	if err != nil || n == 0 {
		return
	}
	names := make([]byte, n)
	if n, err = unix.Listxattr(target, names); err != nil {
		return
	}
	for _, name := range splitNames(names[:n]) {
		size, err := unix.Getxattr(target, name, nil)
		if err != nil {
			continue
		}
		value := make([]byte, size)
		if size, err = unix.Getxattr(target, name, value); err == nil {
			_ = unix.Fsetxattr(int(f.Fd()), name, value[:size], 0)
		}
	}
}

func splitNames(list []byte) []string {
	var names []string
	start := 0
	for i, c := range list {
		if c == 0 {
			names = append(names, string(list[start:i]))
			start = i + 1
		}
	}
	return names
}

// syncDir makes the entry of target in its folder durable. File systems that cannot are no failure.
func syncDir(target string) error {
	dir, _ := split(target)
	d, err := os.Open(dir)
	if err != nil {
		return nil // a folder that may be entered but not read cannot be flushed; the file is in place
	}
	err = d.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// classify turns the errors of a file system that cannot do an atomic rename with flags into errNoExchange.
func classify(err error) error {
	switch {
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOTSUP):
		return errNoExchange
	case errors.Is(err, fs.ErrExist):
		return errMoved
	}
	return err
}

// renameNew renames tmp to target if nothing is there; errMoved if something is. Where the file system knows neither such
// a rename nor hard links (FAT, some network shares), it is looked and then renamed.
func renameNew(tmp, target string) error { return renameNewBy(renameExclusive, os.Link, tmp, target) }

func renameNewBy(exclusive, link func(from, to string) error, tmp, target string) error {
	err := classify(exclusive(tmp, target))
	if !errors.Is(err, errNoExchange) {
		return err
	}
	switch err := link(tmp, target); {
	case err == nil:
		return os.Remove(tmp)
	case errors.Is(err, fs.ErrExist):
		return errMoved
	}
	if _, err := os.Lstat(target); err == nil {
		return errMoved
	}
	return os.Rename(tmp, target)
}
