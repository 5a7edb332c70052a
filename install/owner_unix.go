//go:build unix

package install

import (
	"fmt"
	"os"
	"syscall"

	"github.com/vexyart/vomgr/internal/world"
)

// notOurs refuses to write as root into the home of somebody else, as sudo does on macOS: what it makes there nobody but
// root could read, and the hook would not trust it.
func notOurs(w world.World) error {
	fi, err := os.Stat(w.Home)
	if err != nil || os.Geteuid() != 0 {
		return nil // a home that is missing says so itself
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && st.Uid != 0 {
		return fmt.Errorf("this is root, and %s belongs to another user; run it as that user, without sudo", w.Home)
	}
	return nil
}
