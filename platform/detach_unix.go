//go:build unix

package platform

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/vexyart/vomgr/internal/world"
)

// startDetached starts what build returns, in a session of its own. The line is for Windows.
func startDetached(_ string, build func() *exec.Cmd) (*exec.Cmd, error) {
	cmd := build()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd, cmd.Start()
}

// finishTemplate is for Windows; elsewhere a program gets its arguments one by one.
func finishTemplate(w Way, _ []string) Way { return w }

// openConsole is for Windows.
func openConsole(Way) (<-chan error, error) { return nil, errors.ErrUnsupported }

// Program is what to start for a program found on PATH, with the arguments that come first: the program itself, on
// Windows what npm's .cmd files start.
func Program(_ world.World, path string) ([]string, error) { return []string{path}, nil }

// InterruptWords are the words that call Interrupt.
var InterruptWords = []string{"hook", "interrupt"}

// Interrupt is for Windows; the result is an exit status.
func Interrupt(string) int { return 1 }

// HearInterrupts is for Windows.
func HearInterrupts() {}

// hostsConsole is for Windows.
func hostsConsole(Process) bool { return false }

// ask asks a member to end. A stopped one is let go on, so that it can.
func ask(m *member) (heard bool, err error) {
	err = m.handle.Terminate()
	if m.stopped {
		err = errors.Join(err, m.handle.Continue())
	}
	return true, err
}

// EndedBySignal tells which signal ended a process that was waited for.
func EndedBySignal(state *os.ProcessState) (number int, ok bool) {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return 0, false
	}
	return int(status.Signal()), true
}

// NoCore keeps this process and what it starts from leaving a core file, which would hold the environment.
// It returns the soft limit of before, for SetCore; ok is false when the limit could not be read or set.
func NoCore() (soft uint64, ok bool) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &limit) != nil {
		return 0, false
	}
	soft = limit.Cur
	return soft, SetCore(0)
}

// SetCore sets the soft limit of core files, for programs started from now on too; it says whether that worked.
func SetCore(soft uint64) bool {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &limit) != nil {
		return false
	}
	limit.Cur = min(soft, limit.Max)
	return unix.Setrlimit(unix.RLIMIT_CORE, &limit) == nil
}
