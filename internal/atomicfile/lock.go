package atomicfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	file := filepath.Join(dir, hex.EncodeToString(name[:8])+".lock")
	if fi, err := os.Lstat(file); err == nil && !fi.Mode().IsRegular() { // opening a pipe would wait for ever
		return nil, fmt.Errorf("locking %s: %w", path, regular(file, fi))
	}
	l := flock.New(file)
	ok, err := l.TryLock()
	if !ok && err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		defer cancel()
		ok, err = l.TryLockContext(ctx, lockPause)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = ErrLocked
	}
	if !ok {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return func() { _ = l.Unlock() }, nil
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
