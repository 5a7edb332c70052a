//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Real assistants hand over from window to window on a desktop, and each window closes when its assistant was replaced.
func TestChainInWindows(t *testing.T) {
	t.Parallel()
	for name, lead := range map[string][]string{
		"xterm":          {"-e"},
		"gnome-terminal": {"--"},
		"konsole":        {"--separate", "-e"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const hops = 2
			n := NewNight(t, "it's #($HOME) `x`", 8, ClaudeNew, CodexNow)
			n.Home.desktop(t, name)
			n.Home.extra = append(n.Home.extra, "TERMINAL="+name)
			n.Set(t, "max_handovers", strconv.Itoa(hops))
			first := n.Home.command(n.Dir, name, append(slices.Clone(lead), "vomgr", "run", "claude")...)
			must(t, first.Start())
			go func() { _ = first.Wait() }()
			n.UntilEnded(t)
			n.turnsAgree(t, 0, alternating(Claude, hops+1)...)
			n.sessionAgrees(t, n.Finds(t, Claude)[0])
			n.historyAgrees(t, hops, "max_handovers")
			n.jobsAgree(t, hops)
			n.nothingExecuted(t, n.Dir)
			for _, e := range n.History(t, "terminal") {
				if e.Error != "" || e.Detail != name {
					t.Errorf("hop %d opened %q: %s", e.Hop, e.Detail, e.Error)
				}
			}
			n.Until(t, 15*time.Second, "one helper is left", func() bool {
				return 1 == len(slices.DeleteFunc(procsOf(n.Home.Dir), func(p Proc) bool { return !strings.HasSuffix(filepath.Base(p.Args[0]), "-new") }))
			})
		})
	}
}
