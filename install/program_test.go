package install

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/world"
)

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, at); err != nil {
		t.Skip("no links here:", err)
	}
}

// 38 tokensave#146, M11: what is registered outlives the next upgrade.
func TestLasting(t *testing.T) {
	type layout struct {
		exe   string   // the running program, links resolved, as os.Executable gives it on Linux
		links []string // AT -> TO
		path  []string
		want  string
	}
	name := "vomgr" + exeSuffix()
	for title, l := range map[string]layout{
		"homebrew":                      {"Cellar/vomgr/1.0.0/bin/" + name, []string{"bin/" + name}, []string{"bin"}, "bin/" + name},
		"homebrew, not on PATH":         {"Cellar/vomgr/1.0.0/bin/" + name, []string{"bin/" + name}, nil, "bin/" + name},
		"cask":                          {"Caskroom/vomgr/0.1.1/" + name, []string{"bin/" + name}, []string{"bin"}, "bin/" + name},
		"only the Cellar is on PATH":    {"Cellar/vomgr/1.0.0/bin/" + name, nil, []string{"Cellar/vomgr/1.0.0/bin"}, ""},
		"scoop":                         {"apps/vomgr/1.0.0/" + name, []string{"apps/vomgr/current/" + name}, nil, "apps/vomgr/current/" + name},
		"by hand":                       {"opt/" + name, nil, []string{"other", "opt"}, "opt/" + name},
		"another vomgr is first":        {"opt/" + name, nil, []string{"decoy", "opt"}, "opt/" + name},
		"not on PATH":                   {"opt/" + name, nil, []string{"decoy"}, ""},
		"a version manager's folder":    {"installs/vomgr/v1.2.3-rc1/bin/" + name, nil, []string{"installs/vomgr/v1.2.3-rc1/bin"}, ""},
		"a versioned one before a link": {"tools/1.2/" + name, []string{"bin/" + name}, []string{"tools/1.2", "bin"}, "bin/" + name},
	} {
		t.Run(title, func(t *testing.T) {
			root := t.TempDir()
			at := func(p string) string { return filepath.Join(root, filepath.FromSlash(p)) }
			for _, p := range []string{l.exe, "decoy/" + name} {
				write(t, at(p), p)
			}
			for _, p := range l.links {
				link(t, at(l.exe), at(p))
			}
			w := world.World{Exe: at(l.exe), Env: []string{"PATH="}}
			for _, p := range l.path {
				w.Env[0] += at(p) + string(filepath.ListSeparator)
			}
			want := ""
			if l.want != "" {
				want = at(l.want)
			}
			if got := Lasting(w); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestPlacedAsLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("copies")
	}
	w := person(t)
	claude := get(t, assistant.Claude)
	hook := claude.HookPath(w)
	write(t, hook, "an older copy")
	placed, failures := PlacePrograms(w, []assistant.Assistant{claude}, false)
	if len(failures) > 0 || len(placed) != 1 || placed[0].Link != w.Exe || len(placed[0].Names) != 2 {
		t.Fatalf("%+v, %v", placed, failures)
	}
	if to, err := os.Readlink(hook); err != nil || to != w.Exe {
		t.Error(to, err)
	}
	if placed, _ = PlacePrograms(w, []assistant.Assistant{claude}, false); len(placed) > 0 {
		t.Errorf("again: %+v", placed)
	}
	poor := w
	poor.Env = []string{"PATH="}
	if placed, failures = PlacePrograms(poor, []assistant.Assistant{claude}, false); len(placed)+len(failures) > 0 {
		t.Errorf("with a poor PATH a link that leads here was replaced: %+v, %v", placed, failures)
	}
	for _, to := range []string{filepath.Join(w.Home, "Cellar", "vomgr", "1.0.0", "vomgr"), filepath.Join(w.Home, "other")} {
		write(t, filepath.Join(w.Home, "other"), "another vomgr")
		if strings.Contains(to, "Cellar") {
			link(t, w.Exe, to)
		}
		if err := os.Remove(hook); err != nil {
			t.Fatal(err)
		}
		link(t, to, hook)
		if is, err := programState(poor, hook, ""); is != ProgramOutdated || err != nil {
			t.Errorf("a link to %s: %v, %v", to, is, err)
		}
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	link(t, filepath.Join(w.Home, "gone"), hook)
	if is, err := programState(w, hook, w.Exe); is != ProgramDangling || err != nil {
		t.Error(is, err)
	}
	if placed, _ = PlacePrograms(w, []assistant.Assistant{claude}, false); len(placed) != 1 || len(placed[0].Names) != 1 {
		t.Errorf("mended: %+v", placed)
	}
}

func TestPlacedAsCopies(t *testing.T) {
	w := person(t)
	w.Env = nil // vomgr is not on PATH: no lasting place
	codex := get(t, assistant.Codex)
	place := func() []Placed {
		placed, failures := PlacePrograms(w, []assistant.Assistant{codex}, false)
		if len(failures) > 0 {
			t.Fatal(failures)
		}
		return placed
	}
	if placed := place(); len(placed) != 1 || placed[0].Link != "" {
		t.Fatalf("%+v", placed)
	}
	fi, err := os.Lstat(codex.HookPath(w))
	if err != nil || !fi.Mode().IsRegular() || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o700 {
		t.Error(fi.Mode(), err)
	}
	if placed := place(); len(placed) > 0 {
		t.Errorf("again: %+v", placed)
	}
	write(t, codex.HookPath(w)+asideMark+"7", "what made room once")
	write(t, w.Exe, "a new version")
	if is, err := programState(w, codex.HookPath(w), ""); is != ProgramOutdated || err != nil {
		t.Error(is, err)
	}
	if placed := place(); len(placed) != 1 || read(t, codex.HookPath(w)) != "a new version" {
		t.Errorf("upgrade: %+v", placed)
	}
	if _, err := os.Lstat(codex.HookPath(w) + asideMark + "7"); err == nil {
		t.Error("what made room is still there")
	}
}

func TestAFolderInTheProgramsPlace(t *testing.T) {
	w := person(t)
	if err := os.MkdirAll(get(t, assistant.Claude).HookPath(w), 0o700); err != nil {
		t.Fatal(err)
	}
	r, err := Enable(w, Options{})
	if err != nil || len(r.Failures) != 1 || r.Failures[0].Assistant != assistant.Claude {
		t.Fatal(err, r.Failures)
	}
	if _, err := os.Lstat(configPath(t, w, assistant.Claude)); err == nil {
		t.Error("registered without its program")
	}
	if _, err := os.Lstat(configPath(t, w, assistant.Codex)); err != nil {
		t.Error(err)
	}
}
