//go:build unix

package platform

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// startDetached starts what build returns, in a session of its own.
func startDetached(build func() *exec.Cmd) (*exec.Cmd, error) {
	cmd := build()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd, cmd.Start()
}

// setLine is for Windows; elsewhere a program gets its arguments one by one.
func setLine(*exec.Cmd, string) {}

// finishTemplate is for Windows.
func finishTemplate(w Way) Way { return w }

// openConsole is for Windows.
func openConsole(Way) (<-chan error, error) { return nil, errors.ErrUnsupported }

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
