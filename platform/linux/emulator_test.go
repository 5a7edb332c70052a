package linux

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// argos#52, syntalos PR#31, kitty#502, wezterm#168, alacritty#7887, tilix#1090: each program has its own form.
func TestEmulatorArgv(t *testing.T) {
	want := map[string]string{
		"xterm": "-e", "uxterm": "-e", "urxvt": "-e", "st": "-e", "alacritty": "-e", "qterminal": "-e", "terminology": "-e",
		"gnome-terminal": "--window --", "kgx": "--", "ptyxis": "--standalone --", "kitty": "--", "foot": "--",
		"konsole": "--separate -e", "xfce4-terminal": "--disable-server -x", "mate-terminal": "--disable-factory -x",
		"lxterminal": "--no-remote -e", "terminator": "-u -x", "tilix": "--new-process -e",
		"wezterm": "start --always-new-process --", "ghostty": "--gtk-single-instance=false -e",
		"xdg-terminal-exec": "", "x-terminal-emulator": "-e",
	}
	for _, e := range Emulators() {
		lead, known := want[e.Program]
		if !known {
			t.Errorf("%s is not in the list of this test", e.Program)
		}
		delete(want, e.Program)
		got := e.Argv("/bin/"+e.Program, "/h/vocl-new", "0123abcd")
		if diff := cmp.Diff(strings.Fields("/bin/"+e.Program+" "+lead+" /h/vocl-new 0123abcd"), got); diff != "" {
			t.Errorf("%s\n%s", e.Program, diff)
		}
		if !e.X && !e.Wayland {
			t.Errorf("%s can open no window", e.Program)
		}
	}
	if len(want) > 0 {
		t.Errorf("not in the table: %v", want)
	}
}

func TestEmulatorsWithoutX(t *testing.T) {
	var x, wayland []string
	for _, e := range Emulators() {
		if !e.Wayland {
			x = append(x, e.Program)
		}
		if !e.X {
			wayland = append(wayland, e.Program)
		}
	}
	if diff := cmp.Diff([]string{"urxvt", "st", "xterm", "uxterm"}, x); diff != "" {
		t.Errorf("only for X\n%s", diff)
	}
	if diff := cmp.Diff([]string{"foot"}, wayland); diff != "" {
		t.Errorf("only for Wayland\n%s", diff)
	}
}

func TestUnfit(t *testing.T) {
	for name, c := range map[string]struct {
		desk Desk
		want [3]string // of xterm, foot, kitty
	}{
		"none":    {Desk{}, [3]string{"no display answers", "no display answers", "no display answers"}},
		"X":       {Desk{X: true}, [3]string{"", "needs a Wayland display", ""}},
		"Wayland": {Desk{Wayland: true}, [3]string{"needs an X display", "", ""}},
		"both":    {Desk{X: true, Wayland: true}, [3]string{}},
	} {
		for i, program := range []string{"xterm", "foot", "kitty"} {
			if e, _ := Find(program); c.desk.Unfit(e) != c.want[i] {
				t.Errorf("%s, %s: %q", name, program, c.desk.Unfit(e))
			}
		}
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"kitty": "kitty", "/opt/x/bin/kitty": "kitty", "gnome-terminal.wrapper": "gnome-terminal", "/usr/bin/lxterm": "xterm",
		"footclient": "foot", "rxvt-unicode": "urxvt", "gnome-console": "kgx", "": "", "sh": "", "kitty ": "",
	} {
		if e, ok := Find(name); e.Program != want || ok != (want != "") {
			t.Errorf("%q is %q", name, e.Program)
		}
	}
}

func TestAround(t *testing.T) {
	for env, want := range map[string]string{
		"KITTY_WINDOW_ID=1": "kitty", "ALACRITTY_WINDOW_ID=3": "alacritty", "WEZTERM_PANE=0": "wezterm", "TERM=foot": "foot",
		"GNOME_TERMINAL_SCREEN=/org/x": "gnome-terminal", "KONSOLE_VERSION=221203": "konsole", "TILIX_ID=x": "tilix",
		"TERMINATOR_UUID=urn": "terminator", "COLORTERM=rxvt-xpm": "urxvt", "XTERM_VERSION=XTerm(379)": "xterm",
		"TERM_PROGRAM=ghostty": "ghostty", "TERM=st-256color": "st", "PTYXIS_VERSION=47": "ptyxis", "TERMINOLOGY=1": "terminology",
		"TERM=xterm-256color": "", "COLORTERM=truecolor": "", "TERM_PROGRAM=vscode": "", "VTE_VERSION=7006": "", "KITTY_WINDOW_ID=": "",
	} {
		name, value, _ := strings.Cut(env, "=")
		got := Around(func(key string) string {
			if key == name {
				return value
			}
			return ""
		})
		if got != want {
			t.Errorf("%s: %q, want %q", env, got, want)
		}
	}
}

// desk is one on which everything is, unless programs are named.
func desk(change func(*Desk), programs ...string) Desk {
	d := Desk{X: true, Wayland: true, Look: func(name string) string {
		if len(programs) > 0 && !slices.Contains(programs, name) {
			return ""
		}
		return "/none/" + filepath.Base(name)
	}}
	if change != nil {
		change(&d)
	}
	return d
}

func namesOf(list []Choice) string {
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

const byQuality = "ghostty kitty alacritty wezterm foot gnome-terminal ptyxis konsole xfce4-terminal mate-terminal tilix terminator qterminal lxterminal kgx terminology urxvt st xterm uxterm"

func TestChoices(t *testing.T) {
	all := strings.Fields(byQuality)
	few := []string{"xterm", "gnome-terminal", "konsole", "kitty", "foot", "kgx", "ptyxis"}
	for name, c := range map[string]struct {
		desk Desk
		want string
	}{
		"everything":         {desk(nil), "xdg-terminal-exec x-terminal-emulator " + byQuality},
		"by quality":         {desk(nil, all...), byQuality},
		"only X":             {desk(func(d *Desk) { d.Wayland = false }, few...), "kitty gnome-terminal ptyxis konsole kgx xterm"},
		"only Wayland":       {desk(func(d *Desk) { d.X = false }, few...), "kitty foot gnome-terminal ptyxis konsole kgx"},
		"no display":         {desk(func(d *Desk) { d.X, d.Wayland = false, false }), ""},
		"nothing there":      {desk(nil, "sh"), ""},
		"TERMINAL":           {desk(func(d *Desk) { d.Terminal = "xterm" }, few...), "xterm kitty foot gnome-terminal ptyxis konsole kgx"},
		"TERMINAL not there": {desk(func(d *Desk) { d.Terminal = "alacritty" }, few...), "kitty foot gnome-terminal ptyxis konsole kgx xterm"},
		"TERMINAL needs X":   {desk(func(d *Desk) { d.Terminal, d.X = "xterm", false }, few...), "kitty foot gnome-terminal ptyxis konsole kgx"},
		"around":             {desk(func(d *Desk) { d.Around = "konsole" }, few...), "konsole kitty foot gnome-terminal ptyxis kgx xterm"},
		"TERMINAL, around":   {desk(func(d *Desk) { d.Terminal, d.Around = "xterm", "konsole" }, few...), "xterm konsole kitty foot gnome-terminal ptyxis kgx"},
		"both the same":      {desk(func(d *Desk) { d.Terminal, d.Around = "konsole", "konsole" }, few...), "konsole kitty foot gnome-terminal ptyxis kgx xterm"},
		"GNOME":              {desk(func(d *Desk) { d.Desktop = "ubuntu:GNOME" }, few...), "gnome-terminal ptyxis kgx kitty foot konsole xterm"},
		"KDE":                {desk(func(d *Desk) { d.Desktop = "KDE" }, few...), "konsole kitty foot gnome-terminal ptyxis kgx xterm"},
		"Cinnamon":           {desk(func(d *Desk) { d.Desktop = "X-Cinnamon" }, few...), "gnome-terminal ptyxis kgx kitty foot konsole xterm"},
		"another desktop":    {desk(func(d *Desk) { d.Desktop = "i3" }, few...), "kitty foot gnome-terminal ptyxis konsole kgx xterm"},
		"sway":               {desk(func(d *Desk) { d.Desktop = "sway" }, few...), "foot kitty gnome-terminal ptyxis konsole kgx xterm"},
		"exec before desktop": {desk(func(d *Desk) { d.Around, d.Desktop = "kitty", "KDE" }, append(few, "xdg-terminal-exec")...),
			"kitty xdg-terminal-exec konsole foot gnome-terminal ptyxis kgx xterm"},
	} {
		if got := namesOf(Choices(c.desk)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// What TERMINAL holds may have words of its own, be a path, or be unknown to vomgr.
func TestTerminalVariable(t *testing.T) {
	for value, want := range map[string][]string{
		"kitty":                    {"/none/kitty", "--"},
		"kitty -1  -o x=1":         {"/none/kitty", "-1", "-o", "x=1", "--"},
		"xterm -fn 10x20 -e":       {"/none/xterm", "-fn", "10x20", "-e"},
		"gnome-terminal --":        {"/none/gnome-terminal", "--window", "--"},
		"wezterm start --":         {"/none/wezterm", "start", "--always-new-process", "--"},
		"unheard-of -e":            {"/none/unheard-of", "-e"},
		"/usr/bin/alacritty":       {"/none/alacritty", "-e"},
		"gnome-terminal.wrapper":   {"/none/gnome-terminal.wrapper", "--window", "--"},
		"i3-sensible-terminal":     {"/none/i3-sensible-terminal", "-e"},
		"/opt/mine; touch pwned -": {"/none/mine;", "touch", "pwned", "-", "-e"}, // words, for no shell to read
	} {
		got := Choices(desk(func(d *Desk) { d.Terminal = value }))[0]
		if diff := cmp.Diff(want, got.Argv); diff != "" || got.Why != "$TERMINAL" {
			t.Errorf("%q, %s\n%s", value, got.Why, diff)
		}
	}
}

// Debian picks terminator (priority 50), in whose way of being called it works, and in xterm's it does not.
func TestSystemChoice(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	place := func(name, to string) {
		if err := os.WriteFile(filepath.Join(dir, to), nil, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(dir, to), filepath.Join(dir, name)); err != nil {
			t.Skip(err) // Windows
		}
	}
	look := func(name string) string {
		if path := filepath.Join(dir, name); exists(path) {
			return path
		}
		return ""
	}
	place("x-terminal-emulator", "terminator")
	place("konsole", "konsole.real")
	first := func() Choice {
		if got := Choices(Desk{X: true, Look: look, Terminal: "x-terminal-emulator", Around: "konsole"})[0]; got.Name != Choices(Desk{X: true, Look: look})[0].Name {
			t.Errorf("as TERMINAL it is %+v", got)
		}
		return Choices(Desk{X: true, Look: look})[0]
	}
	if got := first(); got.Name != "terminator" || !slices.Equal(got.Argv, []string{filepath.Join(dir, "terminator"), "-u", "-x"}) {
		t.Errorf("%+v", got)
	}
	if err := os.Remove(filepath.Join(dir, "x-terminal-emulator")); err != nil {
		t.Fatal(err)
	}
	place("x-terminal-emulator", "unheard-of")
	if got := first(); got.Name != "x-terminal-emulator" || !slices.Equal(got.Argv, []string{filepath.Join(dir, "x-terminal-emulator"), "-e"}) {
		t.Errorf("%+v", got)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// WSL#2745, open-rs PR#11: the first quoted word behind start is taken for the window's title.
func TestWSL(t *testing.T) {
	const cmd, helper, job = "/mnt/c/Windows/System32/cmd.exe", "/home/ann/.claude/hooks/vocl-new", "0123abcd"
	for name, c := range map[string]struct {
		cmd, distribution, helper string
		want                      string
	}{
		"usual":              {cmd, "Ubuntu-24.04", helper, cmd + " /d /c start wsl.exe -d Ubuntu-24.04 --exec " + helper + " " + job},
		"a name with spaces": {cmd, "My Linux", helper, cmd + " /d /c start wsl.exe --exec " + helper + " " + job},
		"not there":          {"", "Ubuntu", helper, ""},
		"a home with &":      {cmd, "Ubuntu", "/home/a&b/.claude/hooks/vocl-new", ""},
		"a home with space":  {cmd, "Ubuntu", "/home/a b/.claude/hooks/vocl-new", ""},
		"a home with %":      {cmd, "Ubuntu", "/home/%PATH%/vocl-new", ""},
	} {
		if got := strings.Join(WSL(c.cmd, c.distribution, c.helper, job), " "); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
