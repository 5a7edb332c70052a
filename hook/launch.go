package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

// launching is one run of the detached launcher.
type launching struct {
	w      world.World
	helper string
	store  chain.Store
	set    settings.Settings
	job    chain.Job
	log    *record
}

// Launch opens a terminal in which helper takes the job called id, waits until the assistant runs there, and tries the
// next way if it does not; when no way is left the job stays pending. The result is the exit status.
//
// hook is the token of the process that started it: a terminal opened while that still ends would run below the old
// assistant, which could then not be ended.
func Launch(w world.World, id, helper, hook string) int {
	l := &launching{w: w, helper: helper, store: chain.Store{Dir: w.StateDir(), Now: w.Now}}
	for range hookEnd / hookLook {
		if !platform.TokenAlive(hook) {
			break
		}
		time.Sleep(hookLook)
	}
	if err := l.run(id); err != nil {
		say(w, err)
		return 1
	}
	return 0
}

func (l *launching) run(id string) (err error) {
	if l.job, err = l.store.Find(id); err != nil {
		return fmt.Errorf("job %s: %w", id, err)
	}
	l.log = recordJob(l.w, l.job)
	defer func() { l.log.flush() }()
	defer l.store.Prune()
	defer l.landed()
	crashAt(l.w, "launcher began")
	if l.set, err = settings.Load(l.w.SettingsPath()); err != nil {
		return l.log.fail(history.Terminal, err)
	}
	if _, err := os.Stat(l.job.Project); err != nil {
		if j, err := l.store.Find(l.job.ID); err == nil && j.Phase == chain.Pending {
			_, _ = l.store.Move(j, chain.Dropped, "")
		}
		return l.log.fail(history.Terminal, fmt.Errorf("the project folder %s is gone", l.job.Project))
	}
	if !l.job.ByHand && l.typed() {
		l.leaveToPerson()
		return nil
	}
	if over := l.changedNothing(); over != "" && !l.job.ByHand {
		l.end(over)
		return nil
	}
	request := platform.Request{
		Helper: l.helper, Job: l.job.ID, Project: l.job.Project,
		Template: l.set.Template(l.job.Target, runtime.GOOS), Place: l.place(), World: l.cleanWorld(),
	}
	if l.job.Rests != "" {
		_ = l.revise(func(j *chain.Job) { j.Rests = "" }) // from here on it says what a helper found
	}
	if err := l.store.Carry(l.job.ID, platform.Carried(request.World.Env, request.Place)); err != nil {
		return l.log.fail(history.Terminal, err)
	}
	defer l.store.Drop(l.job.ID)
	for _, way := range platform.Ways(request) {
		if way.Direct {
			continue // the hook would have run the helper itself
		}
		opened := l.w.Now()
		done, err := l.try(way)
		if err != nil {
			err = fmt.Errorf("%s: %w", way.Name, err)
		}
		l.log.stepAt(opened, history.Terminal, way.Name, err)
		l.log.flush()
		if done {
			return nil
		}
	}
	l.log.step(history.Rested, "no terminal could be opened; vomgr run in "+l.w.Tilde(l.job.Project)+" starts it")
	l.rest()
	return nil
}

// cleanWorld is the world without what the former assistant left in the environment.
func (l *launching) cleanWorld() world.World {
	w := l.w
	w.Env = assistant.CleanEnv(w.Env)
	return w
}

// place is where the windows of this chain open: where the chain began, since an assistant's shared server may carry
// the environment of another day.
func (l *launching) place() platform.Place {
	var place platform.Place
	st, err := l.store.Project(l.job.Project).Read()
	if err == nil && st.Chain != nil && len(st.Chain.Place) > 0 && json.Unmarshal(st.Chain.Place, &place) == nil {
		return place
	}
	place = platform.PlaceOf(l.w.Getenv)
	_ = l.store.Project(l.job.Project).Change(launcherWait, func(st *chain.State) error {
		keepPlace(st.Chain, place)
		return nil
	})
	return place
}

// keepPlace notes where a chain's windows open, once.
func keepPlace(c *chain.Chain, place platform.Place) {
	if c == nil || len(c.Place) > 0 || place == (platform.Place{}) {
		return
	}
	c.Place, _ = json.Marshal(place)
}

// hookEnd is how long the launcher waits for the hook to be gone, looking every hookLook.
const (
	hookEnd  = 2 * time.Second
	hookLook = 2 * time.Millisecond
)

// launcherWait is how long those parts wait for a project's lock for which no assistant waits.
const launcherWait = 10 * time.Second

// try opens one way and waits for what becomes of the job. done is true when nothing more is to be tried.
func (l *launching) try(way platform.Way) (done bool, err error) {
	if way.AsksPerson {
		// A person may be asked whether vomgr may open windows: their answer may come late, and still counts.
		if err := l.patient(); err != nil {
			return true, err
		}
	}
	early, err := platform.Open(way)
	if err != nil {
		return false, err
	}
	crashAt(l.w, "launcher opened")
	deadline := time.NewTimer(way.Wait)
	defer deadline.Stop()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	var failed error
	again := false
	for {
		select {
		case failed = <-early:
			early = nil
		case <-look.C:
		case <-deadline.C:
			done, err := l.arrived()
			switch {
			case done || err != nil:
				return done, err
			case l.unclaimed():
				return false, way.Silence("was started")
			case again:
				return true, fmt.Errorf("a helper took the job and has not started it within %s", way.Wait)
			}
			again = true // the helper that has it gets as long
			deadline.Reset(way.Wait)
		}
		if done, err := l.arrived(); done || err != nil {
			return done, err
		}
		if failed != nil && l.unclaimed() {
			return false, failed
		}
	}
}

func (l *launching) unclaimed() bool {
	j, err := l.store.Find(l.job.ID)
	return err == nil && j.Phase == chain.Pending && j.Rests == ""
}

// arrived looks where the job is; done is true when nothing more is to be waited for. A helper that died before it
// started anything gives the job back.
func (l *launching) arrived() (done bool, err error) {
	j, err := l.store.Find(l.job.ID)
	switch {
	case errors.Is(err, chain.ErrNoJob):
		return true, errors.New("the job was removed")
	case err != nil:
		return false, err
	}
	dead := !platform.TokenAlive(j.Claimant)
	switch {
	case j.Phase == chain.Started, j.Phase == chain.Failed:
		return true, nil // a terminal opened; why no assistant started in it, the helper said
	case j.Phase == chain.Pending && j.Rests != "":
		return true, errors.New("the window opened, and nothing is started in it: " + j.Rests)
	case j.Phase == chain.Pending:
		return false, nil
	case j.Phase == chain.Claimed && dead:
		l.store.GiveBack(platform.TokenAlive)
		return false, errors.New("the helper died before it started anything")
	case j.Phase == chain.Starting && dead:
		return l.diedStarting()
	case j.Phase == chain.Claimed || j.Phase == chain.Starting:
		return false, nil
	default:
		return true, fmt.Errorf("the job is %s", j.Phase)
	}
}

// diedStarting is for a helper that died between its start and its last word: the project's record tells whether it did
// start the assistant.
func (l *launching) diedStarting() (done bool, err error) {
	l.store.GiveBack(platform.TokenAlive)
	if j, err := l.store.Find(l.job.ID); err == nil && j.Phase == chain.Started {
		return true, nil
	}
	return true, fmt.Errorf("the helper died while it started %s; look whether that runs, if not: vomgr run %s", l.job.Target, l.job.Target)
}

// patient lets the job be started for ten minutes.
func (l *launching) patient() error {
	return l.revise(func(j *chain.Job) { j.Patience = chain.Duration(10 * time.Minute) })
}

// rest leaves the job pending, with the reason.
func (l *launching) rest() {
	_ = l.revise(func(j *chain.Job) { j.Rests = "no terminal could be opened" })
}

// revise changes the job if no helper has taken it.
func (l *launching) revise(change func(*chain.Job)) error {
	j, err := l.store.Find(l.job.ID)
	if err != nil || j.Phase != chain.Pending {
		return err
	}
	_, err = l.store.Revise(j, platform.Self().Token(), change)
	if errors.Is(err, chain.ErrTaken) {
		return nil
	}
	return err
}

// end ends the chain by a limit that only the launcher can judge.
func (l *launching) end(reason string) {
	if j, err := l.store.Find(l.job.ID); err == nil && j.Phase == chain.Pending {
		_, _ = l.store.Move(j, chain.Dropped, "")
	}
	_ = l.store.Project(l.job.Project).Change(launcherWait, func(st *chain.State) error {
		if st.Chain != nil && st.Chain.ID == l.job.Chain {
			st.Chain.Ended = reason
		}
		return nil
	})
	l.log.step(history.Ended, reason)
}

func (l *launching) landed() {
	_ = l.store.Project(l.job.Project).Change(launcherWait, func(st *chain.State) error {
		st.Landed(l.job.ID)
		return nil
	})
}
