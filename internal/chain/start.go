package chain

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Why a job that was claimed is not started after all.
var (
	ErrSuperseded = errors.New("a newer job of this project took its place")
	ErrEnded      = errors.New("its chain ended meanwhile")
)

// Start is a job that its helper is about to start.
type Start struct {
	Job     Job                     // claimed by the helper
	Despite string                  // the end of the chain that the helper knew of when it claimed the job
	Replace bool                    // the session before, and the one that began the chain where the job says so, are to be ended
	Spawn   func() (Session, error) // starts the assistant
	Note    func(*Chain)            // notes more in the job's chain
}

// Start takes the job to Starting, starts the assistant and makes it the project's session, in one locked change; then
// the job is Started. It looks once more whether it is to be started at all: a newer job, or the end of the chain, may
// have come after the claim. before are the sessions that are to be ended now. The error of Spawn makes the job Failed.
// With an error after the start the session is there still.
func (s Store) Start(wait time.Duration, x Start) (j Job, before []Session, err error) {
	j = x.Job
	p := s.Project(j.Project)
	err = p.locked(wait, func() error {
		st, err := p.read()
		if err != nil {
			return err
		}
		if j, err = s.begin(j, st, x.Despite); err != nil {
			return err
		}
		s.step("spawn", j.ID)
		session, err := x.Spawn()
		if err != nil {
			st.Landed(j.ID)
			failed, moveErr := s.Move(j, Failed, "")
			j = failed
			return errors.Join(err, moveErr, p.write(st))
		}
		st.replace(session, x)
		before = slices.Clone(st.Leaving)
		if err := p.write(st); err != nil {
			return err
		}
		j, err = s.Move(j, Started, j.Claimant)
		return err
	})
	return j, before, err
}

// begin takes j to Starting unless something came between.
func (s Store) begin(j Job, st State, despite string) (Job, error) {
	if s.Newer(j) {
		moved, err := s.Move(j, Superseded, "")
		return moved, errors.Join(fmt.Errorf("job %s is not started: %w", j.ID, ErrSuperseded), err)
	}
	if c := st.Chain; c != nil && c.ID == j.Chain && c.Ended != "" && c.Ended != despite {
		moved, err := s.Move(j, Dropped, "")
		return moved, errors.Join(fmt.Errorf("job %s is not started: %w: %s", j.ID, ErrEnded, c.Ended), err)
	}
	return s.Move(j, Starting, j.Claimant)
}

// replace makes session the project's.
func (s *State) replace(session Session, x Start) {
	if x.Replace {
		for _, old := range []*Session{s.Session, x.Job.First} {
			if old != nil && old.Pid > 1 && old.Pid != session.Pid {
				s.Left([]Session{*old})
				s.Leaving = append(s.Leaving, *old)
			}
		}
	}
	s.Session = &session
	s.Landed(x.Job.ID)
	if c := s.Chain; c != nil && c.ID == x.Job.Chain {
		c.Started(x.Job.Hop, session.Began)
		x.Note(c)
	}
}
