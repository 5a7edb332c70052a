package chain

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

// starts is a Start of j whose assistant is called pid.
func starts(j Job, pid int) Start {
	return Start{
		Job: j, Replace: true, Note: func(*Chain) {},
		Spawn: func() (Session, error) {
			return Session{Tool: j.Target, Pid: pid, Start: fmt.Sprint(pid), Job: j.ID, Began: now}, nil
		},
	}
}

func claimed(t *testing.T, s Store, j Job) Job {
	t.Helper()
	return move(t, s, put(t, s, j), Claimed, "helper")
}

// TestStart: what is started is the project's session, counts in its chain, and names who is to be ended, those a
// helper died over too.
func TestStart(t *testing.T) {
	s := newStore(t)
	p := s.Project("/p")
	change(t, p, func(st *State) {
		st.Chain = &Chain{ID: "c1", Hops: 2}
		st.Session = &Session{Tool: "claude", Pid: 11, Start: "11"}
		st.Leaving = []Session{{Pid: 10, Start: "10"}}
		st.InFlight = &InFlight{Job: "jobnumber1", Since: now}
	})
	j := claimed(t, s, Job{ID: "jobnumber1", Project: "/p", Chain: "c1", Hop: 3, First: &Session{Pid: 9, Start: "9"}})
	j, before, err := s.Start(time.Second, starts(j, 12))
	if err != nil || j.Phase != Started {
		t.Fatalf("%s, %v", j.Phase, err)
	}
	pids := func(list []Session) (pids []int) {
		for _, l := range list {
			pids = append(pids, l.Pid)
		}
		return pids
	}
	if got := pids(before); !slices.Equal(got, []int{10, 11, 9}) {
		t.Errorf("to be ended: %v", got)
	}
	st, err := p.Read()
	if err != nil || st.Session.Pid != 12 || st.Chain.Hops != 3 || st.InFlight != nil || !slices.Equal(pids(st.Leaving), []int{10, 11, 9}) {
		t.Errorf("%+v, %v", st, err)
	}
	change(t, p, func(st *State) { st.Left(before[:2]) })
	if st, err := p.Read(); err != nil || !slices.Equal(pids(st.Leaving), []int{9}) {
		t.Errorf("%+v, %v", st.Leaving, err)
	}
	x := starts(claimed(t, s, Job{ID: "jobnumber2", Project: "/p", Created: now.Add(1)}), 13)
	x.Replace = false
	if _, before, err := s.Start(time.Second, x); err != nil || !slices.Equal(pids(before), []int{9}) {
		t.Errorf("nobody is to be replaced: %v, %v", before, err)
	}
}

// TestStartRefused: what came after the claim counts.
func TestStartRefused(t *testing.T) {
	for name, c := range map[string]struct {
		state   State
		other   Job
		despite string
		want    error
		phase   Phase
	}{
		"nothing came":                   {phase: Started},
		"a newer job":                    {other: Job{ID: "othernewer", Project: "/p", Order: 9}, want: ErrSuperseded, phase: Superseded},
		"a newer job elsewhere":          {other: Job{ID: "othernewer", Project: "/q", Order: 9}, phase: Started},
		"an older job":                   {other: Job{ID: "otherolder", Project: "/p", Order: 3}, phase: Started},
		"an older job, by a later clock": {other: Job{ID: "otherolder", Project: "/p", Order: 3, Created: now.Add(time.Hour)}, phase: Started},
		"the chain ended":                {state: State{Chain: &Chain{ID: "c1", Ended: "vomgr stop"}}, want: ErrEnded, phase: Dropped},
		"the chain had ended before":     {state: State{Chain: &Chain{ID: "c1", Ended: "until 07:00"}}, despite: "until 07:00", phase: Started},
		"another chain ended":            {state: State{Chain: &Chain{ID: "c2", Ended: "vomgr stop"}}, phase: Started},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			change(t, s.Project("/p"), func(st *State) { *st = c.state })
			x := starts(claimed(t, s, Job{ID: "jobnumber1", Project: "/p", Chain: "c1", Order: 5}), 7)
			x.Despite = c.despite
			if c.other.ID != "" {
				put(t, s, c.other)
			}
			j, _, err := s.Start(time.Second, x)
			if !errors.Is(err, c.want) || j.Phase != c.phase {
				t.Errorf("%s, %v", j.Phase, err)
			}
			if st, err := s.Project("/p").Read(); err != nil || (st.Session != nil) != (c.phase == Started) {
				t.Errorf("session %+v, %v", st.Session, err)
			}
			if found, err := s.Find("jobnumber1"); err != nil || found.Phase != c.phase {
				t.Errorf("found %s, %v", found.Phase, err)
			}
		})
	}
}

func TestStartFails(t *testing.T) {
	s := newStore(t)
	change(t, s.Project("/p"), func(st *State) {
		st.Session = &Session{Pid: 5}
		st.InFlight = &InFlight{Job: "jobnumber1", Since: now}
	})
	x := starts(claimed(t, s, Job{ID: "jobnumber1", Project: "/p"}), 7)
	x.Spawn = func() (Session, error) { return Session{}, os.ErrNotExist }
	j, _, err := s.Start(time.Second, x)
	if !errors.Is(err, os.ErrNotExist) || j.Phase != Failed {
		t.Errorf("%s, %v", j.Phase, err)
	}
	if st, err := s.Project("/p").Read(); err != nil || st.Session.Pid != 5 || st.InFlight != nil {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestDiedAfterTheRecord: a helper that died between the record and the last rename has started its assistant; one
// that died before has perhaps.
func TestDiedAfterTheRecord(t *testing.T) {
	dead := func(string) bool { return false }
	for recorded, want := range map[string]Phase{"jobnumber1": Started, "jobnumber0": Starting} {
		s := newStore(t)
		change(t, s.Project("/p"), func(st *State) { st.Session = &Session{Pid: 5, Job: recorded} })
		move(t, s, put(t, s, Job{ID: "jobnumber1", Project: "/p"}), Starting, "helper")
		back := s.GiveBack(dead)
		if j, err := s.Find("jobnumber1"); err != nil || j.Phase != want || len(back) > 0 {
			t.Errorf("%s, %v, %v", j.Phase, back, err)
		}
		if stuck := s.Stuck(dead); (len(stuck) == 1) != (want == Starting) {
			t.Errorf("stuck: %v", stuck)
		}
		if stuck := s.Stuck(func(string) bool { return true }); len(stuck) > 0 {
			t.Errorf("stuck although its helper lives: %v", stuck)
		}
	}
}

// TestOrder: a later job has a greater number, whatever the clock does.
func TestOrder(t *testing.T) {
	var st State
	last := int64(0)
	for _, at := range []time.Duration{0, 0, time.Second, -time.Hour, -time.Hour, time.Hour} {
		if n := st.NextOrder(now.Add(at)); n <= last {
			t.Errorf("%d after %d", n, last)
		} else {
			last = n
		}
	}
	if n := (&State{}).NextOrder(now.Add(2 * time.Hour)); n <= last {
		t.Errorf("the state was removed: %d after %d", n, last)
	}
}

// TestPruneKeepsFew: many hand-overs leave few files.
func TestPruneKeepsFew(t *testing.T) {
	s := newStore(t)
	for i := range 2 * keptEach {
		for _, project := range []string{"/p", "/q"} {
			j := put(t, s, Job{ID: fmt.Sprintf("job%c%06d", project[1], i), Project: project, Created: now.Add(-time.Duration(i) * time.Minute)})
			move(t, s, j, Started, "helper")
		}
	}
	s.Prune()
	if n := len(files(t, s)); n != 2*keptEach {
		t.Errorf("%d files", n)
	}
	if _, err := s.Find(fmt.Sprintf("jobp%06d", keptEach-1)); err != nil {
		t.Errorf("one of the latest: %v", err)
	}
}
