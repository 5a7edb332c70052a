//go:build unix

package doctor

import (
	"io/fs"
	"os"
	"syscall"
)

// foreign tells whether the file belongs to another user than us and root.
func foreign(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && st.Uid != 0 && int(st.Uid) != os.Geteuid()
}
