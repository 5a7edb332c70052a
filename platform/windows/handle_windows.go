package windows

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// Handle holds one process: while it is open the number is not used again.
type Handle struct{ h windows.Handle }

// Open takes a handle on pid. The error is os.ErrNotExist when there is no such process.
func Open(pid int) (*Handle, error) {
	const access = windows.PROCESS_TERMINATE | windows.PROCESS_QUERY_LIMITED_INFORMATION | windows.SYNCHRONIZE
	h, err := windows.OpenProcess(access, false, uint32(pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return nil, os.ErrNotExist
	}
	if err != nil {
		return nil, os.NewSyscallError("OpenProcess", err)
	}
	return &Handle{h}, nil
}

// Close gives the handle back.
func (h *Handle) Close() { _ = windows.CloseHandle(h.h) }

// Gone says that the process has ended.
func (h *Handle) Gone() bool { return ended(h.h) }

// Kill ends the process; that it has ended already is no error.
func (h *Handle) Kill() error {
	err := windows.TerminateProcess(h.h, 1)
	if err == nil || h.Gone() {
		return nil
	}
	return os.NewSyscallError("TerminateProcess", err)
}

// Wait waits until all of the processes have ended, at most d. The error is that of ctx when it ended first.
func Wait(ctx context.Context, handles []*Handle, d time.Duration) error {
	end := time.Now().Add(d)
	for _, h := range handles {
		for !h.Gone() {
			rest := time.Until(end)
			if rest <= 0 || ctx.Err() != nil {
				return ctx.Err()
			}
			// ctx is looked at twenty times a second; the end of the process wakes at once.
			_, err := windows.WaitForSingleObject(h.h, uint32(min(rest, 50*time.Millisecond)/time.Millisecond)+1)
			if err != nil {
				return os.NewSyscallError("WaitForSingleObject", err)
			}
		}
	}
	return ctx.Err()
}
