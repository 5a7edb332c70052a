// Package windows holds what vomgr knows of Windows: the process table, handles on processes, command lines and consoles.
package windows

import "time"

// Info is what Windows tells of one process.
type Info struct {
	Pid    int
	Parent int    // the number of the one that began it, which may be gone and the number used again
	Name   string // the file name of its program
	Start  uint64 // when it was created, in 100 ns since 1601 (FILETIME); 0 when that may not be read
}

// epoch is 1970 as a FILETIME.
const epoch = 116444736000000000

// Began is a start as a time; the zero time for 0.
func Began(start uint64) time.Time {
	if start == 0 {
		return time.Time{}
	}
	return time.Unix(0, (int64(start)-epoch)*100)
}
