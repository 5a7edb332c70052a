package hook

import (
	"os"
	"os/signal"
	"syscall"
)

// forwardSignals lets what reaches every process of the console be answered by the assistant alone: Ctrl-C, and the
// closing of the window, which Go calls SIGTERM and for which Windows leaves the helper five seconds to write down how
// the assistant ended.
func forwardSignals(*os.Process) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	return func() { signal.Stop(signals) }
}
