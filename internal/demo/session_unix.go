//go:build unix

package demo

import (
	"os/exec"
	"syscall"
)

// ownSession starts cmd in a session of its own, away from the terminal's signals.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
