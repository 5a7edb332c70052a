package platform

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Why a process was not described or not ended; test with errors.Is.
var (
	ErrNoProcess    = errors.New("no such process")                           // it is gone already
	ErrNotSame      = errors.New("another process has its number")            // or one that is not what was recorded
	ErrUnverifiable = errors.New("cannot tell whether it is the same")        // so it is left alone
	ErrAncestor     = errors.New("it is the process vomgr itself runs under") // ending it would end vomgr
)

// Identity tells one process from every other, also from a later one of the same number, by the kernel's own
// values: a clock that is set or another time zone changes nothing in them.
type Identity struct {
	Pid   int    `json:"pid"`
	Start string `json:"start"`          // Linux: ticks since boot; macOS: µs since 1970; Windows: FILETIME of its creation
	Boot  string `json:"boot,omitempty"` // Linux: boot id/pid namespace/time namespace; macOS: boot session; Windows: ""
}

// Process is what vomgr knows of a running process. A field that may not be read is zero.
type Process struct {
	Pid, Parent int
	Name        string // as the system lists it: node for an assistant that node runs
	Exe         string
	Args        []string
	Start       string    // as in Identity
	Started     time.Time // by the present clock
	Session     int       // the number of its session's first process; 0 on Windows

	group           int
	zombie, stopped bool
}

// Identity is the identity of p, which this system's table named.
func (p Process) Identity() Identity { return Identity{Pid: p.Pid, Start: p.Start, Boot: boot()} }

// Token is the identity in letters, digits and dashes, fit for a file name.
func (i Identity) Token() string { return fmt.Sprintf("%d-%s-%s", i.Pid, i.Start, digest(i.Boot)) }

// digest shortens the name of a boot; two differ by chance once in 10^19.
func digest(boot string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(boot))
	return strconv.FormatUint(h.Sum64(), 36)
}

// boot is asked for once: it cannot change while a process lives.
var boot = sync.OnceValue(systemBoot)

// Identify reads the identity of pid; ErrNoProcess when it is gone, which a zombie is.
func Identify(pid int) (Identity, error) {
	p, err := read(pid)
	if err != nil {
		return Identity{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return p.Identity(), nil
}

// Self is the identity of this process; its start is empty only when the system does not tell.
func Self() Identity {
	i, err := Identify(os.Getpid())
	if err != nil {
		return Identity{Pid: os.Getpid(), Boot: boot()}
	}
	return i
}

// Alive says that this very process lives. One of an earlier boot does not, and one that was recorded in another
// pid namespace (a container's) cannot be seen from here and counts as not alive.
func Alive(i Identity) bool {
	now, err := Identify(i.Pid)
	return err == nil && now == i
}

// TokenAlive is Alive for a Token; what is no token names no living process.
func TokenAlive(token string) bool {
	number, _, _ := strings.Cut(token, "-")
	pid, err := strconv.Atoi(number)
	if err != nil {
		return false
	}
	now, err := Identify(pid)
	return err == nil && now.Token() == token
}

// Describe reads what is known of pid; ErrNoProcess when it is gone.
func Describe(pid int) (Process, error) {
	p, err := read(pid)
	if err != nil {
		return Process{}, fmt.Errorf("process %d: %w", pid, err)
	}
	p.fill()
	return p, nil
}

// Ancestors lists the processes pid runs under, from its parent upwards. It ends where the system does not tell more.
func Ancestors(pid int) ([]Process, error) {
	child, err := read(pid)
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	var line []Process
	seen := map[int]bool{pid: true}
	for child.Parent > 0 && !seen[child.Parent] {
		parent, err := read(child.Parent)
		if err != nil || younger(parent, child) {
			break // the number of a parent that is gone, used again (Windows keeps it)
		}
		parent.fill()
		line = append(line, parent)
		seen[parent.Pid] = true
		child = parent
	}
	return line, nil
}

// Processes describes every process in one pass; those that go meanwhile are left out.
func Processes() ([]Process, error) {
	list, err := table()
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(p Process) bool { return p.zombie })
	for i := range list {
		list[i].fill()
	}
	return list, nil
}

// younger says that a began after b. Starts are decimal numbers of one unit.
func younger(a, b Process) bool {
	if len(a.Start) != len(b.Start) {
		return len(a.Start) > len(b.Start)
	}
	return a.Start > b.Start
}
