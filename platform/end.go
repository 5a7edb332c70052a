package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Target says which process is meant. All that is stated must hold, or it is not ended.
type Target struct {
	Identity Identity
	Started  time.Time // for a record that holds no Identity.Start: the time it began, to 2 s
	Marks    []string  // names, one of which its name, program or an argument must bear: claude, codex, gemini
}

// Ended is what End did.
type Ended struct {
	Pids   []int         // the target and what was below it, all gone
	Killed bool          // some did not go when asked
	Took   time.Duration // from the first look to the last process gone
}

const (
	startTolerance = 2 * time.Second // of the seed's record, which was written after the start
	killTime       = 2 * time.Second // for the kernel to end what was killed
)

// End ends the target and every process below it, those in sessions of their own too: a handle is taken first, then
// the target is verified, then what is below it is collected until nothing new is found; each is asked to end, leaves
// first (Gemini's wrapper ignores the request and goes with its child), and what still lives after grace is killed.
// Processes for which spare holds are left out with all below them, as is vomgr itself.
//
// The error is ErrNoProcess, ErrNotSame, ErrUnverifiable or ErrAncestor when nothing was touched, ctx's when it
// ended first, else it names what would not go.
func End(ctx context.Context, t Target, grace time.Duration, spare func(Process) bool) (Ended, error) {
	began := time.Now()
	root, err := verified(t)
	if err != nil {
		return Ended{}, fmt.Errorf("ending process %d: %w", t.Identity.Pid, err)
	}
	tr := newTree(root, spare)
	defer tr.close()
	err = tr.end(ctx, grace)
	done := Ended{Pids: tr.gone(), Killed: tr.killed, Took: time.Since(began)}
	if err != nil {
		return done, fmt.Errorf("ending process %d: %w", t.Identity.Pid, err)
	}
	return done, nil
}

// verified takes a handle on the target and makes sure that it holds the right process.
func verified(t Target) (*member, error) {
	pid := t.Identity.Pid
	if pid <= 0 {
		return nil, ErrUnverifiable
	}
	if slices.Contains(lineage(), pid) {
		return nil, ErrAncestor
	}
	h, err := openHandle(pid)
	if err != nil {
		if errors.Is(err, ErrNoProcess) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", ErrUnverifiable, err)
	}
	p, err := read(pid)
	if err == nil {
		p.fill()
		err = verify(t, p)
	}
	if h.Gone() { // else the number, and so what was read, was its own throughout
		err = ErrNoProcess
	}
	if err != nil {
		h.Close()
		return nil, err
	}
	return &member{Process: p, handle: h}, nil
}

// verify compares what is recorded with what runs under the number now.
func verify(t Target, now Process) error {
	id := now.Identity()
	switch {
	case t.Identity.Start == "" && t.Started.IsZero():
		return fmt.Errorf("%w: the record holds no start time", ErrUnverifiable)
	case t.Identity.Start == "":
		if now.Started.IsZero() {
			return fmt.Errorf("%w: the system does not tell when it began", ErrUnverifiable)
		}
		if d := now.Started.Sub(t.Started).Abs(); d > startTolerance {
			return fmt.Errorf("%w: it began %s away from the time recorded", ErrNotSame, d.Round(time.Second))
		}
	case !sameBoot(t.Identity.Boot, id.Boot):
		return fmt.Errorf("%w: the record is from before a restart of the computer", ErrNotSame)
	case t.Identity.Boot != id.Boot:
		return fmt.Errorf("%w: it was recorded in another container (namespace)", ErrUnverifiable)
	case t.Identity.Start != id.Start:
		return ErrNotSame
	}
	if now.Name == "" && now.Exe == "" && now.Args == nil {
		return fmt.Errorf("%w: its name may not be read", ErrUnverifiable)
	}
	if !now.Bears(t.Marks...) {
		return fmt.Errorf("%w: %s is none of %s", ErrNotSame, now.Name, strings.Join(t.Marks, ", "))
	}
	return nil
}

// sameBoot compares the part of Identity.Boot that names the run of the kernel.
func sameBoot(a, b string) bool {
	a, _, _ = strings.Cut(a, "/")
	b, _, _ = strings.Cut(b, "/")
	return a == b
}

// lineage is this process and those it runs under.
func lineage() []int {
	line := []int{os.Getpid()}
	above, err := Ancestors(os.Getpid())
	if err != nil {
		return append(line, os.Getppid())
	}
	for _, p := range above {
		line = append(line, p.Pid)
	}
	return line
}

// member is one process of the tree that is to end.
type member struct {
	Process

	handle *handle
	depth  int
	asked  bool
}

// tree is the target with what is below it.
type tree struct {
	members []*member
	byPid   map[int]*member
	spare   func(Process) bool
	left    map[int]string // pid → Start: looked at and left out
	self    map[int]bool
	killed  bool
	errs    []error
}

func newTree(root *member, spare func(Process) bool) *tree {
	tr := &tree{byPid: map[int]*member{}, spare: spare, left: map[int]string{}, self: map[int]bool{}}
	for _, pid := range lineage() {
		tr.self[pid] = true
	}
	tr.add(root)
	return tr
}

func (tr *tree) add(m *member) {
	tr.members = append(tr.members, m)
	tr.byPid[m.Pid] = m
}

func (tr *tree) close() {
	for _, m := range tr.members {
		m.handle.Close()
	}
}

// end asks, waits, and kills what stays.
func (tr *tree) end(ctx context.Context, grace time.Duration) error {
	request := func(m *member) (bool, error) {
		if m.asked {
			return false, nil
		}
		m.asked = true
		return ask(m)
	}
	if err := tr.rounds(ctx, grace, request); err != nil {
		return err
	}
	if len(tr.alive()) == 0 {
		return errors.Join(tr.errs...)
	}
	tr.killed = true
	kill := func(m *member) (bool, error) { return true, m.handle.Kill() }
	if err := tr.rounds(ctx, killTime, kill); err != nil {
		return err
	}
	for _, m := range tr.alive() {
		tr.errs = append(tr.errs, fmt.Errorf("%s (process %d) does not end", m.Name, m.Pid))
	}
	return errors.Join(tr.errs...)
}

// sender asks or kills a member; heard is false when that cannot have reached it.
type sender func(*member) (heard bool, err error)

// rounds collects and signals, then waits until all are gone or d is over, and starts again when a last look shows
// processes that were begun meanwhile. Where nobody heard the signal nobody is waited for.
func (tr *tree) rounds(ctx context.Context, d time.Duration, send sender) error {
	until, heard := time.Now().Add(d), false
	for {
		for again := true; again; {
			tr.collect()
			heard = tr.each(send) || heard
			again = tr.collect() && time.Now().Before(until) // what a process began before it got the signal
		}
		if !heard {
			return nil
		}
		if err := tr.wait(ctx, time.Until(until)); err != nil {
			return err
		}
		if !tr.collect() || time.Now().After(until) {
			return nil
		}
	}
}

// each signals the living, leaves first.
func (tr *tree) each(send sender) (heard bool) {
	order := tr.alive()
	slices.SortStableFunc(order, func(a, b *member) int { return cmp.Compare(b.depth, a.depth) })
	for _, m := range order {
		one, err := send(m)
		if err != nil {
			tr.errs = append(tr.errs, fmt.Errorf("signalling %s (process %d): %w", m.Name, m.Pid, err))
		}
		heard = heard || one
	}
	return heard
}

func (tr *tree) wait(ctx context.Context, d time.Duration) error {
	var handles []*handle
	for _, m := range tr.alive() {
		handles = append(handles, m.handle)
	}
	return waitHandles(ctx, handles, d)
}

func (tr *tree) alive() []*member {
	var list []*member
	for _, m := range tr.members {
		if !m.handle.Gone() {
			list = append(list, m)
		}
	}
	return list
}

func (tr *tree) gone() []int {
	var pids []int
	for _, m := range tr.members {
		if m.handle.Gone() {
			pids = append(pids, m.Pid)
		}
	}
	return pids
}
