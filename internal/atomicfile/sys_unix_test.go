//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestPipeIsRefusedAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := Update(path, to("new"))
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "is a pipe") {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("waits for the pipe's other end")
	}
}

func TestExtendedAttributesAndOwnerStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	put(t, path, "old")
	if err := unix.Setxattr(path, "user.vomgr.test", []byte("kept"), 0); err != nil {
		t.Skip("no extended attributes here:", err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 1234, 2345); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Update(path, to("new")); err != nil {
		t.Fatal(err)
	}
	value := make([]byte, 16)
	n, err := unix.Getxattr(path, "user.vomgr.test", value)
	if err != nil || string(value[:n]) != "kept" {
		t.Errorf("attribute %q, %v", value[:max(n, 0)], err)
	}
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 && (st.Uid != 1234 || st.Gid != 2345) {
		t.Errorf("owner %d:%d", st.Uid, st.Gid)
	}
}

// A file system may know no rename that spares what is there, nor hard links.
func TestRenameNew(t *testing.T) {
	no := func(from, _ string) error { return &os.LinkError{Op: "x", Old: from, Err: unix.EINVAL} }
	for name, by := range map[string][2]func(from, to string) error{
		"exclusive": {renameExclusive, os.Link}, "by a link": {no, os.Link}, "by looking": {no, no},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			tmp, target := filepath.Join(dir, "tmp"), filepath.Join(dir, "settings.json")
			put(t, tmp, "ours")
			if err := renameNewBy(by[0], by[1], tmp, target); err != nil || get(t, target) != "ours" {
				t.Fatal(err)
			}
			alone(t, dir, "settings.json")
			put(t, tmp, "ours again")
			if err := renameNewBy(by[0], by[1], tmp, target); !errors.Is(err, errMoved) || get(t, target) != "ours" {
				t.Error(err)
			}
		})
	}
}

// A pipe where the lock file is expected, or above a folder that is to be removed, is not waited for.
func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	unlock, err := Lock(dir, path, 0)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	locks, err := filepath.Glob(filepath.Join(dir, "*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatal(err, locks)
	}
	if err := errors.Join(os.Remove(locks[0]), unix.Mkfifo(locks[0], 0o600)); err != nil {
		t.Skip(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := Lock(dir, path, 0); err == nil || !strings.Contains(err.Error(), "is a pipe where a file is expected") {
			t.Error(err)
		}
		if err := RemoveTree(filepath.Join(locks[0], "below")); err != nil {
			t.Error(err)
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("waits for the pipe's other end")
	}
}

// One file has one lock, by whatever links in the folders above it it is reached.
func TestLockByAnotherWay(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "real"), 0o700), os.Symlink("real", filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	unlock, err := Lock(dir, filepath.Join(dir, "real", "settings.json"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := Lock(dir, filepath.Join(dir, "link", "settings.json"), 0); !errors.Is(err, ErrLocked) {
		t.Errorf("locked a second time: %v", err)
	}
}

func TestCheckFolder(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "")
	if err := os.Symlink("nowhere", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{
		"":         "",
		"new/new":  "",
		"file":     "/file is a file where a folder is expected; move it away",
		"file/new": "/file is a file where a folder is expected; move it away",
		"link/new": "/link is a symbolic link to a folder that does not exist; create it or remove the link",
	} {
		err := CheckFolder(filepath.Join(dir, name))
		if (err == nil) != (says == "") || err != nil && !strings.HasSuffix(err.Error(), says) {
			t.Errorf("%q: %v, want %s", name, err, says)
		}
	}
}
