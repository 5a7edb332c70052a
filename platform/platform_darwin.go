package platform

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform/darwin"
)

const (
	directIfUnset = false
	systemShell   = posix // reads {command} when a template names no shell
)

// macOS is what package darwin knows.
var macOS = applications{darwin.Known, func(r Request, app string) []Way {
	own := darwin.Windows(darwin.Request{App: app, Helper: r.Helper, Job: r.Job, Command: commandFile(r), Look: r.World.LookPath})
	ways := make([]Way, len(own))
	for i, w := range own {
		ways[i] = Way{Name: w.Name, Argv: w.Argv, AsksPerson: w.AsksPerson, command: w.Command, explain: darwin.Explain}
	}
	return ways
}}

func systemWays(r Request) []Way { return macOS.ways(r) }

// systemTerminals lists the terminal applications that are installed where applications are.
func systemTerminals(r Request) []Terminal {
	var list []Terminal
	for _, name := range darwin.Applications() {
		for _, dir := range []string{"/System/Applications/Utilities", "/Applications", filepath.Join(r.World.Home, "Applications")} {
			path := filepath.Join(dir, name+".app")
			if _, err := os.Stat(path); err == nil {
				list = append(list, Terminal{Name: name, Path: path})
				break
			}
		}
	}
	return list
}

// displays is for Linux.
func displays(Request) []string { return nil }

// systemNamed opens an application by its name.
func systemNamed(r Request, name string) []Way {
	if !darwin.Known(name) {
		return nil
	}
	return macOS.named(r, name, "by name")
}

// emulatorOf is for Linux.
func emulatorOf(func(string) string) string { return "" }

// startsIn is for Linux.
func startsIn(string, string) bool { return true }

// CloseWindow closes the window that f is the terminal of, a moment after this process has ended; for a helper in a
// window that vomgr opened, as its last act. Only Terminal needs it: it keeps the windows of ended programs.
func CloseWindow(w world.World, f *os.File) error {
	osascript := w.LookPath("osascript")
	if osascript == "" || w.Getenv("TERM_PROGRAM") != "Apple_Terminal" {
		return nil
	}
	tty, err := darwin.TerminalName(f)
	if err != nil {
		return fmt.Errorf("closing the window: %w", err)
	}
	if _, err = Detach(Start{Argv: darwin.CloseWindow(osascript, tty), Env: w.Env}); err != nil {
		return fmt.Errorf("closing the window: %w", err)
	}
	return nil
}

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
