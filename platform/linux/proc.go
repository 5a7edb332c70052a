// Package linux holds what vomgr knows of Linux: the process table, handles on processes, terminal emulators and displays.
package linux

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// TicksPerSecond is the unit of Stat.Start: USER_HZ, 100 on every architecture Go runs on.
const TicksPerSecond = 100

// Stat is what /proc/<pid>/stat says of one process (proc(5)).
type Stat struct {
	Pid, Parent, Group, Session int

	Name  string // the kernel's name of it, at most 15 bytes
	State byte   // R, S, D, T, Z …
	Start uint64 // when it began, in ticks since boot as this process's time namespace counts them
}

// Zombie says that the process has ended and only waits to be collected.
func (s Stat) Zombie() bool { return s.State == 'Z' || s.State == 'X' || s.State == 'x' }

// ParseStat reads the text of /proc/<pid>/stat. The name stands in parentheses and may itself hold spaces,
// parentheses and newlines, so the last parenthesis counts.
func ParseStat(text []byte) (Stat, error) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 1 || end < open {
		return Stat{}, fmt.Errorf("process status %.40q has no name in parentheses", text)
	}
	s := Stat{Name: string(text[open+1 : end])}
	fields := strings.Fields(string(text[end+1:]))
	const start = 22 - 3 // the fields after the name begin with the third
	if len(fields) <= start {
		return Stat{}, fmt.Errorf("process status of %s has %d fields after the name, at least %d expected", s.Name, len(fields), start+1)
	}
	s.State = fields[0][0]
	var errs [5]error
	s.Pid, errs[0] = strconv.Atoi(strings.TrimSpace(string(text[:open])))
	s.Parent, errs[1] = strconv.Atoi(fields[1])
	s.Group, errs[2] = strconv.Atoi(fields[2])
	s.Session, errs[3] = strconv.Atoi(fields[3])
	s.Start, errs[4] = strconv.ParseUint(fields[start], 10, 64)
	if err := errors.Join(errs[:]...); err != nil {
		return Stat{}, fmt.Errorf("process status of %s: %w", s.Name, err)
	}
	return s, nil
}

// ReadStat reads the status of pid. The error is os.ErrNotExist when there is no such process.
func ReadStat(pid int) (Stat, error) {
	text, err := os.ReadFile(procFile(pid, "stat"))
	if errors.Is(err, syscall.ESRCH) { // it went between open and read
		err = os.ErrNotExist
	}
	if err != nil {
		return Stat{}, err
	}
	return ParseStat(text)
}

// Table reads the status of every process in one pass; those that go meanwhile are left out.
func Table() ([]Stat, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	names, err := dir.Readdirnames(-1)
	err = errors.Join(err, dir.Close())
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	table := make([]Stat, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if s, err := ReadStat(pid); err == nil {
			table = append(table, s)
		}
	}
	return table, nil
}

// Exe is the program pid runs, "" when that may not be read. A program that was replaced meanwhile keeps its old path.
func Exe(pid int) string {
	path, err := os.Readlink(procFile(pid, "exe"))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, " (deleted)")
}

// Args is the argument list of pid, nil when that may not be read. Empty arguments at the end are dropped,
// since a program that sets its title (claude, node) leaves the rest of the list as zero bytes.
func Args(pid int) []string {
	text, err := os.ReadFile(procFile(pid, "cmdline"))
	if err != nil {
		return nil
	}
	text = bytes.TrimRight(text, "\x00")
	if len(text) == 0 {
		return nil
	}
	return strings.Split(string(text), "\x00")
}

// Boot names the run of the kernel and the namespaces in which pids and start times are counted:
// boot id, pid namespace, time namespace, separated by slashes. Only the first names the boot.
func Boot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id)) + "/" + namespace("pid") + "/" + namespace("time")
}

// namespace is the number of this process's namespace of a kind, "" where the kernel has none of it.
func namespace(kind string) string {
	link, err := os.Readlink("/proc/self/ns/" + kind) // pid:[4026531836]
	if err != nil {
		return ""
	}
	return strings.Trim(strings.TrimPrefix(link, kind), ":[]")
}

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}
