package atomicfile

import (
	"os"

	"golang.org/x/sys/unix"
)

func exchange(a, b string) error {
	return classify(renameat2(a, b, unix.RENAME_EXCHANGE))
}

func renameExclusive(from, to string) error {
	return renameat2(from, to, unix.RENAME_NOREPLACE)
}

func renameat2(from, to string, flags uint) error {
	if err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags); err != nil {
		return &os.LinkError{Op: "renameat2", Old: from, New: to, Err: err}
	}
	return nil
}

// mounted tells whether something is mounted over the file itself, as containers do it: its name cannot be given away.
func mounted(target string) bool {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, target, unix.AT_SYMLINK_NOFOLLOW, 0, &st)
	return err == nil && st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}
