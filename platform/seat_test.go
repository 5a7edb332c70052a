package platform

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/world"
)

func TestTmuxPanes(t *testing.T) {
	const format = "#{pane_pid}\t#{session_id}\t#{window_id}\t#{pane_id}\t#{window_index}\t#{socket_path}\t#{session_name}"
	for socket, want := range map[string][]string{
		"":   {"/bin/tmux", "list-panes", "-a", "-F", format},
		"/s": {"/bin/tmux", "-S", "/s", "list-panes", "-a", "-F", format},
	} {
		if diff := cmp.Diff(want, tmuxPanes("/bin/tmux", socket)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestParsePanes(t *testing.T) {
	list := "4711\t$3\t@5\t%7\t2\t/tmp/tmux-0/default\ta name\tof mine\n" +
		"no server running\n\n1\t$0\t@0\t%0\t0\t/s\tinit\n12\tx\t@0\t%0\t0\t/s\tn\nx\t$0\t@0\t%0\t0\t/s\tn\n"
	want := []pane{{pid: 4711, session: "$3", window: "@5", id: "%7", index: "2", socket: "/tmp/tmux-0/default", name: "a name\tof mine"}}
	if diff := cmp.Diff(want, parsePanes(list), cmp.AllowUnexported(pane{})); diff != "" {
		t.Error(diff)
	}
}

// From outside and from another server the session is attached, without the server named in the environment; inside its
// own server the client goes there.
func TestPaneSeat(t *testing.T) {
	p := pane{session: "$3", window: "@5", id: "%7", index: "2", socket: "/s", name: "work"}
	in := []string{"A=1", "TMUX=/x,1,2", "TMUX_PANE=%1", "TMUX_TMPDIR=/t"}
	out := []string{"A=1", "TMUX_TMPDIR=/t"}
	for inside, want := range map[string]Seat{
		"":   {Argv: []string{"/bin/tmux", "-S", "/s", "attach-session", "-t", "$3:@5.%7"}, Env: out},
		"/x": {Argv: []string{"/bin/tmux", "-S", "/s", "attach-session", "-t", "$3:@5.%7"}, Env: out},
		"/s": {Argv: []string{"/bin/tmux", "-S", "/s", "switch-client", "-t", "$3:@5.%7"}, Env: in},
	} {
		want.Name = "tmux session work, window 2"
		if diff := cmp.Diff(want, p.seat(world.World{Env: in}, "/bin/tmux", inside)); diff != "" {
			t.Errorf("inside %q\n%s", inside, diff)
		}
	}
}

func TestWindowSeat(t *testing.T) {
	assistant := Process{Pid: 9, Session: 8, Name: "claude"}
	helper, shell := Process{Pid: 8, Session: 8, Name: "vocl-new"}, Process{Pid: 7, Session: 8, Name: "sh"}
	xterm, first := Process{Pid: 6, Session: 6, Name: "xterm"}, Process{Pid: 1, Session: 1, Name: "systemd"}
	for name, c := range map[string]struct {
		place Place
		line  []Process
		want  string
	}{
		"X":          {Place{Display: ":0", Wayland: "wayland-0"}, []Process{assistant, helper, shell, xterm, first}, "xterm, pid 6, on display :0"},
		"Wayland":    {Place{Wayland: "wayland-0"}, []Process{assistant, helper, xterm, first}, "xterm, pid 6, on wayland-0"},
		"no display": {Place{}, []Process{assistant, helper, xterm}, "xterm, pid 6"},
		"none":       {Place{Display: ":0"}, []Process{assistant, helper, first}, ""},
		"Windows":    {Place{}, []Process{{Pid: 9}, {Pid: 8}}, "a console window"},
	} {
		s, err := windowSeat(c.place, c.line)
		if s.Name != c.want || s.Argv != nil || errors.Is(err, ErrNoSeat) != (c.want == "") {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}
