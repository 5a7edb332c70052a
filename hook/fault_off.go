//go:build !vomgr_fault

package hook

import "github.com/vexyart/vomgr/internal/world"

// injectFault does nothing outside the test build with faults in it.
func injectFault(world.World) {}

// crashAt kills this process in a test's build only.
func crashAt(world.World, string) {}
