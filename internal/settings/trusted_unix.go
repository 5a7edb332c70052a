//go:build unix

package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

func trusted(fi fs.FileInfo) error {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.New("the system does not say whose it is")
	}
	return trustedMode(fi.Mode(), int(st.Uid), os.Getuid())
}

func trustedMode(mode fs.FileMode, owner, us int) error {
	if owner != us && owner != 0 {
		return fmt.Errorf("owned by user %d, not by you; vomgr reads only your own", owner)
	}
	if mode.Perm()&0o022 != 0 {
		return fmt.Errorf("others may write it (mode %04o); chmod go-w it", mode.Perm())
	}
	return nil
}
