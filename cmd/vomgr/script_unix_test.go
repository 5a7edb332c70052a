//go:build unix

package main

import (
	"os"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdFifo makes a named pipe: fifo FILE.
func cmdFifo(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o600))
}

// endBy ends this process by a signal.
func endBy(n int) {
	_ = syscall.Kill(os.Getpid(), syscall.Signal(n))
	time.Sleep(10 * time.Second) // the signal comes meanwhile
}
