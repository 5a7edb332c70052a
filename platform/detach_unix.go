//go:build unix

package platform

import (
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
