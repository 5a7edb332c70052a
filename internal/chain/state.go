// Package chain keeps what vomgr knows of each project (one lock and one state file per project) and the jobs on their way from one assistant to the next.
package chain

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/vexyart/vomgr/internal/atomicfile"
)

// Idle is how long a chain may have nothing alive, resting or pending before the next stop begins a new one.
const Idle = 2 * time.Hour

// State is what is known of one project.
type State struct {
	Project       string            `json:"project"`
	Chain         *Chain            `json:"chain,omitempty"`
	Session       *Session          `json:"session,omitempty"`
	Conversations map[string]string `json:"conversations,omitempty"` // by assistant: the conversation that vomgr's own session had last
	Handled       []string          `json:"handled,omitempty"`       // the latest turns handed over, newest last
	InFlight      *InFlight         `json:"in_flight,omitempty"`
	Armed         *Armed            `json:"armed,omitempty"`
	Order         int64             `json:"order,omitempty"`   // of the latest job
	Leaving       []Session         `json:"leaving,omitempty"` // replaced, and not known to have been ended: a helper may die over it
}

// Chain is a run of hand-overs.
type Chain struct {
	ID       string          `json:"id"`
	Began    time.Time       `json:"began"`
	Hops     int             `json:"hops"`             // hand-overs started
	Starts   []time.Time     `json:"starts,omitempty"` // when, the last hour's
	Until    time.Time       `json:"until,omitzero"`   // the hour it ends at
	Max      int             `json:"max,omitempty"`    // hand-overs, where this night has its own number
	Alive    time.Time       `json:"alive"`            // when something of it was last seen alive
	Ended    string          `json:"ended,omitempty"`  // why it ended by itself
	Sessions []string        `json:"sessions,omitempty"`
	First    *Session        `json:"first,omitempty"` // the assistant a person started, if a chain began with one
	HadOpen  bool            `json:"had_open,omitempty"`
	Place    json.RawMessage `json:"place,omitempty"` // where its windows open
	Print    string          `json:"print,omitempty"` // what the work tree looked like at the latest hand-over
	Stalled  int             `json:"stalled,omitempty"`
	Quick    int             `json:"quick,omitempty"`
}

// Session is an assistant that runs, or ran, for a project.
type Session struct {
	Tool      string    `json:"tool"`
	Pid       int       `json:"pid"`
	Start     string    `json:"start,omitempty"` // the kernel's own start value
	Boot      string    `json:"boot,omitempty"`
	StartTime string    `json:"start_time,omitempty"` // as in session_state.json
	Cwd       string    `json:"cwd"`
	Job       string    `json:"job,omitempty"`
	Began     time.Time `json:"began"`
	Stops     int       `json:"stops,omitempty"`  // turns of it that ended
	Thread    string    `json:"thread,omitempty"` // its conversation, once a stop told it
	Prompt    string    `json:"prompt,omitempty"` // what it was told
	Head      string    `json:"head,omitempty"`   // the commit it began at
}

// InFlight is a hand-over between its guard and its start.
type InFlight struct {
	Job   string    `json:"job"`
	Since time.Time `json:"since"`
}

// NextOrder is the Order of a job made at now: greater than that of every one before, also when the clock was set back
// or the state was removed.
func (s *State) NextOrder(now time.Time) int64 {
	s.Order = max(now.UnixMilli(), s.Order+1)
	return s.Order
}

// Left forgets the sessions that were ended, or were not to be.
func (s *State) Left(gone []Session) {
	s.Leaving = slices.DeleteFunc(s.Leaving, func(l Session) bool {
		return slices.ContainsFunc(gone, func(g Session) bool { return g.Pid == l.Pid && g.Start == l.Start })
	})
}

// Armed says until when hand-overs may happen in a project under scope mode "armed".
type Armed struct {
	Until time.Time `json:"until"`
	Max   int       `json:"max,omitempty"`
}

// ArmedAt tells whether the project is armed at now.
func (s *State) ArmedAt(now time.Time) bool { return s.Armed != nil && now.Before(s.Armed.Until) }

// Underway tells whether a hand-over is on its way at now; one that took longer than a minute does not count.
func (s *State) Underway(now time.Time) bool {
	return s.InFlight != nil && now.Sub(s.InFlight.Since) < time.Minute && !now.Before(s.InFlight.Since)
}

// Landed ends the in-flight mark of job.
func (s *State) Landed(job string) {
	if s.InFlight != nil && s.InFlight.Job == job {
		s.InFlight = nil
	}
}

// keptTurns is how many handled turns a project remembers.
const keptTurns = 64

// Seen tells whether the turn called key was handed over before; an empty key never was.
func (s *State) Seen(key string) bool { return key != "" && slices.Contains(s.Handled, key) }

// Handle notes that the turn called key is handed over.
func (s *State) Handle(key string) {
	if key == "" || s.Seen(key) {
		return
	}
	s.Handled = append(s.Handled, key)
	s.Handled = s.Handled[max(0, len(s.Handled)-keptTurns):]
}

// Belongs tells whether session took part in the chain.
func (c *Chain) Belongs(session string) bool {
	return session != "" && slices.Contains(c.Sessions, session)
}

// keptSessions is how many sessions a chain remembers: the first, which a person may have begun, and the latest.
const keptSessions = 128

// Join notes that session took part in the chain.
func (c *Chain) Join(session string) {
	if session == "" || c.Belongs(session) {
		return
	}
	if len(c.Sessions) >= keptSessions {
		c.Sessions = slices.Delete(c.Sessions, 1, 2)
	}
	c.Sessions = append(c.Sessions, session)
}

// Started counts hand-over hop, started at now. What a person starts is none: its hop is that of the latest one.
func (c *Chain) Started(hop int, now time.Time) {
	c.Alive = now
	if hop <= c.Hops {
		return
	}
	c.Hops = hop
	c.Starts = append(slices.DeleteFunc(c.Starts, func(t time.Time) bool { return now.Sub(t) > time.Hour }), now)
}

// LastHour is how many hand-overs started within the hour before now.
func (c *Chain) LastHour(now time.Time) int {
	n := 0
	for _, t := range c.Starts {
		if d := now.Sub(t); d >= 0 && d <= time.Hour { // one to come was noted before the clock was set back
			n++
		}
	}
	return n
}

// Store is the part of the state folder that this package owns.
type Store struct {
	Dir string // ~/.vexy-overnight
	Now func() time.Time

	pause func(op string, args ...string) // before each step on the disk, where a test wants to be asked
}

// step is between two steps on the disk: where a crash, or another process, may come in.
func (s Store) step(op string, args ...string) {
	if s.pause != nil {
		s.pause(op, args...)
	}
}

// Project is one project's place in the store.
type Project struct {
	Dir    string // the project's folder, links resolved
	folder string
	store  Store
}

// Project returns the place of the project at dir, whose links are resolved.
func (s Store) Project(dir string) Project {
	key := dir
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		key = strings.ToLower(dir)
	}
	sum := sha256.Sum256([]byte(key))
	return Project{Dir: dir, folder: filepath.Join(s.Dir, "projects", hex.EncodeToString(sum[:8])), store: s}
}

// Projects lists the projects the store has a state of; faults tell of those whose state cannot be read.
func (s Store) Projects() (all []State, faults []error) {
	dir := filepath.Join(s.Dir, "projects")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		faults = append(faults, fmt.Errorf("looking for projects: %w", err))
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue // none of ours, as what a desktop leaves in a folder
		}
		st, err := Project{folder: filepath.Join(dir, e.Name())}.Read()
		switch {
		case err != nil:
			faults = append(faults, err)
		case st.Project != "":
			all = append(all, st)
		}
	}
	return all, faults
}

func (p Project) statePath() string { return filepath.Join(p.folder, "state.json") }

// Read returns the project's state as it is now; a project never seen has an empty one.
func (p Project) Read() (State, error) {
	p.store.step("read")
	return p.read()
}

func (p Project) read() (State, error) {
	st := State{Project: p.Dir}
	data, err := atomicfile.ReadFile(p.statePath())
	if errors.Is(err, fs.ErrNotExist) {
		return st, nil
	}
	if err != nil {
		return State{}, fmt.Errorf("reading the state of %s: %w", cmp.Or(p.Dir, "a project"), err)
	}
	if err := json.Unmarshal(data, &st); err != nil {
		return State{}, fmt.Errorf("reading the state of %s: %w; remove %s to begin anew", cmp.Or(p.Dir, "a project"), err, p.statePath())
	}
	return st, nil
}

// Change locks the project, waiting at most wait for others, hands its state to f and writes what f made of it,
// unless f returns an error, which is passed on.
func (p Project) Change(wait time.Duration, f func(*State) error) error {
	return p.locked(wait, func() error {
		st, err := p.read()
		if err != nil {
			return err
		}
		if err := f(&st); err != nil {
			return err
		}
		return p.write(st)
	})
}

// locked runs f while no other process changes the project.
func (p Project) locked(wait time.Duration, f func() error) error {
	if err := os.MkdirAll(p.folder, 0o700); err != nil {
		return fmt.Errorf("making the project's state folder: %w", err)
	}
	p.store.step("lock")
	unlock, err := atomicfile.Hold(filepath.Join(p.folder, "lock"), wait)
	if err != nil {
		return fmt.Errorf("locking the state of %s: %w", p.Dir, err)
	}
	defer unlock()
	err = f()
	p.store.step("unlock")
	return err
}

func (p Project) write(st State) error {
	data, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return err
	}
	p.store.step("state")
	if err := atomicfile.Write(p.statePath(), append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("writing the state of %s: %w", p.Dir, err)
	}
	return nil
}
