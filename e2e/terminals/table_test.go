//go:build e2e

package terminals

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// terminal is one that vomgr is to open.
type terminal struct {
	name     string   // the program
	ci       bool     // it is in the CI list
	template []string // a {command} template a person might write; nil when none can work
	version  []string // prints its version
	without  []string // programs that must not be on PATH, so that it is the one auto takes
	needs    []string // programs beside its own
	place    func(h *home) error
	wayland  bool
	note     string
}

func sh(lead ...string) []string { return append(lead, "sh", "-c", "{command}") }

// terminals are all that can be tried on Debian 12; ghostty, wezterm and ptyxis it has not.
func terminals() []terminal {
	return []terminal{
		{name: "xterm", ci: true, template: sh("xterm", "-e"), version: []string{"xterm", "-version"}},
		{name: "gnome-terminal", ci: true, template: sh("gnome-terminal", "--"), version: []string{"gnome-terminal", "--version"}, needs: []string{"dbus-daemon"}},
		{name: "konsole", ci: true, template: sh("konsole", "-e"), version: []string{"konsole", "--version"}},
		{name: "xfce4-terminal", ci: true, template: sh("xfce4-terminal", "-x"), version: []string{"xfce4-terminal", "--version"}},
		{name: "kitty", ci: true, template: sh("kitty"), version: []string{"kitty", "--version"}},
		{name: "alacritty", ci: true, template: sh("alacritty", "-e"), version: []string{"alacritty", "--version"}, needs: []string{nssWrapper}, place: (*home).ownEntry},
		{name: "tmux", ci: true, template: sh("tmux", "new-session", "-d"), version: []string{"tmux", "-V"}, note: "no display"},
		{name: "tmux window", ci: true, template: sh("tmux", "new-window", "-d"), version: []string{"tmux", "-V"}, place: (*home).inTmux, note: "in a session the chain began in"},
		{name: "screen", ci: true, template: sh("screen", "-dmS", "x"), version: []string{"screen", "-v"}, without: []string{"tmux"}, note: "no display, no tmux"},
		{name: "screen window", ci: true, version: []string{"screen", "-v"}, place: (*home).inScreen, note: "in a session the chain began in"},
		{name: "uxterm", template: sh("uxterm", "-e"), version: []string{"xterm", "-version"}},
		{name: "urxvt", template: sh("urxvt", "-e"), version: []string{"urxvt", "--help"}},
		{name: "st", template: sh("st", "-e"), version: []string{"st", "-v"}},
		{name: "kgx", template: sh("kgx", "--"), version: []string{"kgx", "--version"}, needs: []string{"dbus-daemon"}},
		{name: "mate-terminal", template: sh("mate-terminal", "-x"), version: []string{"mate-terminal", "--version"}},
		{name: "lxterminal", template: sh("lxterminal", "-e"), version: []string{"lxterminal", "--version"}},
		{name: "qterminal", template: sh("qterminal", "-e"), version: []string{"qterminal", "--version"}},
		{name: "terminator", version: []string{"terminator", "--version"}, note: "takes no argument that begins with a dash, so no template with sh -c"},
		{name: "tilix", version: []string{"tilix", "--version"}, note: "splits arguments anew, so no template with sh -c"},
		{name: "terminology", template: sh("terminology", "-e"), version: []string{"terminology", "--version"}},
		{name: "xdg-terminal-exec", template: sh("xdg-terminal-exec"), version: []string{"sh", "-c", "dpkg-query -W -f '${Version}' xdg-terminal-exec"}},
		{name: "x-terminal-emulator", version: []string{"readlink", "/etc/alternatives/x-terminal-emulator"}},
		{name: "foot", wayland: true, template: sh("foot"), version: []string{"foot", "--version"}, needs: []string{"weston"}, note: "in weston"},
		{name: "kitty", wayland: true, template: sh("kitty"), version: []string{"kitty", "--version"}, needs: []string{"weston"}, note: "in weston"},
		{name: "alacritty", wayland: true, template: sh("alacritty", "-e"), version: []string{"alacritty", "--version"}, needs: []string{"weston", nssWrapper}, place: (*home).ownEntry, note: "in weston"},
		{name: "gnome-terminal", wayland: true, template: sh("gnome-terminal", "--"), version: []string{"gnome-terminal", "--version"}, needs: []string{"weston", "dbus-daemon"}, note: "in weston"},
	}
}

// program is the program's name.
func (x terminal) program() string { return strings.Fields(x.name)[0] }

// label names the terminal where it may be in the list twice.
func (x terminal) label() string {
	if x.wayland {
		return x.name + " (Wayland)"
	}
	return x.name
}

// missing names a program that is not installed, "" if all are.
func (x terminal) missing() string {
	for _, p := range append([]string{x.program()}, x.needs...) {
		if _, err := exec.LookPath(p); err != nil && !exists(p) {
			return p
		}
	}
	return ""
}

// graphical says that it opens a window.
func (x terminal) graphical() bool { return x.program() != "tmux" && x.program() != "screen" }

// result is what came of one terminal.
type result struct {
	terminal
	builtIn, byTemplate           time.Duration // from the call of the hook to the assistant's first word
	names, right, executed, tries int
}

var (
	resultsLock sync.Mutex
	results     []result
)

func note(r result) {
	resultsLock.Lock()
	defer resultsLock.Unlock()
	results = append(results, r)
}

// versionOf asks a program for its version: the first line with a number in it.
func versionOf(argv []string) string {
	out, _ := exec.Command(argv[0], argv[1:]...).CombinedOutput() // some answer with a status other than 0
	for line := range strings.Lines(string(out)) {
		if strings.ContainsAny(line, "0123456789") || strings.HasPrefix(line, "/") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// writeTable writes the results where the flag says.
func writeTable() error {
	if *tableFile == "" {
		return nil
	}
	order := terminals()
	at := func(r result) int {
		return slices.IndexFunc(order, func(x terminal) bool { return x.label() == r.label() })
	}
	slices.SortFunc(results, func(a, b result) int { return at(a) - at(b) })
	var b strings.Builder
	b.WriteString("| terminal | version | built-in way | `{command}` | hostile names in the right folder | executed | |\n|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		template := "-"
		if r.template != nil {
			template = seconds(r.byTemplate)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d of %d | %d | %s |\n",
			r.label(), strings.ReplaceAll(versionOf(r.version), "|", " "), seconds(r.builtIn), template, r.right, r.tries, r.executed, r.note)
	}
	return os.WriteFile(*tableFile, []byte(b.String()), 0o600)
}

func seconds(d time.Duration) string {
	if d == 0 {
		return "fails"
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
