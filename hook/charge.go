package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/term"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/platform"
)

// grace is how long an assistant has between the request to end and the end by force.
const grace = 5 * time.Second

// earlyEnd is the time within which an assistant that ends by itself, before any turn of it ended, has failed to start.
const earlyEnd = 15 * time.Second

// charge is the assistant in a helper's care.
type charge struct {
	*resuming
	command []string
	restore func()
	cmd     *exec.Cmd
	session chain.Session
	before  *chain.Session // the project's record until now
}

// start starts the assistant and, in the same locked change, makes it the project's recorded session: its stop can
// come a second later.
func (c *charge) start() error {
	var startErr error
	err := c.store.Project(c.job.Project).Change(launcherWait, func(st *chain.State) error {
		job, err := c.store.Move(c.job, chain.Starting, c.me.Token())
		if err != nil {
			return err
		}
		c.job = job
		if startErr = c.spawn(); startErr != nil {
			c.job, err = c.store.Move(c.job, chain.Failed, "")
			st.Landed(c.job.ID)
			return err
		}
		c.before = st.Session
		session := c.session
		st.Session = &session
		st.Landed(c.job.ID)
		if st.Chain != nil && st.Chain.ID == c.job.Chain {
			st.Chain.Started(c.job.Hop, c.session.Began)
			if len(st.Chain.Place) == 0 {
				keepPlace(st.Chain, platform.PlaceOf(c.w.Getenv))
			}
		}
		c.job, err = c.store.Move(c.job, chain.Started, c.me.Token())
		return err
	})
	if startErr != nil {
		return c.log.fail(history.Started, startErr)
	}
	if err != nil {
		_ = c.log.fail(history.Started, err)
		if c.cmd == nil {
			return err
		}
	}
	c.log.step(history.Started, fmt.Sprintf("%s, pid %d", c.job.Target, c.session.Pid))
	return nil
}

// spawn starts the command in the project's folder, at this terminal.
func (c *charge) spawn() error {
	path := c.command[0]
	if !filepath.IsAbs(path) {
		path = c.w.LookPath(c.command[0])
	}
	if path == "" {
		return fmt.Errorf("%w; install it, then: vomgr run", &platform.NotFoundError{Program: c.command[0]})
	}
	if fi, err := os.Stat(c.job.Cwd); err != nil || !fi.IsDir() {
		return fmt.Errorf("the project folder %s is gone", c.job.Cwd)
	}
	program, err := platform.Program(c.w, path)
	if err != nil {
		return fmt.Errorf("%w under [commands] in settings.toml", err)
	}
	cmd := &exec.Cmd{Path: program[0], Args: append(append([]string{c.command[0]}, program[1:]...), c.command[1:]...)}
	cmd.Dir = c.job.Cwd
	cmd.Env = c.environ(path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if c.job.Core > 0 {
		platform.SetCore(c.job.Core)
	}
	now := c.w.Now()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", c.job.Target, err)
	}
	c.cmd = cmd
	c.session = chain.Session{
		Tool: c.job.Target, Pid: cmd.Process.Pid, StartTime: now.Local().Format(isoMicro), Cwd: c.job.Project,
		Job: c.job.ID, Began: now, Prompt: envValue(c.job.Env, "VOMGR_PROMPT"), Head: headOf(c.job.Project),
	}
	if id, err := platform.Identify(cmd.Process.Pid); err == nil {
		c.session.Start, c.session.Boot = id.Start, id.Boot
	}
	return nil
}

// notStarted says why nothing was started and gives the exit status.
func (c *charge) notStarted(err error) int {
	fmt.Fprintf(c.w.Stderr, "vomgr: %s\n", oneLine(err.Error()))
	c.waitForKey()
	var missing *platform.NotFoundError
	if errors.As(err, &missing) || errors.Is(err, os.ErrNotExist) {
		return statusNotFound
	}
	return statusFailed
}

// replaceOld ends the assistant before this one.
func (c *charge) replaceOld() {
	if envValue(c.job.Env, "VOMGR_KILL_OLD") != "1" {
		c.log.step(history.Replaced, "nothing: kill_old_sessions is off")
		return
	}
	targets := c.earlier()
	if len(targets) == 0 {
		c.log.step(history.Replaced, "nothing: no earlier session of vomgr's is recorded here")
	}
	for _, t := range targets {
		ended, err := platform.End(context.Background(), t, grace, func(p platform.Process) bool { return assistant.Shared(p.Args) })
		switch {
		case errors.Is(err, platform.ErrNoProcess):
			c.log.step(history.Replaced, fmt.Sprintf("pid %d had ended already", t.Identity.Pid))
		case err != nil:
			_ = c.log.fail(history.Replaced, fmt.Errorf("pid %d was left alone: %w", t.Identity.Pid, err))
		default:
			how := "gone"
			if ended.Killed {
				how = "killed"
			}
			c.log.step(history.Replaced, fmt.Sprintf("pid %d and %d below it, %s in %.1f s", t.Identity.Pid, len(ended.Pids)-1, how, ended.Took.Seconds()))
		}
	}
}

// earlier lists the sessions of this project that are to end: the project's own record; what session_state.json
// names, if it is of this project and another process (a record of the Python original's, or one that a crash left
// behind); and the assistant a person started, where the settings say so.
func (c *charge) earlier() []platform.Target {
	var targets []platform.Target
	add := func(s *chain.Session) {
		if s != nil && s.Pid > 1 && s.Pid != c.session.Pid {
			t := platform.Target{Identity: identity(s), Marks: assistant.Marks()}
			if s.Start == "" {
				t.Started, _ = sessionState{StartTime: s.StartTime}.started()
			}
			targets = append(targets, t)
		}
	}
	add(c.before)
	if s, ok := readSessionState(c.w); ok && (c.before == nil || s.Pid != c.before.Pid) {
		if dir, ok := ResolveDir(s.Cwd); ok && dir == c.job.Project {
			add(&chain.Session{Pid: s.Pid, StartTime: s.StartTime})
		}
	}
	add(c.job.First)
	return targets
}

// stay waits for the assistant's end and gives the exit status.
func (c *charge) stay() int {
	stop := forwardSignals(c.cmd.Process)
	err := c.cmd.Wait()
	stop()
	status := exitStatus(c.cmd, err)
	st, readErr := c.store.Project(c.job.Project).Read()
	mine := readErr != nil || st.Session != nil && st.Session.Job == c.job.ID
	if !mine {
		c.restore()
		c.log.step(history.Exited, "replaced")
		c.log.flush()
		if c.set.Terminals.KeepOpen {
			c.waitForKey()
		}
		return 0
	}
	early := c.w.Now().Sub(c.session.Began) < earlyEnd && readErr == nil && st.Session.Stops == 0
	c.log.step(history.Exited, fmt.Sprintf("%s, status %d", c.job.Target, status))
	c.log.flush()
	if early && status == 1 && c.job.Again != nil {
		return c.startAgain()
	}
	if status > 128 {
		c.restore()
	}
	if early && status != 0 && status < 128 {
		fmt.Fprintf(c.w.Stderr, "\r\nvomgr: %s ended with status %d before it finished a turn; what it said is above\r\nhint: vomgr doctor\r\n", c.job.Target, status)
		c.waitForKey()
	}
	return status
}

// startAgain starts Claude without --continue, which ends with 1 when the folder has no conversation to go on with.
func (c *charge) startAgain() int {
	c.command, c.job.Again = c.job.Again, nil
	if err := c.spawn(); err != nil {
		_ = c.log.fail(history.Started, err)
		c.log.flush()
		return c.notStarted(err)
	}
	err := c.store.Project(c.job.Project).Change(launcherWait, func(st *chain.State) error {
		if st.Session != nil && st.Session.Job == c.job.ID {
			session := c.session
			st.Session = &session
		}
		return nil
	})
	if err != nil {
		_ = c.log.fail(history.Started, err)
	}
	c.log.step(history.Started, fmt.Sprintf("%s, pid %d, once more: no conversation to go on with", c.job.Target, c.session.Pid))
	c.record(c, "session_state.json, once more")
	c.log.flush()
	return c.stay()
}

// exitStatus is the assistant's own, 128+n when signal n ended it.
func exitStatus(cmd *exec.Cmd, err error) int {
	if cmd.ProcessState == nil {
		return statusFailed
	}
	if n, ok := platform.EndedBySignal(cmd.ProcessState); ok {
		return 128 + n
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return statusFailed
	}
	return cmd.ProcessState.ExitCode()
}

// waitForKey keeps the window until a key is pressed; away from a terminal it returns at once.
func (c *charge) waitForKey() {
	fd := int(os.Stdin.Fd())
	if !term.IsTerminal(fd) {
		return
	}
	old, err := term.MakeRaw(fd)
	if err != nil {
		return
	}
	defer term.Restore(fd, old) //nolint:errcheck // the window closes next
	fmt.Fprint(c.w.Stderr, "press a key to close this window\r\n")
	_, _ = os.Stdin.Read(make([]byte, 1))
}
