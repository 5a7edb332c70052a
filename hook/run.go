package hook

import (
	"fmt"
	"slices"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

// Run starts target in project by hand, in this terminal, as the project's recorded session. args, when not nil, is
// passed on to it; otherwise it gets the prompt of its own template. The result is the assistant's exit status.
func Run(w world.World, target assistant.Assistant, project string, args []string) int {
	r, err := newResuming(w)
	if err == nil {
		err = r.byHand(target, project, args)
	}
	if err != nil {
		say(w, err)
		return statusFailed
	}
	return r.run()
}

// byHand makes the job of Run.
func (r *resuming) byHand(target assistant.Assistant, project string, args []string) error {
	set, err := settings.Load(r.w.SettingsPath())
	if err != nil {
		return err
	}
	if reason := badPlace(r.w, project, set.Scope.Folders); reason != "" {
		return fmt.Errorf("%s: %s", r.w.Tilde(project), reason)
	}
	st, err := r.store.Project(project).Read()
	if err != nil {
		return err
	}
	j := chain.Job{
		Source: string(target.Name), Target: string(target.Name), Reason: ReasonByHand, Project: project, ByHand: true,
	}
	if err := r.enrol(&j); err != nil {
		return err
	}
	order := handover{
		w: r.w, set: set, source: target, target: target, project: project,
		values: promptValues{
			project: project, source: string(target.Name), target: string(target.Name), reason: ReasonByHand, hop: j.Hop,
		},
		session: st.Conversations[string(target.Name)],
		args:    args, passes: args != nil,
	}
	log := recordJob(r.w, j)
	defer log.flush()
	if err := order.fill(&j, log); err != nil {
		return err
	}
	return r.put(j)
}

// RunPending starts what is pending in project, in this terminal. found is false when nothing is.
func RunPending(w world.World, project string) (status int, found bool) {
	r, err := newResuming(w)
	if err != nil {
		say(w, err)
		return statusFailed, true
	}
	r.store.GiveBack(platform.TokenAlive)
	pending := PendingJobs(r.store, project)
	if len(pending) == 0 {
		pending = failedJob(r.store, project)
	}
	for _, j := range pending {
		j.ByHand = true
		r.job = j
		return r.run(), true
	}
	return 0, false
}

// failedJob gives back the latest job of project if its assistant could not be started: what hindered it may be mended.
func failedJob(store chain.Store, project string) []chain.Job {
	jobs, _ := store.Jobs()
	for _, j := range slices.Backward(jobs) {
		if j.Project != project {
			continue
		}
		if j.Phase != chain.Failed {
			return nil
		}
		if j, err := store.Move(j, chain.Pending, ""); err == nil {
			return []chain.Job{j}
		}
		return nil
	}
	return nil
}

// shown is how long a hand-over that nobody knows the end of is shown.
const shown = 7 * 24 * time.Hour

// StuckJobs lists the jobs of project whose helper died while it started the assistant, oldest first.
func StuckJobs(w world.World, project string) []chain.Job {
	store := chain.Store{Dir: w.StateDir(), Now: w.Now}
	st, _ := store.Project(project).Read() // without a state there is no session that could be a job's
	return slices.DeleteFunc(store.Stuck(platform.TokenAlive), func(j chain.Job) bool {
		return j.Project != project || st.Session != nil && st.Session.Job == j.ID || w.Now().Sub(j.Created) > shown || store.Newer(j)
	})
}

// PendingJobs lists the jobs that wait to be started, newest first; all projects' when project is "".
func PendingJobs(store chain.Store, project string) []chain.Job {
	jobs, _ := store.Jobs(chain.Pending)
	var pending []chain.Job
	for i := len(jobs) - 1; i >= 0; i-- {
		if j := jobs[i]; project == "" || j.Project == project {
			pending = append(pending, j)
		}
	}
	return pending
}
