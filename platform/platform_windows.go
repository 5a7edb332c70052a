package platform

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/shirou/gopsutil/v3/process"
	syswindows "golang.org/x/sys/windows"

	"github.com/vexyart/vomgr/platform/windows"
)

const (
	directIfUnset = false
	systemShell   = cmdExe // reads {command} when a template names no shell
)

// systemWays lists nothing yet.
func systemWays(Request) []Way { return nil }

// setLine gives cmd its command line as it stands.
func setLine(cmd *exec.Cmd, line string) {
	if line != "" {
		cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: line}
	}
}

func finishTemplate(w Way) Way { return w }

func openConsole(Way) (<-chan error, error) { return nil, errors.ErrUnsupported }

// EndedBySignal is always false: Windows has no signals.
func EndedBySignal(*os.ProcessState) (number int, ok bool) { return 0, false }

// handle holds one process; see windows.Handle.
type handle = windows.Handle

func openHandle(pid int) (*handle, error) {
	h, err := windows.Open(pid)
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrNoProcess
	}
	return h, err
}

func waitHandles(ctx context.Context, hs []*handle, d time.Duration) error {
	return windows.Wait(ctx, hs, d)
}

func systemBoot() string { return "" }

func closeOnExec() {}

// read looks at one process, without its program and arguments.
func read(pid int) (Process, error) {
	i, err := windows.Read(pid)
	if errors.Is(err, os.ErrNotExist) {
		return Process{}, ErrNoProcess
	}
	return fromInfo(i), err
}

// table looks at every process, without programs and arguments.
func table() ([]Process, error) {
	infos, err := windows.Table()
	if err != nil {
		return nil, err
	}
	list := make([]Process, len(infos))
	for i, info := range infos {
		list[i] = fromInfo(info)
	}
	return list, nil
}

func fromInfo(i windows.Info) Process {
	return Process{
		Pid: i.Pid, Parent: i.Parent, Name: i.Name,
		Start: strconv.FormatUint(i.Start, 10), Started: windows.Began(i.Start),
	}
}

// fill adds the program and its arguments. gopsutil's own list of arguments is split at spaces, so its line is taken.
func (p *Process) fill() {
	other := &process.Process{Pid: int32(p.Pid)}
	p.Exe, _ = other.Exe()
	line, err := other.Cmdline()
	if err != nil {
		return
	}
	p.Args, _ = syswindows.DecomposeCommandLine(line)
}

// startDetached starts what build returns without a console, in a process group of its own and outside the job of
// this process, which may end all in it; where that is forbidden, inside it.
func startDetached(build func() *exec.Cmd) (*exec.Cmd, error) {
	const flags = syswindows.CREATE_NO_WINDOW | syswindows.CREATE_NEW_PROCESS_GROUP
	cmd := build()
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: flags | syswindows.CREATE_BREAKAWAY_FROM_JOB}
	err := cmd.Start()
	if errors.Is(err, syswindows.ERROR_ACCESS_DENIED) {
		cmd = build()
		cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: flags}
		err = cmd.Start()
	}
	return cmd, err
}

// NoCore does nothing on Windows, which leaves no core files.
func NoCore() (soft uint64, ok bool) { return 0, false }

// SetCore does nothing on Windows.
func SetCore(uint64) bool { return false }
