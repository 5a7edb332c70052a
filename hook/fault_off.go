//go:build !vomgr_fault

package hook

import "github.com/vexyart/vomgr/internal/world"

// injectFault does nothing outside the test build with faults in it.
func injectFault(world.World) {}
