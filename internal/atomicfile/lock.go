package atomicfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

const lockPause = 5 * time.Millisecond

// ErrLocked is returned by Lock when another vomgr holds the lock for longer than the caller would wait.
var ErrLocked = errors.New("another vomgr is changing it")

// Lock takes the lock that vomgr processes hold while they change the file that path means, and waits for it for at most
// wait. Lock files are kept in dir, which is made if missing, and are never deleted: deleting one would let two
// processes hold "the" lock. unlock must be called once.
func Lock(dir, path string, wait time.Duration) (unlock func(), err error) {
	target, err := Resolve(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	name := sha256.Sum256([]byte(filepath.ToSlash(sameName(target))))
	if unlock, err = Hold(filepath.Join(dir, hex.EncodeToString(name[:8])+".lock"), wait); err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return unlock, nil
}

// Hold takes the lock that the file at path stands for, which is made if missing and never to be deleted, and waits for
// it for at most wait: ErrLocked after that. What is no file is refused; a pipe is not waited for. unlock must be called
// once.
func Hold(path string, wait time.Duration) (unlock func(), err error) {
	if fi, err := os.Lstat(path); err == nil && !fi.Mode().IsRegular() {
		return nil, regular(path, fi)
	}
	l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK), flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if !ok && err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		defer cancel()
		ok, err = l.TryLockContext(ctx, lockPause)
	}
	switch {
	case ok:
		return func() { _ = l.Unlock() }, nil
	case err == nil, errors.Is(err, context.DeadlineExceeded):
		return nil, ErrLocked
	}
	return nil, fmt.Errorf("%s: %w", path, cause(err))
}

// sameName is the name that target has by whatever links in the folders above it was reached, so that one file has one
// lock. Folders that cannot be followed, or are not there yet, stand as they are.
func sameName(target string) string {
	dir, base := split(target)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return filepath.Join(real, base)
	}
	return target
}
