package hook

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestOpenItems(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for name, c := range map[string]struct {
		content string
		want    []string
	}{
		"empty":                      {"", nil},
		"one, no last newline":       {"- [ ] a", []string{"- [ ] a"}},
		"five of six":                {strings.Repeat("- [ ] a\n", 6), slices.Repeat([]string{"- [ ] a"}, 5)},
		"done and other marks":       {"- [x] a\n- [X] b\n* [ ] c\n-[ ] d\n- [] e\n1. [ ] f\n", nil},
		"indented":                   {"  - [ ] a\n\t- [ ] b\n", []string{"- [ ] a", "- [ ] b"}},
		"a BOM":                      {"\ufeff- [ ] a\n\ufeff- [ ] not at the beginning\n", []string{"- [ ] a"}},
		"CRLF":                       {"- [ ] a\r\n- [ ] b\r\n", []string{"- [ ] a", "- [ ] b"}},
		"only CR is no end":          {"- [ ] a\r- [ ] b", []string{"- [ ] a - [ ] b"}},
		"no UTF-8":                   {"- [ ] \xff\xfe caf\xe9\n", []string{"- [ ] \ufffd caf\ufffd"}},
		"control characters":         {"- [ ] a\x00b\x1b[31mc\x07\n", []string{"- [ ] a b [31mc"}},
		"a control character first":  {"\x00- [ ] a\n", []string{"- [ ] a"}},
		"nothing behind the mark":    {"- [ ]\n- [ ]x\n", []string{"- [ ]", "- [ ]x"}},
		"braces are data":            {"- [ ] {plan} {{x}} $(id) `id`\n", []string{"- [ ] {plan} {{x}} $(id) `id`"}},
		"across the reader's buffer": {strings.Repeat("y", 64<<10-3) + "\n- [ ] a\n" + strings.Repeat("- [x] d\n", 9000) + "- [ ] b\n", []string{"- [ ] a", "- [ ] b"}},
		"behind blank lines":         {strings.Repeat(" \t\r\n", 50_000) + "- [ ] a\n", []string{"- [ ] a"}},
		"a mark within a line":       {"see - [ ] a\n- [ ] b - [ ] c", []string{"- [ ] b - [ ] c"}},
		"behind a line of 200 kB":    {long + "\n- [ ] a\n", []string{"- [ ] a"}},
		"a line of 200 kB":           {"- [ ] " + long + "\n- [ ] b\n", []string{("- [ ] " + long)[:maxLine], "- [ ] b"}},
		"many lines":                 {strings.Repeat("- [x] done\n", 20_000) + "- [ ] a\n", []string{"- [ ] a"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, project := newWorld(t, newClock())
			write(t, filepath.Join(project, "TODO.md"), c.content)
			if got := (projectFiles{project}).openItems(5); !slices.Equal(got, c.want) {
				t.Errorf("%.200q, want %.200q", got, c.want)
			}
		})
	}
}

func TestPlan(t *testing.T) {
	_, project := newWorld(t, newClock())
	write(t, filepath.Join(project, "PLAN.md"), "\ufeff\r\n  # Plan \r\n\r\n\t\r\nb\r\n\x00\nc\nd\ne\nf")
	want := []string{"# Plan", "b", "c", "d", "e"}
	if got := (projectFiles{project}).plan(5); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNotes(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"none":                {"", ""},
		"white space":         {" \n\t\r\n", ""},
		"as they are":         {"\ufeffa\r\n\r\n  b\n", "a\n\n  b"},
		"control":             {"a\x1b[2J\n\x00", "a [2J"},
		"4,000 bytes":         {strings.Repeat("x", 5000), strings.Repeat("x", 4000)},
		"cut at a character":  {strings.Repeat("x", 3999) + "ü", strings.Repeat("x", 3999)},
		"cut at four bytes":   {strings.Repeat("x", 3998) + "🚀", strings.Repeat("x", 3998)},
		"no UTF-8 in between": {"a\xffb", "a\ufffdb"},
	} {
		t.Run(name, func(t *testing.T) {
			_, project := newWorld(t, newClock())
			write(t, filepath.Join(project, "HANDOFF.md"), c.content)
			if got := (projectFiles{project}).notes(4000); got != c.want {
				t.Errorf("%.60q (%d bytes), want %.60q", got, len(got), c.want)
			}
		})
	}
}

// TestHostileFiles: none of these is read, and none is waited for.
func TestHostileFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such files there")
	}
	_, project := newWorld(t, newClock())
	secret := filepath.Join(filepath.Dir(project), "secret")
	write(t, secret, "- [ ] secret\n")
	write(t, filepath.Join(project, "inside", "todo"), "- [ ] mine\n")
	mkdir(t, filepath.Join(project, "dir"))
	huge := filepath.Join(project, "huge")
	write(t, huge, "- [ ] in a file that is larger than it may be\n")
	if err := os.Truncate(huge, maxProjectFile+1); err != nil {
		t.Fatal(err)
	}
	fifo(t, filepath.Join(project, "fifo"))
	todo := filepath.Join(project, "TODO.md")
	for name, c := range map[string]struct {
		link string
		want int
	}{
		"a pipe":                       {"fifo", 0},
		"an endless device":            {"/dev/zero", 0},
		"a terminal":                   {"/dev/tty", 0},
		"a file beside the project":    {"../secret", 0},
		"the same, absolute":           {secret, 0},
		"a file of the system":         {"/etc/passwd", 0},
		"a folder":                     {"dir", 0},
		"itself":                       {"TODO.md", 0},
		"nothing":                      {"nothing", 0},
		"out and in again":             {"../proj/inside/todo", 0},
		"a file of more than 256 MiB":  {"huge", 0},
		"a link that stays inside":     {"inside/todo", 1},
		"up and down, but not outside": {"inside/../inside/todo", 1},
	} {
		t.Run(name, func(t *testing.T) {
			_ = os.Remove(todo)
			if err := os.Symlink(c.link, todo); err != nil {
				t.Fatal(err)
			}
			done := make(chan []string, 1)
			go func() { done <- projectFiles{project}.openItems(5) }()
			select {
			case got := <-done:
				if len(got) != c.want {
					t.Errorf("%q", got)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("it waits")
			}
		})
	}
}

// TestLinesLaw: whatever a file holds, a line is valid UTF-8 without control characters, without white space around
// it, and bounded; the first n are the first n of all.
func TestLinesLaw(t *testing.T) {
	_, project := newWorld(t, newClock())
	path := filepath.Join(project, "TODO.md")
	rapid.Check(t, func(r *rapid.T) {
		parts := rapid.SliceOfN(rapid.OneOf(
			rapid.String(), rapid.SampledFrom([]string{"\n", "\r\n", "- [ ] ", "\ufeff", "\xff", "\x00", strings.Repeat("y", maxLine)}),
		), 0, 20).Draw(r, "parts")
		if err := os.WriteFile(path, []byte(strings.Join(parts, "")), 0o600); err != nil {
			r.Fatal(err)
		}
		p := projectFiles{project}
		all := p.openItems(1000)
		for _, line := range all {
			if !strings.HasPrefix(line, "- [ ]") || line != strings.TrimSpace(harmless(line)) || !utf8.ValidString(line) || len(line) > maxLine+len("\ufffd") {
				r.Fatalf("%.100q", line)
			}
		}
		if some := p.openItems(2); !slices.Equal(some, all[:min(2, len(all))]) {
			r.Fatalf("%.100q are not the first of %.100q", some, all)
		}
	})
}

func TestFirstDir(t *testing.T) {
	w, project := newWorld(t, newClock())
	link := filepath.Join(w.Home, "link")
	if err := os.Symlink(project, link); err != nil {
		t.Skip(err)
	}
	file := filepath.Join(w.Home, "file")
	write(t, file, "")
	for _, c := range []struct {
		candidates []string
		want       string
	}{
		{nil, ""},
		{[]string{"", "relative", ".", "~other", file, "/no/such", "a\x00b", project + "\x00"}, ""},
		{[]string{"/no/such", project, w.Home}, project},
		{[]string{link}, project},
		{[]string{link + "/."}, project},
		{[]string{"~"}, w.Home},
		{[]string{"~/src/proj"}, project},
		{[]string{"~/link"}, project},
		{[]string{project + "/../proj"}, project},
	} {
		if got := firstDir(w.Home, c.candidates...); got != c.want {
			t.Errorf("%q: %s, want %s", c.candidates, got, c.want)
		}
	}
}

// TestLargeFile: an assistant waits for the hook, whatever a project puts into its way. 256 MiB of blank lines took 25 s
// when each was made a text of its own; the number of those is what can be measured on a busy machine.
func TestLargeFile(t *testing.T) {
	_, project := newWorld(t, newClock())
	for _, line := range []string{"\n", "\r\n", "- [x] done\n", "see - [ ] done\n"} {
		write(t, filepath.Join(project, "TODO.md"), strings.Repeat(line, 1<<20/len(line))+"\n- [ ] a\n")
		allocations := testing.AllocsPerRun(1, func() {
			if got := (projectFiles{project}).openItems(5); len(got) != 1 {
				t.Errorf("%q: %q", line, got)
			}
		})
		if allocations > 500 {
			t.Errorf("1 MiB of %q: %.0f allocations", line, allocations)
		}
	}
}
