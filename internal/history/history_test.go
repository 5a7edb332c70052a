package history

import (
	"bytes"
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
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var at = time.Date(2026, 11, 30, 21, 58, 7, 412_900_000, time.FixedZone("", 3600))

func read(t *testing.T, path string) []Entry {
	t.Helper()
	entries, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func file(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestForm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history.jsonl")
	Append(path, Entry{Time: at, Step: Called})
	Append(path,
		Entry{at, "k3xq", 3, Terminal, "claude", "codex", "/home/ann/a <b> & \"c\"", "xterm", "no display\n"},
		Entry{Time: at.UTC(), Step: Ended, Detail: "max_handovers"})
	Append(path)
	want := `{"time":"2026-11-30T21:58:07.412+01:00","step":"called"}
{"time":"2026-11-30T21:58:07.412+01:00","chain":"k3xq","hop":3,"step":"terminal","source":"claude","target":"codex","project":"/home/ann/a <b> & \"c\"","detail":"xterm","error":"no display\n"}
{"time":"2026-11-30T20:58:07.412Z","step":"ended","detail":"max_handovers"}
`
	if d := cmp.Diff(want, file(t, path)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
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

// Law: what is appended is read back, cut where it is too long, whatever texts it holds.
func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	var all []Entry
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringN(0, 3000, -1))
		e := Entry{
			Time: at.Truncate(time.Millisecond), Hop: rapid.IntRange(0, 99).Draw(t, "hop"), Step: Guard,
			Chain: text.Draw(t, "chain"), Project: text.Draw(t, "project"), Detail: text.Draw(t, "detail"), Error: text.Draw(t, "error"),
		}
		Append(path, e)
		e.Chain, e.Project, e.Detail, e.Error = cut(e.Chain, 64), cut(e.Project, 4096), cut(e.Detail, 2000), cut(e.Error, 2000)
		if len(e.Detail) > 2000 || !utf8.ValidString(e.Detail) || len(e.Chain) > 64 {
			t.Fatalf("cut badly: %q", e.Detail)
		}
		all = append(all, e)
	})
	if d := cmp.Diff(all, read(t, path)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestReadPassesOverWhatIsNoEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	if got := read(t, path); got != nil {
		t.Errorf("no file: %v", got)
	}
	put(t, Rotated(path), `{"time":"2026-11-30T21:58:07.412Z","step":"called"}`+"\n")
	put(t, path, `{"time":"2026-11-30T21:58:07.412Z","ste`+"\n"+`
null
[1]
{"time":"yesterday","step":"guard"}
{"time":"2026-11-30T21:58:07Z"}
{"time":"2026-11-30T21:58:08Z","step":"job","new":{"a":1}}
{"time":"2026-11-30T21:58:09Z","st`)
	Append(path, Entry{Time: at, Step: Ended}) // after a torn line
	var steps []string
	for _, e := range read(t, path) {
		steps = append(steps, e.Step)
	}
	if d := cmp.Diff([]string{Called, Job, Ended}, steps); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	add := func(n int) { appendTo(path, 100, []Entry{{Time: at, Hop: n, Step: Started}}) }
	for n := 1; n <= 3; n++ { // 65 bytes each: the second goes over the limit
		add(n)
	}
	if n := strings.Count(file(t, Rotated(path)), "\n"); n != 2 || strings.Count(file(t, path), "\n") != 1 {
		t.Errorf("%d lines were put aside, want 2", n)
	}
	for i, e := range read(t, path) {
		if e.Hop != i+1 {
			t.Errorf("entry %d is of hop %d", i, e.Hop)
		}
	}
	add(4)
	if got := read(t, path); len(got) != 2 || got[0].Hop != 3 {
		t.Errorf("one file is kept aside, the newest: %v", got)
	}
}

// Many writers at once, one of which puts the file aside: every line arrives, whole.
func TestManyWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	const writers, each = 8, 50
	long := strings.Repeat("x", 500)
	one := func() (done func()) { return func() {} }
	if runtime.GOOS == "windows" { // an append is one step there, but under Wine 8 two may write over each other
		var mu sync.Mutex
		one = func() func() { mu.Lock(); return mu.Unlock }
	}
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each { // 400 lines of 1.1 kB; the limit is met once
				done := one()
				appendTo(path, 300_000, []Entry{{Time: at, Hop: i, Step: Called, Chain: fmt.Sprint(w), Detail: long}, {Time: at, Hop: i, Step: Job, Chain: fmt.Sprint(w), Detail: long}})
				done()
			}
		})
	}
	wg.Wait()
	got := read(t, path)
	if len(got) != 2*writers*each {
		t.Fatalf("%d entries, want %d", len(got), 2*writers*each)
	}
	if runtime.GOOS != "windows" { // where an open file cannot be renamed, another writer does it later
		if _, err := os.Stat(Rotated(path)); err != nil {
			t.Error(err)
		}
	}
	for i := 0; i < len(got); i += 2 {
		if a, b := got[i], got[i+1]; a.Chain != b.Chain || a.Hop != b.Hop || a.Step != Called || b.Step != Job || a.Detail != long {
			t.Fatalf("entries %d mixed: %+v %+v", i, a, b)
		}
	}
}

func TestAppendNeverFails(t *testing.T) {
	dir := t.TempDir()
	Append(dir, Entry{Time: at, Step: Called})
	Append(filepath.Join(dir, "x\x00y"), Entry{Time: at, Step: Called})
	put(t, filepath.Join(dir, "file"), "")
	Append(filepath.Join(dir, "file", "history.jsonl"), Entry{Time: at, Step: Called})
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("reading a folder: %v", err)
	}
}

func TestFollow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	add := func(n int) { appendTo(path, 150, []Entry{{Time: at, Hop: n, Step: Started}}) }
	next := func(f *Follower) (hops []int) {
		entries, err := f.Next()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			hops = append(hops, e.Hop)
		}
		return hops
	}
	fromNothing := Follow(path)
	if got := next(fromNothing); got != nil {
		t.Errorf("no file: %v", got)
	}
	add(1)
	f := Follow(path)
	for n := 2; n <= 5; n++ { // put aside after the third
		add(n)
		if d := cmp.Diff([]int{n}, next(f)); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	if d := cmp.Diff([]int{4, 5}, next(fromNothing)); d != "" {
		t.Errorf("a follower that began with no file reads the file it finds (-want +got):\n%s", d)
	}
	add(6) // put aside again
	add(7)
	if d := cmp.Diff([]int{6, 7}, next(f)); d != "" {
		t.Errorf("over a file put aside (-want +got):\n%s", d)
	}
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var line bytes.Buffer
	data, _ := Entry{Time: at, Hop: 8, Step: Started}.MarshalJSON()
	line.Write(data)
	half := line.Next(30)
	if _, err := w.Write(half); err != nil {
		t.Fatal(err)
	}
	if got := next(f); got != nil {
		t.Errorf("half a line gave %v", got)
	}
	if _, err := w.Write(append(line.Bytes(), '\n')); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]int{8}, next(f)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestPrintable(t *testing.T) {
	for s, want := range map[string]string{
		"":                           "",
		`~/src/api — "naïve" \d 日本語`: `~/src/api — "naïve" \d 日本語`,
		"a\nb\tc\r":                  `a\nb\tc\r`,
		"\x1b[31mred\x1b]0;t\a":      `\x1b[31mred\x1b]0;t\a`,
		"\x9b31m\xff":                `\x9b31m\xff`,
		"gpj\u202ecod.exe":           `gpj\u202ecod.exe`,
		"zero\u200bwidth\u2028":      `zero\u200bwidth\u2028`,
		"\u009b31m\x7f\ufeff":        `\u009b31m\x7f\ufeff`,
		"\ufffd":                     "\ufffd",
	} {
		if got := Printable(s); got != want {
			t.Errorf("Printable(%q) = %s, want %s", s, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"time":"2026-11-30T21:58:07.412Z","step":"called","hop":1}` + "\n"))
	f.Add([]byte("{}\n\x00\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, e := range parse(nil, data) {
			again, err := e.MarshalJSON()
			if err != nil || e.Step == "" || bytes.Contains(again, []byte("\n")) {
				t.Fatalf("%+v: %q, %v", e, again, err)
			}
			if p := Printable(e.Detail); strings.ContainsAny(p, "\x1b\n\r\x00") {
				t.Fatalf("%q is shown as %q", e.Detail, p)
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	path := filepath.Join(b.TempDir(), "history.jsonl")
	steps := make([]Entry, 7)
	for i := range steps {
		steps[i] = Entry{at, "k3xq", i, Command, "claude", "codex", "/home/ann/src/api", "claude --continue", ""}
	}
	for b.Loop() {
		appendTo(path, 1<<40, steps)
	}
}
