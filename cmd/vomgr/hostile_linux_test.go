package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vexyart/vomgr/platform"
)

// ownFiles are vomgr's own files, as patterns below the state folder.
var ownFiles = []string{
	"settings.toml", "session_state.json", "history.jsonl", "history.1.jsonl", "history.jsonl.lock", "paused.json", "programs.json",
	"projects/*/state.json", "projects/*/lock", "jobs/*.json", "jobs/*.env", "edits/*/edit.json", "edits/*/before", "edits/folders.json", "locks/*.lock",
	"projects", "jobs", "edits", "locks",
}

// impostors are what may take a file's place.
var impostors = map[string]func(path string) error{
	"pipe":    func(path string) error { return syscall.Mkfifo(path, 0o600) },
	"folder":  func(path string) error { return os.MkdirAll(filepath.Join(path, "in it"), 0o700) },
	"device":  func(path string) error { return os.Symlink("/dev/zero", path) },
	"nothing": func(path string) error { return os.Symlink("none", path) },
	"garbage": func(path string) error { return os.WriteFile(path, []byte("\x00{[\xff]}\n\n"), 0o600) },
	"huge": func(path string) error {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Truncate(1 << 40)
	},
}

// TestHostileState puts something else (a pipe; with -every all impostors) in the place of each of vomgr's own files. Whatever it is, hooks and commands come
// to their end soon, a hook with 0 or 1 and nothing on stdout; nothing panics, and no assistant is ended that should not.
func TestHostileState(t *testing.T) {
	for name, impostor := range impostors {
		if name != "pipe" && !*everyCall {
			continue
		}
		for _, pattern := range ownFiles {
			t.Run(name+"/"+strings.ReplaceAll(pattern, "/", ":"), func(t *testing.T) {
				t.Parallel()
				h := inUse(t)
				codex := h.state(t).Session
				places, err := filepath.Glob(filepath.Join(h["STATE"], pattern))
				if err != nil || len(places) == 0 {
					t.Fatalf("there is no %s: %v", pattern, err)
				}
				for _, path := range places {
					if err := errors.Join(os.RemoveAll(path), impostor(path)); err != nil {
						t.Fatal(err)
					}
				}
				payload := `{"session_id":"one","prompt_id":"two","cwd":"` + h["P"] + `","hook_event_name":"Stop"}`
				h.soon(t, true, payload, filepath.Join(h["CLAUDE"], "vocl-go"), h["P"])
				h.soon(t, true, "", filepath.Join(h["CODEX"], "voco-go"), `{"type":"agent-turn-complete","thread-id":"other","turn-id":"1","cwd":"`+h["P"]+`","client":"codex-tui"}`)
				h.soon(t, false, "", filepath.Join(h["CLAUDE"], "vocl-new"), "c2345678")
				for _, words := range []string{"status", "log", "doctor", "run", "attach --json", "settings check", "pause", "resume", "disable", "enable --everywhere", "uninstall"} {
					h.soon(t, false, "", filepath.Join(h["BIN"], "vomgr"), strings.Fields(words)...)
				}
				lost := (name == "folder" || name == "nothing") && strings.HasPrefix(pattern, "projects") && !strings.HasSuffix(pattern, "lock")
				if !lost && !alive(codex) { // without a state it is not known that codex works here: run replaces it
					t.Error("codex was ended")
				}
			})
		}
	}
}

// inUse is a house in which an assistant works and every file of ownFiles is there.
func inUse(t *testing.T) house {
	t.Helper()
	h := newHouse(t, crashToml)
	h.soon(t, false, "", filepath.Join(h["BIN"], "vomgr"), "enable", "--everywhere")
	asked, _ := filepath.Glob(filepath.Join(h["STANDIN"], "codex.*.pid")) // for its version
	h.tell(t, fmt.Sprintf("codex.%d.do", len(asked)+1), "stay 120")
	h.stop(t, "one", "", nil)
	h.untilRecorded(t, "codex", 1)
	h.until(t, "the launcher is done", func() bool {
		return !slices.ContainsFunc(running(h["W"]), func(p platform.Process) bool { return strings.Contains(strings.Join(p.Args, " "), "hook launch") })
	})
	for _, file := range []string{"history.1.jsonl", "history.jsonl.lock", "jobs/c2345678.env", "programs.json", "edits/folders.json"} {
		if path := filepath.Join(h["STATE"], file); !exists(path) {
			h.write(t, path, "")
		}
	}
	h.soon(t, false, "", filepath.Join(h["BIN"], "vomgr"), "pause")
	err := filepath.WalkDir(h["STATE"], func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		for _, pattern := range ownFiles {
			if ok, _ := filepath.Match(filepath.Join(h["STATE"], pattern), path); ok {
				return nil
			}
		}
		t.Errorf("%s is not among ownFiles", path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// soon runs a program, which must come to its end.
func (h house) soon(t *testing.T, isHook bool, stdin, program string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = h["P"], h.environ(), strings.NewReader(stdin)
	var said, out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	call := filepath.Base(program) + " " + strings.Join(args, " ")
	switch status := statusOf(err); {
	case ctx.Err() != nil:
		t.Errorf("%s hangs", call)
	case status > 1 || status < 0:
		t.Errorf("%s: %v: %s", call, err, said.String())
	case isHook && (out.Len() > 0 || strings.Count(said.String(), "\n") > 1):
		t.Errorf("%s says %q and %q", call, out.String(), said.String())
	}
	for word := range strings.FieldsSeq(said.String()) {
		if path := strings.TrimRight(word, ":;,."); strings.HasPrefix(path, h["STATE"]+"/") && strings.Count(said.String(), path) > 1 && isHook {
			t.Errorf("%s says a path twice: %s", call, said.String())
			break
		}
	}
}
