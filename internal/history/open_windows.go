package history

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// openAppend opens the file at path for appending, so that others may put it aside meanwhile; with os.OpenFile they could
// not, and while they do it would fail.
func openAppend(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	const (
		access = windows.GENERIC_READ | windows.FILE_APPEND_DATA
		share  = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	)
	h, err := windows.CreateFile(name, access, share, nil, windows.OPEN_ALWAYS, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}
