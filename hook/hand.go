package hook

import (
	"errors"
	"fmt"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

// ErrNothingRuns says that no assistant of vomgr's runs in a project.
var ErrNothingRuns = errors.New("no assistant of vomgr's runs here")

// End ends the recorded session of project now, and its chain with it; what is on its way there is not started any more.
func End(w world.World, project string) (platform.Ended, error) {
	const reason = "vomgr stop"
	store := chain.Store{Dir: w.StateDir(), Now: w.Now}
	log := newRecord(w, history.Entry{Project: project})
	defer log.flush()
	var session *chain.Session
	err := store.Project(project).Change(launcherWait, func(st *chain.State) error {
		session = st.Session
		if st.Chain != nil {
			st.Chain.Ended = reason
			log.chain(st.Chain, st.Chain.Hops)
		}
		st.InFlight = nil
		return nil
	})
	if err != nil {
		return platform.Ended{}, err
	}
	for _, j := range PendingJobs(store, project) {
		_, _ = store.Move(j, chain.Dropped, "")
	}
	log.step(history.Ended, reason)
	if !alive(session) {
		return platform.Ended{}, ErrNothingRuns
	}
	ended, err := endSession(*session)
	if err != nil {
		return ended, log.fail(history.Ended, fmt.Errorf("pid %d was left alone: %w", session.Pid, err))
	}
	log.step(history.Ended, outcome(*session, ended))
	return ended, nil
}

// Next hands the work of project over now, from its recorded session to target (nil: the one the settings name), in a
// new terminal, as if the assistant had stopped.
func Next(w world.World, project string, target *assistant.Assistant) error {
	if err := checkStateDir(w.StateDir()); err != nil {
		return err
	}
	set, err := settings.Load(w.SettingsPath())
	if err != nil {
		return err
	}
	if reason := badPlace(w, project, set.Scope.Folders); reason != "" {
		return fmt.Errorf("%s: %s", w.Tilde(project), reason)
	}
	store := chain.Store{Dir: w.StateDir(), Now: w.Now}
	st, err := store.Project(project).Read()
	if err != nil {
		return err
	}
	if st.Session == nil {
		return ErrNothingRuns
	}
	source := assistant.Target(st.Session.Tool)
	if target == nil {
		next := assistant.Target(set.Continuation(string(source.Name)).Target)
		target = &next
	}
	j := chain.Job{
		Source: string(source.Name), Target: string(target.Name), Reason: ReasonByHand, Project: project, ByHand: true,
	}
	if err := enrolNext(w, store, set, &j); err != nil {
		return err
	}
	log := recordJob(w, j)
	defer log.flush()
	order := handover{
		w: w, set: set, source: source, target: *target, project: project,
		values: promptValues{
			project: project, source: string(source.Name), target: string(target.Name), reason: ReasonByHand,
			hop: j.Hop, since: st.Session.Head,
		},
		session: st.Conversations[string(target.Name)],
		fresh:   st.Session.Tool == string(target.Name) && !set.KillOldSessions && alive(st.Session),
	}
	if err := order.fill(&j, log); err != nil {
		return err
	}
	if err := order.jobFile(j).Write(source.JobPath(w)); err != nil {
		return log.fail(history.Job, err)
	}
	if err := store.Put(j); err != nil {
		return log.fail(history.Job, err)
	}
	store.Supersede(j, platform.TokenAlive)
	log.step(history.Job, j.ID+", "+w.Tilde(source.JobPath(w)))
	log.flush()
	return awaitNext(w, store, j, source)
}

// enrolNext makes j the next hand-over of its project's chain.
func enrolNext(w world.World, store chain.Store, set settings.Settings, j *chain.Job) error {
	now := w.Now()
	return store.Project(j.Project).Change(launcherWait, func(st *chain.State) error {
		if st.Underway(now) {
			return fmt.Errorf("a hand-over is under way here already (job %s); vomgr status", st.InFlight.Job)
		}
		c := st.Chain
		if c == nil || c.Ended != "" {
			c = Begin(st, set, now)
		}
		c.Alive = now
		j.ID, j.Chain, j.Hop, j.Created, j.Order = chain.JobID(c.ID, c.Hops+1), c.ID, c.Hops+1, now, st.NextOrder(now)
		st.InFlight = &chain.InFlight{Job: j.ID, Since: now}
		return nil
	})
}

// awaitNext opens the terminal and tells whether the assistant runs there.
func awaitNext(w world.World, store chain.Store, j chain.Job, source assistant.Assistant) error {
	l := &launching{w: w, helper: source.HelperPath(w), store: store}
	if err := l.run(j.ID); err != nil {
		return err
	}
	now, err := store.Find(j.ID)
	if err != nil {
		return err
	}
	if now.Phase != chain.Started {
		return fmt.Errorf("%s was not started: the job is %s, since %s; vomgr log", j.Target, now.Phase, j.Created.Local().Format(time.TimeOnly))
	}
	return nil
}
