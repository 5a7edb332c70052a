package doctor

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/chainlog"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/platform"
)

func (e *exam) store() chain.Store { return chain.Store{Dir: e.w.StateDir(), Now: e.w.Now} }

func (e *exam) armed() bool {
	st, err := e.store().Project(e.project).Read()
	return err == nil && st.Armed != nil && e.w.Now().Before(st.Armed.Until)
}

// chains looks at what former nights left: a pause, hand-overs that wait, a session that lives, a chain that broke.
func (e *exam) chains() {
	e.pause()
	e.jobs()
	e.session()
	e.last()
}

func (e *exam) pause() {
	const id = "chain.pause"
	p := e.store().Paused()
	if p == nil {
		e.ok(id, "nothing is paused")
		return
	}
	until := ""
	if !p.Until.IsZero() {
		until = " until " + e.clock(p.Until)
	}
	e.fail(id, stop{step: history.Guard, why: "vomgr is paused" + until + ", so no hand-over is started"}, "vomgr resume", "paused%s", until)
}

// jobs tells of hand-overs that nobody took, and of those whose helper died while it started the assistant.
func (e *exam) jobs() {
	const id = "chain.pending"
	here := hook.PendingJobs(e.store(), e.project)
	all := hook.PendingJobs(e.store(), "")
	switch {
	case len(here) > 0:
		e.warn(id, "vomgr run starts it; a new hand-over takes its place", "a hand-over to %s waits here since %s%s",
			here[0].Target, e.clock(here[0].Created), because(here[0].Rests))
	case len(all) > 0:
		e.info(id, "vomgr run -C "+e.w.Tilde(all[0].Project), "%s elsewhere", handOvers(len(all)))
	default:
		e.ok(id, "no hand-over waits")
	}
	jobs, _ := e.store().Jobs()
	for _, j := range jobs {
		if j.Phase == chain.Starting && !platform.TokenAlive(j.Claimant) {
			e.warn("chain.stuck", "look whether "+j.Target+" runs there; if not: vomgr run "+j.Target+" -C "+e.w.Tilde(j.Project),
				"the helper of job %s died while it started %s in %s", j.ID, j.Target, e.w.Tilde(j.Project))
		}
	}
}

func handOvers(n int) string {
	if n == 1 {
		return "1 hand-over waits"
	}
	return fmt.Sprintf("%d hand-overs wait", n)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func (e *exam) session() {
	const id = "chain.session"
	st, err := e.store().Project(e.project).Read()
	switch s := st.Session; {
	case err != nil:
		e.fail(id, stop{step: history.Guard, why: "the state of this folder cannot be read"}, "remove the file that is named", "%s", e.tilde(err.Error()))
	case !hook.Alive(s):
		e.ok(id, "no session of vomgr's runs here")
	case e.opts.Night && e.set.KillOldSessions:
		e.warn(id, "", "%s, pid %d, works here since %s; it is ended once the new one runs", s.Tool, s.Pid, e.clock(s.Began))
	default:
		e.info(id, "", "%s, pid %d, works here since %s", s.Tool, s.Pid, e.clock(s.Began))
	}
}

// last tells how the latest chain ended: the one of this folder, else any.
func (e *exam) last() {
	const id = "chain.last"
	entries, err := history.Read(filepath.Join(e.w.StateDir(), "history.jsonl"))
	if err != nil {
		e.warn(id, "move it away; it is made anew", "%s", e.tilde(err.Error()))
		return
	}
	chains := chainlog.Build(entries, e.w.Now()).Chains
	if len(chains) == 0 {
		e.ok(id, "no chain yet")
		return
	}
	c := chains[len(chains)-1]
	for _, o := range chains {
		if o.Project == e.project {
			c = o
		}
	}
	if c.Broken != nil {
		e.warn(id, "vomgr log "+c.ID, "the last chain, %s in %s, broke at %s, hop %d, step %s: %s",
			c.ID, e.w.Tilde(c.Project), e.clock(c.Broken.Time), c.Broken.Hop, c.Broken.Step, c.Broken.Why)
		return
	}
	e.ok(id, "the last chain, %s in %s: %d hand-overs, %s%s", c.ID, e.w.Tilde(c.Project), c.HandOvers, c.State, because(c.Reason))
}

// clock writes a moment as a time of day, with the day where it is not within the last or next 24 hours.
func (e *exam) clock(t time.Time) string {
	now := e.w.Now()
	t = t.In(now.Location())
	if d := now.Sub(t); d > 24*time.Hour || d < -24*time.Hour {
		return t.Format("2 Jan 15:04")
	}
	return t.Format("15:04")
}
