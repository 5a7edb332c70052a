package platform

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/world"
)

// scene is a world with real programs and everything else of its own.
func scene(t *testing.T, programs ...string) world.World {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip(err)
		}
	}
	home := short(t)
	screens, bin := filepath.Join(home, "screens"), filepath.Join(home, "bin")
	for _, dir := range []string{screens, bin} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range append(programs, "sh", "sleep", "touch", "ls", "dirname", "rm") { // and no other terminal
		path, err := exec.LookPath(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, p)); err != nil {
			t.Fatal(err)
		}
	}
	return world.World{Home: home, Env: []string{
		"PATH=" + bin, "HOME=" + home, "TMUX_TMPDIR=" + home, "SCREENDIR=" + screens, "LANG=C.UTF-8", "TERM=xterm", quickExit,
	}}
}

// run runs a program of the scene and returns what it says.
func run(t *testing.T, w world.World, argv ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, w.LookPath(argv[0]), argv[1:]...)
	cmd.Env, cmd.Dir = w.Env, w.Home
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func mustRun(t *testing.T, w world.World, argv ...string) string {
	t.Helper()
	out, err := run(t, w, argv...)
	if err != nil {
		t.Fatalf("%q: %v: %s", argv, err, out)
	}
	return out
}

// server begins a tmux server with a session the person is in, and returns the TMUX and TMUX_PANE of that.
func server(t *testing.T, w world.World, config string) (socket, tmux, pane string) {
	t.Helper()
	conf := filepath.Join(w.Home, ".tmux.conf")
	if err := os.WriteFile(conf, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	socket = filepath.Join(w.Home, "sock")
	mustRun(t, w, "tmux", "-S", socket, "-f", conf, "new-session", "-d", "-s", "other")
	mustRun(t, w, "tmux", "-S", socket, "new-session", "-d", "-s", "mine", "sleep 1000")
	t.Cleanup(func() { _, _ = run(t, w, "tmux", "-S", socket, "kill-server") })
	seen := mustRun(t, w, "tmux", "-S", socket, "display-message", "-p", "-t", "mine", "#{socket_path},#{pid},#{session_id} #{pane_id}")
	tmux, pane, _ = strings.Cut(strings.Replace(seen, "$", "", 1), " ")
	return socket, tmux, pane
}

func getenv(pairs ...string) func(string) string {
	return world.World{Env: pairs}.Getenv
}

const config = "set -g remain-on-exit on\nset -g destroy-unattached off\nset -g default-shell /bin/sh\n"

func TestPlaceOf(t *testing.T) {
	w := scene(t, "tmux")
	socket, tmux, pane := server(t, w, config)
	base := append(slices.Clone(w.Env), "DISPLAY=:5", "XAUTHORITY=/x", "XDG_RUNTIME_DIR=/run/user/1", "STY=9.s", "WAYLAND_DISPLAY=w", "DBUS_SESSION_BUS_ADDRESS=unix:path=/b")
	want := Place{Screen: "9.s", Display: ":5", Xauthority: "/x", RuntimeDir: "/run/user/1", Wayland: "w", Bus: "unix:path=/b"}
	for name, c := range map[string]struct {
		env             []string
		socket, session string
	}{
		"no tmux":     {nil, "", ""},
		"pane":        {[]string{"TMUX=" + tmux, "TMUX_PANE=" + pane}, socket, "$1"},
		"pane moved":  {[]string{"TMUX=" + socket + ",1,0", "TMUX_PANE=" + pane}, socket, "$1"},
		"pane gone":   {[]string{"TMUX=" + tmux, "TMUX_PANE=%99"}, socket, "$1"},
		"all gone":    {[]string{"TMUX=" + socket + ",1,77", "TMUX_PANE=%99"}, "", ""},
		"server gone": {[]string{"TMUX=/nonexistent,1,0", "TMUX_PANE=%0"}, "", ""},
		"nonsense":    {[]string{"TMUX=/nonexistent"}, "", ""},
	} {
		want.TmuxSocket, want.TmuxSession = c.socket, c.session
		if diff := cmp.Diff(want, PlaceOf(getenv(append(slices.Clone(base), c.env...)...))); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
	}
}

// opened tries one way and returns what the helper saw.
func opened(t *testing.T, w Way, h string) report {
	t.Helper()
	early, err := Open(w)
	if err != nil {
		t.Fatalf("%s: %v", w.Name, err)
	}
	r, ok := answered(t, h, early)
	if !ok {
		t.Fatalf("%s: %v", w.Name, <-early)
	}
	if r.Terms != [3]bool{true, true, true} {
		t.Errorf("%s: terminals on the standard streams: %v", w.Name, r.Terms)
	}
	return r
}

func TestTmuxWindow(t *testing.T) {
	w := scene(t, "tmux")
	socket, tmux, pane := server(t, w, config)
	h := helper(t, "it's #(touch pwned) $HOME")
	stay := filepath.Join(filepath.Dir(h), "stay")
	if err := os.WriteFile(stay, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	place := PlaceOf(getenv(append(slices.Clone(w.Env), "TMUX="+tmux, "TMUX_PANE="+pane)...))
	dir := project(t, w.Home, "p #(touch pwned)")
	ways := Ways(Request{Helper: h, Job: "0123abcd", Project: dir, Template: []string{"auto"}, Place: place, World: w})
	if ways[0].Name != "tmux window" {
		t.Fatalf("%q", names(ways))
	}
	r := opened(t, ways[0], h)
	if string(r.Dir) != dir || !slices.Equal(r.Args, []string{"0123abcd"}) {
		t.Errorf("in %q with %q", r.Dir, r.Args)
	}
	const list = "#{session_id} #{window_name} #{window_active}"
	windows := mustRun(t, w, "tmux", "-S", socket, "list-windows", "-a", "-F", list)
	if !strings.Contains(windows, "$1 vomgr-0123abcd 0") {
		t.Errorf("the window is not in its session, or has the focus:\n%s", windows)
	}
	if err := os.Remove(stay); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		windows = mustRun(t, w, "tmux", "-S", socket, "list-windows", "-a", "-F", list)
		if !strings.Contains(windows, "vomgr") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the window stays after the helper ended:\n%s", windows)
		}
	}
	unharmed(t, dir, w.Home, filepath.Dir(h))
}

// A helper that ends at once is no failure of tmux.
func TestTmuxShortHelper(t *testing.T) {
	w := scene(t, "tmux")
	socket, _, _ := server(t, w, config)
	for _, argv := range [][]string{tmuxWindow("tmux", socket, "$1", "/bin/true", "x"), tmuxSession("tmux", socket, "/bin/true", "y")} {
		if out, err := run(t, w, argv...); err != nil {
			t.Errorf("%q: %v: %s", argv, err, out)
		}
	}
}

func TestTmuxGone(t *testing.T) {
	w := scene(t, "tmux")
	socket, _, _ := server(t, w, config)
	for name, place := range map[string]Place{
		"session": {TmuxSocket: socket, TmuxSession: "$77"},
		"server":  {TmuxSocket: filepath.Join(w.Home, "none"), TmuxSession: "$0"},
	} {
		way := Ways(Request{Helper: "/bin/true", Job: "0123abcd", Project: w.Home, Template: []string{"auto"}, Place: place, World: w})[0]
		early, err := Open(way)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-early:
			t.Logf("%s: %v", name, err)
		case <-time.After(10 * time.Second):
			t.Errorf("%s: no complaint", name)
		}
	}
}

// The socket of a server that is gone may be there still, and its folder may be gone too, where tmux 3.3a opens nothing
// and answers 0: the session begins all the same.
func TestTmuxSocketGone(t *testing.T) {
	w := scene(t, "tmux")
	left := filepath.Join(w.Home, "left")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: left, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	t.Cleanup(func() {
		_, _ = run(t, w, "tmux", "kill-server")
		_, _ = run(t, w, "tmux", "-S", left, "kill-server")
	})
	for i, socket := range []string{left, filepath.Join(w.Home, "none", "s")} {
		h := helper(t, "x")
		r := Request{Helper: h, Job: fmt.Sprint("0123abc", i), Project: w.Home, Template: []string{"auto"}, Place: Place{TmuxSocket: socket, TmuxSession: "$0"}, World: w}
		opened(t, Ways(r)[1], h)
	}
}

// A screen session that is gone says so at once.
func TestScreenGone(t *testing.T) {
	w := scene(t, "screen")
	way := Ways(Request{Helper: "/bin/true", Job: "0123abcd", Project: w.Home, Template: []string{"auto"}, Place: Place{Screen: "999.gone"}, World: w})[0]
	early, err := Open(way)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-early:
		if !strings.Contains(err.Error(), "No screen session found") {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("no complaint")
	}
}

// No display: a session of its own, which ends with the helper, whatever the person's settings say.
func TestTmuxSession(t *testing.T) {
	w := scene(t, "tmux")
	conf := "set -g remain-on-exit on\nset -g destroy-unattached on\nset -g default-command 'touch pwned'\n"
	if err := os.WriteFile(filepath.Join(w.Home, ".tmux.conf"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = run(t, w, "tmux", "kill-server") })
	h := helper(t, "x")
	stay := filepath.Join(filepath.Dir(h), "stay")
	if err := os.WriteFile(stay, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := project(t, w.Home, "p #(touch pwned)")
	way := Ways(Request{Helper: h, Job: "0123abcd", Project: dir, Template: []string{"auto"}, World: w})[0]
	if r := opened(t, way, h); string(r.Dir) != dir {
		t.Errorf("in %q", r.Dir)
	}
	if out := mustRun(t, w, "tmux", "list-sessions", "-F", "#{session_name}"); out != "vomgr-0123abcd" {
		t.Errorf("sessions: %s", out)
	}
	if err := os.Remove(stay); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := run(t, w, "tmux", "has-session", "-t", "=vomgr-0123abcd"); err != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the session stays after the helper ended")
		}
	}
	unharmed(t, dir, w.Home)
}

// inScreen begins a screen session the person is in, called mine.
func inScreen(t *testing.T, w world.World) {
	t.Helper()
	mustRun(t, w, "screen", "-dmS", "mine", "-t", "work", "sleep", "1000")
	t.Cleanup(func() { _, _ = run(t, w, "screen", "-S", "mine", "-X", "quit") })
}

func TestScreen(t *testing.T) {
	w := scene(t, "screen")
	h := helper(t, "it's $HOME\\^a")
	dir := project(t, w.Home, "p `touch pwned`")
	inScreen(t, w)
	r := Request{Helper: h, Job: "0123abcd", Project: dir, Template: []string{"auto"}, Place: Place{Screen: "mine"}, World: w}
	for _, way := range Ways(r) {
		if !strings.HasPrefix(way.Name, "screen") {
			continue
		}
		got := opened(t, way, h)
		if !slices.Equal(got.Args, []string{"0123abcd"}) || way.Name != "screen window" && string(got.Dir) != dir {
			t.Errorf("%s: in %q with %q", way.Name, got.Dir, got.Args)
		}
	}
	unharmed(t, dir, w.Home)
}

// A person who looks at a window of the session goes on looking at it.
func TestScreenFocus(t *testing.T) {
	w := scene(t, "screen", "tmux")
	socket := filepath.Join(w.Home, "sock")
	mustRun(t, w, "tmux", "-S", socket, "-f", "/dev/null", "new-session", "-d", "screen", "-S", "mine", "sh", "-c", "echo mine; sleep 1000")
	t.Cleanup(func() { _, _ = run(t, w, "tmux", "-S", socket, "kill-server") })
	shown := func() string { return mustRun(t, w, "tmux", "-S", socket, "capture-pane", "-p") }
	for deadline := time.Now().Add(5 * time.Second); !strings.Contains(shown(), "mine"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("screen does not start: %s", shown())
		}
	}
	h := helper(t, "x")
	stay := filepath.Join(filepath.Dir(h), "stay")
	if err := os.WriteFile(stay, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := Request{Helper: h, Job: "0123abcd", Project: w.Home, Template: []string{"auto"}, Place: Place{Screen: "mine"}, World: w}
	opened(t, Ways(r)[0], h)
	if s := shown(); !strings.Contains(s, "mine") {
		t.Errorf("shown now: %s", s)
	}
	if err := os.Remove(stay); err != nil {
		t.Fatal(err)
	}
}
