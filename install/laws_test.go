package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/edit"
	"github.com/vexyart/vomgr/internal/edit/edittest"
	"github.com/vexyart/vomgr/internal/world"
)

// The laws of an edit, all of them, for any file: stated once, on real files, and held by generated documents, by damaged
// ones, and by the fuzz targets. Their numbers are those of docs/edits.md. Crash, race and full disk have tests of their own.

// tester is a *testing.T or a *rapid.T.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// trial is one file on which the laws are held.
type trial struct {
	tester
	name   assistant.Name
	w      world.World
	c      assistant.Config
	reg    assistant.Registration
	doc    []byte
	before map[string]string // the folder with the file and what it leads to
}

const (
	firstHook  = "/opt/vomgr/"
	secondHook = "/elsewhere/bin dir/"
)

// newTrial lays doc down in an empty folder; odd ones behind a link, and with other permissions.
func newTrial(t tester, root string, name assistant.Name, doc []byte) *trial {
	t.Helper()
	w := world.World{Home: filepath.Join(root, "home")}
	a, _ := assistant.Get(name)
	c := a.Configs(w)[0]
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Dir(c.Path), 0o700))
	at, mode := c.Path, fs.FileMode(0o600)
	if len(doc)%2 == 1 && runtime.GOOS != "windows" { // where links need a privilege
		at, mode = filepath.Join(w.Home, "dots"), 0o644
		must(os.Symlink(at, c.Path))
	}
	must(os.WriteFile(at, doc, mode)) //nolint:forbidigo // the test plays the person
	must(os.Chmod(at, mode))
	x := &trial{tester: t, name: name, w: w, c: c, doc: doc, reg: registrationOf(name, firstHook)}
	x.before = x.files()
	return x
}

func registrationOf(name assistant.Name, dir string) assistant.Registration {
	base := map[assistant.Name]string{assistant.Claude: "vocl-go", assistant.Codex: "voco-go", assistant.Gemini: "voge-go"}[name]
	return assistant.Registration{Hook: dir + base, Vomgr: dir + "vomgr", Gemini: true}
}

// program is what is registered.
func (x *trial) program(reg assistant.Registration) string {
	if x.name == assistant.Gemini {
		return reg.Vomgr
	}
	return reg.Hook
}

// files is everything in the home but vomgr's own state, with the time at which files were written.
func (x *trial) files() map[string]string {
	x.Helper()
	all := tree(x, x.w.Home)
	for rel := range all {
		if strings.HasPrefix(rel, ".vexy-overnight") {
			delete(all, rel)
		}
	}
	return all
}

func (x *trial) read() []byte {
	x.Helper()
	data, err := os.ReadFile(x.c.Path)
	if err != nil {
		x.Fatal(err)
	}
	return data
}

// state reads the document; it must be readable.
func (x *trial) state(doc []byte) assistant.State {
	x.Helper()
	s, err := x.c.State(doc)
	if err != nil {
		x.Fatalf("law 4: %v in %q", err, doc)
	}
	return s
}

// register registers, and holds what every successful registration owes.
func (x *trial) register(reg assistant.Registration) []byte {
	x.Helper()
	e := editor{w: x.w}
	was := x.read()
	done, err := e.register(x.c, reg)
	if err != nil {
		x.Fatalf("refused now: %v; %q", err, was)
	}
	out := x.read()
	if !bytes.Equal(out, done.after) {
		x.Fatalf("law 5: written %q, meant %q", out, done.after)
	}
	x.onlyBytesDiffer()
	s := x.state(out)
	for _, e := range s.Entries {
		if (e.Event == "Stop" || e.Event == "notify" || e.Event == "AfterAgent") && e.Program != x.program(reg) {
			x.Fatalf("law 7: %+v in %q", s.Entries, out)
		}
	}
	if !s.Registered() {
		x.Fatalf("law 7: not registered in %q", out)
	}
	if r, before, ok := load(x.w, x.c.Path); done.changed() && (!ok || !r.wrote(out) || !x.bare(before)) {
		x.Fatalf("law 6: %v %+v %q", ok, r, before)
	}
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(x.c.Path, old, old); err != nil {
		x.Fatal(err)
	}
	if done, err = e.register(x.c, reg); err != nil || done.changed() || !bytes.Equal(x.read(), out) {
		x.Fatalf("a second time: %v, %q then %q", err, out, x.read())
	}
	if fi, err := os.Stat(x.c.Path); err != nil || !fi.ModTime().Equal(old) {
		x.Fatalf("a second time: written, %v", err)
	}
	return out
}

// bare tells that doc holds nothing of ours.
func (x *trial) bare(doc []byte) bool { return len(x.state(doc).Entries) == 0 }

// onlyBytesDiffer holds law 5: mode, link and neighbours are as they were, and nothing was left behind.
func (x *trial) onlyBytesDiffer() {
	x.Helper()
	strip := func(all map[string]string) map[string]string {
		out := map[string]string{}
		for rel, what := range all {
			mode, rest, _ := strings.Cut(what, " ")
			if strings.HasPrefix(mode, "L") {
				mode += rest
			}
			out[rel] = mode
		}
		return out
	}
	if was, is := strip(x.before), strip(x.files()); !reflect.DeepEqual(was, is) {
		x.Fatalf("law 5: %v, was %v", is, was)
	}
}

// refused holds law 3 if the document is refused.
func (x *trial) refused() bool {
	x.Helper()
	_, err := editor{w: x.w}.register(x.c, x.reg)
	if err == nil {
		return false
	}
	var r *edit.Refusal
	if !errors.As(err, &r) || r.Line < 1 || r.Col < 1 || r.What == "" || r.Remedy == "" {
		x.Fatalf("law 3: no place, reason or remedy: %v", err)
	}
	if is := x.files(); !reflect.DeepEqual(x.before, is) {
		x.Fatalf("law 3: refused (%v), and yet %v", err, is)
	}
	return true
}

// lawful holds all laws but 2 and 4, whose statement differs between the languages, for which it calls check.
// It tells whether the document was accepted.
func (x *trial) lawful(check func(out []byte)) bool {
	x.Helper()
	if x.refused() {
		return false
	}
	state := x.state(x.doc)
	owned := len(state.Entries) > 0
	out := x.register(x.reg)
	check(out)
	if was := x.program(x.reg); !owned && len(state.Wrapped) == 0 && !bytes.Contains(x.doc, []byte(was)) {
		other := registrationOf(x.name, secondHook)
		if moved := x.register(other); string(moved) != strings.ReplaceAll(string(out), was, x.program(other)) {
			x.Fatalf("law 7: another path: %q then %q", out, moved)
		}
	}
	x.unregister(owned)
	return true
}

// unregister holds law 1.
func (x *trial) unregister(owned bool) {
	x.Helper()
	if _, err := (editor{w: x.w}).unregister(x.c); err != nil {
		x.Fatalf("law 1: %v", err)
	}
	if owned {
		if !x.bare(x.read()) {
			x.Fatalf("law 1: ours stays: %q", x.read())
		}
		return
	}
	if is := x.files(); !reflect.DeepEqual(x.before, is) {
		x.Fatalf("law 1: %q came back as %v", x.doc, is)
	}
}

// isInsertion tells whether b is a with one text put in. An empty pair of brackets may lose the blanks it held.
func isInsertion(a, b []byte) bool {
	p, s := 0, 0
	for p < len(a) && p < len(b) && a[p] == b[p] {
		p++
	}
	for s < len(a) && s < len(b)-p && a[len(a)-1-s] == b[len(b)-1-s] {
		s++
	}
	return len(b) >= len(a) && p+s >= len(a) || len(bytes.TrimSpace(a[p:max(p, len(a)-s)])) == 0
}

var bom = []byte("\xef\xbb\xbf")

// claudeLaws holds every law for a settings.json; it tells whether the document was accepted.
func claudeLaws(t tester, root string, doc []byte) bool {
	t.Helper()
	x := newTrial(t, root, assistant.Claude, doc)
	ok := x.lawful(func(out []byte) {
		owned := len(x.state(doc).Entries) > 0
		if !owned && !isInsertion(doc, out) {
			t.Fatalf("law 2: %q became %q", doc, out)
		}
		both := x.reg
		both.UsageLimit = true
		two, err := x.c.Register(out, both)
		if err != nil || !owned && !isInsertion(out, two) {
			t.Fatalf("law 2: %q became %q, %v", out, two, err)
		}
		if n := commandsOf(t, out, x.reg.Hook); n != 1 {
			t.Fatalf("law 4: %d handlers in %q", n, out)
		}
		if !owned {
			reprinted(t, x, out)
		}
	})
	body := bytes.TrimSpace(bytes.TrimPrefix(doc, bom))
	if ok && len(body) > 0 && !json.Valid(body) {
		t.Fatalf("law 3: accepted %q", doc)
	}
	return ok
}

// commandsOf counts, with another parser, which takes the last of a name, too, the handlers at Stop that call hook.
func commandsOf(t tester, doc []byte, hook string) int {
	t.Helper()
	type object = map[string]json.RawMessage
	read := func(raw []byte, v any) {
		if err := json.Unmarshal(raw, v); err != nil {
			t.Fatalf("law 4: %v in %q", err, doc)
		}
	}
	var root, hooks object
	var groups []map[string]any
	read(bytes.TrimPrefix(doc, bom), &root)
	read(root["hooks"], &hooks)
	read(hooks["Stop"], &groups)
	n := 0
	for _, g := range groups {
		handlers, _ := g["hooks"].([]any)
		for _, h := range handlers {
			fields, _ := h.(map[string]any)
			command, _ := fields["command"].(string)
			if fields["type"] == "command" && strings.HasPrefix(command+" ", `"`+hook+`" `) {
				n++
			}
		}
	}
	return n
}

// reprinted: what is left when Claude has reprinted the file meanwhile is what it would have made of the original.
func reprinted(t tester, x *trial, out []byte) {
	t.Helper()
	reprint := func(doc []byte) []byte {
		var b bytes.Buffer
		if err := json.Indent(&b, bytes.TrimSpace(bytes.TrimPrefix(doc, bom)), "", "  "); err != nil {
			return []byte("{}\n")
		}
		return append(b.Bytes(), '\n')
	}
	back, err := x.c.Unregister(reprint(out), x.doc)
	if err != nil || !bytes.Equal(back, reprint(x.doc)) {
		t.Fatalf("reprinted: %q, want %q, %v", back, reprint(x.doc), err)
	}
}

// geminiLaws holds every law for Gemini's settings.json, in which comments are blanks.
func geminiLaws(t tester, root string, doc []byte) bool {
	t.Helper()
	x := newTrial(t, root, assistant.Gemini, doc)
	return x.lawful(func(out []byte) {
		s := x.state(out)
		if len(x.state(doc).Entries) == 0 && !isInsertion(doc, out) {
			t.Fatalf("law 2: %q became %q", doc, out)
		}
		for _, e := range s.Entries {
			if e.Event == "AfterAgent" {
				return
			}
		}
		t.Fatalf("law 4: %+v in %q", s, out)
	})
}

// codexLaws holds every law for a config.toml; it tells whether the document was accepted.
func codexLaws(t tester, root string, doc []byte) bool {
	t.Helper()
	x := newTrial(t, root, assistant.Codex, doc)
	body := bytes.TrimPrefix(doc, bom)
	notify, theirs := notifyIn(body)
	ok := x.lawful(func(out []byte) {
		s := x.state(doc)
		if len(s.Entries) == 0 && !isInsertion(doc, out) && len(notify) > 0 {
			t.Fatalf("law 2: %q became %q", doc, out)
		}
		want := append([]string{x.reg.Hook, "--then"}, notify...)
		switch {
		case len(s.Wrapped) > 0:
			want = notify
		case len(s.Entries) > 0:
			return
		case len(notify) == 0:
			want = want[:1]
		}
		if is, err := notifyIn(bytes.TrimPrefix(out, bom)); err != nil || !slices.Equal(is, want) {
			t.Fatalf("law 4: %q, want %q, %v", is, want, err)
		}
		rewritten(t, x, out)
	})
	if ok && theirs != nil {
		t.Fatalf("law 3: accepted, but %v: %q", theirs, doc)
	}
	if !ok && theirs == nil {
		t.Fatalf("refused without need: %q", doc)
	}
	return ok
}

// notifyIn reads the list notify of a config.toml as Codex does: names are case-sensitive, as they are not when go-toml
// fills a struct.
func notifyIn(doc []byte) ([]string, error) {
	var m map[string]any
	if err := toml.Unmarshal(doc, &m); err != nil || m["notify"] == nil {
		return nil, err
	}
	list, ok := m["notify"].([]any)
	argv := make([]string, len(list))
	for i, v := range list {
		if argv[i], ok = v.(string); !ok {
			break
		}
	}
	if !ok {
		return nil, errors.New("notify is no list of strings")
	}
	return argv, nil
}

// rewritten: what is left when Codex has rewritten the file meanwhile is what it would have made of the original.
func rewritten(t tester, x *trial, out []byte) {
	t.Helper()
	rewrite := func(doc []byte) []byte {
		text := strings.ReplaceAll(string(bytes.TrimPrefix(doc, bom)), "\r\n", "\n")
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return []byte(text + "[added]\nx = 1\n")
	}
	if _, err := x.c.State(rewrite(x.doc)); err != nil {
		return // what was added does not fit
	}
	back, err := x.c.Unregister(rewrite(out), x.doc)
	if want := rewrite(x.doc); err != nil || !bytes.Equal(back, want) {
		t.Fatalf("rewritten: %q, want %q, %v", back, want, err)
	}
}

// language is what the tests below are run for.
type language struct {
	laws     func(tester, string, []byte) bool
	generate func(*rapid.T) []byte
	pattern  string
}

var languages = map[string]language{
	"JSON":               {claudeLaws, edittest.JSON, "*.json"},
	"TOML":               {codexLaws, edittest.TOML, "*.toml"},
	"JSON with comments": {geminiLaws, edittest.JSONC, "*.json"},
}

// TestLaws holds the laws on generated documents: -rapid.checks says how many.
func TestLaws(t *testing.T) {
	for name, l := range languages {
		t.Run(name, func(t *testing.T) {
			n, accepted := 0, 0
			rapid.Check(t, func(r *rapid.T) {
				n++
				if l.laws(r, scratch(t, r), l.generate(r)) {
					accepted++
				}
			})
			t.Logf("%d documents, %d of them accepted", n, accepted)
			if accepted*2 < n {
				t.Error("too few of the documents are good for anything")
			}
		})
	}
}

// TestLawsOfDamagedFiles holds the laws on the inputs of testdata/config, damaged.
func TestLawsOfDamagedFiles(t *testing.T) {
	for name, l := range languages {
		t.Run(name, func(t *testing.T) {
			all := seeds(t, l.pattern)
			n, accepted := 0, 0
			rapid.Check(t, func(r *rapid.T) {
				n++
				if l.laws(r, scratch(t, r), edittest.Damaged(r, rapid.SampledFrom(all).Draw(r, "file"))) {
					accepted++
				}
			})
			t.Logf("%d documents, %d of them accepted", n, accepted)
		})
	}
}

func FuzzClaude(f *testing.F) { fuzz(f, languages["JSON"]) }

func FuzzCodex(f *testing.F) { fuzz(f, languages["TOML"]) }

func FuzzGemini(f *testing.F) { fuzz(f, languages["JSON with comments"]) }

func fuzz(f *testing.F, l language) {
	for _, seed := range seeds(f, l.pattern) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, doc []byte) { l.laws(t, t.TempDir(), doc) })
}

// scratch is an empty folder for one trial.
func scratch(t *testing.T, r *rapid.T) string {
	dir, err := os.MkdirTemp(t.TempDir(), "") //nolint:usetesting // one of very many
	if err != nil {
		t.Fatal(err)
	}
	r.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func seeds(tb testing.TB, pattern string) [][]byte {
	tb.Helper()
	var all [][]byte
	for _, dir := range []string{"", "expected"} {
		names, err := filepath.Glob(filepath.Join("..", "internal", "edit", "testdata", "config", dir, pattern))
		if err != nil || len(names) == 0 {
			tb.Fatal(err, names)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				tb.Fatal(err)
			}
			all = append(all, data)
		}
	}
	return all
}
