package platform

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/term"
)

var allNames = flag.Bool("names", false, "open every way in a folder of every hostile name, not of five")

// TestMain lets the test program stand in for the helper when it is called by the helper's name.
func TestMain(m *testing.M) {
	switch name := filepath.Base(os.Args[0]); {
	case len(os.Args) == 4 && slices.Equal(os.Args[1:3], InterruptWords): // under whatever name
		os.Exit(Interrupt(os.Args[3]))
	case strings.HasPrefix(name, "vocl-new"):
		os.Exit(standInHelper())
	case strings.HasPrefix(name, "claude") && len(os.Args) == 3 && os.Args[1] == "ends":
		os.Exit(endDetached(os.Args[2]))
	case strings.HasPrefix(name, "claude"):
		os.Exit(standInTree())
	}
	os.Exit(m.Run())
}

// quickExit in the environment keeps the race detector from sleeping a second when a stand-in ends.
const quickExit = "GORACE=atexit_sleep_ms=0"

// report is what a stand-in helper saw.
type report struct {
	Args    []string
	Dir     []byte // need not be UTF-8
	Env     []string
	Terms   [3]bool  // standard streams that are terminals
	Streams []string // what descriptors lead to, where the system tells
	Process Process
}

// standInHelper writes its report beside itself and stays until the file "stay" there is gone.
func standInHelper() int {
	home := filepath.Dir(os.Args[0])
	var r report
	r.Args, r.Env = os.Args[1:], os.Environ()
	dir, _ := os.Getwd()
	r.Dir = []byte(dir)
	for i, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		r.Terms[i] = term.IsTerminal(int(f.Fd()))
	}
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		for _, fd := range fds {
			if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil {
				r.Streams = append(r.Streams, fd.Name()+" "+to)
			}
		}
	}
	r.Process, _ = Describe(os.Getpid())
	text, err := json.Marshal(r)
	if err != nil {
		return 3
	}
	path := filepath.Join(home, "report")
	if os.WriteFile(path+".part", text, 0o600) != nil || os.Rename(path+".part", path) != nil {
		return 4
	}
	for range 600 {
		if _, err := os.Stat(filepath.Join(home, "stay")); err != nil {
			return 0
		}
		time.Sleep(10 * time.Millisecond)
	}
	return 5
}

// standInTree is an assistant on a system without sh: its arguments are "ignores" if it does not hear Ctrl-C, and how
// many levels of children it has. It prints its number and ends after a minute.
func standInTree() int {
	fmt.Println(os.Getpid())
	depth := 0
	for _, arg := range os.Args[1:] {
		if arg == "ignores" {
			signal.Notify(make(chan os.Signal, 1), os.Interrupt)
		} else {
			depth, _ = strconv.Atoi(arg)
		}
	}
	for i := range depth {
		child := exec.Command(os.Args[0], append(os.Args[1:len(os.Args)-1:len(os.Args)-1], strconv.Itoa(depth-1-i))...) //nolint:noctx // ends by itself
		child.Stdout = os.Stdout
		if child.Start() != nil {
			return 6
		}
	}
	time.Sleep(time.Minute)
	return 0
}

// endDetached detaches a stand-in assistant and ends it; the result is 0 when it went as it was asked to.
func endDetached(claude string) int {
	HearInterrupts()
	pid, err := Detach(Start{Argv: []string{claude, "0"}})
	if err != nil {
		return 7
	}
	id, err := Identify(pid)
	if err != nil {
		return 8
	}
	done, err := End(context.Background(), Target{Identity: id, Marks: []string{"claude"}}, 5*time.Second, nil)
	if err != nil || done.Killed {
		return 9
	}
	return 0
}

// helper places a stand-in helper in a folder of its own.
func helper(t *testing.T, folder string) string {
	t.Helper()
	dir := filepath.Join(short(t), folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return standInProgram(t, dir, "vocl-new")
}

// standInProgram places the test program in dir under another name.
func standInProgram(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(self, path); err != nil {
		if err := os.Symlink(self, path); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// short is a temporary folder with a short path, fit for sockets.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := os.RemoveAll(dir)
		if err != nil && runtime.GOOS == "windows" { // Wine 8 cannot, its rmdir can
			err = exec.Command("cmd", "/c", "rmdir", "/s", "/q", dir).Run() //nolint:noctx // ends by itself
		}
		if err != nil {
			t.Error(err)
		}
	})
	return dir
}

// answer waits for the stand-in's report and takes it away.
func answer(t *testing.T, helper string) report {
	t.Helper()
	r, _ := answered(t, helper, nil)
	return r
}

// answered is answer, but gives up when early has something to say, which it leaves there.
func answered(t *testing.T, helper string, early <-chan error) (report, bool) {
	t.Helper()
	path := filepath.Join(filepath.Dir(helper), "report")
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(path)
		if err != nil && len(early) > 0 {
			return report{}, false
		}
		if err != nil {
			continue
		}
		var r report
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		return r, true
	}
	t.Fatal("the helper did not answer")
	return report{}, false
}

func names(ways []Way) []string {
	list := make([]string, len(ways))
	for i, w := range ways {
		list[i] = w.Name
	}
	return list
}

// hostileNames are folder names that some shell, terminal or multiplexer would take for something else. What they
// would run, were they run, is the creation of a file called pwned.
func hostileNames() []string {
	names := []string{
		"plain", "two words", " leading", "trailing ", "it's", `say "hi"`, `'"'"'`, "$(touch pwned)", "`touch pwned`",
		"#(touch pwned)", "#{pane_id}", "a;touch pwned", "a&touch pwned", "a&&touch pwned", "a|touch pwned", "%PATH%",
		"^caret^", "$HOME", "${HOME}", "~", "-dash", "--help", "*?[a]", "!!", `back\slash`, `trailing\`, "ünïcode 日本",
		"🚀", "{project}", "a{command}b", "‘typographic’", "a\nb", "a\n touch pwned\n", "tab\there", "\x1b]0;title\x07", "\xff\xfe",
		"semicolon;", strings.Repeat("long ", 40),
	}
	if runtime.GOOS != "windows" {
		return names
	}
	var allowed []string
	for _, n := range names {
		if !strings.ContainsAny(n, "\"*?|<>:\\\n\t\x1b\xff") && strings.TrimRight(n, " .") == n {
			allowed = append(allowed, n)
		}
	}
	return allowed
}

// project makes a folder of that name.
func project(t *testing.T, parent, name string) string {
	t.Helper()
	dir := filepath.Join(parent, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// unharmed fails the test when something that a hostile name would create is in one of the folders.
func unharmed(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		if _, err := os.Lstat(filepath.Join(dir, "pwned")); err == nil {
			t.Errorf("a folder's name was run in %s", dir)
		}
	}
}
