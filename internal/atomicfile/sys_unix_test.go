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
