package platform

import (
	"errors"
	"fmt"
	"os"
)

// collect takes handles on all that is below the members until a look at the process table shows none that is new;
// it says whether there was any.
func (tr *tree) collect() (found bool) {
	for {
		list, err := table()
		if err != nil {
			tr.errs = append(tr.errs, err)
			return found
		}
		if !tr.pass(list) {
			return found
		}
		found = true
	}
}

// pass goes over one look at the process table.
func (tr *tree) pass(list []Process) (found bool) {
	now := make(map[int]Process, len(list))
	for _, p := range list {
		now[p.Pid] = p
	}
	for again := true; again; { // a child may stand before its parent
		again = false
		for _, p := range list {
			if tr.take(p, now) {
				again, found = true, true
			}
		}
	}
	return found
}

// take adds p when it belongs to the tree, is not known yet and is not to be left out.
func (tr *tree) take(p Process, now map[int]Process) bool {
	if p.zombie || tr.self[p.Pid] || tr.left[p.Pid] == p.Start {
		return false
	}
	if m := tr.byPid[p.Pid]; m != nil && m.Start == p.Start {
		return false
	}
	parent := tr.parent(p, now)
	if parent == nil {
		return false
	}
	p.fill()
	if hostsConsole(p) || tr.spare != nil && tr.spare(p) {
		tr.left[p.Pid] = p.Start
		return false
	}
	return tr.hold(p, parent)
}

// hold takes a handle on p and keeps it when it holds the process that was seen.
func (tr *tree) hold(p Process, parent *member) bool {
	h, err := openHandle(p.Pid)
	if err != nil {
		if !errors.Is(err, ErrNoProcess) {
			tr.left[p.Pid] = p.Start
			tr.errs = append(tr.errs, fmt.Errorf("holding %s (process %d): %w", p.Name, p.Pid, err))
		}
		return false
	}
	if again, err := read(p.Pid); err != nil || again.Start != p.Start || h.Gone() {
		h.Close()
		return false
	}
	tr.add(&member{Process: p, handle: h, depth: parent.depth + 1})
	return true
}

// parent is the member that p is below, or nil. An orphan is known by the session it is in, which only a descendant
// of that session's first process can be, or by the group that a member other than the target leads.
func (tr *tree) parent(p Process, now map[int]Process) *member {
	if m := tr.leader(p.Parent, now); m != nil && !younger(m.Process, p) {
		return m
	}
	if tr.below(p, now) {
		return nil
	}
	if m := tr.orphaned(p.Session, now); m != nil {
		return m
	}
	if m := tr.orphaned(p.group, now); m != nil && m.depth > 0 {
		return m
	}
	return nil
}

// leader is the member of that number if this look at the table still shows it.
func (tr *tree) leader(pid int, now map[int]Process) *member {
	m := tr.byPid[pid]
	if m == nil || now[pid].Start != m.Start {
		return nil
	}
	return m
}

// orphaned is the member of that number, alive or gone, unless another process has the number now.
func (tr *tree) orphaned(pid int, now map[int]Process) *member {
	m := tr.byPid[pid]
	if m == nil {
		return nil
	}
	if p, ok := now[pid]; ok && p.Start != m.Start {
		return nil
	}
	return m
}

// below says that p runs under this process or under one that is left out, whatever session it is in.
func (tr *tree) below(p Process, now map[int]Process) bool {
	for range len(now) {
		above, ok := now[p.Parent]
		if !ok || above.Pid == p.Pid {
			return false
		}
		if above.Pid == os.Getpid() || tr.left[above.Pid] == above.Start {
			return true
		}
		if tr.byPid[above.Pid] != nil {
			return false
		}
		p = above
	}
	return false
}
