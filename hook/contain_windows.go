package hook

import (
	"os/exec"

	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

// containedMark in the environment says that this process is the child that does the work.
const containedMark = "VOMGR_CONTAINED"

// contain runs the same call in a child of itself and answers 0 or 1: there is no signal that could end a faulty process.
// The runtime's own status for a fault that cannot be recovered is 2, and with the traceback "crash" 0xc0000602 (a fast
// fail; Go 1.26.8 in Wine), which no assistant was seen to get.
func contain(w world.World) (status int, contained bool) {
	if w.Getenv(containedMark) != "" {
		return 0, false
	}
	cmd := exec.Command(w.Exe, w.Args[1:]...) //nolint:noctx // the assistant's own time limit holds
	cmd.Args[0] = w.Args[0]
	cmd.Env = append(w.Env[:len(w.Env):len(w.Env)], containedMark+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = w.Stdin, w.Stdout, w.Stderr
	platform.NoWindow(cmd)
	if err := cmd.Run(); err != nil {
		return 1, true
	}
	return 0, true
}
