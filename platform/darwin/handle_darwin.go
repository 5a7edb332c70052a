package darwin

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Handle stands for one process. macOS has no handles on processes, so each use compares the start time first.
type Handle struct {
	pid   int
	start uint64
}

// Open takes a handle on pid. The error is os.ErrNotExist when there is no such process.
func Open(pid int) (*Handle, error) {
	i, err := Read(pid)
	if err != nil {
		return nil, err
	}
	return &Handle{pid, i.Start}, nil
}

// Close gives the handle back.
func (h *Handle) Close() {}

// Gone says that the process has ended; a zombie has.
func (h *Handle) Gone() bool {
	i, err := Read(h.pid)
	return err != nil || i.Zombie || i.Start != h.start
}

// Terminate asks the process to end.
func (h *Handle) Terminate() error { return h.signal(unix.SIGTERM) }

// Continue lets a stopped process go on. Not for others: an assistant draws its screen anew at this signal.
func (h *Handle) Continue() error { return h.signal(unix.SIGCONT) }

// Kill ends the process.
func (h *Handle) Kill() error { return h.signal(unix.SIGKILL) }

// signal sends sig; that the process has ended is no error.
func (h *Handle) signal(sig unix.Signal) error {
	if h.Gone() {
		return nil
	}
	err := unix.Kill(h.pid, sig)
	if err == nil || errors.Is(err, unix.ESRCH) {
		return nil
	}
	return os.NewSyscallError("kill", err)
}

// Wait waits until all of the processes have ended, at most d; the kernel wakes it, nothing is polled for.
// The error is that of ctx when it ended first.
func Wait(ctx context.Context, handles []*Handle, d time.Duration) error {
	queue, err := unix.Kqueue()
	if err != nil {
		return os.NewSyscallError("kqueue", err)
	}
	unix.CloseOnExec(queue)
	defer func() { _ = unix.Close(queue) }()
	end := time.Now().Add(d)
	left := map[int]bool{}
	for _, h := range handles {
		if watch(queue, h.pid) == nil && !h.Gone() { // watched first, so that no end is missed
			left[h.pid] = true
		}
	}
	for len(left) > 0 && ctx.Err() == nil {
		rest := time.Until(end)
		if rest <= 0 {
			return nil
		}
		// ctx is looked at twenty times a second; the end of a process wakes at once.
		limit := unix.NsecToTimespec(int64(min(rest, 50*time.Millisecond)))
		events := make([]unix.Kevent_t, len(left))
		n, err := unix.Kevent(queue, nil, events, &limit)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("kevent", err)
		}
		for _, e := range events[:max(n, 0)] {
			delete(left, int(e.Ident))
		}
	}
	return ctx.Err()
}

// watch has queue tell the end of pid, once.
func watch(queue, pid int) error {
	var e unix.Kevent_t
	unix.SetKevent(&e, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	e.Fflags = unix.NOTE_EXIT
	_, err := unix.Kevent(queue, []unix.Kevent_t{e}, nil, nil)
	return err
}
