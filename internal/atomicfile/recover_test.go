package atomicfile

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// What killed runs leave, and what stands in the file's place: old and ours are what an Update read and wrote.
func TestRecover(t *testing.T) {
	for name, c := range map[string]struct {
		left, target string // "" for no file
		newer        bool   // the left one was written after the one in the place
		want         string
	}{
		"killed before the exchange":                       {"ours", "old", true, "old"},
		"killed after the exchange":                        {"old", "ours", false, "ours"},
		"a foreign version was displaced":                  {"foreign", "ours", false, "foreign"},
		"a newer one was displaced while putting back":     {"second", "first", true, "second"},
		"a foreign version was displaced, then written on": {"foreign", "newest", false, "newest"},
		"killed while removing":                            {"old", "", false, ""},
		"a foreign version was moved aside":                {"foreign", "", false, "foreign"},
		"moved aside, and a newer one came":                {"foreign", "newest", false, "newest"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "settings.json")
			left := unique(path, []byte("old"), []byte("ours"))
			age := time.Now().Add(-time.Hour)
			put(t, left, c.left)
			if c.target != "" {
				put(t, path, c.target)
			}
			older := path
			if !c.newer {
				older = left
			}
			if err := os.Chtimes(older, age, age); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if err := Recover(path); err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				alone(t, dir)
				return
			}
			if got := get(t, path); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			alone(t, dir, "settings.json")
		})
	}
}

func TestRecoverTakesOnlyWhatIsOurs(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	put(t, path, "x")
	put(t, filepath.Join(dir, ".settings.json.mine"), "a foreign file")
	f, err := create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Recover(path); err != nil {
		t.Fatal(err)
	}
	alone(t, dir, ".settings.json.mine", "settings.json")
}

func TestSymlink(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "vocl-go")
	put(t, path, "an older program")
	for _, to := range []string{"nowhere", dir} {
		if err := Symlink(to, path); err != nil {
			t.Skip(err)
		}
		if got, err := os.Readlink(path); err != nil || got != to {
			t.Errorf("%q, %v", got, err)
		}
	}
	put(t, filepath.Join(dir, tempPrefix("vocl-go")+"X"+partSuffix), "left by a killed run")
	if err := Sweep(path); err != nil {
		t.Error(err)
	}
	alone(t, dir, "vocl-go")
	if err := Symlink("x", filepath.Join(dir, "none", "vocl-go")); err == nil {
		t.Error("the folder does not exist")
	}
}

// ".." behind a link means the folder above the link's target.
func TestRecoverBehindALink(t *testing.T) {
	root := t.TempDir()
	at := func(p string) string { return filepath.Join(root, filepath.FromSlash(p)) }
	for _, dir := range []string{"home", "dots/deep"} {
		if err := os.MkdirAll(at(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../dots/deep", at("home/.claude")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("../settings.json", at("dots/deep/settings.json")); err != nil {
		t.Fatal(err)
	}
	put(t, at("dots/settings.json"), "x")
	put(t, unique(at("dots/settings.json"), nil, []byte("half")), "half")
	if err := Recover(at("home/.claude/settings.json")); err != nil {
		t.Fatal(err)
	}
	alone(t, at("dots"), "deep", "settings.json")
}

// Replacing one of two hard links would leave the other with the old text, and nobody the wiser.
func TestHardLinksAreRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("not seen there")
	}
	dir := t.TempDir()
	path, other := filepath.Join(dir, "settings.json"), filepath.Join(dir, "other")
	put(t, path, "old")
	if err := os.Link(path, other); err != nil {
		t.Skip(err)
	}
	changed, err := Update(path, to("new"))
	if changed || err == nil || !strings.Contains(err.Error(), "one of 2 names") || Check(path) == nil {
		t.Errorf("%v, %v", changed, err)
	}
	if same, err := Update(path, to("old")); same || err != nil {
		t.Errorf("nothing is to be changed: %v, %v", same, err)
	}
	if get(t, path) != "old" || get(t, other) != "old" {
		t.Error("changed")
	}
	alone(t, dir, "other", "settings.json")
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	for _, p := range []string{path, filepath.Join(dir, "not", "yet", "settings.json")} {
		if err := Check(p); err != nil {
			t.Error(err)
		}
	}
	put(t, path, "x")
	if err := Check(path); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := Check(path); err == nil || !strings.Contains(err.Error(), "is read-only") {
		t.Error(err)
	}
	if err := Check(dir); err == nil {
		t.Error("a folder")
	}
	alone(t, dir, "settings.json")
}
