package platform

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	syswindows "golang.org/x/sys/windows"

	"github.com/vexyart/vomgr/internal/world"
)

// tree begins a stand-in assistant in a console of its own and returns the identities of it and what is below it.
func assistantTree(t *testing.T, args ...string) []Identity {
	t.Helper()
	path := standInProgram(t, short(t), "claude")
	cmd := exec.Command(path, args...) //nolint:noctx // ended below
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syswindows.CREATE_NEW_CONSOLE}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	depth, _ := strconv.Atoi(args[len(args)-1])
	ids := make([]Identity, 1<<depth)
	lines := bufio.NewScanner(out)
	for i := range ids {
		if !lines.Scan() {
			t.Fatal("the stand-in printed nothing more")
		}
		pid, _ := strconv.Atoi(strings.TrimSpace(lines.Text()))
		if ids[i], err = Identify(pid); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, id := range ids {
			if p, err := os.FindProcess(id.Pid); err == nil && Alive(id) {
				_ = p.Kill()
			}
		}
		_ = cmd.Wait()
	})
	return ids
}

func TestEndTreeWindows(t *testing.T) {
	for name, c := range map[string]struct {
		args   []string
		grace  time.Duration
		killed bool
	}{
		"hears Ctrl-C": {[]string{"2"}, 5 * time.Second, false},
		"ignores it":   {[]string{"ignores", "3"}, 300 * time.Millisecond, true},
	} {
		t.Run(name, func(t *testing.T) {
			ids := assistantTree(t, c.args...)
			other := assistantTree(t, "0")
			done, err := End(t.Context(), Target{Identity: ids[0], Marks: []string{"claude"}}, c.grace, nil)
			if err != nil {
				t.Fatal(err)
			}
			if done.Killed != c.killed {
				t.Errorf("killed: %v", done.Killed)
			}
			for _, id := range ids {
				if Alive(id) || !slices.Contains(done.Pids, id.Pid) {
					t.Errorf("process %d: alive %v; gone: %v", id.Pid, Alive(id), done.Pids)
				}
			}
			if !Alive(other[0]) {
				t.Error("another assistant was ended too")
			}
		})
	}
}

// TestHearInterrupts: who is begun in a process group of its own, and whom that begins, hears no Ctrl-C until it says
// that it wants to; what is detached hears it from the beginning.
func TestHearInterrupts(t *testing.T) {
	claude := standInProgram(t, short(t), "claude")
	for _, flags := range []uint32{0, syswindows.CREATE_NEW_PROCESS_GROUP} {
		cmd := exec.Command(claude, "ends", claude) //nolint:noctx // ends by itself
		cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: flags}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("flags %#x: %v %s", flags, err, out)
		}
	}
}

func TestEndRefusesWindows(t *testing.T) {
	id := assistantTree(t, "0")[0]
	for name, c := range map[string]struct {
		change func(*Target)
		want   error
	}{
		"another start": {func(x *Target) { x.Identity.Start += "0" }, ErrNotSame},
		"another name":  {func(x *Target) { x.Marks = []string{"codex"} }, ErrNotSame},
		"nothing":       {func(x *Target) { x.Identity.Start = "" }, ErrUnverifiable},
		"itself":        {func(x *Target) { x.Identity = Self() }, ErrAncestor},
		"gone":          {func(x *Target) { x.Identity.Pid = 999999996 }, ErrNoProcess},
	} {
		target := Target{Identity: id, Marks: []string{"claude"}}
		c.change(&target)
		if _, err := End(t.Context(), target, time.Second, nil); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if !Alive(id) {
			t.Fatalf("%s: it was ended", name)
		}
	}
	p, err := Describe(id.Pid)
	if err != nil || !p.Bears("claude") || !slices.Equal(p.Args[1:], []string{"0"}) || p.Parent != os.Getpid() {
		t.Errorf("%+v %v", p, err)
	}
	if d := time.Since(p.Started); d < -time.Second || d > time.Minute {
		t.Errorf("began %s ago", d)
	}
	seed := Target{Identity: Identity{Pid: id.Pid}, Started: p.Started.Add(time.Second), Marks: []string{"claude"}}
	if _, err := End(t.Context(), seed, time.Second, nil); err != nil || Alive(id) {
		t.Errorf("a record of four keys: %v", err)
	}
}

func TestIdentityWindows(t *testing.T) {
	self := Self()
	if self.Start == "" || !Alive(self) || !TokenAlive(self.Token()) || TokenAlive(self.Token()+"0") {
		t.Errorf("%+v", self)
	}
	line, err := Ancestors(os.Getpid())
	if err != nil {
		t.Errorf("%v %v", line, err)
	}
	list, err := Processes()
	if err != nil || !slices.ContainsFunc(list, func(p Process) bool { return p.Identity() == self && len(p.Args) > 0 && p.Exe != "" }) {
		t.Errorf("this process is not among %d: %v", len(list), err)
	}
}

func TestDetachWindows(t *testing.T) {
	h, dir := helper(t, "a b"), short(t)
	env := append(os.Environ(), "ONE=1")
	if _, err := Detach(Start{Argv: []string{h, "0123abcd", `two "words"\`, ""}, Dir: dir, Env: env}); err != nil {
		t.Fatal(err)
	}
	got := answer(t, h)
	if !slices.Equal(got.Args, []string{"0123abcd", `two "words"\`, ""}) || !sameFolder(string(got.Dir), dir) || !slices.Contains(got.Env, "ONE=1") {
		t.Errorf("%+v", got)
	}
}

func sameFolder(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// Both of the system's own ways and templates, in folders with hostile names.
func TestConsole(t *testing.T) {
	w := world.World{Env: os.Environ(), Home: short(t)}
	h := helper(t, "R&D")
	names := hostileNames()
	if !*allNames {
		names = []string{"two words", "a&touch pwned", "%PATH%", "^caret^", "it's;日本 🚀"}
	}
	for _, name := range names {
		dir := project(t, short(t), name)
		for _, template := range [][]string{nil, {"cmd.exe", "/d", "/c", "{command}"}} {
			for _, way := range Ways(Request{Helper: h, Job: "0123abcd", Project: dir, Template: template, World: w}) {
				if template != nil && !strings.HasSuffix(way.Name, "(settings)") {
					break
				}
				early, err := Open(way)
				if err != nil {
					t.Fatalf("%s, %q: %v", way.Name, name, err)
				}
				got, ok := answered(t, h, early)
				if !ok {
					t.Fatalf("%s, %q: %v", way.Name, name, <-early)
				}
				if shown := os.Getenv("WINEPREFIX") == "" || os.Getenv("DISPLAY") != ""; shown && got.Terms != [3]bool{true, true, true} {
					t.Errorf("%s, %q: consoles on the standard streams: %v", way.Name, name, got.Terms)
				}
				if !sameFolder(string(got.Dir), dir) || !slices.Equal(got.Args, []string{"0123abcd"}) {
					t.Errorf("%s, %q: in %s with %q", way.Name, name, got.Dir, got.Args)
				}
			}
		}
		unharmed(t, dir, filepath.Dir(dir), filepath.Dir(h))
	}
}

// Names in a template for cmd.exe are quoted for it, where they stand alone.
func TestTemplateNames(t *testing.T) {
	dir := project(t, short(t), "a&touch pwned&%PATH%")
	h := helper(t, "R&D")
	w := world.World{Env: os.Environ(), Home: short(t)}
	template := []string{"cmd.exe", "/d", "/c", "cd", "/d", "{project}", "&", "{helper}", "{job}"}
	early, err := Open(Ways(Request{Helper: h, Job: "0123abcd", Project: dir, Template: template, World: w})[0])
	if err != nil {
		t.Fatal(err)
	}
	got, ok := answered(t, h, early)
	if !ok {
		t.Fatal(<-early)
	}
	if !sameFolder(string(got.Dir), dir) || !slices.Equal(got.Args, []string{"0123abcd"}) {
		t.Errorf("in %s with %q", got.Dir, got.Args)
	}
	unharmed(t, dir, filepath.Dir(dir))
}

func TestWaysWindows(t *testing.T) {
	dir := short(t)
	for _, name := range []string{"wt.exe", "term.cmd"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := world.World{Env: []string{"PATH=" + dir, `SystemRoot=C:\Windows`}}
	r := Request{Helper: `C:\R&D\vocl-new.exe`, Job: "0123abcd", Project: `C:\it's;a`, World: w}
	lines := func(template ...string) []string {
		r.Template = template
		var list []string
		for _, way := range Ways(r) {
			line := way.line
			if way.err != nil {
				line = way.err.Error()
			}
			list = append(list, way.Name+" "+way.Wait.String()+": "+line)
		}
		return list
	}
	own := []string{
		`cmd.exe 20s: "C:\Windows\System32\cmd.exe" /d /v:off /s /c ""C:\R&D\vocl-new.exe" 0123abcd"`,
		`console 10s: "C:\R&D\vocl-new.exe" 0123abcd`,
	}
	for _, template := range [][]string{nil, {"auto"}} {
		if diff := cmp.Diff(own, lines(template...)); diff != "" {
			t.Errorf("%q\n%s", template, diff)
		}
	}
	want := `wt (settings) 10s: "` + dir + `\wt.exe" powershell -NoExit -Command "Set-Location -LiteralPath 'C:\it''s\;a'\; if ($?) { & 'C:\R&D\vocl-new.exe' '0123abcd' }"`
	if got := lines("wt", "powershell", "-NoExit", "-Command", "{command}")[0]; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	// cmd.exe looks for a template's words in the project's folder, and there first, unless it is told not to. Wine does not
	// heed it.
	r.Template = []string{"wt", "{helper}", "{job}"}
	if env := Ways(r)[0].Env; !slices.Contains(env, "NoDefaultCurrentDirectoryInExePath=1") {
		t.Errorf("%q", env)
	}
	if got := lines("term", "{command}")[0]; !strings.Contains(got, "batch file") {
		t.Error(got)
	}
}
