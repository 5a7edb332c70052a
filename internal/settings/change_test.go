package settings

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func setTo(key string, value any) func([]byte) ([]byte, error) {
	return func(doc []byte) ([]byte, error) { return Set(doc, key, value) }
}

// Of many changes at once none is lost.
func TestChangeTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".vexy-overnight", "settings.toml")
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			_, err := Change(path, func(doc []byte) ([]byte, error) { return AddFolder(doc, "/f"+strconv.Itoa(i)) })
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s, err := Load(path)
	if err != nil || len(s.Scope.Folders) != 6 {
		t.Errorf("%q, %v", s.Scope.Folders, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
}

// What cannot be read afterwards is not written, and the error names file and line; what is the same is not written.
func TestChangeRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.toml")
	const doc = "[limits]\nmax_hours = 3\n"
	write(t, path, doc, 0o600)
	for name, c := range map[string]struct {
		change func([]byte) ([]byte, error)
		want   string
	}{
		"wrong type":   {setTo("limits.max_hours", "x"), path + ":2:13: limits.max_hours: expected a whole number"},
		"no choice":    {setTo("scope.mode", "x"), path + ":5:8: scope.mode: expected"},
		"a table":      {setTo("limits", 3), path + ":1:1: limits is a table"},
		"no key":       {setTo("=", 3), `"=" is no key`},
		"given up":     {func([]byte) ([]byte, error) { return nil, fs.ErrInvalid }, "invalid argument"},
		"no toml":      {func([]byte) ([]byte, error) { return []byte("x"), nil }, path + ":1:"},
		"not a folder": {func(doc []byte) ([]byte, error) { return RemoveFolders([]byte("scope.folders = 1"), nil) }, path + ":1:17: scope.folders is not a list"},
	} {
		did, err := Change(path, c.change)
		if did || err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, %v", name, did, err)
		}
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if did, err := Change(path, setTo("limits.max_hours", 3)); did || err != nil {
		t.Errorf("the same again: %v, %v", did, err)
	}
	after, err := os.Stat(path)
	got, _ := os.ReadFile(path)
	if err != nil || string(got) != doc || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Errorf("the file was written: %s", got)
	}
}

// A file with a fault is mended by the change that takes the fault away.
func TestChangeMends(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.toml")
	write(t, path, "limits.max_hours = 'x' # mine\n", 0o600)
	if did, err := Change(path, setTo("limits.max_quick", 3)); did || err == nil {
		t.Errorf("%v, %v", did, err)
	}
	if did, err := Change(path, setTo("limits.max_hours", 3)); !did || err != nil {
		t.Errorf("%v, %v", did, err)
	}
	if got, _ := os.ReadFile(path); string(got) != "limits.max_hours = 3 # mine\n" {
		t.Errorf("%s", got)
	}
}

// Looking makes no file.
func TestLookMakesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.toml")
	s, err := Look(path)
	want, _, _ := Parse(Default)
	if err != nil || s.Limits != want.Limits || len(s.Template("codex", "linux")) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	if all, exists, err := List(path); err != nil || exists || len(all) != len(Keys()) {
		t.Errorf("%d values, %v, %v", len(all), exists, err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it made a file (%v)", err)
	}
	write(t, path, "\nlimits = 1\n", 0o600)
	for name, look := range map[string]func() error{
		"Look": func() error { _, err := Look(path); return err },
		"List": func() error { _, _, err := List(path); return err },
	} {
		if err := look(); err == nil || !strings.HasPrefix(err.Error(), path+":2:1: limits: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Folders come and go without touching how the others are written.
func TestFolders(t *testing.T) {
	doc := []byte("[scope]\nfolders = [\n\t'/a', # one\n\t'/b'\n]\n")
	more, err := AddFolder(doc, "~/c")
	if err != nil || string(more) != "[scope]\nfolders = [\n\t\"~/c\",\n\t'/a', # one\n\t'/b'\n]\n" {
		t.Errorf("%v\n%s", err, more)
	}
	back, err := RemoveFolders(more, func(f string) bool { return f == "~/c" })
	if err != nil || !bytes.Equal(back, doc) {
		t.Errorf("%v\n%s", err, back)
	}
	none, err := RemoveFolders(more, func(string) bool { return true })
	if s, _, perr := Parse(none); err != nil || perr != nil || len(s.Scope.Folders) != 0 {
		t.Errorf("%v %v\n%s", err, perr, none)
	}
	if same, err := RemoveFolders(doc, func(string) bool { return false }); err != nil || !bytes.Equal(same, doc) {
		t.Errorf("%v\n%s", err, same)
	}
}

// What a change that was killed left behind goes with the next one.
func TestChangeCleansUp(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".vexy-overnight")
	path := filepath.Join(dir, "settings.toml")
	if _, err := Change(path, setTo("limits.max_hours", 3)); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(dir, ".settings.toml.1.vomgr-part")
	if err := os.WriteFile(left, nil, 0o600); err != nil { //nolint:forbidigo // the test plays a killed process
		t.Fatal(err)
	}
	if _, err := Change(path, setTo("limits.max_hours", 4)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}

// What decides which programs are started lies in no folder that others may write.
func TestChangeInAFolderOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its access lists are another matter")
	}
	dir := filepath.Join(t.TempDir(), ".vexy-overnight")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o770)); err != nil {
		t.Fatal(err)
	}
	_, err := Change(filepath.Join(dir, "settings.toml"), setTo("limits.max_hours", 3))
	if err == nil || !strings.Contains(err.Error(), "others may write it (mode 0770); chmod go-w it") {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}
