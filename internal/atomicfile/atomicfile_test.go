package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil { //nolint:forbidigo // the test plays another program
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// alone fails if anything but names lies in dir: no temporary file may stay behind.
func alone(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if fmt.Sprint(got) != fmt.Sprint(names) {
		t.Errorf("in %s: %v, want %v", dir, got, names)
	}
}

func to(text string) func([]byte, bool) ([]byte, error) {
	return func([]byte, bool) ([]byte, error) { return []byte(text), nil }
}

// noExchange is a file system without RENAME_EXCHANGE.
func noExchange(string, string) error { return errNoExchange }

func swaps() map[string]exchanger {
	return map[string]exchanger{"exchange": exchange, "check and rename": noExchange}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "job.json")
	for _, text := range []string{"one", "two", ""} {
		if err := Write(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if got := get(t, path); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && fi.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", fi.Mode())
	}
	alone(t, dir, "job.json")
	if err := Write(filepath.Join(dir, "none", "x"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
}

func TestWriteIsNeverSeenTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "job.json")
	long := strings.Repeat("x", 1<<16)
	put(t, path, long)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				if err := Write(path, []byte(long), 0o600); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 200 {
		got, err := ReadFile(path)
		if err != nil || len(got) != len(long) {
			t.Errorf("saw %d bytes, %v", len(got), err)
		}
	}
	wg.Wait()
	alone(t, filepath.Dir(path), "job.json")
}

func TestUpdate(t *testing.T) {
	for name, swap := range swaps() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "settings.json")
			put(t, path, "old")
			if err := os.Chmod(path, 0o644); err != nil {
				t.Fatal(err)
			}
			changed, err := update(path, func(old []byte, exists bool) ([]byte, error) {
				if !exists || string(old) != "old" {
					t.Errorf("given %q, %v", old, exists)
				}
				return []byte("new"), nil
			}, swap)
			if !changed || err != nil {
				t.Fatal(changed, err)
			}
			if got := get(t, path); got != "new" {
				t.Errorf("got %q", got)
			}
			fi, err := os.Stat(path)
			if err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o644 {
				t.Errorf("mode %v, %v", fi.Mode(), err)
			}
			alone(t, dir, "settings.json")
		})
	}
}

func TestUpdateWithoutChangeKeepsTheTimeStamp(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	put(t, path, "same")
	then := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
	if changed, err := Update(path, to("same")); changed || err != nil {
		t.Fatal(changed, err)
	}
	fi, err := os.Stat(path)
	if err != nil || !fi.ModTime().Equal(then) {
		t.Errorf("time stamp %v, %v", fi.ModTime(), err)
	}
	none := filepath.Join(dir, "none")
	if changed, err := Update(none, func([]byte, bool) ([]byte, error) { return nil, nil }); changed || err != nil {
		t.Fatal(changed, err)
	}
	refused := errors.New("refused")
	if _, err := Update(path, func([]byte, bool) ([]byte, error) { return nil, refused }); !errors.Is(err, refused) {
		t.Errorf("error of change: %v", err)
	}
	alone(t, dir, "settings.json")
}

func TestUpdateCreates(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	if changed, err := Update(path, to("new")); !changed || err != nil {
		t.Fatal(changed, err)
	}
	if got := get(t, path); got != "new" {
		t.Errorf("got %q", got)
	}
	fi, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	alone(t, dir, "settings.json")
}

// The file appears between the look and the write: it is not overwritten but edited.
func TestUpdateCreatesWithoutOverwriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	calls := 0
	_, err := Update(path, func(old []byte, _ bool) ([]byte, error) {
		if calls++; calls == 1 {
			put(t, path, "theirs")
		}
		return append(old, "+ours"...), nil
	})
	if err != nil || get(t, path) != "theirs+ours" || calls != 2 {
		t.Errorf("%q after %d calls, %v", get(t, path), calls, err)
	}
	alone(t, filepath.Dir(path), "settings.json")
}

func TestUpdateStartsOverAfterAForeignChange(t *testing.T) {
	foreign := map[string]func(t *testing.T, path string){
		"in place": func(t *testing.T, path string) { put(t, path, "theirs") },
		"by rename": func(t *testing.T, path string) {
			put(t, path+".foreign", "theirs")
			if err := os.Rename(path+".foreign", path); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, swap := range swaps() {
		for how, change := range foreign {
			t.Run(name+" "+how, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "settings.json")
				put(t, path, "old")
				calls := 0
				changed, err := update(path, func(old []byte, _ bool) ([]byte, error) {
					if calls++; calls == 1 {
						change(t, path)
					}
					return append(old, "+ours"...), nil
				}, swap)
				if !changed || err != nil || get(t, path) != "theirs+ours" || calls != 2 {
					t.Errorf("%q after %d calls, %v, %v", get(t, path), calls, changed, err)
				}
				alone(t, filepath.Dir(path), "settings.json")
			})
		}
	}
}

func TestUpdateOfAFileThatDisappears(t *testing.T) {
	for name, swap := range swaps() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			put(t, path, "old")
			calls := 0
			_, err := update(path, func(old []byte, exists bool) ([]byte, error) {
				if calls++; calls == 1 {
					return []byte("new"), os.Remove(path)
				}
				if exists {
					t.Error("still there")
				}
				return append(old, "+ours"...), nil
			}, swap)
			if err != nil || get(t, path) != "+ours" {
				t.Errorf("%q, %v", get(t, path), err)
			}
		})
	}
}

// Two foreign writers: one before our exchange, one between it and putting back. The newest must win.
func TestPutBackKeepsTheNewest(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	put(t, path, "old")
	swapped := 0
	swap := func(a, b string) error {
		swapped++
		if swapped == 1 {
			put(t, path, "first foreign")
		}
		if swapped == 2 {
			put(t, path+".foreign", "second foreign")
			if err := os.Rename(path+".foreign", path); err != nil {
				t.Fatal(err)
			}
		}
		return exchangeOrEmulate(a, b)
	}
	var seen []string
	_, err := update(path, func(old []byte, _ bool) ([]byte, error) {
		seen = append(seen, string(old))
		return append(old, "+ours"...), nil
	}, swap)
	if err != nil || get(t, path) != "second foreign+ours" {
		t.Errorf("%q, %v, given %q", get(t, path), err, seen)
	}
	alone(t, dir, "settings.json")
}

// What was displaced and cannot be put back is somebody's only copy: it stays, and the error says where.
func TestStrandedBytesStay(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	put(t, path, "old")
	swapped := 0
	swap := func(a, b string) error {
		if swapped++; swapped > 1 {
			return errors.New("no more")
		}
		put(t, path, "foreign")
		return exchangeOrEmulate(a, b)
	}
	changed, err := update(path, to("ours"), swap)
	if changed || err == nil || !strings.Contains(err.Error(), "could not be put back from "+filepath.Join(dir, ".settings.json.")) {
		t.Fatal(changed, err)
	}
	left, globErr := filepath.Glob(filepath.Join(dir, ".settings.json.*"))
	if globErr != nil || len(left) != 1 || get(t, left[0]) != "foreign" || !strings.Contains(err.Error(), left[0]) {
		t.Fatal(globErr, left, err)
	}
	if err := Recover(path); err != nil || get(t, path) != "foreign" {
		t.Errorf("the next run: %v, %s", err, get(t, path))
	}
	alone(t, dir, "settings.json")
}

// A file that is changed between the look and the moving aside is not removed.
func TestRemoveIfOfAFileThatChanges(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	put(t, path, "ours")
	rename := func(from, to string) error {
		put(t, path, "theirs")
		return os.Rename(from, to)
	}
	if removed, err := removeIf(path, []byte("ours"), rename); removed || err != nil || get(t, path) != "theirs" {
		t.Errorf("%v, %v, %s", removed, err, get(t, path))
	}
	alone(t, dir, "settings.json")
}

func TestTooBig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	put(t, path, "")
	if err := os.Truncate(path, maxSize+1); err != nil {
		t.Skip(err)
	}
	if _, err := Update(path, to("new")); err == nil || !strings.Contains(err.Error(), "over 64 MiB, which is more than vomgr reads") {
		t.Error(err)
	}
}

// exchangeOrEmulate lets the tests of putting back run where the system knows no exchange.
func exchangeOrEmulate(a, b string) error {
	err := exchange(a, b)
	if !errors.Is(err, errNoExchange) {
		return err
	}
	return errors.Join(os.Rename(a, a+".x"), os.Rename(b, a), os.Rename(a+".x", b))
}

func TestUpdateGivesUpOnAnEndlessWriter(t *testing.T) {
	for name, swap := range swaps() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			put(t, path, "0")
			n := 0
			changed, err := update(path, func([]byte, bool) ([]byte, error) {
				n++
				put(t, path, fmt.Sprint(n))
				return []byte("ours"), nil
			}, swap)
			if changed || err == nil || !strings.Contains(err.Error(), "keeps writing it") {
				t.Errorf("%v, %v", changed, err)
			}
			if got := get(t, path); got != fmt.Sprint(n) {
				t.Errorf("got %q, want the foreign %d", got, n)
			}
			alone(t, filepath.Dir(path), "settings.json")
		})
	}
}

// Rows 23 and 25 of the bug list: links of any depth, relative and through a linked folder, stay links.
func TestUpdateThroughLinks(t *testing.T) {
	root := t.TempDir()
	for _, d := range []string{"dots/deep", "home"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, at string) {
		t.Helper()
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(root, at)); err != nil {
			t.Skip("this system makes no links here:", err)
		}
	}
	link("../dots/deep", "home/.claude")              // the folder is a link
	link("../second.json", "dots/deep/settings.json") // ".." of the folder's real place: dots, not home
	link("third.json", "dots/second.json")
	put(t, filepath.Join(root, "dots/third.json"), "old")

	path := filepath.Join(root, "home/.claude/settings.json")
	changed, err := Update(path, to("new"))
	if !changed || err != nil {
		t.Fatal(changed, err)
	}
	if got := get(t, filepath.Join(root, "dots/third.json")); got != "new" {
		t.Errorf("target holds %q", got)
	}
	for _, l := range []string{"home/.claude", "dots/deep/settings.json", "dots/second.json"} {
		fi, err := os.Lstat(filepath.Join(root, l))
		if err != nil || fi.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v, %v", l, fi.Mode(), err)
		}
	}
	alone(t, filepath.Join(root, "dots"), "deep", "second.json", "third.json")
	alone(t, filepath.Join(root, "dots/deep"), "settings.json")
}

func TestRefusedPlaces(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Mkdir(at("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, at("readonly"), "x")
	if err := os.Chmod(at("readonly"), 0o400); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"folder": "is a folder", "readonly": "is read-only"}
	if os.Symlink("nowhere", at("dangling")) == nil && os.Symlink("b", at("a")) == nil && os.Symlink("a", at("b")) == nil {
		want["dangling"] = "does not exist"
		want["a"] = "in a circle"
	}
	for name, part := range want {
		changed, err := Update(at(name), to("new"))
		if changed || err == nil || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), at(name)) {
			t.Errorf("%s: %v, %v", name, changed, err)
		}
	}
	if _, err := os.Lstat(at("nowhere")); err == nil {
		t.Error("the dangling link's target was made")
	}
	if got := get(t, at("readonly")); got != "x" {
		t.Errorf("read-only file holds %q", got)
	}
}

func TestRemoveIf(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	if removed, err := RemoveIf(path, nil); removed || err != nil {
		t.Errorf("nothing there: %v, %v", removed, err)
	}
	put(t, path, "theirs")
	if removed, err := RemoveIf(path, []byte("ours")); removed || err != nil || get(t, path) != "theirs" {
		t.Errorf("other bytes: %v, %v", removed, err)
	}
	if removed, err := RemoveIf(path, []byte("theirs")); !removed || err != nil {
		t.Errorf("our bytes: %v, %v", removed, err)
	}
	alone(t, dir)
}

func TestReturnTo(t *testing.T) {
	dir := t.TempDir()
	target, aside := filepath.Join(dir, "settings.json"), filepath.Join(dir, "aside")
	put(t, aside, "changed")
	if err := returnTo(target, aside); err != nil || get(t, target) != "changed" {
		t.Errorf("put back: %v", err)
	}
	put(t, aside, "older")
	if err := returnTo(target, aside); err != nil || get(t, target) != "changed" {
		t.Errorf("a newer file is there: %v", err)
	}
	alone(t, dir, "settings.json")
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	locks, path := filepath.Join(dir, "state", "locks"), filepath.Join(dir, "settings.json")
	unlock, err := Lock(locks, path, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(locks, path, 10*time.Millisecond); !errors.Is(err, ErrLocked) {
		t.Errorf("second holder: %v", err)
	}
	other, err := Lock(locks, filepath.Join(dir, "config.toml"), 0)
	if err != nil {
		t.Errorf("another file: %v", err)
	} else {
		other()
	}
	unlock()
	if unlock, err = Lock(locks, path, time.Second); err != nil {
		t.Fatal(err)
	}
	unlock()
	entries, err := os.ReadDir(locks)
	if err != nil || len(entries) != 2 {
		t.Errorf("lock files must stay: %v, %v", entries, err)
	}
}

// Several vomgr processes under the lock, and one foreign program that replaces the file by rename, never looking: each of
// its versions must come through.
func TestNoForeignChangeIsLost(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("without an exchange a foreign change can be lost")
	}
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, "settings.json")
	put(t, path, "F0;")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { keepAppending(t, filepath.Join(dir, "locks"), path, stop) })
	}
	for n := 1; n <= 100; n++ {
		version := fmt.Sprintf("F%d;", n)
		put(t, filepath.Join(dir, "foreign"), version)
		if err := os.Rename(filepath.Join(dir, "foreign"), path); err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(20 * time.Second)
		for !strings.HasPrefix(get(t, path), version) {
			if time.Now().After(deadline) {
				t.Fatalf("version %s is lost; the file holds %q", version, get(t, path))
			}
		}
	}
	close(stop)
	wg.Wait()
	alone(t, home, "settings.json")
}

func keepAppending(t *testing.T, locks, path string, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		unlock, err := Lock(locks, path, 20*time.Second)
		if err != nil {
			t.Error(err)
			return
		}
		_, err = Update(path, func(old []byte, _ bool) ([]byte, error) { return append(old, '+'), nil })
		unlock()
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// TestRemoveTree: whole, also where os.RemoveAll cannot, and never through a link.
func TestRemoveTree(t *testing.T) {
	for name, remove := range map[string]func(string) error{"RemoveTree": RemoveTree, "one by one": removeOneByOne} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, "kept"), "x")
		tree := filepath.Join(dir, "tree")
		if err := os.MkdirAll(filepath.Join(tree, "a", "b"), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(tree, "a", "b", "file"), "x")
		_ = os.Symlink(dir, filepath.Join(tree, "a", "link")) // where that can be made
		if err := remove(tree); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		alone(t, dir, "kept")
		if err := remove(tree); err != nil {
			t.Errorf("%s, once more: %v", name, err)
		}
	}
}
