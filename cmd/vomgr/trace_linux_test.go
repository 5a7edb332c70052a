package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// traceDone is the status of the tracer whose program ended before it was killed.
const traceDone = 3

// changing are the system calls that change something outside of the process. Flushing and locking are not among them:
// killed before them or before the next change, what is left is the same.
var changing = map[uint64]string{
	unix.SYS_WRITE: "write", unix.SYS_PWRITE64: "pwrite64", unix.SYS_FTRUNCATE: "ftruncate",
	unix.SYS_RENAMEAT: "renameat", unix.SYS_RENAMEAT2: "renameat2", unix.SYS_UNLINKAT: "unlinkat", unix.SYS_LINKAT: "linkat",
	unix.SYS_SYMLINKAT: "symlinkat", unix.SYS_MKDIRAT: "mkdirat", unix.SYS_FCHMOD: "fchmod", unix.SYS_FCHMODAT: "fchmodat",
	unix.SYS_FCHOWN: "fchown", unix.SYS_FCHOWNAT: "fchownat", unix.SYS_FSETXATTR: "fsetxattr",
}

// stopInfo is what PTRACE_GET_SYSCALL_INFO tells; the same on every architecture.
type stopInfo struct {
	op      uint8
	_       [3]uint8
	_       uint32
	_, _    uint64
	nr      uint64
	args    [6]uint64
	padding [4]uint64
}

const (
	getSyscallInfo = 0x420e
	entryStop      = 1
	syscallStop    = syscall.SIGTRAP | 0x80
)

// trace plays the tracer: tracer N program [argument…] runs the program and kills it where it begins the N-th system call
// that changes something; it says which those were, up to this. strace could do it, but counts for each thread by itself,
// and a Go program uses whichever it likes. If $FOREIGN_AT is M, another program comes in between, just before the M-th:
// the file $FOREIGN is renamed to $FOREIGN_TO. With $FLUSHES flushing counts, too.
func trace() int {
	runtime.LockOSThread() // a process is traced by a thread
	at, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	foreign, _ := strconv.Atoi(os.Getenv("FOREIGN_AT"))
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	pid := cmd.Process.Pid
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || !status.Stopped() {
		fmt.Fprintln(os.Stderr, "no first stop:", err)
		return 1
	}
	if err := syscall.PtraceSetOptions(pid, unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_EXITKILL); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return follow(pid, at, foreign)
}

// follow lets the process run from system call to system call.
func follow(pid, at, foreign int) int {
	tid, signal, n := pid, 0, 0
	for {
		_ = syscall.PtraceSyscall(tid, signal) // fails for a thread that was just ended
		var status syscall.WaitStatus
		var err error
		if tid, err = syscall.Wait4(-1, &status, syscall.WALL, nil); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		switch stopped := status.StopSignal(); {
		case !status.Stopped() && tid == pid:
			fmt.Printf("status %d\n", status.ExitStatus())
			return traceDone
		case !status.Stopped():
			continue
		case stopped == syscallStop:
			signal = 0
			if name := entered(tid); name != "" {
				fmt.Println(name)
				n++
				if n == foreign {
					if err := os.Rename(os.Getenv("FOREIGN"), os.Getenv("FOREIGN_TO")); err != nil {
						fmt.Fprintln(os.Stderr, err)
						return 1
					}
				}
				if n == at {
					return kill(pid)
				}
			}
		case stopped == syscall.SIGTRAP, stopped == syscall.SIGSTOP: // a new thread
			signal = 0
		default:
			signal = int(stopped)
		}
	}
}

func kill(pid int) int {
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for {
		var status syscall.WaitStatus
		tid, err := syscall.Wait4(-1, &status, syscall.WALL, nil)
		if err != nil || tid == pid && !status.Stopped() {
			return 0
		}
	}
}

// entered names the system call that the thread is about to begin if it changes something; opening may create.
func entered(tid int) string {
	var info stopInfo
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, getSyscallInfo, uintptr(tid), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 || info.op != entryStop {
		return ""
	}
	if info.nr == unix.SYS_WRITE && info.args[0] <= 2 {
		return "" // what it says
	}
	if info.nr == unix.SYS_FSYNC && os.Getenv("FLUSHES") != "" {
		return "fsync"
	}
	if info.nr == unix.SYS_OPENAT && info.args[2]&(unix.O_CREAT|unix.O_TRUNC) != 0 {
		return "openat"
	}
	return changing[info.nr]
}
