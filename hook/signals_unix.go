//go:build unix

package hook

import (
	"os"
	"os/signal"
	"syscall"
)

// forwardSignals passes on to the assistant what asks the helper to end. What the terminal sends reaches both of them,
// and only the assistant answers it. stop ends the forwarding.
func forwardSignals(p *os.Process) (stop func()) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				if s == syscall.SIGHUP || s == syscall.SIGTERM {
					_ = p.Signal(s)
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}
