package platform

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"github.com/vexyart/vomgr/platform/linux"
)

// handle holds one process; see linux.Handle.
type handle = linux.Handle

func openHandle(pid int) (*handle, error) {
	h, err := linux.Open(pid)
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrNoProcess
	}
	return h, err
}

func waitHandles(ctx context.Context, hs []*handle, d time.Duration) error {
	return linux.Wait(ctx, hs, d)
}

func systemBoot() string { return linux.Boot() }

func closeOnExec() { linux.CloseOnExec() }

// read looks at one process, without its program and arguments.
func read(pid int) (Process, error) {
	s, err := linux.ReadStat(pid)
	if errors.Is(err, os.ErrNotExist) || err == nil && s.Zombie() {
		return Process{}, ErrNoProcess
	}
	if err != nil {
		return Process{}, err
	}
	return fromStat(s), nil
}

// table looks at every process, without programs and arguments; zombies are among them.
func table() ([]Process, error) {
	stats, err := linux.Table()
	if err != nil {
		return nil, err
	}
	list := make([]Process, len(stats))
	for i, s := range stats {
		list[i] = fromStat(s)
	}
	return list, nil
}

func fromStat(s linux.Stat) Process {
	return Process{
		Pid: s.Pid, Parent: s.Parent, Name: s.Name, Session: s.Session,
		Start: strconv.FormatUint(s.Start, 10), Started: linux.Began(s.Start),
		group: s.Group, zombie: s.Zombie(), stopped: s.State == 'T',
	}
}

// fill adds the program and its arguments.
func (p *Process) fill() { p.Exe, p.Args = linux.Exe(p.Pid), linux.Args(p.Pid) }
