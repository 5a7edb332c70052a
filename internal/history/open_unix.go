//go:build unix

package history

import (
	"os"
	"syscall"
)

// openAppend opens the file at path for appending: not blocking, since it might be a pipe; readable, to see how it ends.
func openAppend(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, 0o600)
}
