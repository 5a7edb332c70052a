//go:build unix

package hook

import (
	"os"
	"os/signal"
	"syscall"
)

// signals are those by which the helper is asked to end. It must not end before its assistant: it writes down how that
// ended, and puts the terminal right.
type signals struct{ ch chan os.Signal }

// catchSignals keeps the signals from ending this process; they wait until somebody asks for them.
func catchSignals() *signals {
	s := &signals{make(chan os.Signal, 8)}
	signal.Notify(s.ch, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGTERM)
	return s
}

// came is the number of a signal that waits, 0 for none.
func (s *signals) came() int {
	select {
	case got := <-s.ch:
		n, _ := got.(syscall.Signal)
		return int(n)
	default:
		return 0
	}
}

// pass hands hang-up and terminate on to asked until stop is called, which waits for asked to return. What is typed at the terminal reaches the assistant
// by itself, and only that answers it.
func (s *signals) pass(asked func(hangUp bool)) (stop func()) {
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for {
			select {
			case got := <-s.ch:
				if got == syscall.SIGHUP || got == syscall.SIGTERM {
					asked(got == syscall.SIGHUP)
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-over
	}
}

func (s *signals) stop() { signal.Stop(s.ch) }

// tell asks a process to end, or tells it that its terminal is gone.
func tell(p *os.Process, hangUp bool) {
	if hangUp {
		_ = p.Signal(syscall.SIGHUP)
		return
	}
	_ = p.Signal(syscall.SIGTERM)
}
