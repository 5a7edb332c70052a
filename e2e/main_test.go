//go:build e2e

package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// TestMain removes what earlier runs left, and what this one leaves when it is interrupted.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := sweepHomes(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		removeOwnHomes()
		os.Exit(1)
	}()
	status := m.Run()
	removeOwnHomes()
	os.Exit(status)
}
