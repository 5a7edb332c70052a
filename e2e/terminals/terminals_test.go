//go:build e2e

package terminals

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Each terminal starts the assistant: at a terminal of its own, in the right folder, with the night's environment and
// the prompt; whatever the folder's name is, and nothing in the name is run.
func TestTerminals(t *testing.T) {
	for _, x := range terminals() {
		t.Run(strings.NewReplacer(" ", "-", "(", "", ")", "").Replace(x.label()), func(t *testing.T) {
			if !x.ci && !*allTerminals {
				t.Skip("not in the CI list: -args -all")
			}
			if p := x.missing(); p != "" {
				if x.ci && *needed {
					t.Fatal(p + " is not installed")
				}
				t.Skip(p + " is not installed")
			}
			t.Parallel()
			r := result{terminal: x}
			defer func() { note(r) }()
			h := newHome(t, x.without...)
			h.at(t, x)
			h.enable(t)
			h.terminal(t, []string{"auto"})
			names := hostileNames()
			if !*allNames {
				names = fewNames()
			}
			for i, name := range append([]string{"plain"}, names...) {
				r.try(t, h, i, name, false)
			}
			if x.template == nil {
				return
			}
			h.terminal(t, x.template)
			for i, name := range append([]string{"plain"}, names...) {
				r.try(t, h, 1000+i, name, true)
			}
		})
	}
}

// at prepares the place the chain begins in.
func (h *home) at(t *testing.T, x terminal) {
	t.Helper()
	switch {
	case x.wayland:
		h.compositor(t)
	case x.graphical():
		h.xserver(t)
	}
	if x.graphical() {
		h.env = append(h.env, "TERMINAL="+x.program())
	}
	if x.place != nil {
		must(t, x.place(h))
	}
}

// try hands one project over and looks at what the assistant saw.
func (r *result) try(t *testing.T, h *home, number int, name string, template bool) {
	t.Helper()
	project := filepath.Join(h.dir, "src", fmt.Sprint(number), name)
	must(t, os.MkdirAll(project, 0o700))
	began := time.Now()
	h.stops(t, project)
	seen, ok := h.answer(40 * time.Second)
	took := time.Since(began)
	if !ok {
		t.Errorf("%q: nothing was started: %+v", name, h.history(t, project))
		h.picture(t, r.label()+"-failed")
		return
	}
	if number%1000 == 0 {
		h.picture(t, fmt.Sprint(strings.ReplaceAll(r.label(), " ", "-"), "-", number/1000))
		*map[bool]*time.Duration{false: &r.builtIn, true: &r.byTemplate}[template] = took
		agree(t, seen, r.wayland)
	} else {
		r.tries++
		if string(seen.Dir) == project {
			r.right++
		}
	}
	if string(seen.Dir) != project {
		t.Errorf("%q: started in %q", name, seen.Dir)
	}
	r.opened(t, h, project, template)
	h.dismiss(t, seen)
	if r.graphical() {
		h.serverLeaves(r.program())
	}
	if pwned := h.executed(project); pwned != "" {
		r.executed++
		t.Errorf("%q: a part of the name was run: there is %s", name, pwned)
		must(t, os.Remove(pwned))
	}
}

// agree checks what does not depend on the folder's name.
func agree(t *testing.T, seen report, wayland bool) {
	t.Helper()
	if wayland { // weston gives kitty its size when it likes
		seen.Columns = max(seen.Columns, 20)
	}
	if seen.Terms != [3]bool{true, true, true} || !strings.HasPrefix(seen.Tty, "/dev/pts/") || seen.Columns < 20 {
		t.Errorf("its terminal: %v %q, %d columns", seen.Terms, seen.Tty, seen.Columns)
	}
	if !slices.Contains(seen.Env, "TOKEN=of this night") || slices.Contains(seen.Env, "CLAUDECODE=1") {
		t.Errorf("its environment: %q", seen.Env)
	}
	if n := len(seen.Args); n == 0 || !strings.HasPrefix(seen.Args[n-1], "Continue the work claude left") {
		t.Errorf("its arguments: %q", seen.Args)
	}
}

// opened checks that the terminal in question was the one that was taken, and no other was tried. A terminal with a
// server may lose a window that is asked for while the server, whose last window just closed, leaves: the next way is
// then taken after 10 s, which is counted. In a chain the window before is still open when the next one is asked for.
func (r *result) opened(t *testing.T, h *home, project string, template bool) {
	t.Helper()
	want := r.name
	if template {
		want = r.program() + " (settings)"
	} else if !r.graphical() && !strings.HasSuffix(r.name, "window") {
		want = r.program() + " session"
	}
	var steps []step
	until(t, "the terminal's line in the history", func() bool {
		steps = slices.DeleteFunc(h.history(t, project), func(s step) bool { return s.Step != "terminal" })
		return len(steps) > 0 && steps[len(steps)-1].Error == ""
	})
	switch {
	case len(steps) == 1 && (strings.HasPrefix(steps[0].Detail, want) || r.link != ""): // there the history names what it leads to
	case len(steps) == 2 && template && strings.HasSuffix(steps[0].Error, "nothing was started within 10s") && r.lost < 2:
		r.lost++
		t.Logf("lost, and the next way was taken: %+v", steps)
	default:
		t.Errorf("opened: %+v, want %s", steps, want)
	}
}

// executed finds what a name would create if a part of it were run.
func (h *home) executed(project string) string {
	for _, dir := range []string{project, filepath.Dir(project), filepath.Dir(filepath.Dir(project)), h.dir, "/", filepath.Join(h.dir, ".claude", "hooks")} {
		if pwned := filepath.Join(dir, "pwned"); exists(pwned) {
			return pwned
		}
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// hostileNames are folder names that some shell, terminal or multiplexer takes for something else.
func hostileNames() []string {
	return append(fewNames(),
		"two words", " leading", "trailing ", `say "hi"`, `'"'"'`, "`touch pwned`", "#(touch pwned)", "#{pane_id}", "a;touch pwned",
		"a&&touch pwned", "a|touch pwned", "^caret^", "$HOME", "${HOME}", "$TOKEN'; touch pwned; '", "~", "--help", "*?[a]", "!!",
		`back\slash`, `trailing\`, "ünïcode", "{project}{command}", "‘typographic’ touch pwned", "tab\there", "\x1b]0;title\x07",
		"semicolon;", strings.Repeat("long ", 40),
	)
}

// fewNames are five that hold most of it.
func fewNames() []string {
	return []string{"$(touch pwned)$HOME", "#(touch pwned);touch pwned;", "it's\na `touch pwned`", `-dash&touch pwned "`, "%PATH% 日本 🚀"}
}
