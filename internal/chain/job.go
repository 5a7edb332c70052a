package chain

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/vexyart/vomgr/internal/atomicfile"
)

// Phase is where a job is on its way. A job is one file, and its phase is part of the file's name, so that every step is one rename.
type Phase string

// The phases of a job. Started alone is success.
const (
	Pending    Phase = "pending"    // nobody has taken it
	Claimed    Phase = "claimed"    // a helper took it; if that dies, it is given back
	Starting   Phase = "starting"   // the helper is about to start the assistant; if it dies now nobody knows, so nobody repeats it
	Started    Phase = "started"    // the assistant runs
	Failed     Phase = "failed"     // the assistant could not be started
	Superseded Phase = "superseded" // a newer job of the same project took its place
	Dropped    Phase = "dropped"    // its chain ended, or the continuation was switched off
)

// Job is one hand-over.
type Job struct {
	ID         string      `json:"id"`
	Chain      string      `json:"chain"`
	Hop        int         `json:"hop"`
	Source     string      `json:"source"`
	Target     string      `json:"target"`
	Reason     string      `json:"reason"`
	Project    string      `json:"project"`
	Created    time.Time   `json:"created"`
	Order      int64       `json:"order,omitempty"`    // of the project's jobs: a later one has a greater number, whatever the clock does
	ByHand     bool        `json:"by_hand,omitempty"`  // a person asked for it: limits, scope and age do not hold it back
	Patience   Duration    `json:"patience,omitempty"` // for how long after Created a window may still start it; 0 is a minute
	Head       string      `json:"head,omitempty"`     // the project's commit when it was made
	Command    []string    `json:"command"`
	Again      []string    `json:"again,omitempty"` // the command without the earlier conversation, should Command find none
	Cwd        string      `json:"cwd"`
	Env        [][2]string `json:"env"`
	First      *Session    `json:"first,omitempty"`      // the assistant a person started, to be ended too
	Transcript string      `json:"transcript,omitempty"` // of the own session that stopped, and the id of its turn
	Turn       string      `json:"turn,omitempty"`
	Core       uint64      `json:"core,omitempty"`  // the soft limit of core files to give back, in bytes
	Rests      string      `json:"rests,omitempty"` // why it waits instead of opening a window

	Phase    Phase  `json:"-"`
	Claimant string `json:"-"` // token of the process that took it
}

// Duration is a time.Duration written as text.
type Duration time.Duration

// MarshalText writes the duration as Go does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// Age after which a window that opens late starts nothing any more.
const patience = time.Minute

// after tells whether j was made later than o, a job of the same project.
func (j Job) after(o Job) bool { return cmp.Compare(j.order(), o.order()) > 0 }

func (j Job) order() int64 {
	if j.Order != 0 {
		return j.Order
	}
	return j.Created.UnixMilli()
}

// Stale tells whether at now the job is too old to be started by anything but a person.
func (j Job) Stale(now time.Time) bool {
	limit := time.Duration(j.Patience)
	if limit == 0 {
		limit = patience
	}
	return !j.ByHand && (now.Sub(j.Created) > limit || now.Before(j.Created.Add(-limit)))
}

// Errors of a claim.
var (
	ErrNoJob = errors.New("there is no such job")
	ErrTaken = errors.New("the job was taken already")
)

var idForm = regexp.MustCompile(`^[a-z0-9]{8,64}$`)

// ValidID tells whether id may name a job: 8 to 64 of a-z and 0-9, so that it can stand in any command line.
func ValidID(id string) bool { return len(id) >= 8 && len(id) <= 64 && idForm.MatchString(id) }

// NewID makes an id of n random characters after prefix.
func NewID(prefix string, n int) string {
	const letters = "abcdefghijkmnpqrstuvwxyz23456789" // 32, without l, o, 0, 1
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails (Go 1.24)
	for i := range b {
		b[i] = letters[b[i]&31]
	}
	return prefix + string(b)
}

// JobID makes the id of a chain's hop.
func JobID(chainID string, hop int) string { return NewID(fmt.Sprintf("%sh%dx", chainID, hop), 5) }

func (s Store) jobDir() string { return filepath.Join(s.Dir, "jobs") }

func (s Store) path(id string, ph Phase, claimant string) string {
	name := id + "." + string(ph)
	if claimant != "" {
		name += "." + claimant
	}
	return filepath.Join(s.jobDir(), name+".json")
}

// Put writes a new pending job.
func (s Store) Put(j Job) error {
	if !ValidID(j.ID) {
		return fmt.Errorf("job id %q: want 8 to 64 of a-z, 0-9", j.ID)
	}
	if err := os.MkdirAll(s.jobDir(), 0o700); err != nil {
		return fmt.Errorf("making the job folder: %w", err)
	}
	data, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	s.step("write")
	if err := atomicfile.Write(s.path(j.ID, Pending, ""), append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("writing job %s: %w", j.ID, err)
	}
	return nil
}

// Jobs lists the jobs that are in one of the phases, in any of them where none is named, oldest first. Files that are
// no jobs are left out.
func (s Store) Jobs(phases ...Phase) ([]Job, error) {
	s.step("list")
	entries, err := os.ReadDir(s.jobDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the jobs: %w", err)
	}
	var jobs []Job
	for _, e := range entries {
		id, ph, claimant, ok := splitName(e.Name())
		if !ok || len(phases) > 0 && !slices.Contains(phases, ph) {
			continue
		}
		if j, err := s.read(id, ph, claimant); err == nil {
			jobs = append(jobs, j)
		}
	}
	slices.SortStableFunc(jobs, func(a, b Job) int { return a.Created.Compare(b.Created) })
	return jobs, nil
}

func splitName(name string) (id string, ph Phase, claimant string, ok bool) {
	name, ok = strings.CutSuffix(name, ".json")
	if !ok {
		return "", "", "", false
	}
	parts := strings.SplitN(name, ".", 3)
	if len(parts) < 2 || !ValidID(parts[0]) {
		return "", "", "", false
	}
	if len(parts) == 3 {
		claimant = parts[2]
	}
	return parts[0], Phase(parts[1]), claimant, true
}

func (s Store) read(id string, ph Phase, claimant string) (Job, error) {
	data, err := atomicfile.ReadFile(s.path(id, ph, claimant))
	if err != nil {
		return Job{}, err
	}
	var j Job
	if err := json.Unmarshal(data, &j); err != nil {
		return Job{}, err
	}
	if j.ID != id {
		return Job{}, fmt.Errorf("job file %s holds job %q", id, j.ID)
	}
	j.Phase, j.Claimant = ph, claimant
	return j, nil
}

// findTries is how often Find looks for a job before it says that there is none, from the third on after a millisecond.
const findTries = 30

// Find returns the job called id in whatever phase it is.
func (s Store) Find(id string) (Job, error) {
	// A rename while the folder is listed, or between listing and reading, hides the job for a moment: look again.
	for try := range findTries {
		if try > 1 {
			time.Sleep(time.Millisecond)
		}
		s.step("list")
		entries, err := os.ReadDir(s.jobDir())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Job{}, err
		}
		for _, e := range entries {
			got, ph, claimant, ok := splitName(e.Name())
			if !ok || got != id {
				continue
			}
			j, err := s.read(id, ph, claimant)
			if errors.Is(err, fs.ErrNotExist) {
				break
			}
			return j, err
		}
	}
	return Job{}, ErrNoJob
}

// Move takes j from the phase it is in to another, by one rename: of several that try, one succeeds; the others get ErrTaken.
func (s Store) Move(j Job, to Phase, claimant string) (Job, error) {
	from := s.path(j.ID, j.Phase, j.Claimant)
	s.step("rename", from)
	err := atomicfile.Rename(from, s.path(j.ID, to, claimant))
	if errors.Is(err, fs.ErrNotExist) {
		return j, ErrTaken
	}
	if err != nil {
		return j, fmt.Errorf("moving job %s to %s: %w", j.ID, to, err)
	}
	j.Phase, j.Claimant = to, claimant
	return j, nil
}

// Revise changes a pending job: the caller takes it under its token, writes it and gives it back, so that no helper can
// take it meanwhile and none finds two of it.
func (s Store) Revise(j Job, claimant string, change func(*Job)) (Job, error) {
	taken, err := s.Move(j, Claimed, claimant)
	if err != nil {
		return j, err
	}
	change(&taken)
	data, err := json.MarshalIndent(taken, "", "  ")
	if err == nil {
		s.step("write")
		err = atomicfile.Write(s.path(taken.ID, taken.Phase, taken.Claimant), append(data, '\n'), 0o600)
	}
	back, moveErr := s.Move(taken, Pending, "")
	return back, errors.Join(err, moveErr)
}

// GiveBack makes pending again what dead claimants had taken but not begun to start, and returns those jobs. What one
// had begun to start stays as it is, for nobody knows whether it runs; only where the project's record says that it
// does, the job is started.
func (s Store) GiveBack(alive func(claimant string) bool) []Job {
	jobs, _ := s.Jobs(Claimed, Starting)
	var back []Job
	for _, j := range jobs {
		if alive(j.Claimant) {
			continue
		}
		if j.Phase == Starting {
			if st, err := s.Project(j.Project).Read(); err == nil && st.Session != nil && st.Session.Job == j.ID {
				_, _ = s.Move(j, Started, j.Claimant)
			}
			continue
		}
		if p, err := s.Move(j, Pending, ""); err == nil {
			back = append(back, p)
		}
	}
	return back
}

// Stuck lists the jobs whose helper died while it started the assistant: whether that runs is for a person to see.
func (s Store) Stuck(alive func(claimant string) bool) []Job {
	jobs, _ := s.Jobs(Starting)
	return slices.DeleteFunc(jobs, func(j Job) bool { return alive(j.Claimant) })
}

// Newer tells whether the project of j has a job made after j that is still on its way or started.
func (s Store) Newer(j Job) bool {
	jobs, _ := s.Jobs(Pending, Claimed, Starting, Started)
	return slices.ContainsFunc(jobs, func(o Job) bool { return o.Project == j.Project && o.ID != j.ID && o.after(j) })
}

// Forget deletes the pending jobs of source.
func (s Store) Forget(source string) {
	jobs, _ := s.Jobs(Pending)
	for _, j := range jobs {
		if j.Source == source {
			_ = os.Remove(s.path(j.ID, j.Phase, j.Claimant))
		}
	}
}

// Supersede takes what waits in j's project and was made before it off the list, with what a dead claimant had: j
// stands for all of them. What a living one has, it finds out about itself before it starts anything.
func (s Store) Supersede(j Job, alive func(claimant string) bool) {
	jobs, _ := s.Jobs(Pending, Claimed)
	for _, o := range jobs {
		if o.Project == j.Project && o.ID != j.ID && j.after(o) && (o.Phase == Pending || !alive(o.Claimant)) {
			_, _ = s.Move(o, Superseded, "")
		}
	}
}

// What needs nothing more stays for a look by hand: for a week, and the latest twenty of each project.
const (
	kept     = 7 * 24 * time.Hour
	keptEach = 20
)

// Prune removes jobs that ended longer than a week ago, or of which the project has many.
func (s Store) Prune() {
	jobs, _ := s.Jobs(Started, Failed, Superseded, Dropped)
	each := map[string]int{}
	for _, j := range slices.Backward(jobs) {
		each[j.Project]++
		if each[j.Project] > keptEach || s.Now().Sub(j.Created) > kept {
			_ = os.Remove(s.path(j.ID, j.Phase, j.Claimant))
		}
	}
}
