package install

import "github.com/vexyart/vomgr/internal/world"

// notOurs does not apply: whoever runs this has the rights of the home's owner.
func notOurs(world.World) error { return nil }
