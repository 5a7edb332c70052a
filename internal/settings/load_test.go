package settings

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func write(t *testing.T, path, doc string, mode fs.FileMode) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, werr := f.WriteString(doc)
	if err := errors.Join(werr, f.Close(), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

func TestLoadMakesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".vexy-overnight", "settings.toml")
	var wg sync.WaitGroup
	for range 8 { // all see the whole file, whoever makes it
		wg.Go(func() {
			s, err := Load(path)
			if err != nil || len(s.Template("codex", "linux")) != 1 {
				t.Errorf("Load: %v, terminals %+v", err, s.Terminals)
			}
		})
	}
	wg.Wait()
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, Default) {
		t.Fatalf("the new file differs from the fresh one (%v)", err)
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for p, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if fi, err := os.Stat(p); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s: mode %v, want %v (%v)", p, fi.Mode().Perm(), want, err)
		}
	}
}

func TestLoadNamesFileAndLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.toml")
	write(t, path, "\n[limits]\nmax_hours = 'x'\n", 0o600)
	_, err := Load(path)
	var at *Error
	if want := path + ":3:13: limits.max_hours: "; !errors.As(err, &at) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s…", err, want)
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge")
	write(t, huge, "", 0o600)
	if err := os.Truncate(huge, maxFile+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{dir: "is a folder", huge: "are more than"} {
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Load(%s): %v, want %q", path, err, want)
		}
	}
}

func TestNextClock(t *testing.T) {
	zone := time.FixedZone("", 3600)
	from := time.Date(2026, 11, 30, 21, 57, 0, 0, zone)
	for clock, want := range map[string]string{
		"07:00": "2026-12-01T07:00:00+01:00",
		"7:00":  "2026-12-01T07:00:00+01:00",
		"21:58": "2026-11-30T21:58:00+01:00",
		"21:57": "2026-12-01T21:57:00+01:00", // now is over
		"00:00": "2026-12-01T00:00:00+01:00",
	} {
		if at, err := NextClock(clock, from); err != nil || at.Format(time.RFC3339) != want {
			t.Errorf("NextClock(%s) = %v, %v; want %s", clock, at, err, want)
		}
	}
	for _, clock := range []string{"", "24:00", "7", "07:60", "7:00 am", "-1:00", "07:00\n"} {
		if _, err := NextClock(clock, from); err == nil {
			t.Errorf("NextClock(%q) is no error", clock)
		}
	}
}
