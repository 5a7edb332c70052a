package chain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// claimVar in the environment makes this binary a claimant of the jobs in the store it names.
const claimVar = "CHAIN_TEST_CLAIM"

// claimants is how many goroutines of each such process race for every job.
const claimants = 125

func TestMain(m *testing.M) {
	if dir := os.Getenv(claimVar); dir != "" {
		claimAll(dir)
		return
	}
	os.Exit(m.Run())
}

// racedFor is the number of jobs they race for.
const racedFor = 20

func raced(i int) string { return fmt.Sprintf("jobnumber%02d", i) }

// claimAll prints the id of each job that this process claimed.
func claimAll(dir string) {
	s := Store{Dir: dir, Now: time.Now}
	var wg sync.WaitGroup
	for i := range claimants {
		wg.Go(func() {
			for k := range racedFor {
				j := Job{ID: raced((i + k) % racedFor), Phase: Pending}
				if _, err := s.Move(j, Claimed, fmt.Sprintf("%d-%d", os.Getpid(), i)); err == nil {
					fmt.Println(j.ID)
				}
			}
		})
	}
	wg.Wait()
}

// now is the time in these tests.
var now = time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC)

func newStore(t *testing.T) Store {
	t.Helper()
	return Store{Dir: t.TempDir(), Now: func() time.Time { return now }}
}

func put(t *testing.T, s Store, j Job) Job {
	t.Helper()
	if j.Created.IsZero() {
		j.Created = now
	}
	if err := s.Put(j); err != nil {
		t.Fatal(err)
	}
	got, err := s.Find(j.ID)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func move(t *testing.T, s Store, j Job, to Phase, claimant string) Job {
	t.Helper()
	j, err := s.Move(j, to, claimant)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// files lists the store's job files.
func files(t *testing.T, s Store) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.Dir, "jobs"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestOneClaimEach: 1,000 claimants in eight processes race for twenty jobs, and each job is claimed once.
func TestOneClaimEach(t *testing.T) {
	s := newStore(t)
	for i := range racedFor {
		put(t, s, Job{ID: raced(i)})
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var outs [8]bytes.Buffer
	var wg sync.WaitGroup
	for i := range outs {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), claimVar+"="+s.Dir, "GORACE=atexit_sleep_ms=0")
		cmd.Stdout = &outs[i]
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var claimed []string
	for i := range outs {
		claimed = append(claimed, strings.Fields(outs[i].String())...)
	}
	slices.Sort(claimed)
	if len(claimed) != 20 || len(slices.Compact(claimed)) != 20 {
		t.Errorf("claims: %q", claimed)
	}
	jobs, err := s.Jobs()
	if err != nil || len(jobs) != 20 || len(files(t, s)) != 20 {
		t.Errorf("%d jobs, %v", len(jobs), err)
	}
	for _, j := range jobs {
		if j.Phase != Claimed || j.Claimant == "" {
			t.Errorf("%s is %s by %q", j.ID, j.Phase, j.Claimant)
		}
	}
}

// TestRoundTrip: what is put is what is found.
func TestRoundTrip(t *testing.T) {
	s := newStore(t)
	want := Job{
		ID: "jobnumber1", Chain: "c1234", Hop: 3, Source: "claude", Target: "codex", Reason: "usage limit", Project: "/p r\"o\nj",
		Created: now, ByHand: true, Patience: Duration(10 * time.Minute), Head: "abc", Command: []string{"codex", "", "<&>\n"},
		Again: []string{"codex"}, Cwd: "/p", Env: [][2]string{{"B", "2"}, {"A", "1"}}, First: &Session{Tool: "claude", Pid: 7, Start: "9"},
		Transcript: "/t", Turn: "u", Core: 1 << 63, Rests: "paused",
	}
	got := put(t, s, want)
	want.Phase = Pending
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = move(t, s, got, Claimed, "12-34-ab")
	found, err := s.Find(want.ID)
	if diff := cmp.Diff(got, found); diff != "" || err != nil {
		t.Error(diff, err)
	}
	jobs, err := s.Jobs()
	if diff := cmp.Diff([]Job{got}, jobs); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if fi, err := os.Stat(filepath.Join(s.Dir, "jobs", files(t, s)[0])); err != nil || fi.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
		t.Errorf("mode %v %v", fi.Mode(), err)
	}
}

func TestMoveOnce(t *testing.T) {
	s := newStore(t)
	j := put(t, s, Job{ID: "jobnumber1"})
	claimed := move(t, s, j, Claimed, "a")
	if _, err := s.Move(j, Claimed, "b"); !errors.Is(err, ErrTaken) {
		t.Errorf("a second claim: %v", err)
	}
	if _, err := s.Move(j, Superseded, ""); !errors.Is(err, ErrTaken) {
		t.Errorf("superseded after the claim: %v", err)
	}
	move(t, s, move(t, s, claimed, Starting, "a"), Started, "a")
	if got := files(t, s); !slices.Equal(got, []string{"jobnumber1.started.a.json"}) {
		t.Errorf("%q", got)
	}
}

// TestGiveBack: a claimant that died before it began to start gives the job back; one that died while it started, or
// after, never does.
func TestGiveBack(t *testing.T) {
	for _, c := range []struct {
		phase    Phase
		claimant string
		want     Phase
	}{
		{Pending, "", Pending},
		{Claimed, "dead", Pending},
		{Claimed, "alive", Claimed},
		{Starting, "dead", Starting},
		{Starting, "alive", Starting},
		{Started, "dead", Started},
		{Failed, "", Failed},
		{Superseded, "", Superseded},
		{Dropped, "", Dropped},
	} {
		s := newStore(t)
		j := put(t, s, Job{ID: "jobnumber1"})
		if c.phase != Pending {
			move(t, s, j, c.phase, c.claimant)
		}
		back := s.GiveBack(func(claimant string) bool { return claimant == "alive" })
		got, err := s.Find("jobnumber1")
		if err != nil || got.Phase != c.want || len(files(t, s)) != 1 {
			t.Errorf("%s by %q: %s, %v", c.phase, c.claimant, got.Phase, err)
		}
		if (len(back) == 1) != (c.phase == Claimed && c.want == Pending) {
			t.Errorf("%s by %q: given back: %v", c.phase, c.claimant, back)
		}
	}
}

// TestRevise: a job that is changed can be taken by nobody meanwhile, and is never there twice.
func TestRevise(t *testing.T) {
	s := newStore(t)
	j := put(t, s, Job{ID: "jobnumber1", Source: "claude"})
	got, err := s.Revise(j, "me", func(j *Job) {
		j.Rests = "no terminal"
		if _, err := s.Move(Job{ID: "jobnumber1", Phase: Pending}, Claimed, "helper"); !errors.Is(err, ErrTaken) {
			t.Errorf("taken while it was changed: %v", err)
		}
	})
	if err != nil || got.Phase != Pending || got.Claimant != "" {
		t.Errorf("%+v, %v", got, err)
	}
	found, err := s.Find("jobnumber1")
	if diff := cmp.Diff(got, found); diff != "" || err != nil || found.Rests != "no terminal" || found.Source != "claude" {
		t.Error(diff, err)
	}
	claimed := move(t, s, found, Claimed, "helper")
	if _, err := s.Revise(found, "me", func(*Job) { t.Error("a job that was taken is changed") }); !errors.Is(err, ErrTaken) {
		t.Errorf("%v", err)
	}
	if found, err := s.Find("jobnumber1"); err != nil || !cmp.Equal(found, claimed) {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestReviseNeverTwo: revising and claiming race; there is one file, and at most one of the helpers has the job.
func TestReviseNeverTwo(t *testing.T) {
	s := newStore(t)
	for i := range 50 {
		j := put(t, s, Job{ID: fmt.Sprintf("jobnumber%d", i)})
		want := []string{""} // who may have it
		if by := raceFor(s, j); len(by) > 0 {
			want = by
		}
		found, err := s.Find(j.ID)
		if err != nil || len(want) != 1 || found.Claimant != want[0] || (found.Phase == Claimed) != (want[0] != "") {
			t.Fatalf("%s by %q, %v; claimed by %q", found.Phase, found.Claimant, err, want)
		}
	}
	if got := files(t, s); len(got) != 50 {
		t.Errorf("%d files for 50 jobs: %q", len(got), got)
	}
}

// raceFor has four launchers that revise the job and four helpers that claim it, and returns who claimed it.
func raceFor(s Store, j Job) (by []string) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for k := range 4 {
		who := fmt.Sprint("helper", k)
		wg.Go(func() { _, _ = s.Revise(j, fmt.Sprint("launcher", k), func(j *Job) { j.Rests = who }) })
		wg.Go(func() {
			if _, err := s.Move(j, Claimed, who); err == nil {
				mu.Lock()
				by = append(by, who)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return by
}

// TestFindWhileItMoves: a job that goes on from phase to phase, twenty in a row, is found at any time.
func TestFindWhileItMoves(t *testing.T) {
	s := newStore(t)
	for i := range 30 { // what else is there makes a look at the folder take its time
		put(t, s, Job{ID: fmt.Sprintf("otherjob%02d", i)})
	}
	j := put(t, s, Job{ID: "jobnumber1"})
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		for k := 0; err == nil; k++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if k%20 == 0 {
				time.Sleep(time.Millisecond) // no job moves for ever
			}
			j, err = s.Move(j, []Phase{Claimed, Starting, Pending}[k%3], fmt.Sprint("c", k))
		}
		done <- err
	}()
	for range 300 {
		if _, err := s.Find("jobnumber1"); err != nil {
			t.Error(err)
			break
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestNewerAndSupersede(t *testing.T) {
	for _, c := range []struct {
		phase Phase
		newer bool
	}{
		{Pending, true}, {Claimed, true}, {Starting, true}, {Started, true}, {Failed, false}, {Superseded, false}, {Dropped, false},
	} {
		s := newStore(t)
		j := put(t, s, Job{ID: "jobnumber1", Project: "/p"})
		other := put(t, s, Job{ID: "jobnumber2", Project: "/p", Created: now.Add(time.Second)})
		if c.phase != Pending {
			other = move(t, s, other, c.phase, "c")
		}
		put(t, s, Job{ID: "jobnumber3", Project: "/other", Created: now.Add(time.Hour)})
		if got := s.Newer(j); got != c.newer {
			t.Errorf("a %s job is newer: %v", c.phase, got)
		}
		if s.Newer(other) {
			t.Errorf("an older one is newer than a %s one", c.phase)
		}
	}
	s := newStore(t)
	put(t, s, Job{ID: "pending11", Project: "/p"})
	move(t, s, put(t, s, Job{ID: "claimed11", Project: "/p"}), Claimed, "c")
	move(t, s, put(t, s, Job{ID: "ofthedead", Project: "/p"}), Claimed, "dead")
	move(t, s, put(t, s, Job{ID: "starting1", Project: "/p"}), Starting, "dead")
	put(t, s, Job{ID: "elsewhere", Project: "/other"})
	put(t, s, Job{ID: "later1111", Project: "/p", Created: now.Add(time.Hour)})
	s.Supersede(put(t, s, Job{ID: "thisone11", Project: "/p", Created: now.Add(time.Second)}), func(c string) bool { return c != "dead" })
	want := []string{
		"claimed11.claimed.c.json", "elsewhere.pending.json", "later1111.pending.json", "ofthedead.superseded.json",
		"pending11.superseded.json", "starting1.starting.dead.json", "thisone11.pending.json",
	}
	if diff := cmp.Diff(want, files(t, s)); diff != "" {
		t.Error(diff)
	}
}

func TestForget(t *testing.T) {
	s := newStore(t)
	put(t, s, Job{ID: "pending11", Source: "claude"})
	put(t, s, Job{ID: "codexs111", Source: "codex"})
	move(t, s, put(t, s, Job{ID: "claimed11", Source: "claude"}), Claimed, "c")
	move(t, s, put(t, s, Job{ID: "started11", Source: "claude"}), Started, "c")
	s.Forget("claude")
	if diff := cmp.Diff([]string{"claimed11.claimed.c.json", "codexs111.pending.json", "started11.started.c.json"}, files(t, s)); diff != "" {
		t.Error(diff)
	}
}

func TestPrune(t *testing.T) {
	s := newStore(t)
	goes := map[Phase]bool{Started: true, Failed: true, Superseded: true, Dropped: true, Pending: false, Claimed: false, Starting: false}
	for phase := range goes {
		for name, age := range map[string]time.Duration{"older": kept + time.Second, "newer": kept} {
			j := put(t, s, Job{ID: name + "x" + string(phase), Created: now.Add(-age)})
			if phase != Pending {
				move(t, s, j, phase, "c")
			}
		}
	}
	s.Prune()
	for phase, gone := range goes {
		if _, err := s.Find("olderx" + string(phase)); errors.Is(err, ErrNoJob) != gone {
			t.Errorf("a week-old %s job: %v", phase, err)
		}
		if _, err := s.Find("newerx" + string(phase)); err != nil {
			t.Errorf("a newer %s job: %v", phase, err)
		}
	}
}

// TestStale: a minute, or the patience where a person may be asked; nothing is too old for a person.
func TestStale(t *testing.T) {
	for _, c := range []struct {
		age      time.Duration
		patience time.Duration
		byHand   bool
		want     bool
	}{
		{0, 0, false, false},
		{time.Minute, 0, false, false},
		{time.Minute + 1, 0, false, true},
		{24 * time.Hour, 0, true, false},
		{10 * time.Minute, 10 * time.Minute, false, false},
		{10*time.Minute + 1, 10 * time.Minute, false, true},
		{-time.Minute, 0, false, false},
		{-time.Minute - 1, 0, false, true},
	} {
		j := Job{Created: now.Add(-c.age), Patience: Duration(c.patience), ByHand: c.byHand}
		if got := j.Stale(now); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestForeignFiles: what is no job in the folder is left alone and hides none.
func TestForeignFiles(t *testing.T) {
	s := newStore(t)
	if jobs, err := s.Jobs(); err != nil || len(jobs) != 0 {
		t.Errorf("no folder: %v, %v", jobs, err)
	}
	if _, err := s.Find("jobnumber1"); !errors.Is(err, ErrNoJob) {
		t.Errorf("no folder: %v", err)
	}
	put(t, s, Job{ID: "jobnumber1"})
	for name, content := range map[string]string{
		"README": "", ".json": "", "x.pending.json": "{}", "jobnumber2.pending.json": "", "jobnumber3.pending.json": "{\"id\":\"jobnumber1\"}",
		"jobnumber4.json": "{}", "jobnumber1.pending.json.tmp": "{}", "JOBNUMBER5.pending.json": "{}", "jobnumber6.pending.json": "[]",
	} {
		if err := os.WriteFile(filepath.Join(s.Dir, "jobs", name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	jobs, err := s.Jobs()
	if err != nil || len(jobs) != 1 || jobs[0].ID != "jobnumber1" {
		t.Errorf("%+v, %v", jobs, err)
	}
	before := len(files(t, s))
	s.Prune()
	s.Forget("")
	s.GiveBack(func(string) bool { return false })
	if after := len(files(t, s)); after != before-1 { // the one job, whose source is ""
		t.Errorf("%d files, then %d", before, after)
	}
	if _, err := s.Find("jobnumber3"); err == nil || errors.Is(err, ErrNoJob) {
		t.Errorf("a file that holds another job: %v", err)
	}
}

func TestIDs(t *testing.T) {
	for id, want := range map[string]bool{
		"abcdefgh": true, "12345678": true, strings.Repeat("a", 64): true,
		"": false, "abcdefg": false, strings.Repeat("a", 65): false, "abcdefgH": false, "abcdefg.": false, "abcdefg/": false,
		"../../../etc": false, "abcdefgh\n": false, "abcd efgh": false, "abcdefgü": false, "--abcdefgh": false, "abcdefg;": false,
	} {
		if ValidID(id) != want {
			t.Errorf("ValidID(%q) = %v", id, !want)
		}
		if err := newStore(t).Put(Job{ID: id}); (err == nil) != want {
			t.Errorf("Put of %q: %v", id, err)
		}
	}
	seen := map[string]bool{}
	for hop := range 200 {
		id := JobID(NewID("c", 5), hop)
		if !ValidID(id) || seen[id] {
			t.Errorf("%q", id)
		}
		seen[id] = true
	}
}

func TestDuration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Duration(rapid.Int64().Draw(t, "d"))
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Duration
		if err := json.Unmarshal(data, &got); err != nil || got != want {
			t.Fatalf("%s: %d, want %d, %v", data, got, want, err)
		}
	})
	var d Duration
	if err := json.Unmarshal([]byte(`"ten"`), &d); err == nil {
		t.Error("ten is a length of time")
	}
}

// played is one job with what must have become of it.
type played struct {
	s    Store
	want Job
	seen []Job // what somebody may believe it is
}

// TestPhasesLaw plays any order of what the parts of the chain do to one job: there is one file of it, in one phase.
func TestPhasesLaw(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		p := played{s: Store{Dir: filepath.Join(dir, fmt.Sprint(n)), Now: func() time.Time { return now }}}
		err := p.s.Put(Job{ID: "jobnumber1", Created: now, Project: "/p"})
		if err == nil {
			p.want, err = p.s.Find("jobnumber1")
		}
		if err != nil {
			r.Fatal(err)
		}
		p.seen = []Job{p.want}
		steps := []func(*rapid.T, Job, bool){p.move, p.giveBack, p.revise, func(*rapid.T, Job, bool) { p.s.Prune() }}
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			believed := rapid.SampledFrom(p.seen).Draw(r, "believed")
			right := believed.Phase == p.want.Phase && believed.Claimant == p.want.Claimant
			rapid.SampledFrom(steps).Draw(r, "step")(r, believed, right)
			p.check(r)
		}
	})
}

func (p *played) move(r *rapid.T, believed Job, right bool) {
	to := rapid.SampledFrom([]Phase{Claimed, Starting, Started, Failed}).Draw(r, "to")
	j, err := p.s.Move(believed, to, rapid.SampledFrom([]string{"a", "b"}).Draw(r, "who"))
	if (err == nil) != right {
		r.Fatalf("moving %s: %v", believed.Phase, err)
	}
	if err == nil {
		p.want = j
	}
}

func (p *played) giveBack(r *rapid.T, _ Job, _ bool) {
	dead := rapid.SampledFrom([]string{"a", "b", ""}).Draw(r, "dead")
	p.s.GiveBack(func(c string) bool { return c != dead })
	if p.want.Phase == Claimed && p.want.Claimant == dead {
		p.want.Phase, p.want.Claimant = Pending, ""
	}
}

func (p *played) revise(r *rapid.T, believed Job, right bool) {
	if believed.Phase != Pending {
		return
	}
	if _, err := p.s.Revise(believed, "l", func(j *Job) { j.Rests = "x" }); (err == nil) != right {
		r.Fatalf("revising: %v", err)
	}
}

func (p *played) check(r *rapid.T) {
	p.seen = append(p.seen, p.want)
	got, err := p.s.Find("jobnumber1")
	entries, _ := os.ReadDir(filepath.Join(p.s.Dir, "jobs"))
	if err != nil || got.Phase != p.want.Phase || got.Claimant != p.want.Claimant || len(entries) != 1 {
		r.Fatalf("%s by %q (%v, %d files), want %s by %q", got.Phase, got.Claimant, err, len(entries), p.want.Phase, p.want.Claimant)
	}
}
