package darwin

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMain lets the test program stand in for osascript and for the helper.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "osascript":
		os.Exit(osascript(os.Args[1:], os.Stdout, os.Stderr))
	case "vocl-new":
		_, _ = os.Stdout.WriteString(strings.Join(os.Args, "\n"))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func look(names ...string) func(string) string {
	return func(name string) string {
		if slices.Contains(names, name) {
			return "/usr/bin/" + name
		}
		return ""
	}
}

func TestWindows(t *testing.T) {
	const command = "/h/.vexy-overnight/windows/vomgr-0123abcd.command"
	file := func(app string) Way {
		return Way{Name: app + ", through a .command file", Argv: []string{"/usr/bin/open", "-g", "-a", app, command}, Command: command}
	}
	script := func(app, script string) Way {
		argv := append(scripted("/usr/bin/osascript", script), "/h/vocl-new", "0123abcd")
		return Way{Name: app + ", through osascript", Argv: argv, AsksPerson: true}
	}
	program := func(app string, lead ...string) Way {
		argv := append([]string{"/usr/bin/open", "-g", "-n", "-a", app, "--args"}, lead...)
		return Way{Name: app, Argv: append(argv, "/h/vocl-new", "0123abcd")}
	}
	usual := []Way{script("Terminal", terminalScript), file("Terminal")}
	for app, want := range map[string][]Way{
		"":                        usual,
		"Terminal":                usual,
		"Apple_Terminal":          usual,
		"Terminal.app":            usual,
		"/Applications/iTerm.app": append([]Way{script("iTerm", iTermScript), file("iTerm")}, usual...),
		"iTerm2":                  append([]Way{script("iTerm", iTermScript), file("iTerm")}, usual...),
		"ghostty":                 append([]Way{file("Ghostty")}, usual...),
		"WarpTerminal":            append([]Way{file("Warp")}, usual...),
		"WezTerm":                 append([]Way{program("WezTerm", "start", "--"), file("WezTerm")}, usual...),
		"kitty":                   append([]Way{program("kitty"), file("kitty")}, usual...),
		"alacritty":               append([]Way{program("Alacritty", "-e"), file("Alacritty")}, usual...),
		`X" & do shell script "y`: append([]Way{file(`X" & do shell script "y`)}, usual...),
	} {
		got := Windows(Request{App: app, Helper: "/h/vocl-new", Job: "0123abcd", Command: command, Look: look("open", "osascript")})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n%s", app, diff)
		}
	}
	if got := Windows(Request{Look: look()}); len(got) > 0 {
		t.Errorf("without programs: %+v", got)
	}
	if got := Windows(Request{Look: look("osascript")}); len(got) != 1 || !got[0].AsksPerson {
		t.Errorf("without open: %+v", got)
	}
}

func TestKnown(t *testing.T) {
	for name, want := range map[string]bool{"iTerm.app": true, "KITTY": true, "vscode": false, "": false} {
		if got := Known(name); got != want {
			t.Errorf("%q is known: %v", name, got)
		}
	}
}

// The scripts, read and run by a stand-in for osascript that takes AppleScript by the letter, with hostile arguments:
// ggcode#1326, Installomator PR#916.
func TestScripts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the scripts build lines for sh")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stand := filepath.Join(t.TempDir(), "osascript")
	if err := os.Symlink(self, stand); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"plain", `it's "a\b`, "$(touch pwned)", "`touch pwned`", `" & (do shell script "touch pwned") & "`, "a\nb", "-dash", "日本 🚀"} {
		dir := filepath.Join(t.TempDir(), folder)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		helper := filepath.Join(dir, "vocl-new")
		if err := os.Symlink(self, helper); err != nil {
			t.Fatal(err)
		}
		for _, app := range []string{"Terminal", "iTerm"} {
			way := Windows(Request{App: app, Helper: helper, Job: "0123abcd", Look: func(string) string { return stand }})[0]
			cmd := exec.Command(way.Argv[0], way.Argv[1:]...)            //nolint:noctx // ends by itself
			cmd.Dir, cmd.Env = dir, []string{"GORACE=atexit_sleep_ms=0"} // no second of sleep at each end
			var complaint bytes.Buffer
			cmd.Stderr = &complaint
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%s, %q: %v %s", app, folder, err, complaint.String())
			}
			if want := helper + "\n0123abcd"; string(out) != want {
				t.Errorf("%s started %q, want %q", app, out, want)
			}
		}
		if _, err := os.Lstat(filepath.Join(dir, "pwned")); err == nil {
			t.Errorf("%q was run", folder)
		}
	}
}

// No application is waited for longer than 10 s: an Apple event would wait for two minutes, and for a person's permission.
func TestScriptsLimited(t *testing.T) {
	for name, script := range map[string]string{"Terminal": terminalScript, "iTerm": iTermScript, "close": closeScript} {
		limited, asked := false, 0
		for line := range strings.SplitSeq(script, "\n") {
			switch line = strings.TrimSpace(line); {
			case line == "with timeout of 10 seconds":
				limited = true
			case line == "end timeout":
				limited = false
			case strings.HasPrefix(line, "tell application"):
				asked++
				if !limited {
					t.Errorf("%s asks without a limit: %s", name, line)
				}
			}
		}
		if asked != 1 {
			t.Errorf("%s asks %d applications", name, asked)
		}
	}
}

// The script that closes a window is well formed; what it does only a Mac can show.
func TestCloseWindow(t *testing.T) {
	argv := CloseWindow("/usr/bin/osascript", "/dev/ttys003")
	if err := parseScript(strings.Split(closeScript, "\n")); err != nil {
		t.Error(err)
	}
	if argv[0] != "/usr/bin/osascript" || argv[1] != "-e" || argv[len(argv)-1] != "/dev/ttys003" {
		t.Errorf("%q", argv)
	}
}

// Pokemon-Terminal#177, hammerspoon#2031, CC#78582: what a refusal means is said.
func TestExplain(t *testing.T) {
	for complaint, want := range map[string]string{
		"execution error: Not authorized to send Apple events to Terminal. (-1743)": "Automation",
		"execution error: Terminal got an error: AppleEvent timed out. (-1712)":     "10 s",
		"Error received in message reply handler: Connection Invalid":               "graphical session",
		"Unable to find application named 'Foo'":                                    "VOMGR_TERMINAL_APP",
	} {
		if got := Explain(complaint); !strings.Contains(got, want) {
			t.Errorf("%s: %q", complaint, got)
		}
	}
	if got := Explain("something else"); got != "" {
		t.Errorf("explained: %q", got)
	}
}
