package platform

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vexyart/vomgr/internal/world"
)

// Seat is the terminal that a process runs in.
type Seat struct {
	Name string   // for people: tmux session work, window 2; xterm, pid 4711, on display :0
	Argv []string // shows it in this terminal, Argv[0] an absolute path; nil for a window on a desktop
	Env  []string // the whole environment to start Argv with
}

// ErrNoSeat says that a process has no terminal that could be named.
var ErrNoSeat = errors.New("it runs in no terminal that vomgr can see")

// FindSeat looks for the terminal that the assistant pid, started for job in a chain that lives at place, runs in: among
// the panes of the tmux servers known here, in a screen session above it, else in the program that opened its window.
// The servers are asked, at most a second each.
func FindSeat(w world.World, place Place, pid int, job string) (Seat, error) {
	self, err := Describe(pid)
	if err != nil {
		return Seat{}, err
	}
	above, err := Ancestors(pid)
	if err != nil {
		return Seat{}, err
	}
	line := append([]Process{self}, above...)
	if s, ok := tmuxSeat(w, place, line); ok {
		return s, nil
	}
	if s, ok := screenSeat(w, line, job); ok {
		return s, nil
	}
	return windowSeat(place, line)
}

// windowSeat names the program that opened the window: the nearest one that is not of the assistant's session.
func windowSeat(place Place, line []Process) (Seat, error) {
	if line[0].Session == 0 { // Windows: the console is no process above
		return Seat{Name: "a console window"}, nil
	}
	for _, p := range line[1:] {
		if p.Pid > 1 && p.Session != line[0].Session {
			name := fmt.Sprintf("%s, pid %d", base(p.Name), p.Pid)
			if display := place.Display; display != "" {
				name += ", on display " + display
			} else if place.Wayland != "" {
				name += ", on " + place.Wayland
			}
			return Seat{Name: name}, nil
		}
	}
	return Seat{}, ErrNoSeat
}

// tmuxSeat looks for a pane in which one of line is the first process.
func tmuxSeat(w world.World, place Place, line []Process) (Seat, bool) {
	tmux := w.LookPath("tmux")
	if tmux == "" {
		return Seat{}, false
	}
	inside, _, _ := strings.Cut(w.Getenv("TMUX"), ",")
	sockets := []string{place.TmuxSocket, inside, ""} // "" is the person's usual server
	for i, socket := range sockets {
		if socket == "" && i < len(sockets)-1 {
			continue
		}
		for _, p := range parsePanes(outputOf(outsideTmux(w.Env), tmuxPanes(tmux, socket))) {
			if slices.ContainsFunc(line, func(q Process) bool { return q.Pid == p.pid }) {
				return p.seat(w, tmux, inside), true
			}
		}
	}
	return Seat{}, false
}

// pane is one pane of a tmux server.
type pane struct {
	pid                 int
	session, window, id string // the server's own: $3, @5, %7
	socket              string
	index, name         string // for people: the window's number, the session's name
}

const paneFields = 7

// tmuxPanes asks a server for its panes.
func tmuxPanes(tmux, socket string) []string {
	argv := []string{tmux}
	if socket != "" {
		argv = append(argv, "-S", socket)
	}
	return append(argv, "list-panes", "-a", "-F",
		"#{pane_pid}\t#{session_id}\t#{window_id}\t#{pane_id}\t#{window_index}\t#{socket_path}\t#{session_name}")
}

// parsePanes reads the answer to tmuxPanes; lines that are none are passed over. tmux writes a tab in a name as \t or _.
func parsePanes(list string) []pane {
	var all []pane
	for l := range strings.Lines(list) {
		f := strings.SplitN(strings.TrimRight(l, "\n"), "\t", paneFields)
		if len(f) < paneFields {
			continue
		}
		pid, err := strconv.Atoi(f[0])
		if err == nil && pid > 1 && tmuxID(f[1]) {
			all = append(all, pane{pid: pid, session: f[1], window: f[2], id: f[3], index: f[4], socket: f[5], name: f[6]})
		}
	}
	return all
}

// seat is how p is shown. From inside its own server the client there goes to it; from another one it is attached.
func (p pane) seat(w world.World, tmux, inside string) Seat {
	s := Seat{Name: "tmux session " + p.name + ", window " + p.index, Env: w.Env}
	verb := "switch-client"
	if p.socket != inside {
		verb, s.Env = "attach-session", outsideTmux(w.Env)
	}
	s.Argv = []string{tmux, "-S", p.socket, verb, "-t", p.session + ":" + p.window + "." + p.id}
	return s
}

// outsideTmux is env without the server it names: tmux would take that for the usual one, and attach no other.
func outsideTmux(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		return strings.HasPrefix(kv, "TMUX=") || strings.HasPrefix(kv, "TMUX_PANE=")
	})
}

// screenSeat looks for a screen session above the process: its number is that of the session's program. A window that
// vomgr opened in it bears the job's name and is shown first.
func screenSeat(w world.World, line []Process, job string) (Seat, bool) {
	screen := w.LookPath("screen")
	i := slices.IndexFunc(line, func(p Process) bool { return base(p.Name) == "screen" })
	if screen == "" || i < 0 {
		return Seat{}, false
	}
	number := strconv.Itoa(line[i].Pid)
	s := Seat{Name: "screen session " + number, Argv: []string{screen, "-x", number}, Env: w.Env}
	named := job != "" && slices.Contains(strings.Fields(outputOf(w.Env, []string{screen, "-S", number, "-Q", "windows"})), session(job))
	inside, _, _ := strings.Cut(w.Getenv("STY"), ".")
	switch {
	case inside == number && named:
		s.Argv = []string{screen, "-S", number, "-X", "select", session(job)}
	case named:
		s.Argv = append(s.Argv, "-p", session(job))
	}
	return s, true
}
