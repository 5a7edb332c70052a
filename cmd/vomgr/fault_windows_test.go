//go:build vomgr_fault

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFaultIsOneWindows: this test program, built with faults in its hook (go test -tags vomgr_fault), plays the hook; a
// fault that nothing recovers ends a Go program with 2 or 0xc0000602, so the hook's work is done in a child of its own.
func TestFaultIsOneWindows(t *testing.T) {
	h := newHouse(t, "")
	for fault, says := range map[string]string{
		"panic": "vomgr: a fault in the hook: injected; nothing more was done\n", "goroutine": "panic: injected",
		"stack": "stack overflow", "map": "concurrent map writes",
	} {
		for part, argv := range map[string][]string{
			"claude": {filepath.Join(h["CLAUDE"], "vocl-go.exe"), h["P"]},
			"codex":  {filepath.Join(h["CODEX"], "voco-go.exe"), `{"type":"agent-turn-complete"}`},
			"words":  {filepath.Join(h["BIN"], "vomgr.exe"), "hook", "stop", "gemini"},
		} {
			cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
			cmd.Dir, cmd.Stdin, cmd.WaitDelay = h["P"], strings.NewReader(""), 5*time.Second
			cmd.Env = append(h.environ(), "USERPROFILE="+h["HOME"], "FAULT="+fault)
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			if fmt.Sprint(err) != "exit status 1" || stdout.Len() > 0 || !strings.Contains(stderr.String(), says) {
				t.Errorf("%s, %s: %v, stdout %q, stderr %.300s", fault, part, err, &stdout, &stderr)
			}
		}
	}
}
