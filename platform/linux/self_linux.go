package linux

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Began turns a start in ticks into a time by the present clock: exact to a hundredth of a second
// while nobody sets the clock.
func Began(start uint64) time.Time {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return time.Time{}
	}
	ticks := time.Duration(start) * (time.Second / TicksPerSecond)
	return time.Now().Add(ticks - time.Duration(now.Nano()))
}

// CloseOnExec marks every descriptor from 3 upwards, so that no program started from here inherits it.
// Kernels before 5.11 cannot do so at one blow; there each open descriptor is marked.
func CloseOnExec() {
	if unix.CloseRange(3, ^uint(0)>>32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= 3 {
			unix.CloseOnExec(fd)
		}
	}
}
