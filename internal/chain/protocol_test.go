package chain

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// What the processes do, as package hook has it.

func (m *model) enrol(s Store, id string, byHand bool) (j Job, ok bool) {
	err := s.Project("/p").Change(time.Second, func(st *State) error {
		if !byHand && (st.Underway(m.clock) || st.Session != nil) {
			return ErrTaken
		}
		if st.Chain == nil || st.Chain.Ended != "" {
			st.Chain = &Chain{ID: "c" + id}
		}
		st.InFlight = &InFlight{Job: id, Since: m.clock}
		j = Job{ID: id, Chain: st.Chain.ID, Project: "/p", Created: m.clock, Order: st.NextOrder(m.clock), ByHand: byHand}
		return nil
	})
	return j, err == nil
}

func (m *model) put(s Store, j Job) {
	if s.Put(j) == nil {
		s.Supersede(j, m.alive)
	}
}

// hookPart is a hook that makes job id and starts the launcher.
func hookPart(id string) part {
	return part{name: "hook-" + id, play: func(m *model, p *process) {
		if j, ok := m.enrol(p.store, id, false); ok {
			m.put(p.store, j)
			m.windows["launch-"+id] = true
		}
	}}
}

// launcherPart opens windows a and b for job id, in which helpers of these names run, looks once whether each came, and
// lets the job rest if none did.
func launcherPart(id string, windows ...string) part {
	return part{name: "launcher-" + id, waits: "launch-" + id, play: func(m *model, p *process) {
		s := p.store
		defer func() {
			_ = s.Project("/p").Change(time.Second, func(st *State) error { st.Landed(id); return nil })
		}()
		revise := func(change func(*Job)) {
			if j, err := s.Find(id); err == nil && j.Phase == Pending {
				_, _ = s.Revise(j, p.name, change)
			}
		}
		for i, w := range windows {
			if i > 0 {
				revise(func(j *Job) { j.Patience = Duration(time.Hour) })
			}
			m.windows[w] = true
			if j, err := s.Find(id); err != nil || j.Phase != Pending {
				if err != nil || j.Phase != Claimed || m.alive(j.Claimant) {
					return
				}
				s.GiveBack(m.alive)
			}
		}
		revise(func(j *Job) { j.Rests = "no terminal" })
	}}
}

// helperPart is the helper in a window.
func helperPart(name, id string) part {
	return part{name: name, waits: name, play: func(m *model, p *process) {
		p.store.GiveBack(m.alive)
		if j, err := p.store.Find(id); err == nil && j.Phase == Pending {
			m.run(p, j)
		}
	}}
}

// run is the helper from the claim on.
func (m *model) run(p *process, j Job) {
	s := p.store
	st, err := s.Project("/p").Read()
	if err != nil {
		return
	}
	despite := ""
	if st.Chain != nil && st.Chain.ID == j.Chain {
		despite = st.Chain.Ended
	}
	if s.Newer(j) {
		_, _ = s.Move(j, Superseded, "")
		return
	}
	if !j.ByHand && despite != "" {
		return
	}
	if j, err = s.Move(j, Claimed, p.name); err != nil {
		return
	}
	pid := 0
	_, before, err := s.Start(time.Second, Start{Job: j, Despite: despite, Replace: true, Note: func(*Chain) {}, Spawn: func() (Session, error) {
		m.spawn(j)
		pid = 100 + len(m.spawned)
		return Session{Pid: pid, Start: j.ID, Job: j.ID}, nil
	}})
	if err != nil {
		return
	}
	for _, b := range before {
		m.ended = append(m.ended, b.Job)
	}
	_ = s.Project("/p").Change(time.Second, func(st *State) error { st.Left(before); return nil })
}

// spawn notes that the assistant of j was started.
func (m *model) spawn(j Job) {
	for _, o := range m.spawned {
		switch {
		case o.ID == j.ID:
			m.fail("job %s was started twice", j.ID)
		case o.after(j):
			m.fail("job %s was started after the newer %s", j.ID, o.ID)
		}
	}
	if m.stopped() && !j.ByHand {
		m.fail("job %s was started after a person had stopped its chain", j.ID)
	}
	m.spawned = append(m.spawned, j)
}

// runPart is `vomgr run TOOL`.
func runPart(id string) part {
	return part{name: "run-" + id, play: func(m *model, p *process) {
		if j, ok := m.enrol(p.store, id, true); ok {
			m.put(p.store, j)
			j.Phase = Pending
			m.run(p, j)
		}
	}}
}

// pendingPart is `vomgr run` for what is pending.
func pendingPart(name string) part {
	return part{name: name, play: func(m *model, p *process) { m.runPending(p) }}
}

func (m *model) runPending(p *process) (found bool) {
	p.store.GiveBack(m.alive)
	jobs, _ := p.store.Jobs(Pending)
	if len(jobs) == 0 {
		return false
	}
	j := slices.MaxFunc(jobs, func(a, b Job) int { return int(a.order() - b.order()) })
	j.ByHand = true
	m.run(p, j)
	return true
}

// stopped tells whether a person has stopped the chain.
func (m *model) stopped() bool {
	st, err := m.plain().Project("/p").Read()
	return err == nil && st.Chain != nil && st.Chain.Ended == stopReason
}

const stopReason = "vomgr stop"

// stopPart is `vomgr stop`.
func stopPart() part {
	return part{name: "stop", play: func(m *model, p *process) {
		_ = p.store.Project("/p").Change(time.Second, func(st *State) error {
			if st.Chain != nil {
				st.Chain.Ended = stopReason
			}
			st.InFlight = nil
			return nil
		})
		jobs, _ := p.store.Jobs(Pending)
		for _, j := range jobs {
			_, _ = p.store.Move(j, Dropped, "")
		}
	}}
}

// pending prepares a job that waits, made a minute ago or longer, so that it is under way no more.
func pending(m *model) {
	j, _ := m.enrol(m.plain(), "jobwaits1", false)
	m.put(m.plain(), j)
	m.windows["launch-jobwaits1"], m.windows["a"], m.windows["b"] = true, true, true
	m.clock = now.Add(61 * time.Second)
}

func nothing(*model) {}

// TestProtocol: in no order, with a crash wherever it may come, is an assistant started twice, an older one after a
// newer one, or a job lost. VOMGR_MODEL=full allows one crash more everywhere, which takes many minutes.
func TestProtocol(t *testing.T) {
	full := os.Getenv("VOMGR_MODEL") == "full"
	for name, c := range map[string]struct {
		crashes int
		prepare func(*model)
		parts   []part
		more    []part // in the full size
	}{
		"one window":          {1, nothing, []part{hookPart("jobhooks1"), launcherPart("jobhooks1", "a"), helperPart("a", "jobhooks1")}, nil},
		"two persons":         {1, pending, []part{pendingPart("one"), pendingPart("two")}, nil},
		"two stops":           {1, nothing, []part{hookPart("jobhooks1"), hookPart("jobhooks2"), launcherPart("jobhooks1"), launcherPart("jobhooks2")}, nil},
		"a person stops it":   {1, pending, []part{helperPart("a", "jobwaits1"), stopPart()}, []part{launcherPart("jobwaits1", "a")}},
		"a person begins":     {0, pending, []part{helperPart("a", "jobwaits1"), runPart("jobbyhand")}, []part{launcherPart("jobwaits1", "a")}},
		"a window comes late": {1, pending, []part{helperPart("a", "jobwaits1"), helperPart("b", "jobwaits1")}, []part{launcherPart("jobwaits1", "a")}},
		"the next stop":       {1, pending, []part{helperPart("a", "jobwaits1"), hookPart("jobhooks1")}, []part{pendingPart("one")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if full {
				c.crashes++
				c.parts = append(c.parts, c.more...)
			}
			dir := filepath.Join(shm(t), "state")
			x := explorer{t: t, crashes: c.crashes, seen: map[uint64]bool{}, make: func() *model {
				return newModel(dir, func(m *model) {
					c.prepare(m)
				}, c.parts)
			}}
			x.visit(x.make(), nil)
			t.Logf("%d states, %d ends, %d steps taken", len(x.seen), x.ends, x.steps)
		})
	}
}

// judge looks at an end, at which nobody has anything more to do: what is not started is pending, superseded by a newer
// job, dropped by a person's stop, or shown as stuck; and a person who runs what is pending gets it.
func (m *model) judge() {
	dead := func(string) bool { return false }
	st, err := m.plain().Project("/p").Read()
	if err != nil {
		m.fail("%v", err)
		return
	}
	launches := func(p *process) bool { return st.InFlight != nil && p.waits == "launch-"+st.InFlight.Job }
	if m.crashes == 0 && slices.ContainsFunc(m.parts, launches) && !m.stopped() {
		m.fail("under way for ever: %+v", st.InFlight)
	}
	m.sessions(st)
	person := &process{part: part{name: "person"}, store: m.plain()}
	for m.fault == "" && m.runPending(person) {
	}
	jobs, err := m.plain().Jobs()
	if err != nil {
		m.fail("%v", err)
	}
	works := false
	for _, j := range jobs {
		works = works || j.Phase == Started || j.Phase == Starting
		switch {
		case j.Phase == Started, j.Phase == Superseded, j.Phase == Dropped && m.stopped():
		case j.Phase == Starting && slices.ContainsFunc(m.plain().Stuck(dead), func(o Job) bool { return o.ID == j.ID }):
		default:
			m.fail("job %s stays %s", j.ID, j.Phase)
		}
	}
	if len(jobs) > 0 && !works && !m.stopped() {
		m.fail("the work is lost")
	}
	if m.stopped() && m.crashes == 0 {
		m.afterStop(jobs)
	}
}

// sessions wants every assistant that was started to be the project's session, ended, on its way out, or, where its
// helper died over the start, a job that is shown as stuck.
func (m *model) sessions(st State) {
	jobs, _ := m.plain().Jobs(Starting)
	for _, j := range m.spawned {
		known := st.Session != nil && st.Session.Job == j.ID || slices.Contains(m.ended, j.ID) ||
			slices.ContainsFunc(st.Leaving, func(s Session) bool { return s.Job == j.ID }) ||
			slices.ContainsFunc(jobs, func(o Job) bool { return o.ID == j.ID })
		if !known {
			m.fail("nobody knows of the assistant of job %s", j.ID)
		}
	}
}

// afterStop wants no job left to be started by itself once a person has stopped the chain.
func (m *model) afterStop(jobs []Job) {
	for _, j := range jobs {
		if j.Phase == Pending || j.Phase == Claimed {
			m.fail("job %s is %s after the stop", j.ID, j.Phase)
		}
	}
}
