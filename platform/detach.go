package platform

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
)

// Start is a program to be started.
type Start struct {
	Path string   // the program, absolute; "" is Argv[0]. Nothing is looked up
	Argv []string // Argv[0] is the name the program is called by
	Dir  string   // "" is the folder of this process
	Env  []string // the whole environment; nil is that of this process
}

// Detach starts a program that outlives its starter: in a session of its own (Windows: in a console of its own that
// has no window, and outside the starter's job), with the null device on 0, 1 and 2 and no other
// descriptor. It becomes an orphan when this process ends, which a hook does at once; one that goes on collects it.
func Detach(s Start) (pid int, err error) {
	if len(s.Argv) == 0 {
		return 0, errors.New("starting a detached program: no program named")
	}
	CloseOnExec()
	cmd, err := startDetached("", func() *exec.Cmd { return command(s) })
	if err != nil {
		return 0, fmt.Errorf("starting %s: %w", cmp.Or(s.Path, s.Argv[0]), plain(err))
	}
	pid = cmd.Process.Pid
	go func() { _ = cmd.Wait() }()
	return pid, nil
}

// command builds the command without looking its program up anywhere. Streams left nil are the null device.
func command(s Start) *exec.Cmd {
	return &exec.Cmd{Path: cmp.Or(s.Path, s.Argv[0]), Args: s.Argv, Dir: s.Dir, Env: s.Env}
}

// CloseOnExec sees to it that no program started from here inherits a descriptor from 3 upwards: assistants wait for
// the end of file on those they gave to a hook (measured with Claude Code 2.1.197 and Gemini CLI 0.61.0).
// Windows hands on none that is not named.
func CloseOnExec() { closeOnExec() }
