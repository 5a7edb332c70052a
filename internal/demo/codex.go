package demo

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/edit"
)

// codexTurn is what Codex passes to its notify program as the last argument, with the keys and their order of Codex
// 0.171.0.
type codexTurn struct {
	Type   string   `json:"type"`
	Thread string   `json:"thread-id"`
	Turn   string   `json:"turn-id"`
	Cwd    string   `json:"cwd"`
	Client string   `json:"client"`
	Inputs []string `json:"input-messages"`
	Said   string   `json:"last-assistant-message"`
}

// codex begins a thread as Codex does: with a session file of the day.
func (a *actor) codex() (stop func(said string) error, err error) {
	now := a.w.Now()
	turn := codexTurn{
		Type: "agent-turn-complete", Thread: uuid7(now), Turn: uuid7(now), Cwd: a.w.Dir, Client: "codex-tui",
		Inputs: []string{a.prompt},
	}
	for _, arg := range a.w.Args {
		if dir, ok := strings.CutPrefix(arg, "--cd="); ok {
			turn.Cwd = dir
		}
	}
	record, err := json.Marshal(map[string]any{
		"timestamp": now.UTC(), "type": "session_meta",
		"payload": map[string]any{
			"id": turn.Thread, "timestamp": now.UTC(), "cwd": turn.Cwd, "originator": "codex-tui", "source": "cli",
		},
	})
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(a.self.Dir(a.w), "sessions", now.Format("2006"), now.Format("01"), now.Format("02"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "rollout-"+now.Format("2006-01-02T15-04-05")+"-"+turn.Thread+".jsonl")
	if err := atomicfile.Write(file, append(record, '\n'), 0o600); err != nil {
		return nil, err
	}
	return func(said string) error {
		turn.Said = said
		return a.callNotify(turn)
	}, nil
}

// callNotify calls the program that config.toml names, as Codex does in the first turn of a thread: once for the hidden
// thread that finds the title, which has no session file, and once for the turn (openai/codex#43384).
func (a *actor) callNotify(turn codexTurn) error {
	text, err := os.ReadFile(a.self.ConfigPath(a.w))
	if err != nil {
		return err
	}
	argv, _, err := edit.Strings(text, "notify")
	if err != nil {
		return fmt.Errorf("config.toml: %w", err)
	}
	if len(argv) == 0 {
		a.note(actHook, "config.toml names no program as notify")
		return nil
	}
	title := turn
	title.Thread, title.Turn = uuid7(a.w.Now()), uuid7(a.w.Now())
	title.Inputs = []string{"Generate a concise, single-line task title of at most 36 characters.\n\nUser prompt:\n" + a.prompt}
	title.Said = "Tick an item"
	a.note(actAnswered, filepath.Base(argv[0])+", with its json as last argument, as codex does it")
	first, err := a.notify(argv, title)
	if err != nil {
		return err
	}
	// Codex waits for neither. Here the first is a child of the assistant, not of a shared server, and would be ended
	// with it.
	_ = first.Wait()
	_, err = a.notify(argv, turn)
	return err
}

// notify starts the program with the null device on its streams, in the folder in which Codex's shared server was
// begun, which is not the project's.
func (a *actor) notify(argv []string, turn codexTurn) (*exec.Cmd, error) {
	payload, err := json.Marshal(turn)
	if err != nil {
		return nil, err
	}
	path := a.w.LookPath(argv[0])
	if path == "" {
		return nil, fmt.Errorf("notify: %s: %w", argv[0], exec.ErrNotFound)
	}
	cmd := &exec.Cmd{
		Path: path, Args: append(argv[:len(argv):len(argv)], string(payload)), Dir: a.w.Home, Env: a.w.Env,
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return cmd, nil
}
