package main

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/overview"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// tonight is 22:10; both assistants hand over to each other.
var tonight = time.Date(2026, 11, 30, 22, 10, 0, 0, time.UTC)

func enabled() overview.Overview {
	return overview.Overview{
		Assistants: []overview.Assistant{
			{Name: assistant.Claude, Version: "2.1.332", Path: "/bin/claude", Target: assistant.Codex, Hook: overview.HookCurrent},
			{Name: assistant.Codex, Version: "0.171.0", Path: "/bin/codex", Target: assistant.Claude, Hook: overview.HookCurrent},
			{Name: assistant.Gemini, Hook: overview.HookNone},
		},
		Scope: settings.Armed,
	}
}

func showStatus(t *testing.T, o overview.Overview) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("paths of Unix")
	}
	w := world.World{Home: "/home/ann", Now: func() time.Time { return tonight }}
	return shownAs(t, func(out *strings.Builder) { status{w: w, out: out}.show(o) })
}

func TestStatusAtNight(t *testing.T) {
	o := enabled()
	seven := tonight.Add(8*time.Hour + 50*time.Minute)
	o.Projects = []overview.Project{
		{Project: "/home/ann/src/api", Chain: "c41", State: overview.Works, Tool: "codex", Since: tonight.Add(-12 * time.Minute), Hop: 14, Max: 50, Until: seven, LastWork: tonight.Add(-time.Minute)},
		{Project: "/home/ann/src/a/very/deep/folder/with/a/long/name", State: overview.HandsOver, Tool: "claude", Since: tonight, Hop: 2, LastWork: tonight},
		{Project: "/home/ann/src/web", Chain: "c42", State: overview.Pending, Tool: "claude", Since: tonight.Add(-2 * time.Hour), Reason: "no terminal could be opened", Hop: 9, Max: 50, Until: seven, LastWork: tonight.Add(-2 * time.Hour)},
		{Project: "/home/ann/src/cli", State: overview.Ended, Tool: "codex", Since: tonight.Add(-125 * time.Minute), Reason: "until 22:00", Hop: 50, Max: 50, LastWork: tonight.Add(-50 * time.Hour)},
	}
	const want = `nights    claude -> codex, codex -> claude; only after vomgr night
          hook installed and current in claude, codex

PROJECT                      NOW                             HOP    LAST WORK
~/src/api                    codex works for 12 min          14/50  1 min ago
.../folder/with/a/long/name  hands over to claude            2      now
~/src/web                    waits since 20:10, then claude  9/50   20:10
                             no terminal could be opened
~/src/cli                    ended; codex is still open      50/50  28 Nov 20:10
                             until 22:00

ends      api 07:00, web 07:00

hint: vomgr run -C ~/src/web
`
	if d := cmp.Diff(want, showStatus(t, o)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestStatusByDay(t *testing.T) {
	o := enabled()
	o.Last = []overview.Past{
		{Chain: "c41", Project: "/home/ann/src/api", First: tonight.Add(-10 * time.Hour), Last: tonight.Add(-time.Hour), HandOvers: 38, State: "ended", Reason: "until 21:10"},
		{Chain: "c42", Project: "/home/ann/src/web", First: tonight.Add(-10 * time.Hour), Last: tonight.Add(-6 * time.Hour), HandOvers: 17, State: "broken", Reason: "at job, no space left on device"},
	}
	const want = `nights    claude -> codex, codex -> claude; only after vomgr night
          hook installed and current in claude, codex
last      c41 ~/src/api, 12:10 - 21:10, ended: until 21:10
          c42 ~/src/web, 12:10 - 16:10, broken: at job, no space left on device
hint: vomgr log c42; another one: cd ~/src/web && vomgr night
`
	if d := cmp.Diff(want, showStatus(t, o)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Many chains that are over do not fill the screen: the latest are shown, those that ended alike once.
func TestStatusOfMany(t *testing.T) {
	o := enabled()
	for n := range 40 {
		p := overview.Past{
			Chain: fmt.Sprint("c", n), Project: "/home/ann/p", First: tonight.Add(-time.Hour), Last: tonight.Add(time.Duration(n-40) * time.Second),
			State: "broken", Reason: "at job, no space left on device",
		}
		if n < 25 {
			p.Project = fmt.Sprint("/home/ann/p", n)
		}
		o.Last = append(o.Last, p)
	}
	said := showStatus(t, o)
	for _, want := range []string{
		"last      21 before these (vomgr status --all)\n", "c21 ~/p21,", "c24 ~/p24,", "c39 ~/p, 21:10 - 22:09, broken: at job, no space left on device … 14 more\n", "&& vomgr night\n",
	} {
		if !strings.Contains(strings.Join(strings.Fields(said), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	if n := strings.Count(said, "\n"); n > 16 {
		t.Errorf("%d lines\n%s", n, said)
	}
	w := world.World{Home: "/home/ann", Now: func() time.Time { return tonight }}
	every := shownAs(t, func(out *strings.Builder) { status{w: w, out: out, all: true}.show(o) })
	if n := strings.Count(every, "no space left"); n != 40 {
		t.Errorf("--all shows %d of 40", n)
	}
}

// A project whose state cannot be read is not passed over: nothing is handed over there.
func TestStatusOfUnreadable(t *testing.T) {
	o := enabled()
	o.Faults = []string{"reading the state of a project: /home/ann/.vexy-overnight/projects/0a/state.json is a pipe where a file is expected; move it away"}
	want := "state reading the state of a project: /home/ann/.vexy-overnight/projects/0a/state.json is a pipe where a file is expected; move it away; nothing is handed over there nights "
	if said := strings.Join(strings.Fields(showStatus(t, o)), " "); !strings.HasPrefix(said, want) {
		t.Error(said)
	}
}

// A chain that ended while its last assistant is still open: how another one begins.
func TestStatusEndedHint(t *testing.T) {
	o := enabled()
	o.Projects = []overview.Project{{Project: "/home/ann/my src", Chain: "c41", State: overview.Ended, Tool: "codex", Since: tonight, Reason: "until 22:00"}}
	if said := showStatus(t, o); !strings.Contains(strings.Join(strings.Fields(said), " "), "hint: vomgr log c41; another one: cd '/home/ann/my src' && vomgr night") {
		t.Error(said)
	}
}

func TestStatusPausedAndBroken(t *testing.T) {
	o := enabled()
	o.Scope = settings.OnlyFolders
	o.Assistants[1].Hook = overview.HookOutdated
	o.Settings = "~/.vexy-overnight/settings.toml:3:1: kill_old_sessions: expected true or false, found 3"
	o.Paused = &chain.Pause{Since: tonight, Until: tonight.Add(110 * time.Minute)}
	o.Projects = []overview.Project{{Project: "/home/ann/src/api", State: overview.Works, Tool: "claude", Since: tonight.Add(-40 * time.Second), LastWork: tonight}}
	const want = `settings  ~/.vexy-overnight/settings.toml:3:1: kill_old_sessions: expected true
          or false, found 3; nothing is started
nights    claude -> codex, codex -> claude; only in the folders of scope.folders
          hook installed and current in claude; hook outdated or broken in codex
paused    until 00:00; answers under way are finished, then nothing is started

PROJECT    NOW                                HOP  LAST WORK
~/src/api  claude works for 40 s, then rests  0    now

hint: vomgr doctor
`
	if d := cmp.Diff(want, showStatus(t, o)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
