// Package darwin holds what vomgr knows of macOS: the process table, handles on processes, and the ways its terminals are opened.
package darwin

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Info is what the kernel tells of one process (struct kinfo_proc).
type Info struct {
	Pid, Parent, Group, Session int

	Name            string // at most 16 bytes
	Start           uint64 // when it began, in microseconds since 1970; noted once, not derived from today's clock
	Zombie, Stopped bool
}

// ParseArgs reads the answer to kern.procargs2: the number of arguments (32 bits, little-endian on every Mac Go runs
// on), the program's path, zero bytes, and the arguments, each ended by a zero byte; the environment follows.
func ParseArgs(raw []byte) (exe string, args []string, err error) {
	if len(raw) < 4 {
		return "", nil, errors.New("process arguments: fewer than 4 bytes")
	}
	n, rest := int(binary.LittleEndian.Uint32(raw)), raw[4:]
	path, rest, ok := bytes.Cut(rest, []byte{0})
	if !ok {
		return "", nil, errors.New("process arguments: the program's path has no end")
	}
	rest = bytes.TrimLeft(rest, "\x00")
	for range n {
		arg, after, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return "", nil, errors.New("process arguments: fewer than announced")
		}
		args, rest = append(args, string(arg)), after
	}
	return string(path), args, nil
}
