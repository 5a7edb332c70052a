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

// promptly fails where do waits for somebody.
func promptly(t *testing.T, what string, do func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: waits", what)
	}
	return nil
}

// No part of vomgr hangs on, or fills the memory with, what took the place of one of its own files; the error names the
// file once.
func TestReadFileOfWhatIsNone(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	huge, err := os.Create(at("huge"))
	if err == nil {
		err = errors.Join(huge.Truncate(1<<40), huge.Close())
	}
	err = errors.Join(err, unix.Mkfifo(at("pipe"), 0o600), os.Mkdir(at("folder"), 0o700),
		os.Symlink("pipe", at("link to a pipe")), os.Symlink("/dev/zero", at("link to a device")), os.Symlink("none", at("link to nothing")))
	if err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]string{
		"pipe": "is a pipe", "link to a pipe": "is a pipe", "folder": "is a folder", "link to a device": "is not a regular file",
		"link to nothing": "no such file", "missing": "no such file", "huge": "over 64 MiB",
	} {
		err := promptly(t, name, func() error {
			_, err := ReadFile(at(name))
			return err
		})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), at(name)) != 1 {
			t.Errorf("%s: %v", name, err)
		}
		if missing := want == "no such file"; errors.Is(err, os.ErrNotExist) != missing {
			t.Errorf("%s counts as missing: %v", name, !missing)
		}
	}
}

func TestHoldWaitsForNoPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	err := promptly(t, "the lock", func() error {
		unlock, err := Hold(path, time.Second)
		if err == nil {
			unlock()
		}
		return err
	})
	if err != nil && strings.Count(err.Error(), path) != 1 {
		t.Error(err)
	}
}
