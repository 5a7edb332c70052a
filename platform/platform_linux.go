package platform

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform/linux"
)

const (
	directIfUnset = true  // the seed's "elsewhere"
	systemShell   = posix // reads {command} when a template names no shell
)

// displayAnswer bounds how long a display is waited for.
const displayAnswer = time.Second

// systemWays lists the multiplexer the chain is in, the display if it answers, and what needs neither. A display that
// ssh carries home comes last: it goes with the connection.
func systemWays(r Request) []Way {
	if linux.Forwarded(r.Place.Display) && r.Place.Wayland == "" {
		return append(order(r, nil, false), windows(r)...)
	}
	return order(r, windows(r), false)
}

// explain is for macOS.
func explain(string) string { return "" }

// CloseWindow is for macOS: here a window closes with the program in it.
func CloseWindow(world.World, *os.File) error { return nil }

// windows lists the emulators that are here and can open a window on a display that answers.
func windows(r Request) []Way {
	x := linux.XAnswers(r.Place.Display, displayAnswer)
	wayland := linux.WaylandAnswers(r.Place.RuntimeDir, r.Place.Wayland, displayAnswer)
	if !x && !wayland {
		return nil
	}
	var ways []Way
	for _, e := range linux.Emulators() {
		if !(x && e.X || wayland && e.Wayland) {
			continue
		}
		if program := r.World.LookPath(e.Program); program != "" {
			ways = append(ways, Way{Name: e.Program, Argv: e.Argv(program, r.Helper, r.Job), Env: windowEnv(r.World.Env, r.Place)})
		}
	}
	return ways
}

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

// flushInput drops what was typed and not read.
func flushInput(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

// fill adds the program and its arguments.
func (p *Process) fill() { p.Exe, p.Args = linux.Exe(p.Pid), linux.Args(p.Pid) }
