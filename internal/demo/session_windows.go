package demo

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// ownSession starts cmd in a console of its own, which has no window.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW}
}
