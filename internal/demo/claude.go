package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/vexyart/vomgr/internal/atomicfile"
)

// claudeSettings is what Claude Code looks for in settings.json when it stops.
type claudeSettings struct {
	Hooks struct {
		Stop []struct {
			Hooks []claudeHandler `json:"hooks"`
		} `json:"Stop"`
	} `json:"hooks"`
}

type claudeHandler struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"` // not nil: the exec form, without a shell
}

// claude begins a turn as Claude Code does: in the latest conversation of the folder with --continue, else in a new
// one. With CLAUDE_CODE_CHILD_SESSION, which it sets for its hooks, it keeps no transcript, and without any transcript
// --continue ends with status 1 (measured with Claude Code 2.1.197).
func (a *actor) claude() (stop func(said string) error, err error) {
	dir := filepath.Join(a.self.Dir(a.w), "projects", slug.ReplaceAllString(a.w.Dir, "-"))
	transcript := filepath.Join(dir, uuid4()+".jsonl")
	if slices.Contains(a.w.Args, "--continue") {
		all, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		if len(all) == 0 {
			return nil, errors.New("No conversation found to continue") //nolint:staticcheck,revive // Claude's own words
		}
		transcript = all[0]
	}
	turn := claudeTurn{
		Session: strings.TrimSuffix(filepath.Base(transcript), ".jsonl"), Transcript: transcript, Cwd: a.w.Dir,
		Prompt: uuid4(), Mode: "bypassPermissions", Event: "Stop", Background: []string{}, Crons: []string{},
	}
	if a.w.Getenv("CLAUDE_CODE_CHILD_SESSION") == "" {
		if err := turn.keep(a.prompt, a.w.Now()); err != nil {
			return nil, err
		}
	}
	return func(said string) error {
		turn.Said = said
		return a.callStopHooks(turn)
	}, nil
}

var slug = regexp.MustCompile(`[^A-Za-z0-9]`)

// claudeTurn is Claude's payload, with the keys and their order of Claude Code 2.1.332.
type claudeTurn struct {
	Session    string   `json:"session_id"`
	Transcript string   `json:"transcript_path"`
	Cwd        string   `json:"cwd"`
	Prompt     string   `json:"prompt_id"`
	Mode       string   `json:"permission_mode"`
	Event      string   `json:"hook_event_name"`
	Active     bool     `json:"stop_hook_active"`
	Said       string   `json:"last_assistant_message"`
	Background []string `json:"background_tasks"`
	Crons      []string `json:"session_crons"`
}

// keep appends the turn's prompt to the transcript.
func (t claudeTurn) keep(prompt string, now time.Time) error {
	record, err := json.Marshal(map[string]any{
		"type": "user", "sessionId": t.Session, "promptId": t.Prompt, "cwd": t.Cwd, "timestamp": now.UTC(),
		"message": map[string]string{"role": "user", "content": prompt},
	})
	if err != nil {
		return err
	}
	before, err := os.ReadFile(t.Transcript)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(t.Transcript), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(t.Transcript, append(append(before, record...), '\n'), 0o600)
}

// callStopHooks runs what settings.json registers for Stop, one after the other.
func (a *actor) callStopHooks(turn claudeTurn) error {
	text, err := os.ReadFile(a.self.ConfigPath(a.w))
	if err != nil {
		return err
	}
	var settings claudeSettings
	if err := json.Unmarshal(text, &settings); err != nil {
		return fmt.Errorf("settings.json: %w", err)
	}
	payload, err := json.Marshal(turn)
	if err != nil {
		return err
	}
	called := false
	for _, group := range settings.Hooks.Stop {
		for _, h := range group.Hooks {
			if h.Type == "command" {
				called = true
				a.callStopHook(h, turn, append(payload, '\n'))
			}
		}
	}
	if !called {
		a.note(actHook, "settings.json registers none for Stop")
	}
	return nil
}

// callStopHook runs one handler as Claude Code does: by sh -c or, with args, as it stands; in a session of its own; with
// the payload on its standard input; and waits until nobody holds its standard output and error any more.
func (a *actor) callStopHook(h claudeHandler, turn claudeTurn, payload []byte) {
	argv, how := []string{"/bin/sh", "-c", h.Command}, "by sh -c"
	if h.Args != nil {
		argv, how = []string{h.Command}, "started straight"
		for _, arg := range h.Args {
			argv = append(argv, strings.ReplaceAll(arg, "${CLAUDE_PROJECT_DIR}", turn.Cwd))
		}
	}
	a.note(actAnswered, fmt.Sprintf("%s, %s, as claude does it", filepath.Base(a.self.HookPath(a.w)), how))
	var said bytes.Buffer
	cmd := &exec.Cmd{
		Path: argv[0], Args: argv, Dir: turn.Cwd, Stdin: bytes.NewReader(payload), Stdout: &said, Stderr: &said,
		Env: append(slices.Clone(a.w.Env),
			"CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SESSION_ID="+turn.Session,
			"CLAUDE_PROJECT_DIR="+turn.Cwd, "CLAUDE_EFFORT=high", "COLUMNS=80", "LINES=24"),
	}
	ownSession(cmd)
	answer := hookFine
	if err := cmd.Run(); err != nil {
		answer = err.Error()
	}
	a.note(actHook, strings.TrimSpace(answer+" "+said.String()))
}
