package platform

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform/darwin"
)

// mac is what macOS knows, as platform_darwin.go has it.
var mac = applications{darwin.Known, func(r Request, app string) []Way {
	own := darwin.Windows(darwin.Request{App: app, Helper: r.Helper, Job: r.Job, Command: commandFile(r), Look: r.World.LookPath})
	ways := make([]Way, len(own))
	for i, w := range own {
		ways[i] = Way{Name: w.Name, Argv: w.Argv, AsksPerson: w.AsksPerson, command: w.Command, explain: darwin.Explain}
	}
	return ways
}}

// macWorld is a world with macOS's programs, each a text for sh, and a person's home.
func macWorld(t *testing.T, programs map[string]string, env ...string) world.World {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("stand-ins for sh")
	}
	home := short(t)
	for name, text := range programs {
		if err := os.WriteFile(filepath.Join(home, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return world.World{Home: home, Env: append([]string{"PATH=" + home, quickExit}, env...)}
}

// What macOS is asked, in which order: with nothing configured, or an application named, it comes first; "auto" stays
// where the chain began. osascript, for which a person may have to be asked, gets 20 s.
func TestMacWays(t *testing.T) {
	programs := map[string]string{"osascript": "", "open": "", "tmux": ""}
	inTmux := Place{TmuxSocket: "/s", TmuxSession: "$1", Program: "tmux"}
	const script, file, window, session = "Terminal, through osascript", "Terminal, through a .command file", "tmux window", "tmux session vomgr-0123abcd"
	for name, c := range map[string]struct {
		template []string
		place    Place
		app      string
		want     []string
	}{
		"nothing configured":       {nil, Place{}, "", []string{script, file, session}},
		"nothing configured, tmux": {nil, inTmux, "", []string{script, file, window, session}},
		"auto":                     {[]string{"auto"}, Place{}, "", []string{script, file, session}},
		"auto, tmux":               {[]string{"auto"}, inTmux, "", []string{window, script, file, session}},
		"auto, begun in kitty":     {[]string{"auto"}, Place{Program: "kitty"}, "", []string{"kitty", "kitty, through a .command file", script, file, session}},
		"auto, begun in vscode":    {[]string{"auto"}, Place{Program: "vscode"}, "", []string{script, file, session}},
		"an application, tmux":     {[]string{"auto"}, inTmux, "WezTerm", []string{"WezTerm", "WezTerm, through a .command file", script, file, window, session}},
		"an unknown one":           {nil, Place{}, "-x \" & y", []string{"-x \" & y, through a .command file", script, file, session}},
	} {
		w := macWorld(t, programs, "VOMGR_TERMINAL_APP="+c.app)
		r := Request{Helper: "/h/vocl-new", Job: "0123abcd", Project: "/p", Template: c.template, Place: c.place, World: w}
		ways := complete(r, mac.ways(r))
		if diff := cmp.Diff(c.want, names(ways)); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
		for _, way := range ways {
			if asks := strings.Contains(way.Name, "osascript"); way.AsksPerson != asks || asks && way.Wait != slowWait || way.Dir != "/p" {
				t.Errorf("%s: %s asks a person: %v; waits %s in %s", name, way.Name, way.AsksPerson, way.Wait, way.Dir)
			}
		}
	}
}

// Pokemon-Terminal#177, hammerspoon#2031, CC#78582: a refusal comes with its remedy, and what needs no permission is next.
func TestMacRefused(t *testing.T) {
	h := helper(t, "it's")
	w := macWorld(t, map[string]string{
		"osascript": `echo "57:91: execution error: Not authorized to send Apple events to Terminal. (-1743)" >&2; exit 1`,
		"open":      `for file; do :; done; exec "$file"`,
	})
	r := Request{Helper: h, Job: "0123abcd", Project: w.Home, World: w}
	ways := complete(r, mac.ways(r))
	early, err := Open(ways[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := <-early; err == nil || !strings.Contains(err.Error(), "(-1743); macOS does not allow it: System Settings, Privacy & Security, Automation") {
		t.Error(err)
	}
	if early, err = Open(ways[1]); err != nil {
		t.Fatal(err)
	}
	got, ok := answered(t, h, early)
	if !ok {
		t.Fatal(<-early)
	}
	if !slices.Equal(got.Args, []string{"0123abcd"}) || string(got.Dir) != w.Home {
		t.Errorf("%q in %s", got.Args, got.Dir)
	}
}
