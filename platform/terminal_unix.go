//go:build unix

package platform

import (
	"os"
	"os/signal"
	"syscall"
)

const terminalDevice = "/dev/tty"

// asForeground lets this process set the terminal's modes although an ended program may have left another group in the
// foreground, for which the system would stop it.
func asForeground() (undo func()) {
	signal.Ignore(syscall.SIGTTOU)
	return func() { signal.Reset(syscall.SIGTTOU) }
}

// withEscapes runs write; every terminal here understands escape sequences.
func withEscapes(_ *os.File, write func()) { write() }

func dropInput(f *os.File) { flushInput(int(f.Fd())) }
