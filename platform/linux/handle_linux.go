package linux

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Handle holds one process: it never comes to mean another one, even when the number is used again (pidfd_open(2)).
type Handle struct{ fd int }

// Open takes a handle on pid. The error is os.ErrNotExist when there is no such process,
// and errors.ErrUnsupported when the kernel is older than 5.3 and has no handles.
func Open(pid int) (*Handle, error) {
	fd, err := unix.PidfdOpen(pid, 0) // close-on-exec by itself
	switch {
	case errors.Is(err, unix.ESRCH), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT): // the latter two: a thread
		return nil, os.ErrNotExist
	case err != nil:
		return nil, os.NewSyscallError("pidfd_open", err)
	}
	return &Handle{fd}, nil
}

// Close gives the handle back.
func (h *Handle) Close() { _ = unix.Close(h.fd) }

// Gone says that the process has ended; a zombie has.
func (h *Handle) Gone() bool {
	left, err := poll([]*Handle{h}, -1, 0)
	return err == nil && len(left) == 0
}

// Terminate asks the process to end.
func (h *Handle) Terminate() error { return h.signal(unix.SIGTERM) }

// Continue lets a stopped process go on. Not for others: an assistant draws its screen anew at this signal.
func (h *Handle) Continue() error { return h.signal(unix.SIGCONT) }

// Kill ends the process.
func (h *Handle) Kill() error { return h.signal(unix.SIGKILL) }

// signal sends sig; that the process has ended is no error.
func (h *Handle) signal(sig unix.Signal) error {
	err := unix.PidfdSendSignal(h.fd, sig, nil, 0)
	if err == nil || errors.Is(err, unix.ESRCH) {
		return nil
	}
	return os.NewSyscallError("pidfd_send_signal", err)
}

// Wait waits until all of the processes have ended, at most d; the kernel wakes it, nothing is polled for.
// The error is that of ctx when it ended first.
func Wait(ctx context.Context, handles []*Handle, d time.Duration) error {
	var wake [2]int
	if err := unix.Pipe2(wake[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return os.NewSyscallError("pipe2", err)
	}
	defer func() { _ = unix.Close(wake[0]) }()
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_, _ = unix.Write(wake[1], []byte{0})
		close(stopped)
	})
	defer func() {
		if !stop() {
			<-stopped // the descriptor may be used again by others once it is closed
		}
		_ = unix.Close(wake[1])
	}()
	end := time.Now().Add(d)
	for len(handles) > 0 && ctx.Err() == nil {
		rest := time.Until(end)
		if rest <= 0 {
			return nil
		}
		var err error
		if handles, err = poll(handles, wake[0], rest); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// poll waits at most d for an end among the processes, or for wake to be written to, and returns those that live.
func poll(handles []*Handle, wake int, d time.Duration) ([]*Handle, error) {
	fds := make([]unix.PollFd, 0, len(handles)+1)
	for _, h := range handles {
		fds = append(fds, unix.PollFd{Fd: int32(h.fd), Events: unix.POLLIN})
	}
	fds = append(fds, unix.PollFd{Fd: int32(wake), Events: unix.POLLIN}) // a negative number is passed over
	_, err := unix.Poll(fds, int((d+time.Millisecond-1)/time.Millisecond))
	if errors.Is(err, unix.EINTR) {
		return handles, nil
	}
	if err != nil {
		return nil, os.NewSyscallError("poll", err)
	}
	var left []*Handle
	for i, h := range handles {
		if fds[i].Revents == 0 {
			left = append(left, h)
		}
	}
	return left, nil
}
