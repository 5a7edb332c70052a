package hook

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

// Exit statuses of the helper beside the assistant's own.
const (
	statusFailed   = 1
	statusNotFound = 127
)

// resuming is one run of the helper.
type resuming struct {
	w     world.World
	store chain.Store
	set   settings.Settings
	job   chain.Job
	me    platform.Identity
	log   *record

	despite string   // how the job's chain had ended when it was claimed
	signals *signals // from the claim on
}

// Resume is the helper of source, in the new terminal: it takes the job that args names, else the newest pending one of
// source, else what source's job file says, starts the assistant, ends the one before it, and waits. The result is the
// assistant's exit status; 0 when it was replaced by the next one.
func Resume(w world.World, source assistant.Assistant, programs string, args []string) int {
	r, err := newResuming(w)
	if err == nil {
		err = r.choose(source, programs, args)
	}
	if err != nil {
		say(w, err)
		return statusFailed
	}
	status := r.run()
	_ = platform.CloseWindow(w, os.Stdin) // a window that stays open is all that comes of it
	return status
}

func newResuming(w world.World) (*resuming, error) {
	if err := checkStateDir(w.StateDir()); err != nil {
		return nil, err
	}
	return &resuming{w: w, store: chain.Store{Dir: w.StateDir(), Now: w.Now}, me: platform.Self()}, nil
}

// choose finds the job to run.
func (r *resuming) choose(source assistant.Assistant, programs string, args []string) (err error) {
	r.store.GiveBack(platform.TokenAlive)
	if len(args) > 0 {
		if len(args) > 1 || !chain.ValidID(args[0]) {
			return fmt.Errorf("%q is no job id; the helper is started by vomgr, by hand it is: vomgr run", args[0])
		}
		if r.job, err = r.store.Find(args[0]); err != nil {
			return fmt.Errorf("job %s: %w", args[0], err)
		}
		if carried, ok := r.store.Carried(r.job.ID); ok {
			r.w.Env = platform.Environ(carried, r.w.Env)
		}
		return nil
	}
	jobs, err := r.store.Jobs(chain.Pending)
	if err != nil {
		return err
	}
	for _, j := range slices.Backward(jobs) {
		if j.Source == string(source.Name) {
			j.ByHand = true
			r.job = j
			return nil
		}
	}
	return r.fromFile(source, filepath.Join(programs, filepath.Base(source.Job)))
}

// fromFile makes a job of the seed's job file.
func (r *resuming) fromFile(source assistant.Assistant, path string) error {
	f, err := ReadJobFile(path)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(f.Cwd) {
		f.Cwd = filepath.Join(r.w.Dir, f.Cwd)
	}
	project, ok := ResolveDir(f.Cwd)
	if !ok {
		return fmt.Errorf("job file %s: the folder %s is gone", path, f.Cwd)
	}
	j := chain.Job{
		Source: string(source.Name), Target: cmp.Or(envValue(f.Env, "VOMGR_TARGET_TOOL"), assistant.Base(f.Command[0])), Reason: ReasonByHand,
		Project: project, ByHand: true, Command: f.Command, Cwd: f.Cwd, Env: f.Env,
	}
	if err := r.enrol(&j); err != nil {
		return err
	}
	return r.put(j)
}

// enrol makes j, which a person wants, a start in its project's chain. It is no hand-over: its hop is that of the latest
// one, 0 in a new chain.
func (r *resuming) enrol(j *chain.Job) error {
	set, err := settings.Load(r.w.SettingsPath())
	if err != nil {
		return err
	}
	now := r.w.Now()
	return r.store.Project(j.Project).Change(launcherWait, func(st *chain.State) error {
		c := st.Chain
		if c == nil || c.Ended != "" || now.Sub(c.Alive) > chain.Idle && !alive(st.Session) {
			c = Begin(st, set, now)
		}
		j.ID, j.Chain, j.Hop, j.Created, j.Order = chain.JobID(c.ID, c.Hops), c.ID, c.Hops, now, st.NextOrder(now)
		st.InFlight = &chain.InFlight{Job: j.ID, Since: now}
		return nil
	})
}

// put writes j and takes it as the job of this helper.
func (r *resuming) put(j chain.Job) error {
	j.Phase = chain.Pending
	r.job = j
	if err := r.store.Put(j); err != nil {
		return err
	}
	r.store.Supersede(j, platform.TokenAlive)
	return nil
}

// run takes the job, starts the assistant and stays until it ends.
func (r *resuming) run() int {
	r.log = recordJob(r.w, r.job)
	defer func() { r.log.flush() }()
	r.signals = catchSignals()
	defer r.signals.stop()
	crashAt(r.w, "helper began")
	if err := r.claim(); err != nil {
		say(r.w, err)
		r.log.flush()
		return statusFailed
	}
	platform.HearInterrupts()
	c := &charge{resuming: r, command: r.job.Command}
	crashAt(r.w, "helper claimed")
	c.restore, c.changed = platform.SaveTerminal(os.Stdin)
	if n := r.signals.came(); n > 0 {
		return r.giveUp(n)
	}
	if err := c.start(); err != nil {
		r.log.flush()
		return c.notStarted(err)
	}
	r.log.flush()
	crashAt(r.w, "helper started")
	c.replaceOld()
	crashAt(r.w, "helper replaced")
	r.record(c, "session_state.json")
	crashAt(r.w, "helper recorded")
	r.notify()
	r.log.flush()
	return c.stay()
}

// giveUp gives the job back: the helper was asked to end before it started anything.
func (r *resuming) giveUp(signal int) int {
	_, err := r.store.Move(r.job, chain.Pending, "")
	err = errors.Join(fmt.Errorf("signal %d came before the start; vomgr run in %s starts it", signal, r.w.Tilde(r.job.Project)), err)
	_ = r.log.fail(history.Claimed, err)
	return 128 + signal
}

// claim takes the job, after a look at what may have changed since it was made.
func (r *resuming) claim() (err error) {
	if r.set, err = settings.Load(r.w.SettingsPath()); err != nil {
		return r.log.fail(history.Claimed, err)
	}
	j := r.job
	if j.Phase != chain.Pending {
		return r.log.fail(history.Claimed, fmt.Errorf("job %s: %w (%s)", j.ID, chain.ErrTaken, j.Phase))
	}
	st, err := r.store.Project(j.Project).Read()
	if err != nil {
		return r.log.fail(history.Claimed, err)
	}
	if st.Chain != nil && st.Chain.ID == j.Chain {
		r.despite = st.Chain.Ended
	}
	if reason := r.hindered(st); reason != "" {
		r.leaveResting(reason)
		return r.log.fail(history.Claimed, fmt.Errorf("job %s is not started: %s", j.ID, reason))
	}
	if r.job, err = r.store.Move(j, chain.Claimed, r.me.Token()); err != nil {
		return r.log.fail(history.Claimed, fmt.Errorf("job %s: %w", j.ID, err))
	}
	r.log.step(history.Claimed, fmt.Sprintf("helper, pid %d", r.me.Pid))
	return nil
}

// leaveResting notes in the job why it waits, so that the launcher does not open one window after the other.
func (r *resuming) leaveResting(reason string) {
	j, err := r.store.Find(r.job.ID)
	if err == nil && j.Phase == chain.Pending {
		_, _ = r.store.Revise(j, r.me.Token(), func(j *chain.Job) { j.Rests = reason })
	}
}

// hindered gives the reason for which the job must not be started any more, or "". A person's own wish is not held up.
func (r *resuming) hindered(st chain.State) string {
	j, now := r.job, r.w.Now()
	if r.store.Newer(j) {
		_, _ = r.store.Move(j, chain.Superseded, "")
		return "a newer job of this project took its place"
	}
	if j.ByHand {
		return ""
	}
	switch {
	case !r.set.Continuation(j.Source).Enabled:
		_, _ = r.store.Move(j, chain.Dropped, "")
		return "the continuation of " + j.Source + " was switched off"
	case r.store.Paused() != nil:
		return "paused; vomgr resume, then vomgr run starts it"
	case r.set.Scope.Mode == settings.OnlyFolders && !inScope(j.Project, r.set.Scope.Folders, r.w.Home):
		return `scope "only": this folder is not listed; vomgr run starts it`
	case j.Stale(now):
		return "it was made at " + j.Created.Local().Format("15:04:05") + " and is too old to start by itself; vomgr run starts it"
	}
	if r.set.Scope.Mode == settings.Armed && !st.ArmedAt(now) {
		return `scope "armed": the night here is over; vomgr run starts it`
	}
	if c := st.Chain; c != nil && c.ID == j.Chain {
		for _, over := range []string{c.Ended, handoversOver(c, r.set.Limits), hoursOver(c, r.set.Limits, now), hourCame(c, now)} {
			if over != "" {
				return over
			}
		}
	}
	return ""
}

// record writes session_state.json, with the project locked: ending the old assistant can take longer than a turn of the
// new one, and the file names the latest.
func (r *resuming) record(c *charge, detail string) {
	err := r.store.Project(r.job.Project).Change(launcherWait, func(st *chain.State) error {
		if st.Session != nil && st.Session.Job != r.job.ID {
			detail = "left to the next one, which runs already"
			return nil
		}
		return writeSessionState(r.w, c.session)
	})
	if err != nil {
		_ = r.log.fail(history.Recorded, err)
		return
	}
	r.log.step(history.Recorded, detail)
}

// notify tells the person at the terminal.
func (r *resuming) notify() {
	if envValue(r.job.Env, "VOMGR_NOTIFICATION_ENABLED") != "1" {
		return
	}
	message := harmless(envValue(r.job.Env, "VOMGR_NOTIFICATION_MESSAGE"))
	if r.job.Reason == ReasonByHand && r.job.Source == r.job.Target {
		message = r.job.Target + " starts here; when it stops, the next one goes on"
	}
	fmt.Fprintf(r.w.Stdout, "[vomgr] %s\n", message)
	r.log.step(history.Notified, message)
}

// environ is what the assistant finds in its environment.
func (r *resuming) environ(program string) []string {
	env := withPath(assistant.CleanEnv(r.w.Env), program)
	for _, kv := range r.job.Env {
		env = append(env, kv[0]+"="+kv[1])
	}
	return env
}
