//go:build unix

package hook

import (
	"os"
	"syscall"
)

// nonBlocking keeps the opening of a FIFO from waiting for its writer.
const nonBlocking = syscall.O_NONBLOCK

// foreignOwner tells whether the folder belongs to another user than us and root.
func foreignOwner(fi os.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && st.Uid != 0 && int(st.Uid) != os.Geteuid()
}
