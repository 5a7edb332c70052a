package darwin

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

const (
	stopped = 4 // SSTOP of <sys/proc.h>
	zombie  = 5 // SZOMB
)

// Read looks at pid. The error is os.ErrNotExist when there is no such process.
func Read(pid int) (Info, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid { // the kernel answers with nothing, which reads as EIO
		return Info{}, os.ErrNotExist
	}
	return info(k), nil
}

// Table looks at every process in one pass.
func Table() ([]Info, error) {
	ks, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, os.NewSyscallError("sysctl kern.proc.all", err)
	}
	table := make([]Info, len(ks))
	for i := range ks {
		table[i] = info(&ks[i])
	}
	return table, nil
}

func info(k *unix.KinfoProc) Info {
	i := Info{
		Pid: int(k.Proc.P_pid), Parent: int(k.Eproc.Ppid), Group: int(k.Eproc.Pgid),
		Name:    unix.ByteSliceToString(k.Proc.P_comm[:]),
		Start:   uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec),
		Zombie:  k.Proc.P_stat == zombie,
		Stopped: k.Proc.P_stat == stopped,
	}
	if sid, err := unix.Getsid(i.Pid); err == nil {
		i.Session = sid
	}
	return i
}

// Args is the program pid runs and its arguments; both are empty when they may not be read.
func Args(pid int) (exe string, args []string) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return "", nil
	}
	exe, args, err = ParseArgs(raw)
	if err != nil {
		return "", nil
	}
	return exe, args
}

// Boot names the run of the kernel, "" when it does not tell.
func Boot() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

// Began is a start as a time.
func Began(start uint64) time.Time { return time.UnixMicro(int64(start)) }

// CloseOnExec marks every descriptor from 3 upwards, so that no program started from here inherits it.
func CloseOnExec() {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= 3 {
			unix.CloseOnExec(fd)
		}
	}
}
