package platform

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vexyart/vomgr/platform/darwin"
)

const (
	directIfUnset = false
	systemShell   = posix // reads {command} when a template names no shell
)

// systemWays lists the multiplexer the chain is in.
func systemWays(r Request) []Way { return append(multiplexed(r), unattended(r)...) }

// handle stands for one process; see darwin.Handle.
type handle = darwin.Handle

func openHandle(pid int) (*handle, error) {
	h, err := darwin.Open(pid)
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrNoProcess
	}
	return h, err
}

func waitHandles(ctx context.Context, hs []*handle, d time.Duration) error {
	return darwin.Wait(ctx, hs, d)
}

func systemBoot() string { return darwin.Boot() }

func closeOnExec() { darwin.CloseOnExec() }

// read looks at one process, without its program and arguments.
func read(pid int) (Process, error) {
	i, err := darwin.Read(pid)
	if err != nil || i.Zombie {
		return Process{}, ErrNoProcess
	}
	return fromInfo(i), nil
}

// table looks at every process, without programs and arguments; zombies are among them.
func table() ([]Process, error) {
	infos, err := darwin.Table()
	if err != nil {
		return nil, err
	}
	list := make([]Process, len(infos))
	for i, info := range infos {
		list[i] = fromInfo(info)
	}
	return list, nil
}

func fromInfo(i darwin.Info) Process {
	return Process{
		Pid: i.Pid, Parent: i.Parent, Name: i.Name, Session: i.Session,
		Start: strconv.FormatUint(i.Start, 10), Started: darwin.Began(i.Start),
		group: i.Group, zombie: i.Zombie, stopped: i.Stopped,
	}
}

// flushInput drops what was typed and not read.
func flushInput(fd int) {
	const read = 1 // FREAD of <sys/fcntl.h>
	_ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, read)
}

// fill adds the program and its arguments.
func (p *Process) fill() { p.Exe, p.Args = darwin.Args(p.Pid) }
