package hook

import (
	"os"
	"os/signal"
	"syscall"
)

// signals are what reaches every process of the console and is answered by the assistant alone: Ctrl-C, and the closing
// of the window, which Go calls SIGTERM and for which Windows leaves the helper five seconds to write down how the
// assistant ended.
type signals struct{ ch chan os.Signal }

func catchSignals() *signals {
	s := &signals{make(chan os.Signal, 1)}
	signal.Notify(s.ch, os.Interrupt, syscall.SIGTERM)
	return s
}

// came is the number of a signal that waits, 0 for none.
func (s *signals) came() int {
	select {
	case <-s.ch:
		return 2
	default:
		return 0
	}
}

// pass is for systems that ask processes to end.
func (s *signals) pass(func(bool)) (stop func()) { return func() {} }

func (s *signals) stop() { signal.Stop(s.ch) }

// tell is for systems that ask processes to end.
func tell(*os.Process, bool) {}
