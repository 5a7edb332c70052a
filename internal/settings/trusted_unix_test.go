//go:build unix

package settings

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestTrustedMode(t *testing.T) {
	for _, c := range []struct {
		mode      fs.FileMode
		owner, us int
		want      string
	}{
		{0o600, 1000, 1000, ""},
		{0o644, 1000, 1000, ""},
		{0o644, 0, 1000, ""},
		{0o600, 1001, 1000, "owned by user 1001"},
		{0o600, 1000, 0, "owned by user 1000"},
		{0o620, 1000, 1000, "others may write it (mode 0620); chmod go-w it"},
		{0o602, 0, 0, "others may write it"},
	} {
		err := trustedMode(c.mode, c.owner, c.us)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("mode %o, owner %d, us %d: %v, want %q", c.mode, c.owner, c.us, err, c.want)
		}
	}
}

func TestLoadRefusesWhatOthersMayWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.toml")
	write(t, path, "", 0o666)
	if _, err := Load(path); err == nil || !strings.HasPrefix(err.Error(), path+": others may write it") {
		t.Errorf("got %v", err)
	}
}

func TestLoadDoesNotWaitForAFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.toml")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "is a pipe") {
		t.Errorf("got %v", err)
	}
}

// A link whose target is gone is neither followed into a new file nor replaced.
func TestLoadKeepsADanglingLink(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.toml")
	if err := os.Symlink("gone.toml", path); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil {
		t.Error("no error")
	}
	if to, err := os.Readlink(path); to != "gone.toml" {
		t.Errorf("the link is %q, %v", to, err)
	}
}
