package platform

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/vexyart/vomgr/internal/world"
)

// Place is where a chain lives: its windows keep to the multiplexer or display it began in, whatever the environment
// of a later hook says (Codex's shared server carries that of its first start).
type Place struct {
	TmuxSocket  string `json:"tmux_socket,omitempty"`
	TmuxSession string `json:"tmux_session,omitempty"` // the server's own id, like $3
	Screen      string `json:"screen,omitempty"`       // STY
	Display     string `json:"display,omitempty"`
	Wayland     string `json:"wayland,omitempty"`
	Xauthority  string `json:"xauthority,omitempty"`
	RuntimeDir  string `json:"runtime_dir,omitempty"` // XDG_RUNTIME_DIR
	Bus         string `json:"bus,omitempty"`         // DBUS_SESSION_BUS_ADDRESS
	Program     string `json:"program,omitempty"`     // TERM_PROGRAM
	Emulator    string `json:"emulator,omitempty"`    // Linux: the emulator whose window it is
	Desktop     string `json:"desktop,omitempty"`     // XDG_CURRENT_DESKTOP
}

// placeVars are the variables a Place stands for.
func (p Place) vars() [][2]string {
	return [][2]string{
		{"DISPLAY", p.Display}, {"WAYLAND_DISPLAY", p.Wayland}, {"XAUTHORITY", p.Xauthority},
		{"XDG_RUNTIME_DIR", p.RuntimeDir}, {"DBUS_SESSION_BUS_ADDRESS", p.Bus},
	}
}

// tmuxAnswer bounds how long a tmux server is waited for.
const tmuxAnswer = time.Second

// PlaceOf reads the place from an environment. It asks the tmux server named there which session the pane is in, at
// most two seconds, so it is not for the hook; a server that does not answer is no place.
func PlaceOf(getenv func(string) string) Place {
	p := Place{
		Screen: getenv("STY"), Display: getenv("DISPLAY"), Wayland: getenv("WAYLAND_DISPLAY"),
		Xauthority: getenv("XAUTHORITY"), RuntimeDir: getenv("XDG_RUNTIME_DIR"), Bus: getenv("DBUS_SESSION_BUS_ADDRESS"),
		Program: getenv("TERM_PROGRAM"), Emulator: emulatorOf(getenv), Desktop: getenv("XDG_CURRENT_DESKTOP"),
	}
	socket, rest, _ := strings.Cut(getenv("TMUX"), ",")
	if socket == "" {
		return p
	}
	targets := []string{getenv("TMUX_PANE")}
	if i := strings.LastIndexByte(rest, ','); i >= 0 {
		targets = append(targets, "$"+rest[i+1:]+":") // the pane may be gone, and its session not
	}
	for _, target := range targets {
		if id := askTmux(getenv, socket, target); id != "" {
			p.TmuxSocket, p.TmuxSession = socket, id
			break
		}
	}
	return p
}

// askTmux returns the id of the session target is in, "" when there is none.
func askTmux(getenv func(string) string, socket, target string) string {
	w := world.World{}
	for _, name := range []string{"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE"} {
		if v := getenv(name); v != "" {
			w.Env = append(w.Env, name+"="+v)
		}
	}
	tmux := w.LookPath("tmux")
	if tmux == "" || target == "" {
		return ""
	}
	id := strings.TrimSpace(outputOf(w.Env, tmuxSessionOf(tmux, socket, target)))
	if !tmuxID(id) {
		return ""
	}
	return id
}

// outputOf is what a program says that is waited for as long as a tmux server, "" when it fails.
func outputOf(env, argv []string) string {
	ctx, cancel := context.WithTimeout(context.Background(), tmuxAnswer)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.WaitDelay = env, tmuxAnswer
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// inherited are the variables that say in which terminal a process runs; a new one sets its own.
var inherited = []string{
	"TMUX", "TMUX_PANE", "STY", "WINDOW", "WINDOWID", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "COLORTERM",
	"TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TERM_SESSION_ID", "KITTY_PID", "KITTY_WINDOW_ID", "KITTY_LISTEN_ON",
	"GNOME_TERMINAL_SCREEN", "GNOME_TERMINAL_SERVICE", "KONSOLE_VERSION", "KONSOLE_DBUS_SESSION", "KONSOLE_DBUS_WINDOW",
	"KONSOLE_DBUS_SERVICE", "WEZTERM_PANE", "WEZTERM_UNIX_SOCKET", "WEZTERM_EXECUTABLE", "ALACRITTY_WINDOW_ID",
	"ALACRITTY_SOCKET", "ALACRITTY_LOG", "TILIX_ID", "VTE_VERSION", "GHOSTTY_RESOURCES_DIR", "GHOSTTY_BIN_DIR",
	"PTYXIS_VERSION", "PTYXIS_PROFILE", "TERMINATOR_UUID", "TERMINATOR_DBUS_NAME", "TERMINATOR_DBUS_PATH",
	"TERMINOLOGY", "XTERM_VERSION", "XTERM_SHELL", "XTERM_LOCALE", "ITERM_SESSION_ID", "ITERM_PROFILE", "LC_TERMINAL",
	"LC_TERMINAL_VERSION", "WT_SESSION", "WT_PROFILE_ID", "TERMINFO", "COLORFGBG",
}

// windowEnv is the environment for a program that opens a window at the place: the display is the place's own, and
// nothing in it says any more in which terminal the hook ran.
func windowEnv(env []string, p Place) []string {
	vars := p.vars()
	out := make([]string, 0, len(env)+len(vars))
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		set := slices.ContainsFunc(vars, func(v [2]string) bool { return v[0] == name && v[1] != "" })
		if !set && !slices.Contains(inherited, name) {
			out = append(out, kv)
		}
	}
	for _, v := range vars {
		if v[1] != "" {
			out = append(out, v[0]+"="+v[1])
		}
	}
	return out
}

// Carried is what of the launcher's environment goes into a new terminal.
func Carried(env []string, p Place) []string { return windowEnv(env, p) }

// Environ is the environment for an assistant in a new terminal, of what the launcher carried there and what the
// terminal itself gave the helper: what says which terminal it is comes from the terminal, all else from the launcher.
// A terminal with a server hands on the environment of its first window, PATH and keys with it (measured with
// xfce4-terminal, lxterminal, kgx, tilix, terminator, tmux), and Terminal on macOS that of a login shell.
func Environ(carried, own []string) []string {
	theirs := func(name string) bool { return name == "TERM" || slices.Contains(inherited, name) }
	out := make([]string, 0, len(carried)+8)
	for _, kv := range own {
		if name, _, _ := strings.Cut(kv, "="); theirs(name) {
			out = append(out, kv)
		}
	}
	given := world.World{Env: out}
	for _, kv := range carried {
		name, _, _ := strings.Cut(kv, "=")
		display := name == "DISPLAY" || name == "WAYLAND_DISPLAY" || name == "XAUTHORITY"
		if !theirs(name) || display && given.Getenv(name) == "" {
			out = append(out, kv)
		}
	}
	return out
}

// templateEnv is windowEnv for a program of the user's, which may itself talk to the multiplexer it is in.
func templateEnv(r Request) []string {
	env := windowEnv(r.World.Env, r.Place)
	if r.Place.TmuxSocket != "" {
		env = append(env, "TMUX="+r.Place.TmuxSocket+",0,"+strings.TrimPrefix(r.Place.TmuxSession, "$"))
	}
	if r.Place.Screen != "" {
		env = append(env, "STY="+r.Place.Screen)
	}
	return env
}
