package install

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// all of what writes into the home.
var writers = map[string]func(world.World) (Report, error){
	"enable":  func(w world.World) (Report, error) { return Enable(w, Options{}) },
	"disable": func(w world.World) (Report, error) { return Disable(w, nil, false) },
	"install": func(w world.World) (r Report, err error) {
		r.Placed, r.Failures = PlacePrograms(w, assistant.All(), false)
		return r, nil
	},
	"uninstall": func(w world.World) (Report, error) { return Uninstall(w, true) },
}

// Where the state folder cannot be used there is one clear error, whatever is asked, and nothing is changed.
func TestOneErrorAboutTheState(t *testing.T) {
	state := func(w world.World, names ...string) string {
		return filepath.Join(append([]string{w.StateDir()}, names...)...)
	}
	fileAt := func(names ...string) func(t *testing.T, w world.World) {
		return func(t *testing.T, w world.World) {
			if err := os.RemoveAll(state(w, names...)); err != nil {
				t.Fatal(err)
			}
			write(t, state(w, names...), "")
		}
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, w world.World)
		says  string
	}{
		"a file in its place":      {fileAt(), "~/.vexy-overnight is not a folder; move it away"},
		"a file for its locks":     {fileAt("locks"), "~/.vexy-overnight/locks is a file where a folder is expected; move it away"},
		"a file for its copies":    {fileAt("edits"), "~/.vexy-overnight/edits is a file where a folder is expected; move it away"},
		"a link to nothing":        {func(t *testing.T, w world.World) { dangling(t, state(w)) }, "~/.vexy-overnight is a symbolic link to a folder that does not exist; create it or remove the link"},
		"a link to nothing, below": {func(t *testing.T, w world.World) { dangling(t, state(w, "edits")) }, "~/.vexy-overnight/edits is a symbolic link to a folder that does not exist; create it or remove the link"},
		"others may write it": {func(t *testing.T, w world.World) {
			if err := os.Chmod(state(w), 0o777); err != nil {
				t.Fatal(err)
			}
		}, "~/.vexy-overnight: others may write it (mode 0777); chmod go-w it"},
	} {
		for verb, do := range writers {
			t.Run(name+", "+verb, func(t *testing.T) {
				if runtime.GOOS == "windows" && !strings.HasPrefix(name, "a file") {
					t.Skip("links need a privilege there, and its access lists are another matter")
				}
				w := person(t)
				write(t, configPath(t, w, assistant.Codex), "notify = ['ding']\n")
				enable(t, w, Options{})
				c.spoil(t, w)
				before := tree(t, w.Home)
				r, err := do(w)
				for _, f := range r.Failures {
					err = errors.Join(err, errors.New(f.Text(w)))
				}
				if err == nil || strings.ReplaceAll(filepath.ToSlash(err.Error()), filepath.ToSlash(w.Home)+"/", "~/") != c.says {
					t.Errorf("%v, want %s", err, c.says)
				}
				if diff := cmp.Diff(before, tree(t, w.Home)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func dangling(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", path); err != nil {
		t.Fatal(err)
	}
}

// A home that does not exist is a mistake of whoever set HOME; it is not made.
func TestNoHomeIsMade(t *testing.T) {
	for verb, do := range writers {
		w := person(t)
		w.Home = filepath.Join(w.Home, "gone")
		r, err := do(w)
		if err == nil && len(r.Failures) > 0 {
			err = r.Failures[0].Err
		}
		takesOut := verb == "disable" || verb == "uninstall" // there is nothing
		if !takesOut && (err == nil || !strings.Contains(err.Error(), "gone does not exist; create it, or set HOME to yours")) {
			t.Errorf("%s: %v", verb, err)
		}
		if _, err := os.Lstat(w.Home); err == nil {
			t.Errorf("%s made %s", verb, w.Home)
		}
	}
	path := filepath.Join(person(t).Home, "gone", ".vexy-overnight", "settings.toml")
	change := func(doc []byte) ([]byte, error) { return settings.Set(doc, "limits.max_hours", 3) }
	if _, err := settings.Change(path, change); err == nil || !strings.Contains(err.Error(), "create it, or set HOME to yours") {
		t.Errorf("settings: %v", err)
	}
}

// Where vomgr never was, taking it out writes nothing, not even a lock.
func TestNothingToTakeOut(t *testing.T) {
	for _, verb := range []string{"disable", "uninstall"} {
		w := person(t)
		write(t, configPath(t, w, assistant.Claude), "{}")
		before := tree(t, w.Home)
		if r, err := writers[verb](w); err != nil || len(r.Failures)+len(r.Changes)+len(r.Removed) > 0 {
			t.Errorf("%v, %+v", err, r)
		}
		if diff := cmp.Diff(before, tree(t, w.Home)); diff != "" {
			t.Error(diff)
		}
	}
}

// An entry of the Python original is taken out also where there is no state folder.
func TestTakenOutWithoutState(t *testing.T) {
	w := person(t)
	path := configPath(t, w, assistant.Codex)
	write(t, path, "notify = [\"/home/me/.codex/voco-go.py\"]\na = 1\n")
	disable(t, w)
	if got := read(t, path); got != "a = 1\n" {
		t.Error(got)
	}
}

// Settings that cannot be read are named with their file, and hinder no purge, which removes them.
func TestDamagedSettings(t *testing.T) {
	for text, says := range map[string]string{
		"x = {\n":                 "settings.toml:1:6: ",
		"kill_old_sessions = 1\n": "settings.toml:1:21: kill_old_sessions: ",
	} {
		w := person(t)
		before := tree(t, w.Home)
		enable(t, w, Options{})
		write(t, w.SettingsPath(), text)
		for _, verb := range []string{"enable", "disable"} {
			r, err := writers[verb](w)
			if err != nil || len(r.Failures) != 1 || !strings.Contains(r.Failures[0].Text(w), says) {
				t.Errorf("%s: %v, %v", verb, err, r.Failures)
			}
		}
		if got := read(t, w.SettingsPath()); got != text {
			t.Errorf("changed: %s", got)
		}
		if r, err := Uninstall(w, true); err != nil || len(r.Failures) > 0 {
			t.Error(err, r.Failures)
		}
		if diff := cmp.Diff(before, tree(t, w.Home)); diff != "" {
			t.Error(diff)
		}
	}
}

// A purge that could not take everything out keeps what it would need to do so later.
func TestPurgeKeepsWhatIsNeeded(t *testing.T) {
	w := person(t)
	path := configPath(t, w, assistant.Claude)
	write(t, path, "{\"hooks\": {}}")
	enable(t, w, Options{})
	on := read(t, path)
	write(t, path, on+"x")
	write(t, w.SettingsPath(), "x = {")
	if r, err := Uninstall(w, true); err != nil || len(r.Failures) != 2 {
		t.Error(err, r.Failures)
	}
	write(t, path, on)
	if r, err := Uninstall(w, true); err != nil || len(r.Failures) != 0 {
		t.Error(err, r.Failures)
	}
	if got := read(t, path); got != "{\"hooks\": {}}" {
		t.Error(got)
	}
}

// Enabled anew (from another place) after the assistant reprinted a file that did not exist before: it is absent again.
func TestAbsentAgainAfterAReprint(t *testing.T) {
	w := person(t)
	path := configPath(t, w, assistant.Claude)
	enable(t, w, Options{})
	write(t, path, strings.ReplaceAll(strings.ReplaceAll(read(t, path), "  ", "\t"), "vocl-go", "old/vocl-go"))
	enable(t, w, Options{})
	disable(t, w)
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v: %s", err, read(t, path))
	}
}

// The record of another file, whose folder happens to have the same name, is none.
func TestRecordOfAnotherFile(t *testing.T) {
	w := person(t)
	path := configPath(t, w, assistant.Claude)
	write(t, path, "{\"a\":1}")
	enable(t, w, Options{})
	on := read(t, path)
	write(t, recordPath(w, path), strings.ReplaceAll(read(t, recordPath(w, path)), "settings.json\"", "other.json\""))
	write(t, copyPath(w, path), "{\"a\":1}") // unharmed
	if _, _, ok := load(w, path); ok {
		t.Error("it counts")
	}
	if err := save(w, record{Path: path, After: []string{hash([]byte(on))}}, []byte("{\"b\":2}")); err != nil {
		t.Fatal(err)
	}
	if r, before, ok := load(w, path); !ok || string(before) != "{\"b\":2}" || !r.wrote([]byte(on)) {
		t.Error("its own record does not count")
	}
}

// What disable has given back is forgotten: the next copy is one of then.
func TestForgottenWhenGivenBack(t *testing.T) {
	w := person(t)
	path := configPath(t, w, assistant.Claude)
	write(t, path, "{\"a\":1}")
	enable(t, w, Options{})
	on := read(t, path)
	disable(t, w)
	if _, err := os.Lstat(editDir(w, path)); !errors.Is(err, os.ErrNotExist) {
		t.Error("the copy is still there")
	}
	write(t, path, on) // by somebody's own backup: that is no edit of ours any more
	disable(t, w)
	if got := read(t, path); got != "{\"a\":1}" {
		t.Error(got)
	}
}

// What vomgr makes is for its user alone, whatever the umask would leave.
func TestOnlyForTheUser(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its access lists are another matter")
	}
	w := person(t)
	enable(t, w, Options{Assistants: []assistant.Name{assistant.Claude, assistant.Codex, assistant.Gemini}, Gemini: true})
	for name, what := range tree(t, w.Home) {
		mode, _, _ := strings.Cut(what, " ")
		if !strings.HasPrefix(mode, "L") && !strings.HasSuffix(mode, "------") {
			t.Errorf("%s: %s", name, mode)
		}
	}
}

// A file that cannot be read is refused, but hinders no uninstall while nothing of ours can be in it.
func TestBrokenFilesOfOthers(t *testing.T) {
	const comment = "{ // mine\n}"
	for text, refused := range map[string]bool{
		comment: false, "\xff\xfe{\x00}\x00": true, "{ // vocl-go\n}": true, `{ // \u0076ocl-go` + "\n}": true, "{\"a\": VOCL-GO}": true, "[]": false,
	} {
		w := person(t)
		write(t, configPath(t, w, assistant.Gemini), "{,}")
		before := tree(t, w.Home)
		enable(t, w, Options{Assistants: []assistant.Name{assistant.Codex}})
		write(t, configPath(t, w, assistant.Claude), text)
		r, err := Disable(w, nil, false)
		if err != nil || len(r.Failures) != 2 {
			t.Errorf("%q: %v, %v", text, err, r.Failures)
		}
		if r, err = Uninstall(w, true); err != nil || (len(r.Failures) > 0) != refused {
			t.Errorf("%q: %v, %v", text, err, r.Failures)
		}
		if got := read(t, configPath(t, w, assistant.Claude)); got != text {
			t.Errorf("%q became %q", text, got)
		}
		if err := os.RemoveAll(filepath.Join(w.Home, ".claude")); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, tree(t, w.Home)); !refused && diff != "" {
			t.Error(diff)
		}
	}
	// one that we edited is never passed over
	w := person(t)
	write(t, configPath(t, w, assistant.Claude), "{}")
	enable(t, w, Options{})
	write(t, configPath(t, w, assistant.Claude), comment)
	if r, err := Uninstall(w, true); err != nil || len(r.Failures) != 1 {
		t.Error(err, r.Failures)
	}
}
