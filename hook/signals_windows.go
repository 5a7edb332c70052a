package hook

import (
	"os"
	"os/signal"
)

// forwardSignals lets the console's Ctrl-C, which reaches both processes, be answered by the assistant alone.
func forwardSignals(*os.Process) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	return func() { signal.Stop(signals) }
}
