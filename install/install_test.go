package install

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// person is a throw-away home with claude, codex and vomgr on PATH.
func person(t *testing.T) world.World {
	t.Helper()
	root := t.TempDir()
	bin := filepath.Join(root, "bin")
	for _, p := range []string{"claude", "codex", "vomgr"} {
		write(t, filepath.Join(bin, p+exeSuffix()), "program "+p)
		if err := os.Chmod(filepath.Join(bin, p+exeSuffix()), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(root, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	return world.World{Home: home, Dir: home, Env: []string{"PATH=" + bin}, Exe: filepath.Join(bin, "vomgr"+exeSuffix())}
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil { //nolint:forbidigo // the test plays another program
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func get(t *testing.T, name assistant.Name) assistant.Assistant {
	t.Helper()
	a, ok := assistant.Get(name)
	if !ok {
		t.Fatal(name)
	}
	return a
}

func configPath(t *testing.T, w world.World, name assistant.Name) string {
	return get(t, name).ConfigPath(w)
}

func enable(t *testing.T, w world.World, o Options) Report {
	t.Helper()
	r, err := Enable(w, o)
	if err != nil || len(r.Failures) > 0 {
		t.Fatalf("%v, %v", err, r.Failures)
	}
	return r
}

func disable(t *testing.T, w world.World) Report {
	t.Helper()
	r, err := Disable(w, nil, false)
	if err != nil || len(r.Failures) > 0 {
		t.Fatalf("%v, %v", err, r.Failures)
	}
	return r
}

// tree lists everything below dir: kinds, modes, contents, where links lead.
func tree(t tester, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		what := fi.Mode().String()
		switch {
		case fi.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			what += " " + to
		case fi.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what += " " + string(data)
		}
		rel, err := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = what
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func cases(t *testing.T, ext string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "internal", "edit", "testdata", "config", "*."+ext))
	if err != nil || len(names) == 0 {
		t.Fatal(err, names)
	}
	all := map[string]string{}
	for _, n := range names {
		all[filepath.Base(n)] = read(t, n)
	}
	return all
}

// refusedCases are the inputs that the assistants themselves would reject or ignore.
var refusedCases = map[string]bool{
	"08-jsonc-comments.json": true, "09-trailing-comma.json": true, "10-hooks-is-list.json": true, "11-stop-is-object.json": true,
	"20-truncated-and-conflict.json": true, "28-duplicate-notify.toml": true,
}

// ownedCases hold ours before; what disable gives back is then not the input.
var ownedCases = map[string]bool{"17-already-shared-group.json": true, "18-already-old-path.json": true}

// Law 1: enable then disable gives back the identical file, its mode, its link, its absence; law 3: a refused one is not touched.
func TestEnableThenDisableGivesBack(t *testing.T) {
	all := cases(t, "json")
	for name, doc := range cases(t, "toml") {
		all[name] = doc
	}
	for name, doc := range map[string]string{
		"brackets.json": "{ }", "stop-empty.json": "{\"hooks\": {\"Stop\": [ ]}}\n", "blank.json": " \n", "hooks-blank.json": "{\n  \"hooks\": {\n  }\n}",
		"blank.toml": "\n", "array.toml": "notify = [ # none\n]\n",
	} {
		all[name] = doc
	}
	for name, doc := range all {
		t.Run(name, func(t *testing.T) {
			w := person(t)
			path := configPath(t, w, assistant.Claude)
			if strings.HasSuffix(name, ".toml") {
				path = configPath(t, w, assistant.Codex)
			}
			write(t, path, doc)
			if err := os.Chmod(path, 0o640); err != nil {
				t.Fatal(err)
			}
			before := tree(t, filepath.Dir(path))
			r, err := Enable(w, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if refusedCases[name] {
				if len(r.Failures) != 1 || r.Failures[0].Path != path || r.Failures[0].Hint() == "" || !strings.HasPrefix(r.Failures[0].Text(w), "~") {
					t.Errorf("failures %v", r.Failures)
				}
				if diff := cmp.Diff(before, tree(t, filepath.Dir(path))); diff != "" {
					t.Error(diff)
				}
				return
			}
			if len(r.Failures) > 0 {
				t.Fatal(r.Failures)
			}
			if !ownedCases[name] && read(t, path) == doc {
				t.Error("nothing was registered")
			}
			disable(t, w)
			if ownedCases[name] {
				if strings.Contains(read(t, path), "vocl-go") {
					t.Errorf("ours stays: %s", read(t, path))
				}
				return
			}
			after := tree(t, filepath.Dir(path))
			for rel := range after {
				if strings.HasPrefix(rel, "hooks") || strings.HasPrefix(rel, "voco-") {
					delete(after, rel) // the programs stay until uninstall
				}
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAbsentFilesAreAbsentAgain(t *testing.T) {
	w := person(t)
	r := enable(t, w, Options{})
	created := 0
	for _, c := range r.Changes {
		if c.Created {
			created++
		}
	}
	if created != 3 {
		t.Errorf("%d files created, want settings.json, config.toml, settings.toml", created)
	}
	if got := read(t, w.SettingsPath()); got != string(settings.Default) {
		t.Error(cmp.Diff(string(settings.Default), got))
	}
	r = disable(t, w)
	for _, name := range []assistant.Name{assistant.Claude, assistant.Codex} {
		if _, err := os.Lstat(configPath(t, w, name)); err == nil {
			t.Errorf("%s is still there", configPath(t, w, name))
		}
	}
	if s, _, err := settings.Parse([]byte(read(t, w.SettingsPath()))); err != nil || s.Continuation("claude").Enabled || s.Continuation("codex").Enabled {
		t.Errorf("continuation still on: %+v, %v", s.Continuations, err)
	}
	if len(r.Changes) != 3 || !r.Changes[0].Deleted {
		t.Errorf("%+v", r.Changes)
	}
	// ... and on again, in place.
	enable(t, w, Options{})
	if s, _, err := settings.Parse([]byte(read(t, w.SettingsPath()))); err != nil || !s.Continuation("claude").Enabled {
		t.Errorf("continuation off: %v", err)
	}
}

// 29 claude-mpm: a second enable writes nothing.
func TestSecondEnableWritesNothing(t *testing.T) {
	w := person(t)
	write(t, configPath(t, w, assistant.Claude), "{}")
	write(t, configPath(t, w, assistant.Codex), "notify = ['ding']\n")
	enable(t, w, Options{})
	past := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	paths := []string{configPath(t, w, assistant.Claude), configPath(t, w, assistant.Codex), w.SettingsPath()}
	for _, p := range paths {
		if err := os.Chtimes(p, past, past); err != nil {
			t.Fatal(err)
		}
	}
	r := enable(t, w, Options{})
	if len(r.Changes) > 0 || len(r.Placed) > 0 || len(r.Already) != 2 {
		t.Errorf("%+v", r)
	}
	for _, p := range paths {
		if fi, err := os.Stat(p); err != nil || !fi.ModTime().Equal(past) {
			t.Errorf("%s was written: %v", p, err)
		}
	}
	for _, s := range Inspect(w) {
		if (s.Name != assistant.Gemini) != (s.Registered() && s.Current()) {
			t.Errorf("%s: registered %v, current %v: %+v", s.Name, s.Registered(), s.Current(), s)
		}
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	w := person(t)
	write(t, configPath(t, w, assistant.Claude), "{\n  \"a\": 1\n}\n")
	before := tree(t, w.Home)
	r := enable(t, w, Options{DryRun: true})
	if diff := cmp.Diff(before, tree(t, w.Home)); diff != "" {
		t.Error(diff)
	}
	want := `--- ~/.claude/settings.json
+++ ~/.claude/settings.json
@@ -1,3 +1,25 @@
 {
-  "a": 1
+  "a": 1,
+  "hooks": {
`
	added := 23
	if runtime.GOOS == "windows" {
		added = 29 // the exec form, two events
		want = strings.Replace(want, "+1,25", "+1,31", 1)
	}
	i := 0
	for i < len(r.Changes) && r.Changes[i].Assistant != assistant.Claude {
		i++
	}
	if i == len(r.Changes) || !strings.HasPrefix(filepath.ToSlash(string(r.Changes[i].Diff)), want) || r.Changes[i].Added != added || r.Changes[i].Removed != 1 {
		t.Errorf("%+v", r.Changes)
	}
	enable(t, w, Options{})
	on := tree(t, w.Home)
	d, err := Disable(w, nil, true)
	if err != nil || len(d.Changes) != 3 {
		t.Errorf("%+v, %v", d.Changes, err)
	}
	if diff := cmp.Diff(on, tree(t, w.Home)); diff != "" {
		t.Error(diff)
	}
}

// One refused file: the others go on.
func TestOneRefusedFile(t *testing.T) {
	w := person(t)
	claude := configPath(t, w, assistant.Claude)
	write(t, claude, "{\n  \"a\": 1,\n}\n")
	r, err := Enable(w, Options{})
	if err != nil || len(r.Failures) != 1 {
		t.Fatal(err, r.Failures)
	}
	if got, want := filepath.ToSlash(r.Failures[0].Text(w)), "~/.claude/settings.json:2:9: trailing comma; claude ignores the whole file because of it, so your other settings are off, too"; got != want {
		t.Errorf("%s", got)
	}
	if got := r.Failures[0].Hint(); got != "remove that comma" {
		t.Error(got)
	}
	if !strings.Contains(read(t, configPath(t, w, assistant.Codex)), "voco-go") {
		t.Error("codex was not enabled")
	}
	if len(r.Placed) != 1 || r.Placed[0].Assistant != assistant.Codex {
		t.Errorf("%+v", r.Placed)
	}
}

// Unreadable preferences: nothing is registered, since the hook could do nothing with them but fail.
func TestBrokenSettings(t *testing.T) {
	w := person(t)
	write(t, w.SettingsPath(), "kill_old_sessions = 1\n")
	r, err := Enable(w, Options{})
	if err != nil || len(r.Failures) != 1 || r.Failures[0].Path != w.SettingsPath() {
		t.Fatal(err, r.Failures)
	}
	if _, err := os.Lstat(configPath(t, w, assistant.Codex)); err == nil {
		t.Error("codex was registered")
	}
}

// Preferences that the hook would not trust: the same.
func TestSettingsOthersMayWrite(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its access lists are another matter")
	}
	w := person(t)
	write(t, w.SettingsPath(), "")
	if err := os.Chmod(w.SettingsPath(), 0o622); err != nil {
		t.Fatal(err)
	}
	r, err := Enable(w, Options{})
	if err != nil || len(r.Failures) != 1 || !strings.Contains(r.Failures[0].Text(w), "others may write it (mode 0622); chmod go-w it") {
		t.Fatal(err, r.Failures)
	}
	if _, err := os.Lstat(configPath(t, w, assistant.Codex)); err == nil {
		t.Error("codex was registered")
	}
}

func TestNobodyFound(t *testing.T) {
	w := person(t)
	w.Env = nil
	if _, err := Enable(w, Options{}); err == nil || !strings.Contains(err.Error(), "no assistant found: looked on PATH for claude and codex, and for ~") {
		t.Error(err)
	}
	r := enable(t, w, Options{Assistants: []assistant.Name{assistant.Claude}}) // named, so it is done
	if len(r.Changes) != 2 || len(r.Warnings) != 1 || r.Warnings[0].ID != "target-missing" {
		t.Errorf("%+v", r)
	}
}

// The copy is put back only while the file is as we left it; a foreign change since then survives, and so does what was
// empty before.
func TestDisableAfterAForeignChange(t *testing.T) {
	w := person(t)
	path := configPath(t, w, assistant.Claude)
	write(t, path, "{\n  \"hooks\": {},\n  \"a\": 1\n}\n")
	enable(t, w, Options{})
	write(t, path, strings.Replace(read(t, path), `"a": 1`, `"a": 2`, 1))
	disable(t, w)
	if got, want := read(t, path), "{\n  \"hooks\": {},\n  \"a\": 2\n}\n"; got != want {
		t.Error(cmp.Diff(want, got))
	}
}

// There was no file; the assistant reprinted the one we made: it goes. What the assistant added stays.
func TestDisableAfterTheAssistantReprintedOurs(t *testing.T) {
	for added, want := range map[string]string{"": "", `"model":"opus",`: `{"model":"opus"}`} {
		w := person(t)
		path := configPath(t, w, assistant.Claude)
		enable(t, w, Options{})
		var b bytes.Buffer
		if err := json.Compact(&b, []byte(read(t, path))); err != nil {
			t.Fatal(err)
		}
		write(t, path, strings.Replace(b.String(), "{", "{"+added, 1))
		disable(t, w)
		data, err := os.ReadFile(path)
		if want == "" && !os.IsNotExist(err) || string(data) != want {
			t.Errorf("%q, want %q, %v", data, want, err)
		}
	}
}

// Enable, a foreign change, enable with another path, disable: neither the change is lost nor an old copy put back.
func TestEnableAgainAfterAForeignChange(t *testing.T) {
	w := person(t)
	path := configPath(t, w, assistant.Codex)
	write(t, path, "notify = ['ding'] # mine\n")
	enable(t, w, Options{})
	write(t, path, read(t, path)+"model = \"m\"\n")
	write(t, path, strings.Replace(read(t, path), "voco-go", "old/voco-go", 1))
	r := enable(t, w, Options{})
	if len(r.Changes) != 1 || len(r.Notify) != 1 || r.Notify[0].Argv[0] != "ding" || r.Notify[0].Wrapped {
		t.Errorf("%+v", r)
	}
	r = disable(t, w)
	if got, want := read(t, path), "notify = ['ding'] # mine\nmodel = \"m\"\n"; got != want {
		t.Error(cmp.Diff(want, got))
	}
	if len(r.Notify) != 1 || !r.Notify[0].Freed {
		t.Errorf("%+v", r.Notify)
	}
}

// What was ours before the first edit stays gone; the rest comes back as it was.
func TestThePythonOriginalStaysGone(t *testing.T) {
	w := person(t)
	path := configPath(t, w, assistant.Codex)
	write(t, path, "notify = [\"~/.codex/voco-go.py\"]\nmodel = 'm'\n")
	enable(t, w, Options{})
	disable(t, w)
	if got := read(t, path); got != "model = 'm'\n" {
		t.Error(got)
	}
}

func TestWrappedNotifyIsLeftAndNamed(t *testing.T) {
	w := person(t)
	path := configPath(t, w, assistant.Codex)
	doc := `notify = ["/Sky/Client", "turn-ended", "--previous-notify", "[\"/x/voco-go\"]"]` + "\n"
	write(t, path, doc)
	for _, do := range []func() Report{
		func() Report { return enable(t, w, Options{Assistants: []assistant.Name{assistant.Codex}}) },
		func() Report { return disable(t, w) },
	} {
		r := do()
		if len(r.Notify) != 1 || !r.Notify[0].Wrapped || r.Notify[0].Argv[0] != "/Sky/Client" || read(t, path) != doc {
			t.Errorf("%+v\n%s", r.Notify, read(t, path))
		}
	}
}

// 23, 25: links of both kinds stay links.
func TestLinksStay(t *testing.T) {
	w := person(t)
	dots := filepath.Join(w.Home, "dots")
	write(t, filepath.Join(dots, "settings.json"), "{}")
	if err := os.Mkdir(filepath.Join(w.Home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../dots/settings.json", configPath(t, w, assistant.Claude)); err != nil {
		t.Skip(err)
	}
	enable(t, w, Options{})
	if to, err := os.Readlink(configPath(t, w, assistant.Claude)); err != nil || to != "../dots/settings.json" {
		t.Error(to, err)
	}
	if !strings.Contains(read(t, filepath.Join(dots, "settings.json")), "vocl-go") {
		t.Error("the target was not edited")
	}
	disable(t, w)
	if got := read(t, filepath.Join(dots, "settings.json")); got != "{}" {
		t.Error(got)
	}
}

func TestScopeAndTarget(t *testing.T) {
	w := person(t)
	project := filepath.Join(w.Home, "src", "api")
	o := Options{Scope: settings.OnlyFolders, Folder: project, Target: assistant.Gemini}
	for range 2 {
		r := enable(t, w, o)
		s := r.Settings
		if s.Scope.Mode != settings.OnlyFolders || len(s.Scope.Folders) != 1 || s.Scope.Folders[0] != w.Tilde(project) || s.Continuation("claude").Target != "gemini" {
			t.Errorf("%+v %+v", s.Scope, s.Continuations)
		}
		if len(r.Warnings) != 2 || r.Warnings[0].ID != "target-missing" {
			t.Errorf("%+v", r.Warnings)
		}
	}
	o.Folder = filepath.Join(project, "deeper")
	if r := enable(t, w, o); len(r.Settings.Scope.Folders) != 1 {
		t.Errorf("a folder below is covered: %q", r.Settings.Scope.Folders)
	}
	o.Folder = project + "-2"
	if r := enable(t, w, o); len(r.Settings.Scope.Folders) != 2 {
		t.Errorf("a sibling is not covered: %q", r.Settings.Scope.Folders)
	}
}

func TestCodexViaHooksAndBack(t *testing.T) {
	w := person(t)
	toml, hooks := configPath(t, w, assistant.Codex), filepath.Join(w.Home, ".codex", "hooks.json")
	write(t, toml, "notify = ['ding']\n")
	codex := []assistant.Name{assistant.Codex}
	enable(t, w, Options{Assistants: codex})
	enable(t, w, Options{Assistants: codex, Via: "hooks"})
	if read(t, toml) != "notify = ['ding']\n" || !strings.Contains(read(t, hooks), "voco-go") {
		t.Errorf("%s%s", read(t, toml), read(t, hooks))
	}
	if r := enable(t, w, Options{Assistants: codex}); len(r.Changes) > 0 { // kept as it is
		t.Errorf("%+v", r.Changes)
	}
	enable(t, w, Options{Assistants: codex, Via: "notify"})
	if _, err := os.Lstat(hooks); !strings.Contains(read(t, toml), "voco-go") || !os.IsNotExist(err) {
		t.Errorf("%s, %v", read(t, toml), err)
	}
}

func TestGeminiIsAskedFor(t *testing.T) {
	w := person(t)
	gemini := []assistant.Name{assistant.Gemini}
	r := enable(t, w, Options{Assistants: gemini})
	if len(r.Nothing) != 1 || len(r.Placed) != 1 {
		t.Errorf("%+v", r)
	}
	if _, err := os.Lstat(configPath(t, w, assistant.Gemini)); err == nil {
		t.Error("gemini was registered")
	}
	r = enable(t, w, Options{Assistants: gemini, Gemini: true})
	if !strings.Contains(read(t, configPath(t, w, assistant.Gemini)), "AfterAgent") || !r.Settings.Continuation("gemini").Enabled {
		t.Errorf("%+v", r)
	}
	if r = enable(t, w, Options{Assistants: gemini}); len(r.Changes) > 0 || len(r.Nothing) > 0 {
		t.Errorf("%+v", r)
	}
}

// 40 amplihack#3060: nothing of ours stays, for all assistants, and nothing else goes.
func TestUninstallLeavesNothing(t *testing.T) {
	w := person(t)
	write(t, configPath(t, w, assistant.Claude), "{\n  \"a\": 1\n}")
	write(t, filepath.Join(w.Home, ".claude", "hooks", "mine.sh"), "mine")
	before := tree(t, w.Home)
	enable(t, w, Options{Assistants: []assistant.Name{assistant.Claude, assistant.Codex, assistant.Gemini}, Gemini: true})
	write(t, get(t, assistant.Claude).JobPath(w), "{}")
	r, err := Uninstall(w, true)
	if err != nil || len(r.Failures) > 0 {
		t.Fatal(err, r.Failures)
	}
	if diff := cmp.Diff(before, tree(t, w.Home)); diff != "" {
		t.Error(diff)
	}
}

func TestUninstallKeepsTheStateAndWhatIsCalled(t *testing.T) {
	w := person(t)
	enable(t, w, Options{})
	path := configPath(t, w, assistant.Claude)
	write(t, path, read(t, path)+"x")
	r, err := Uninstall(w, false)
	if err != nil || len(r.Failures) != 1 {
		t.Fatal(err, r.Failures)
	}
	if _, err := os.Lstat(get(t, assistant.Claude).HookPath(w)); err != nil {
		t.Error("claude's file still calls the program, and it is gone")
	}
	if _, err := os.Lstat(get(t, assistant.Codex).HookPath(w)); err == nil {
		t.Error("codex's program is still there")
	}
	if _, err := os.Lstat(w.SettingsPath()); err != nil {
		t.Error(err)
	}
}

// A damaged copy is never put back.
func TestDamagedCopy(t *testing.T) {
	w := person(t)
	path := configPath(t, w, assistant.Claude)
	write(t, path, "{\"a\":1}")
	enable(t, w, Options{})
	write(t, copyPath(w, path), "")
	disable(t, w)
	if got := read(t, path); got != "{\"a\":1}" {
		t.Error(got)
	}
}
