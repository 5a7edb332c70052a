package linux

import (
	"path/filepath"
	"slices"
	"strings"
)

// Emulator is a terminal emulator and how it is told what to run.
type Emulator struct {
	Program string
	Lead    []string // between the program and the command; keeps it from handing the window to a server of its own
	X       bool     // it can open a window on an X display
	Wayland bool     // it can open a window on a Wayland compositor
	Desktop string   // the word of XDG_CURRENT_DESKTOP for the desktop it belongs to
	Dollars bool     // it starts nothing in a folder whose name holds a dollar, which it puts values in for
	Marks   []string // variables that only it sets for what runs in it: NAME, or NAME=VALUE
}

// emulators are those vomgr knows, the best first. The words were measured under Xvfb and weston with the versions of
// Debian 12 (docs/platforms.md lists them); of ptyxis, wezterm and ghostty, which it has not, they are from their
// documentation. Those with a server, which would hand on the environment of its first window, have a word against it;
// gnome-terminal hands on the new environment, kgx has no such word.
var emulators = []Emulator{
	{Program: "ghostty", Lead: []string{"--gtk-single-instance=false", "-e"}, X: true, Wayland: true, Marks: []string{"GHOSTTY_RESOURCES_DIR", "TERM_PROGRAM=ghostty"}},
	{Program: "kitty", Lead: []string{"--"}, X: true, Wayland: true, Marks: []string{"KITTY_WINDOW_ID"}},
	{Program: "alacritty", Lead: []string{"-e"}, X: true, Wayland: true, Marks: []string{"ALACRITTY_WINDOW_ID", "ALACRITTY_LOG"}},
	{Program: "wezterm", Lead: []string{"start", "--always-new-process", "--"}, X: true, Wayland: true, Marks: []string{"WEZTERM_PANE"}},
	{Program: "foot", Lead: []string{"--"}, Wayland: true, Desktop: "sway", Marks: []string{"TERM=foot", "TERM=foot-extra"}},
	{Program: "gnome-terminal", Lead: []string{"--window", "--"}, X: true, Wayland: true, Desktop: "GNOME", Marks: []string{"GNOME_TERMINAL_SCREEN"}},
	{Program: "ptyxis", Lead: []string{"--standalone", "--"}, X: true, Wayland: true, Desktop: "GNOME", Marks: []string{"PTYXIS_VERSION"}},
	{Program: "konsole", Lead: []string{"--separate", "-e"}, X: true, Wayland: true, Desktop: "KDE", Marks: []string{"KONSOLE_VERSION"}},
	{Program: "xfce4-terminal", Lead: []string{"--disable-server", "-x"}, X: true, Wayland: true, Desktop: "XFCE"},
	{Program: "mate-terminal", Lead: []string{"--disable-factory", "-x"}, X: true, Wayland: true, Desktop: "MATE"},
	{Program: "tilix", Lead: []string{"--new-process", "-e"}, X: true, Wayland: true, Marks: []string{"TILIX_ID"}},
	{Program: "terminator", Lead: []string{"-u", "-x"}, X: true, Wayland: true, Marks: []string{"TERMINATOR_UUID"}},
	{Program: "qterminal", Lead: []string{"-e"}, X: true, Wayland: true, Desktop: "LXQt", Dollars: true},
	{Program: "lxterminal", Lead: []string{"--no-remote", "-e"}, X: true, Wayland: true, Desktop: "LXDE"},
	{Program: "kgx", Lead: []string{"--"}, X: true, Wayland: true, Desktop: "GNOME"},
	{Program: "terminology", Lead: []string{"-e"}, X: true, Wayland: true, Desktop: "Enlightenment", Marks: []string{"TERMINOLOGY"}},
	{Program: "urxvt", Lead: []string{"-e"}, X: true, Marks: []string{"COLORTERM=rxvt-xpm", "COLORTERM=rxvt"}},
	{Program: "st", Lead: []string{"-e"}, X: true, Marks: []string{"TERM=st-256color"}},
	{Program: "xterm", Lead: []string{"-e"}, X: true, Marks: []string{"XTERM_VERSION"}},
	{Program: "uxterm", Lead: []string{"-e"}, X: true},
	{Program: "xdg-terminal-exec", X: true, Wayland: true},
	{Program: systemChoice, Lead: []string{"-e"}, X: true, Wayland: true},
}

// aliases are other names of emulators' programs.
var aliases = map[string]string{
	"gnome-terminal.wrapper": "gnome-terminal", "xfce4-terminal.wrapper": "xfce4-terminal", "mate-terminal.wrapper": "mate-terminal",
	"tilix.wrapper": "tilix", "lxterm": "xterm", "koi8rxterm": "xterm", "rxvt-unicode": "urxvt", "rxvt": "urxvt", "stterm": "st",
	"gnome-console": "kgx", "footclient": "foot",
}

// kin are desktops whose people find another one's terminal in them.
var kin = map[string]string{"Unity": "GNOME", "Budgie": "GNOME", "X-Cinnamon": "GNOME", "Cinnamon": "GNOME", "Hyprland": "sway", "labwc": "sway", "river": "sway"}

// Emulators lists the emulators vomgr knows, the best first.
func Emulators() []Emulator { return slices.Clone(emulators) }

// Find returns the emulator that name, a program or its path, stands for.
func Find(name string) (Emulator, bool) {
	name = filepath.Base(name)
	if other, ok := aliases[name]; ok {
		name = other
	}
	i := slices.IndexFunc(emulators, func(e Emulator) bool { return e.Program == name })
	if i < 0 {
		return Emulator{}, false
	}
	return emulators[i], true
}

// Around names the emulator whose window a process with that environment runs in, "" when it cannot be told.
func Around(getenv func(string) string) string {
	for _, e := range emulators {
		for _, mark := range e.Marks {
			name, value, whole := strings.Cut(mark, "=")
			if got := getenv(name); got != "" && (!whole || got == value) {
				return e.Program
			}
		}
	}
	return ""
}

// Argv is the command line that opens a window; program is the emulator's absolute path.
func (e Emulator) Argv(program string, command ...string) []string {
	return append(append([]string{program}, e.Lead...), command...)
}

// Desk is what is known of the place a window is to open at.
type Desk struct {
	X, Wayland bool                     // a display of that kind answers
	Terminal   string                   // TERMINAL: what the person prefers, with words of its own maybe
	Around     string                   // the emulator the chain began in
	Desktop    string                   // XDG_CURRENT_DESKTOP
	Look       func(name string) string // finds a program on PATH; "" when it is not there
}

// Unfit says why an emulator can open no window there, "" when it can.
func (d Desk) Unfit(e Emulator) string {
	switch {
	case d.X && e.X, d.Wayland && e.Wayland:
		return ""
	case !d.X && !d.Wayland:
		return "no display answers"
	case e.X:
		return "needs an X display"
	default:
		return "needs a Wayland display"
	}
}

// Choice is an emulator that is here and can open a window there.
type Choice struct {
	Name string
	Argv []string // opens a window, if a command follows
	Why  string   // why it has its place in the order
}

// Choices lists them in the order in which they are to be tried: what the person prefers, the one the chain began in,
// what the desktop and the system prefer, and then by quality.
func Choices(d Desk) []Choice {
	c := chooser{Desk: d}
	c.preferred()
	c.add(d.Around, "the chain began in it")
	c.add("xdg-terminal-exec", "the desktop's own choice")
	for _, desktop := range strings.Split(d.Desktop, ":") {
		if other, ok := kin[desktop]; ok {
			desktop = other
		}
		for _, e := range emulators {
			if e.Desktop != "" && strings.EqualFold(e.Desktop, desktop) {
				c.add(e.Program, "XDG_CURRENT_DESKTOP="+d.Desktop)
			}
		}
	}
	c.system()
	for _, e := range emulators {
		if e.Program != systemChoice {
			c.add(e.Program, "it is here")
		}
	}
	return c.list
}

type chooser struct {
	Desk
	list []Choice
}

// preferred adds what TERMINAL names. One that vomgr does not know is asked as xterm is.
func (c *chooser) preferred() {
	words := strings.Fields(c.Terminal)
	if len(words) == 0 {
		return
	}
	if filepath.Base(words[0]) == systemChoice {
		c.system()
		return
	}
	e, known := Find(words[0])
	if !known {
		e = Emulator{Program: filepath.Base(words[0]), Lead: []string{"-e"}, X: true, Wayland: true}
	}
	own := words[1:] // with or without what a command stands behind
	for len(own) > 0 && slices.Contains(append([]string{"-e", "-x", "--"}, e.Lead...), own[len(own)-1]) {
		own = own[:len(own)-1]
	}
	e.Lead = append(slices.Clone(own), e.Lead...)
	c.take(e, c.Look(words[0]), "$TERMINAL")
}

// systemChoice is Debian's name for the emulator that the machine's owner chose.
const systemChoice = "x-terminal-emulator"

// system adds that emulator, asked in its own way, which need not be xterm's.
func (c *chooser) system() {
	e, _ := Find(systemChoice)
	program := c.Look(systemChoice)
	if program == "" {
		return
	}
	if real, err := filepath.EvalSymlinks(program); err == nil {
		if own, ok := Find(real); ok {
			c.add(own.Program, systemChoice+" leads to it")
			return
		}
	}
	c.take(e, program, "the system's own choice")
}

func (c *chooser) add(name, why string) {
	if e, ok := Find(name); ok {
		c.take(e, c.Look(e.Program), why)
	}
}

// take adds e if it is here, can open a window, and is not in the list yet.
func (c *chooser) take(e Emulator, program, why string) {
	if program == "" || c.Unfit(e) != "" {
		return
	}
	if slices.ContainsFunc(c.list, func(o Choice) bool { return o.Name == e.Program || o.Argv[0] == program }) {
		return
	}
	c.list = append(c.list, Choice{Name: e.Program, Argv: e.Argv(program), Why: why})
}
