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
	pkg      string   // Debian's package, whose version counts
	link     string   // what it leads to counts instead
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
		{name: "xterm", ci: true, template: sh("xterm", "-e"), pkg: "xterm"},
		{name: "gnome-terminal", ci: true, template: sh("gnome-terminal", "--"), pkg: "gnome-terminal", needs: []string{"dbus-daemon"}},
		{name: "konsole", ci: true, template: sh("konsole", "-e"), pkg: "konsole"},
		{name: "xfce4-terminal", ci: true, template: sh("xfce4-terminal", "-x"), pkg: "xfce4-terminal"},
		{name: "kitty", ci: true, template: sh("kitty"), pkg: "kitty"},
		{name: "alacritty", ci: true, template: sh("alacritty", "-e"), pkg: "alacritty", needs: []string{nssWrapper}, place: (*home).ownEntry, note: "takes HOME from passwd"},
		{name: "tmux", ci: true, template: sh("tmux", "new-session", "-d"), pkg: "tmux", note: "no display"},
		{name: "tmux window", ci: true, template: sh("tmux", "new-window", "-d"), pkg: "tmux", place: (*home).inTmux, note: "in a session the chain began in"},
		{name: "screen", ci: true, template: sh("screen", "-dmS", "x"), pkg: "screen", without: []string{"tmux"}, note: "no display, no tmux"},
		{name: "screen window", ci: true, pkg: "screen", place: (*home).inScreen, note: "in a session the chain began in"},
		{name: "uxterm", template: sh("uxterm", "-e"), pkg: "xterm"},
		{name: "urxvt", template: sh("urxvt", "-e"), pkg: "rxvt-unicode"},
		{name: "st", template: sh("st", "-e"), pkg: "stterm", needs: []string{nssWrapper}, place: (*home).ownEntry, note: "takes HOME from passwd"},
		{name: "kgx", template: sh("kgx", "--"), pkg: "gnome-console", needs: []string{"dbus-daemon"}},
		{name: "mate-terminal", template: sh("mate-terminal", "-x"), pkg: "mate-terminal"},
		{name: "lxterminal", template: sh("lxterminal", "-e"), pkg: "lxterminal"},
		{name: "qterminal", template: sh("qterminal", "-e"), pkg: "qterminal"},
		{name: "terminator", pkg: "terminator", note: "takes no argument that begins with a dash, so no template with sh -c"},
		{name: "tilix", pkg: "tilix", note: "splits arguments anew, so no template with sh -c"},
		{name: "terminology", template: sh("terminology", "-e"), pkg: "terminology"},
		{name: "xdg-terminal-exec", template: sh("xdg-terminal-exec"), pkg: "xdg-terminal-exec"},
		{name: "x-terminal-emulator", link: "/etc/alternatives/x-terminal-emulator"},
		{name: "foot", wayland: true, template: sh("foot"), pkg: "foot", needs: []string{"weston"}, note: "in weston"},
		{name: "kitty", wayland: true, template: sh("kitty"), pkg: "kitty", needs: []string{"weston"}, note: "in weston"},
		{name: "alacritty", wayland: true, template: sh("alacritty", "-e"), pkg: "alacritty", needs: []string{"weston", nssWrapper}, place: (*home).ownEntry, note: "in weston"},
		{name: "gnome-terminal", wayland: true, template: sh("gnome-terminal", "--"), pkg: "gnome-terminal", needs: []string{"weston", "dbus-daemon"}, note: "in weston"},
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
	builtIn, byTemplate          time.Duration // from the call of the hook to the assistant's first word
	tries, right, executed, lost int           // of hostile names
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

// versionOf is the version of the Debian package, without what Debian adds.
func (x terminal) versionOf() string {
	if x.link != "" {
		to, _ := os.Readlink(x.link)
		return "leads to " + to
	}
	out, err := exec.Command("dpkg-query", "-W", "-f", "${Version}", x.pkg).Output()
	if err != nil {
		return "?"
	}
	_, version, epoch := strings.Cut(string(out), ":")
	if !epoch {
		version = string(out)
	}
	if i := strings.LastIndexByte(version, '-'); i > 0 {
		version = version[:i]
	}
	return version
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
	b.WriteString("| terminal | version | built-in way | `{command}` | hostile names in the right folder | executed | lost | |\n|---|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		template := "-"
		if r.template != nil {
			template = seconds(r.byTemplate)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d of %d | %d | %d | %s |\n",
			r.label(), r.versionOf(), seconds(r.builtIn), template, r.right, r.tries, r.executed, r.lost, r.note)
	}
	return os.WriteFile(*tableFile, []byte(b.String()), 0o600)
}

func seconds(d time.Duration) string {
	if d == 0 {
		return "fails"
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
