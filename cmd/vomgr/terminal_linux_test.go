package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// terminal plays a terminal window: it runs its arguments in a session of their own at a terminal of their own, notes
// what is written there in $STANDIN/terminal.<n>.out, and closes when they end. When it is killed the window is closed.
func terminal() int {
	dir := os.Getenv("STANDIN")
	n := note(dir, "terminal")
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return 98
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		return 97
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return 96
	}
	out, err := os.Create(filepath.Join(dir, fmt.Sprintf("terminal.%d.out", n)))
	if err != nil {
		return 95
	}
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		return 94
	}
	_ = slave.Close()
	copied := make(chan struct{})
	go func() {
		_, _ = io.Copy(out, master)
		close(copied)
	}()
	_ = cmd.Wait()
	select {
	case <-copied: // all that was written, and nobody has the terminal any more
	case <-time.After(time.Second):
	}
	return cmd.ProcessState.ExitCode()
}
