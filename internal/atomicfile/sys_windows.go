package atomicfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// busy tells that err comes from another process that has the file open, which passes by itself.
func busy(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION) ||
		errors.Is(err, windows.ERROR_ACCESS_DENIED)
}

// open opens a file, or a folder, for reading so that others may rename, replace and delete it meanwhile; os.Open does not
// let them.
func open(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, windows.GENERIC_READ, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// exchange does not exist on Windows.
func exchange(_, _ string) error { return errNoExchange }

// names does not count: os.FileInfo knows nothing of hard links.
func names(fs.FileInfo) int { return 1 }

// dirWritable does not know: an access list can say anything. The writing will tell.
func dirWritable(dir string) error {
	_, err := os.Stat(dir)
	return err
}

// foreign does not know: an access list says who may write, and the writing will tell.
func foreign(fs.FileInfo) bool { return false }

// losesGroup does not apply.
func losesGroup(string, fs.FileInfo) (gid int, lost bool) { return 0, false }

// mounted is never true: only folders are mounted over.
func mounted(string) bool { return false }

// explain adds nothing.
func explain(_ string, err error) error { return err }

// keepAttributes keeps the mode; the access list comes from the folder, as for every file a program saves there.
func keepAttributes(f *os.File, _ string, fi fs.FileInfo) error { return f.Chmod(fi.Mode().Perm()) }

// syncDir does nothing: Windows flushes no folders.
func syncDir(string) error { return nil }

// renameNew renames tmp to target if nothing is there; errMoved if something is.
func renameNew(tmp, target string) error {
	from, err := windows.UTF16PtrFromString(tmp)
	if err != nil {
		return err
	}
	to, err := windows.UTF16PtrFromString(target)
	if err != nil {
		return err
	}
	err = retry(func() error { return windows.MoveFileEx(from, to, 0) })
	if errors.Is(err, windows.ERROR_ALREADY_EXISTS) || errors.Is(err, windows.ERROR_FILE_EXISTS) {
		return errMoved
	}
	return err
}
