// Command vomgr lets one coding assistant hand its work to the next: installed as a hook, it is called when an assistant stops.
package main

import (
	"os"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/demo"
)

func main() { os.Exit(run()) }

// run plays the part this process was called for. The parts of the chain come first, before any command is built: an
// assistant waits for them.
func run() int {
	w := outside()
	if status, called := hook.Dispatch(w); called {
		return status
	}
	if status, called := demo.StandIn(w); called {
		return status
	}
	return command(w)
}
