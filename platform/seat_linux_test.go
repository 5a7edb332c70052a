package platform

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sleeper waits for the process that runs sleep with this argument and returns its number.
func sleeper(t *testing.T, arg string) int {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		all, err := Processes()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			if len(p.Args) == 2 && p.Args[0] == "sleep" && p.Args[1] == arg {
				return p.Pid
			}
		}
	}
	t.Fatalf("sleep %s does not run", arg)
	return 0
}

// The pane is found by its process above the assistant: on the chain's server and on the usual one, whatever the window
// is called.
func TestFindSeatInTmux(t *testing.T) {
	w := scene(t, "tmux")
	socket, tmux, _ := server(t, w, config)
	const arg = "1000.1415"
	mustRun(t, w, "tmux", "-S", socket, "new-window", "-d", "-t", "$1:", "-n", "mine", "--", "sh", "-c", "sleep "+arg+"; :")
	pid := sleeper(t, arg)
	where := mustRun(t, w, "tmux", "-S", socket, "list-panes", "-a", "-f", "#{==:#{window_name},mine}", "-F", "#{session_id}:#{window_id}.#{pane_id}")
	want := []string{w.LookPath("tmux"), "-S", socket, "attach-session", "-t", where}

	s, err := FindSeat(w, Place{TmuxSocket: socket}, pid, "0123abcd")
	if diff := cmp.Diff(want, s.Argv); err != nil || diff != "" || !strings.HasPrefix(s.Name, "tmux session ") {
		t.Errorf("by the chain's place: %q, %v\n%s", s.Name, err, diff)
	}
	inside := w
	inside.Env = append(slices.Clone(w.Env), "TMUX="+tmux)
	want[3] = "switch-client"
	s, err = FindSeat(inside, Place{}, pid, "0123abcd")
	if diff := cmp.Diff(want, s.Argv); err != nil || diff != "" {
		t.Errorf("from inside: %q, %v\n%s", s.Name, err, diff)
	}
	if s, err := FindSeat(w, Place{TmuxSocket: "/nonexistent"}, pid, "0123abcd"); err == nil && s.Argv != nil {
		t.Errorf("no server is known, and yet: %+v", s)
	}
}

func TestFindSeatInScreen(t *testing.T) {
	w := scene(t, "screen")
	const own, other = "1000.2718", "1000.2719"
	mustRun(t, w, "screen", "-dmS", "mine", "-t", "work", "sleep", other)
	t.Cleanup(func() { _, _ = run(t, w, "screen", "-S", "mine", "-X", "quit") })
	above, err := Ancestors(sleeper(t, other))
	if err != nil {
		t.Fatal(err)
	}
	number := strconv.Itoa(above[0].Pid)
	mustRun(t, w, "screen", "-S", "mine", "-X", "screen", "-t", "vomgr-0123abcd", "sleep", own)
	for name, c := range map[string]struct {
		arg, sty string
		want     []string
	}{
		"of vomgr's": {own, "", []string{"-x", number, "-p", "vomgr-0123abcd"}},
		"inside":     {own, "STY=" + number + ".mine", []string{"-S", number, "-X", "select", "vomgr-0123abcd"}},
	} {
		from := w
		from.Env = append(slices.Clone(w.Env), c.sty)
		s, err := FindSeat(from, Place{}, sleeper(t, c.arg), "0123abcd")
		want := append([]string{w.LookPath("screen")}, c.want...)
		if diff := cmp.Diff(want, s.Argv); err != nil || diff != "" || s.Name != "screen session "+number {
			t.Errorf("%s: %q, %v\n%s", name, s.Name, err, diff)
		}
	}
	s, err := FindSeat(w, Place{}, sleeper(t, other), "fedc9876")
	if want := []string{w.LookPath("screen"), "-x", number}; err != nil || !slices.Equal(s.Argv, want) {
		t.Errorf("a person's window: %q, %v", s.Argv, err)
	}
}

func TestFindSeatOfNobody(t *testing.T) {
	if s, err := FindSeat(scene(t), Place{}, 1<<22+1, ""); !errors.Is(err, ErrNoProcess) {
		t.Errorf("%+v, %v", s, err)
	}
}
