package demo

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// ownSession starts cmd without a console, in a process group of its own.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP}
}
