//go:build unix

package platform

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// terminalOutput is where the terminal f is written to: f itself when it is open for that, as is usual.
func terminalOutput(f *os.File) *os.File {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY {
		return f
	}
	out, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return f
	}
	return out
}

// asForeground lets this process set the terminal's modes although an ended program may have left another group in the
// foreground, for which the system would stop it.
func asForeground() (undo func()) {
	signal.Ignore(syscall.SIGTTOU)
	return func() { signal.Reset(syscall.SIGTTOU) }
}

// withEscapes runs write; every terminal here understands escape sequences.
func withEscapes(_ *os.File, write func()) { write() }

func dropInput(f *os.File) { flushInput(int(f.Fd())) }
