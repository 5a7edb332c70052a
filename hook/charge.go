package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/term"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/platform"
)

// grace is how long an assistant has between the request to end and the end by force.
const grace = 5 * time.Second

// earlyEnd is the time within which an assistant that ends by itself, before any turn of it ended, has failed to start. On
// a busy machine Claude Code 2.1.332 took 20.7 s to say that there is no conversation to continue, measured.
const earlyEnd = time.Minute

// endedEarly tells whether a session that ended at now had failed to start.
func endedEarly(s, recorded chain.Session, now time.Time) bool {
	return now.Sub(s.Began) < earlyEnd && recorded.Stops == 0
}

// errReplaced says that another assistant has become the project's session.
var errReplaced = errors.New("replaced")

// charge is the assistant in a helper's care.
type charge struct {
	*resuming
	command []string
	restore func()
	changed func() bool // the terminal's modes are other than before
	cmd     *exec.Cmd
	session chain.Session
	before  []chain.Session // those to be ended now
}

// start starts the assistant and, in the same locked change, makes it the project's recorded session: its stop can
// come a second later.
func (c *charge) start() (err error) {
	c.job, c.before, err = c.store.Start(launcherWait, chain.Start{
		Job: c.job, Despite: c.despite, Replace: envValue(c.job.Env, "VOMGR_KILL_OLD") == "1",
		Spawn: func() (chain.Session, error) {
			crashAt(c.w, "helper starting")
			err := c.spawn()
			crashAt(c.w, "helper spawned")
			return c.session, err
		},
		Note: func(ch *chain.Chain) {
			if len(ch.Place) == 0 {
				keepPlace(ch, platform.PlaceOf(c.w.Getenv))
			}
		},
	})
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
	cmd := &exec.Cmd{Path: program[0], Args: append(program, c.command[1:]...)}
	if program[0] == path {
		cmd.Args[0] = c.command[0]
	}
	cmd.Dir = c.job.Cwd
	cmd.Env = c.environ(path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if c.job.Core > 0 {
		platform.SetCore(c.job.Core)
	}
	head, now := headOf(c.job.Project), c.w.Now()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", c.job.Target, err)
	}
	c.cmd = cmd
	c.session = chain.Session{
		Tool: c.job.Target, Pid: cmd.Process.Pid, StartTime: now.Local().Format(isoMicro), Cwd: c.job.Project,
		Job: c.job.ID, Began: now, Prompt: envValue(c.job.Env, "VOMGR_PROMPT"), Head: head,
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
	for _, s := range targets {
		c.endOne(s)
	}
	if len(c.before) == 0 {
		return
	}
	err := c.store.Project(c.job.Project).Change(launcherWait, func(st *chain.State) error {
		st.Left(c.before)
		return nil
	})
	if err != nil {
		_ = c.log.fail(history.Replaced, err)
	}
}

// endOne ends a session, if it is still the process that was recorded.
func (c *charge) endOne(s chain.Session) {
	ended, err := endSession(s)
	switch {
	case errors.Is(err, platform.ErrNoProcess):
		c.log.step(history.Replaced, fmt.Sprintf("pid %d had ended already", s.Pid))
	case err != nil:
		_ = c.log.fail(history.Replaced, fmt.Errorf("pid %d was left alone: %w", s.Pid, err))
	default:
		c.log.step(history.Replaced, outcome(s, ended))
	}
}

// endSession ends the process of a record with all below it, but for Codex's shared server.
func endSession(s chain.Session) (platform.Ended, error) {
	t := platform.Target{Identity: identity(&s), Marks: assistant.Marks()}
	if s.Start == "" {
		t.Started, _ = sessionState{StartTime: s.StartTime}.started()
	}
	return platform.End(context.Background(), t, grace, func(p platform.Process) bool { return assistant.Shared(p.Args) })
}

// outcome says how a session ended.
func outcome(s chain.Session, ended platform.Ended) string {
	how := "gone"
	if ended.Killed {
		how = "killed"
	}
	return fmt.Sprintf("pid %d and %d below it, %s in %.1f s", s.Pid, len(ended.Pids)-1, how, ended.Took.Seconds())
}

// earlier lists the sessions of this project that are to end: those that the project's record names, the one a helper
// died over too; and what session_state.json names, if it is of this project and another process (a record of the
// Python original's, or one whose project's record was lost).
func (c *charge) earlier() []chain.Session {
	targets := slices.Clone(c.before)
	s, ok := readSessionState(c.w)
	if !ok || s.Pid == c.session.Pid || slices.ContainsFunc(targets, func(t chain.Session) bool { return t.Pid == s.Pid }) {
		return targets
	}
	if dir, ok := ResolveDir(s.Cwd); ok && dir == c.job.Project {
		targets = append(targets, chain.Session{Pid: s.Pid, StartTime: s.StartTime})
	}
	return targets
}

// stay waits for the assistant's end and gives the exit status.
func (c *charge) stay() int {
	stop := c.signals.pass(c.asked)
	err := c.cmd.Wait()
	stop()
	status := exitStatus(c.cmd, err)
	st, readErr := c.store.Project(c.job.Project).Read()
	mine := readErr != nil || st.Session != nil && st.Session.Job == c.job.ID
	if !mine {
		c.restore()
		c.log.step(history.Exited, "replaced")
		c.log.flush()
		if readErr == nil && st.Session != nil {
			fmt.Fprintf(c.w.Stdout, "\r\n[vomgr] %s goes on in %s; to join it: vomgr attach\r\n", st.Session.Tool, c.w.Tilde(c.job.Project))
		}
		if c.set.Terminals.KeepOpen {
			c.waitForKey()
		}
		return 0
	}
	early := readErr == nil && endedEarly(c.session, *st.Session, c.w.Now())
	c.log.step(history.Exited, fmt.Sprintf("%s, status %d", c.job.Target, status))
	c.log.flush()
	if early && status == 1 && c.job.Again != nil {
		return c.startAgain()
	}
	if status > 128 || c.changed() { // a crash need not end by a signal
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
	fmt.Fprintf(c.w.Stdout, "[vomgr] no conversation to go on with here; %s begins a new one\n", c.job.Target)
	c.command, c.job.Again = c.job.Again, nil
	err := c.store.Project(c.job.Project).Change(launcherWait, func(st *chain.State) error {
		if st.Session == nil || st.Session.Job != c.job.ID {
			return errReplaced
		}
		if err := c.spawn(); err != nil {
			return err
		}
		session := c.session
		st.Session = &session
		return nil
	})
	if errors.Is(err, errReplaced) {
		return 0
	}
	if err != nil {
		_ = c.log.fail(history.Started, err)
		c.log.flush()
		if c.cmd.ProcessState != nil { // still the one that ended
			return c.notStarted(err)
		}
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
	c.signals.stop()
	if c.signals.came() > 0 || !term.IsTerminal(fd) {
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

// asked ends the assistant, since the helper was asked to end or its window was closed, with what is below it: Claude
// leaves the programs of its shell tool behind when its window closes, and Gemini's wrapper does not hear a request
// (measured with Claude Code 2.1.197 and Gemini CLI 0.61.0).
func (c *charge) asked(hangsUp bool) {
	if _, err := endSession(c.session); err != nil && !errors.Is(err, platform.ErrNoProcess) {
		tell(c.cmd.Process, hangsUp) // a program of another name, which is not ended by force
	}
}
