package platform

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// mostWindows bounds how many emulators are tried: each may take its whole wait, and a job is too old after a minute.
// If three open nothing on a display that answers, a fourth will not.
const mostWindows = 3

// systemWays lists the multiplexer the chain is in, Windows' own console under WSL, the emulators if a display answers,
// and what needs none. A display that ssh carries home comes last: it goes with the connection.
func systemWays(r Request) []Way {
	open := windows(r)
	if len(open) > mostWindows {
		open = open[:mostWindows]
	}
	if linux.Forwarded(r.Place.Display) && r.Place.Wayland == "" {
		return append(order(r, wsl(r), false), open...)
	}
	return order(r, append(wsl(r), open...), false)
}

// wsl is the way out of a WSL distribution: Windows opens a console, which starts the helper in the distribution.
// cmd.exe looks for wsl.exe in the folder it is started in before all others; so that is its own, where wsl.exe lies too,
// and not the project, which may hold a program of that name. The helper goes to the project by itself.
func wsl(r Request) []Way {
	distribution := r.World.Getenv("WSL_DISTRO_NAME")
	if distribution == "" {
		return nil
	}
	cmd := r.World.LookPath("cmd.exe")
	if cmd == "" {
		cmd = r.World.LookPath("/mnt/c/Windows/System32/cmd.exe")
	}
	argv := linux.WSL(cmd, distribution, r.Helper, r.Job)
	if argv == nil {
		return nil
	}
	return []Way{{Name: "cmd.exe", Why: "WSL", Argv: argv, Env: windowEnv(r.World.Env, r.Place), Dir: filepath.Dir(cmd), Wait: slowWait}}
}

// emulatorOf names the emulator a process with that environment runs in.
func emulatorOf(getenv func(string) string) string { return linux.Around(getenv) }

// startsIn says whether a program may be started in a folder of that name.
func startsIn(program, dir string) bool {
	e, _ := linux.Find(program)
	return !e.Dollars || !strings.Contains(dir, "$")
}

// CloseWindow is for macOS: here a window closes with the program in it.
func CloseWindow(world.World, *os.File) error { return nil }

// windows lists the emulators that are here and can open a window on a display that answers.
func windows(r Request) []Way {
	var ways []Way
	for _, c := range linux.Choices(desk(r)) {
		argv := append(c.Argv, r.Helper, r.Job)
		ways = append(ways, Way{Name: c.Name, Why: c.Why, Argv: argv, Env: windowEnv(r.World.Env, r.Place)})
	}
	return ways
}

// desk looks at the displays of the place, a second at most.
func desk(r Request) linux.Desk {
	wayland := make(chan bool, 1)
	go func() { wayland <- linux.WaylandAnswers(r.Place.RuntimeDir, r.Place.Wayland, displayAnswer) }()
	return linux.Desk{
		X: linux.XAnswers(r.Place.Display, displayAnswer), Wayland: <-wayland,
		Terminal: r.World.Getenv("TERMINAL"), Around: r.Place.Emulator, Desktop: r.Place.Desktop, Look: r.World.LookPath,
	}
}

// systemTerminals lists the emulators that are here.
func systemTerminals(r Request) []Terminal {
	d := desk(r)
	var list []Terminal
	for _, e := range linux.Emulators() {
		if path := r.World.LookPath(e.Program); path != "" {
			list = append(list, Terminal{Name: e.Program, Path: path, Unfit: d.Unfit(e)})
		}
	}
	return list
}

// displays says which displays answer.
func displays(r Request) []string {
	d := desk(r)
	var list []string
	say := func(kind, name string, answers bool) {
		switch {
		case name == "":
		case answers:
			list = append(list, kind+" "+name+" answers")
		default:
			list = append(list, kind+" "+name+" does not answer")
		}
	}
	say("X", r.Place.Display, d.X)
	say("Wayland", r.Place.Wayland, d.Wayland)
	if len(list) == 0 {
		list = []string{"none"}
	}
	return list
}

// systemNamed opens an emulator, whatever its place in the order.
func systemNamed(r Request, name string) []Way {
	e, known := linux.Find(name)
	if !known {
		return nil
	}
	way := Way{Name: e.Program, Why: "by name", Env: windowEnv(r.World.Env, r.Place)}
	switch program := r.World.LookPath(e.Program); {
	case program == "":
		way.err = &NotFoundError{e.Program}
	default:
		way.Argv = e.Argv(program, r.Helper, r.Job)
	}
	return []Way{way}
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
