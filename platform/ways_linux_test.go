package platform

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/world"
)

// installed makes a folder of programs that do nothing, and a world whose PATH is that folder.
func installed(t *testing.T, programs ...string) world.World {
	t.Helper()
	dir := t.TempDir()
	for _, p := range programs {
		if err := os.WriteFile(filepath.Join(dir, p), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return world.World{Env: []string{"PATH=" + dir}}
}

func TestWays(t *testing.T) {
	here := xvfb(t)
	gone := Place{Display: ":59011", Wayland: "wayland-gone", RuntimeDir: "/nonexistent"}
	all := []string{"tmux", "screen", "xterm", "kitty"}
	for name, c := range map[string]struct {
		template []string
		place    Place
		programs []string
		want     []string
	}{
		"nothing configured":      {nil, here, all, []string{"direct"}},
		"auto, display":           {[]string{"auto"}, here, all, []string{"kitty", "xterm", "tmux session vomgr-0123abcd", "screen session vomgr-0123abcd"}},
		"auto, no display":        {[]string{"auto"}, Place{}, all, []string{"tmux session vomgr-0123abcd", "screen session vomgr-0123abcd"}},
		"auto, display gone":      {[]string{"auto"}, gone, all, []string{"tmux session vomgr-0123abcd", "screen session vomgr-0123abcd"}},
		"auto, nothing there":     {[]string{"auto"}, here, nil, []string{}},
		"auto, in tmux":           {[]string{"auto"}, Place{TmuxSocket: "/s", TmuxSession: "$1", Display: here.Display}, all, []string{"tmux window", "kitty", "xterm", "tmux session vomgr-0123abcd", "screen session vomgr-0123abcd"}},
		"auto, in screen":         {[]string{"auto"}, Place{Screen: "1.x"}, all, []string{"screen window", "tmux session vomgr-0123abcd", "screen session vomgr-0123abcd"}},
		"template":                {[]string{"kitty", "{helper}"}, here, all, []string{"kitty (settings)", "kitty", "xterm", "tmux session vomgr-0123abcd", "screen session vomgr-0123abcd"}},
		"auto, many emulators":    {[]string{"auto"}, here, []string{"xterm", "kitty", "konsole", "alacritty", "foot", "tmux"}, []string{"kitty", "alacritty", "konsole", "tmux session vomgr-0123abcd"}},
		"auto, begun in xterm":    {[]string{"auto"}, Place{Display: here.Display, Emulator: "xterm"}, all, []string{"xterm", "kitty", "tmux session vomgr-0123abcd", "screen session vomgr-0123abcd"}},
		"auto, KDE":               {[]string{"auto"}, Place{Display: here.Display, Desktop: "KDE"}, []string{"kitty", "konsole"}, []string{"konsole", "kitty"}},
		"template, not installed": {[]string{"foot", "{helper}"}, Place{}, all, []string{"foot (settings)", "tmux session vomgr-0123abcd", "screen session vomgr-0123abcd"}},
	} {
		r := Request{Helper: "/h/vocl-new", Job: "0123abcd", Project: "/p", Template: c.template, Place: c.place, World: installed(t, c.programs...)}
		ways := Ways(r)
		if diff := cmp.Diff(c.want, names(ways)); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
		for _, w := range ways {
			if !w.Direct && (w.Wait != usualWait || w.Dir != "/p") {
				t.Errorf("%s: %s waits %s in %q", name, w.Name, w.Wait, w.Dir)
			}
		}
	}
}

// A display that ssh carries home goes with the connection; what needs none is better.
func TestWaysForwarded(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close() // as sshd does with a guest that brings no key
		}
	}()
	number := l.Addr().(*net.TCPAddr).Port - 6000
	if number < 10 {
		t.Skip("the port is below those of displays")
	}
	display := fmt.Sprintf("127.0.0.1:%d.0", number)
	for name, c := range map[string]struct {
		place Place
		want  []string
	}{
		"forwarded":         {Place{Display: display}, []string{"tmux session vomgr-0123abcd", "xterm"}},
		"forwarded, gone":   {Place{Display: "127.0.0.1:59011.0"}, []string{"tmux session vomgr-0123abcd"}},
		"forwarded, tmux":   {Place{Display: display, TmuxSocket: "/s", TmuxSession: "$1"}, []string{"tmux window", "tmux session vomgr-0123abcd", "xterm"}},
		"not Wayland's way": {Place{Display: display, Wayland: "gone"}, []string{"xterm", "tmux session vomgr-0123abcd"}},
	} {
		r := Request{Helper: "/h/vocl-new", Job: "0123abcd", Project: "/p", Template: []string{"auto"}, Place: c.place, World: installed(t, "tmux", "xterm")}
		if diff := cmp.Diff(c.want, names(Ways(r))); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
	}
}

// qterminal starts nothing in a folder whose name holds a dollar (measured with 1.2.0); it is started at home.
func TestWaysDollars(t *testing.T) {
	here := xvfb(t)
	for name, c := range map[string]struct {
		template []string
		project  string
		want     []string
	}{
		"plain":    {[]string{"auto"}, "/p", []string{"/p", "/p"}},
		"dollar":   {[]string{"auto"}, "/p $HOME", []string{"/home/ann", "/p $HOME"}},
		"template": {[]string{"qterminal", "-e", "sh", "-c", "{command}"}, "/p $HOME", []string{"/home/ann", "/home/ann", "/p $HOME"}},
	} {
		w := installed(t, "qterminal", "xterm")
		w.Home = "/home/ann"
		var dirs []string
		for _, way := range Ways(Request{Helper: "/h/vocl-new", Job: "0123abcd", Project: c.project, Template: c.template, Place: here, World: w}) {
			dirs = append(dirs, way.Dir)
		}
		if diff := cmp.Diff(c.want, dirs); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
	}
}

// WSL: Windows' own console comes before Linux windows, and behind a multiplexer the chain is in.
func TestWaysWSL(t *testing.T) {
	here := xvfb(t)
	w := installed(t, "cmd.exe", "xterm", "tmux")
	w.Env = append(w.Env, "WSL_DISTRO_NAME=Ubuntu", "WSL_INTEROP=/run/WSL/8_interop")
	r := Request{Helper: "/h/vocl-new", Job: "0123abcd", Project: "/p & touch pwned", Template: []string{"auto"}, Place: here, World: w}
	ways := Ways(r)
	if diff := cmp.Diff([]string{"cmd.exe", "xterm", "tmux session vomgr-0123abcd"}, names(ways)); diff != "" {
		t.Error(diff)
	}
	want := []string{w.LookPath("cmd.exe"), "/d", "/c", "start", "wsl.exe", "-d", "Ubuntu", "--exec", "/h/vocl-new", "0123abcd"}
	if diff := cmp.Diff(want, ways[0].Argv); diff != "" || ways[0].Wait != slowWait || !slices.Contains(ways[0].Env, "WSL_INTEROP=/run/WSL/8_interop") {
		t.Errorf("%+v\n%s", ways[0], diff)
	}
	// A wsl.exe of the project's own would be found first.
	if got := []string{ways[0].Dir, ways[1].Dir}; !slices.Equal(got, []string{filepath.Dir(ways[0].Argv[0]), r.Project}) {
		t.Errorf("started in %q", got)
	}
	r.Place = Place{TmuxSocket: "/s", TmuxSession: "$1"}
	if diff := cmp.Diff([]string{"tmux window", "cmd.exe", "tmux session vomgr-0123abcd"}, names(Ways(r))); diff != "" {
		t.Error(diff)
	}
}

// argos#52, tilix#1090 and others: each program has its own form.
func TestWaysArgv(t *testing.T) {
	w := installed(t, "tmux", "screen", "xterm")
	path := func(p string) string { return w.LookPath(p) }
	place := xvfb(t)
	place.TmuxSocket, place.TmuxSession, place.Screen = "/run/tmux", "$7", "12.pts-0.host"
	ways := Ways(Request{Helper: "/h/vocl-new", Job: "0123abcd", Project: "/p #(x)", Template: []string{"auto"}, Place: place, World: w})
	want := [][]string{
		{path("tmux"), "-S", "/run/tmux", "new-window", "-d", "-n", "vomgr-0123abcd", "-t", "$7:", "--", "/h/vocl-new", "0123abcd", ";", "set-option", "-w", "-t", "$7:=vomgr-0123abcd", "remain-on-exit", "off"},
		{path("screen"), "-S", "12.pts-0.host", "-X", "eval", "screen -t vomgr-0123abcd /h/vocl-new 0123abcd", "other"},
		{path("xterm"), "-e", "/h/vocl-new", "0123abcd"},
		{path("tmux"), "-S", "/run/tmux", "new-session", "-d", "-s", "vomgr-0123abcd", "-n", "vomgr-0123abcd", "-x", "160", "-y", "48", "--", "/h/vocl-new", "0123abcd", ";", "set-option", "-t", "=vomgr-0123abcd:", "destroy-unattached", "off", ";", "set-option", "-w", "-t", "=vomgr-0123abcd:", "remain-on-exit", "off"},
		{path("screen"), "-dmS", "vomgr-0123abcd", "/h/vocl-new", "0123abcd"},
	}
	var got [][]string
	for _, way := range ways {
		got = append(got, way.Argv)
		if s := strings.Join(way.Argv, " "); strings.Contains(s, "/p") {
			t.Errorf("%s holds the project's name: %s", way.Name, s)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A chain keeps its display, whatever the environment of a later hook says.
func TestWindowEnv(t *testing.T) {
	env := []string{"A=1", "DISPLAY=:9", "WAYLAND_DISPLAY=w9", "TMUX=/old,1,0", "TMUX_PANE=%4", "STY=1.x", "XDG_RUNTIME_DIR=/run/9", "B=x=y", "TERM_PROGRAM=tmux"}
	for name, c := range map[string]struct {
		place          Place
		want, template []string
	}{
		"no display": {Place{}, []string{"A=1", "XDG_RUNTIME_DIR=/run/9", "B=x=y"}, nil},
		"another":    {Place{Display: ":0", RuntimeDir: "/run/0"}, []string{"A=1", "B=x=y", "DISPLAY=:0", "XDG_RUNTIME_DIR=/run/0"}, nil},
		"in tmux": {
			Place{TmuxSocket: "/s", TmuxSession: "$3", Screen: "2.y"},
			[]string{"A=1", "XDG_RUNTIME_DIR=/run/9", "B=x=y"},
			[]string{"A=1", "XDG_RUNTIME_DIR=/run/9", "B=x=y", "TMUX=/s,0,3", "STY=2.y"},
		},
	} {
		if c.template == nil {
			c.template = c.want
		}
		if diff := cmp.Diff(c.want, windowEnv(env, c.place)); diff != "" {
			t.Errorf("%s, window\n%s", name, diff)
		}
		if diff := cmp.Diff(c.template, templateEnv(Request{Place: c.place, World: world.World{Env: env}})); diff != "" {
			t.Errorf("%s, template\n%s", name, diff)
		}
	}
}

// What a new terminal is comes from itself, all else from the launcher: a terminal with a server hands on the
// environment of its first window.
func TestEnviron(t *testing.T) {
	for name, c := range map[string]struct{ carried, own, want []string }{
		"stale server":    {[]string{"KEY=new", "PATH=/new", "TERM=dumb"}, []string{"KEY=old", "PATH=/old", "LEFT=over", "TERM=xterm-256color", "COLORTERM=truecolor"}, []string{"TERM=xterm-256color", "COLORTERM=truecolor", "KEY=new", "PATH=/new"}},
		"another window":  {[]string{"TMUX=/old,1,0", "TMUX_PANE=%1", "A=1"}, []string{"TMUX=/new,2,0", "TMUX_PANE=%7"}, []string{"TMUX=/new,2,0", "TMUX_PANE=%7", "A=1"}},
		"left the server": {[]string{"TMUX=/old,1,0", "KITTY_PID=7", "A=1"}, []string{"WINDOWID=3"}, []string{"WINDOWID=3", "A=1"}},
		"its own display": {[]string{"DISPLAY=:0", "XAUTHORITY=/a"}, []string{"DISPLAY=:1"}, []string{"DISPLAY=:1", "XAUTHORITY=/a"}},
		"nothing":         {nil, []string{"A=1"}, []string{}},
	} {
		if diff := cmp.Diff(c.want, Environ(c.carried, c.own)); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
	}
}

func TestOpenFails(t *testing.T) {
	w := installed(t)
	ways := Ways(Request{Helper: "/h", Job: "j", Project: "/p", Template: []string{"kitty", "{helper}"}, World: w})
	if _, err := Open(ways[0]); err == nil || err.Error() != "kitty is not on PATH" {
		t.Errorf("not installed: %v", err)
	}
	relative := Request{Helper: "/h", Job: "j", Project: "/p", Template: []string{"./kitty", "{helper}"}, World: w}
	if _, err := Open(Ways(relative)[0]); err == nil || err.Error() != "./kitty is not on PATH: a relative path is not looked up; write the whole one" {
		t.Errorf("relative: %v", err)
	}
	for _, name := range []string{"screen", "kitty"} {
		if ways := Named(relative, name); len(ways) != 1 {
			t.Errorf("%s: %v", name, names(ways))
		} else if _, err := Open(ways[0]); err == nil || err.Error() != name+" is not on PATH" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(Way{Direct: true}); err == nil {
		t.Error("the direct way opened a terminal")
	}
	if _, err := Open(Way{Argv: []string{"/bin/sh", "-c", ":"}, Dir: "/nonexistent"}); err == nil {
		t.Error("started in a folder that is not there")
	}
}

// Pokemon-Terminal#177, hammerspoon#2031: what the program says when it fails is not lost.
func TestOpenEarly(t *testing.T) {
	early, err := Open(Way{Argv: []string{"/bin/sh", "-c", "echo no server >&2; echo running; exit 3"}, returns: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-early; err == nil || err.Error() != "sh ended at once: exit status 3: no server running" {
		t.Errorf("%v", err)
	}
	early, err = Open(Way{Argv: []string{"/bin/sh", "-c", "echo lost >&2; kill -ABRT $$"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-early; err == nil || !strings.HasPrefix(err.Error(), "sh ended at once: signal: aborted") {
		t.Errorf("%v", err)
	}
}

// A tmux server that is just leaving takes nobody in; it is asked once more, not for ever.
func TestOpenAgain(t *testing.T) {
	h := helper(t, "x")
	dir := filepath.Dir(h)
	const once = `echo tried >>tries; test -e later && exec "$0" 0123abcd; touch later; echo server exited unexpectedly; exit 1`
	early, err := Open(Way{Argv: []string{"/bin/sh", "-c", once, h}, Dir: dir, Env: []string{"PATH=/usr/bin:/bin", quickExit}, returns: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := answered(t, h, early); !ok {
		t.Error(<-early)
	}
	early, err = Open(Way{Argv: []string{"/bin/sh", "-c", `echo tried >>ever; echo server exited unexpectedly; exit 1`}, Dir: dir, returns: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-early; err == nil {
		t.Error("no complaint")
	}
	if tries, err := os.ReadFile(filepath.Join(dir, "ever")); err != nil || string(tries) != "tried\ntried\n" {
		t.Errorf("%q %v", tries, err)
	}
}

// A flood of words neither blocks the program nor fills memory.
func TestOpenFlood(t *testing.T) {
	early, err := Open(Way{Argv: []string{"/bin/sh", "-c", "i=0; while [ $i -lt 2000 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done; exit 1"}, returns: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-early; err == nil || len(err.Error()) > headSize+100 {
		t.Errorf("%v", err)
	}
}

// xvfb begins an X server for the test; without one the test is skipped.
func xvfb(t *testing.T) Place {
	t.Helper()
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Skip(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset") //nolint:noctx // ended below
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	number := make([]byte, 16)
	n, err := r.Read(number)
	t.Cleanup(func() { _ = r.Close() }) // not before: it writes twice
	if err != nil {
		t.Skip("Xvfb does not start: ", err)
	}
	return Place{Display: ":" + strings.TrimSpace(string(number[:n]))}
}

func TestXterm(t *testing.T) {
	w := scene(t, "xterm")
	h := helper(t, "it's $HOME")
	place := xvfb(t)
	dir := project(t, w.Home, "p $(touch pwned)")
	way := Ways(Request{Helper: h, Job: "0123abcd", Project: dir, Template: []string{"xterm", "-e", "{helper}", "{job}"}, Place: place, World: w})[0]
	if got := opened(t, way, h); string(got.Dir) != dir || !slices.Contains(got.Env, "DISPLAY="+place.Display) {
		t.Errorf("in %q, environment %q", got.Dir, got.Env)
	}
	way.Env = append(slices.Clone(w.Env), "DISPLAY=:59011")
	early, err := Open(way)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-early; err == nil {
		t.Error("no complaint without a display")
	}
	unharmed(t, dir, w.Home)
}

// Five names always, all of them when asked for: go test ./platform -run HostileNames -names
func TestHostileNames(t *testing.T) {
	w := scene(t, "tmux", "screen", "xterm")
	place := xvfb(t)
	list := []string{"$(touch pwned)", "#(touch pwned)", "it's\na `touch pwned`", "-dash;touch pwned", "%PATH% 日本 🚀"}
	if *allNames {
		list = hostileNames()
	}
	socket, tmux, pane := server(t, w, config)
	inTmux := PlaceOf(getenv(append(slices.Clone(w.Env), "TMUX="+tmux, "TMUX_PANE="+pane)...))
	inTmux.Display = place.Display
	inScreen(t, w)
	inTmux.Screen = "mine"
	t.Cleanup(func() { _, _ = run(t, w, "tmux", "kill-server") })
	templates := [][]string{
		{"auto"},
		{"xterm", "-e", "sh", "-c", "{command}"},
		{"xterm", "-e", "{command}"},
		{"tmux", "-S", socket, "new-window", "-d", "{command}"},
		{"tmux", "-S", socket, "new-window", "-d", "sh", "-c", "{command}"},
		{"screen", "-dmS", "x", "sh", "-c", "{command}"},
		{"sh", "-c", "xterm -e sh -c \"$1\"", "xterm", "{command}"},
	}
	h := helper(t, "it's")
	for i, name := range list {
		dir := project(t, w.Home, name)
		for j, template := range templates {
			job := fmt.Sprintf("%04d%04d", i, j)
			for _, way := range Ways(Request{Helper: h, Job: job, Project: dir, Template: template, Place: inTmux, World: w}) {
				if template[0] != Auto && !strings.HasSuffix(way.Name, "(settings)") {
					break
				}
				got := opened(t, way, h)
				if string(got.Dir) != dir && way.Name != "screen window" {
					t.Errorf("%q, %q, %s: in %q", name, template, way.Name, got.Dir)
				}
				unharmed(t, dir, w.Home, filepath.Dir(h))
			}
		}
	}
}

// What macOS opens as a document: a program that takes itself away and becomes the helper.
func TestOpenCommandFile(t *testing.T) {
	h, home := helper(t, "it's $HOME"), short(t)
	r := Request{Helper: h, Job: "0123abcd", Project: home, World: world.World{Home: home, Env: []string{quickExit}}}
	file := commandFile(r)
	way := Way{Argv: []string{"/bin/sh", "-c", `exec "$0"`, file}, Env: r.World.Env, command: file, text: commandFileText(r), returns: true}
	for range 2 {
		if _, err := Open(way); err != nil {
			t.Fatal(err)
		}
		if got := answer(t, h); !slices.Equal(got.Args, []string{"0123abcd"}) {
			t.Errorf("%q", got.Args)
		}
		if _, err := os.Lstat(file); err == nil {
			t.Error("the file is still there")
		}
	}
	way.Argv = []string{"/bin/sh", "-c", `ls -ld "$0" "$(dirname "$0")" >&2; exit 1`, file}
	early, err := Open(way)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-early; err == nil || strings.Count(err.Error(), "rwx------") != 2 {
		t.Errorf("modes: %v", err)
	}
	if _, err := os.Lstat(file); err == nil {
		t.Error("the file of a way that failed is still there")
	}
}

// In tmux the chain stays there, unless an application was asked for.
func TestOrder(t *testing.T) {
	r := Request{Place: Place{TmuxSocket: "/s", TmuxSession: "$1"}, Job: "j", World: installed(t, "tmux")}
	own := []Way{{Name: "Terminal"}}
	for ownFirst, want := range map[bool][]string{
		false: {"tmux window", "Terminal", "tmux session vomgr-j"},
		true:  {"Terminal", "tmux window", "tmux session vomgr-j"},
	} {
		if diff := cmp.Diff(want, names(order(r, own, ownFirst))); diff != "" {
			t.Error(diff)
		}
	}
}
