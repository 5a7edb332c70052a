package assistant

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRecordedPayloads reads what the real assistants sent (Claude Code 2.1.197, Codex 0.171.0, Gemini CLI 0.61.0).
func TestRecordedPayloads(t *testing.T) {
	const claudeDir = "/home/user/.claude/projects/-home-user-proj/"
	for file, c := range map[string]struct {
		name Name
		want Stop
	}{
		"claude-stop.json": {Claude, Stop{
			Event: EventStop, Session: "725d77c1-2a69-4d64-a1a0-cf62328dc20e", Turn: "5b56052c-6c16-4101-8e01-b39f919d22ed",
			Folders: []string{"/home/user/proj"}, Transcript: claudeDir + "725d77c1-2a69-4d64-a1a0-cf62328dc20e.jsonl", LastMessage: "Done.",
		}},
		"claude-stop-active.json": {Claude, Stop{
			Event: EventStop, Session: "b2cb6be6-1f4d-495a-9b4b-dcf104c9e3ef", Turn: "d26c211f-49c2-4b8a-9b9d-703f2fdb0608",
			Folders: []string{"/home/user/proj"}, Transcript: claudeDir + "b2cb6be6-1f4d-495a-9b4b-dcf104c9e3ef.jsonl", LastMessage: "Done.", Active: true,
		}},
		"claude-stopfailure.json": {Claude, Stop{
			Event: EventStopFailure, Session: "70069d24-b5ea-4953-8ec5-8d58ddd1f512", Turn: "b5080cdd-1a3a-4ccf-ab65-3f45f30fc1dd",
			Folders: []string{"/home/user/proj"}, Transcript: claudeDir + "70069d24-b5ea-4953-8ec5-8d58ddd1f512.jsonl",
			LastMessage: "API Error: 400 mock says no", Failure: "unknown",
		}},
		"claude-substop.json": {Claude, Stop{
			Event: "SubagentStop", Session: "725d77c1-2a69-4d64-a1a0-cf62328dc20e", Turn: "5b56052c-6c16-4101-8e01-b39f919d22ed",
			Folders: []string{"/home/user/proj"}, Transcript: claudeDir + "725d77c1-2a69-4d64-a1a0-cf62328dc20e.jsonl", LastMessage: "Done.",
			Agent: "a19de8d2cbad047a2",
		}},
		"codex-notify-turn.json": {Codex, Stop{
			Event: EventTurn, Session: "01a22cb1-4d75-7441-9726-0142a38e2386", Turn: "01a22cb2-1268-7391-94eb-a4a421d5f62c",
			Folders: []string{"/home/user/proj2"}, LastMessage: "Done.", Client: "codex-tui", Inputs: []string{"hello codex", "second turn please"},
		}},
		"codex-hook-stop.json": {Codex, Stop{
			Event: EventStop, Session: "01a22cb4-41bd-7800-94c0-66516a871e78", Turn: "01a22cb4-4262-71e3-bfd0-32c200207b97",
			Folders:     []string{"/home/user/proj2"},
			Transcript:  "/home/user/.codex/sessions/2026/11/30/rollout-2026-11-30T13-45-40-01a22cb4-41bd-7800-94c0-66516a871e78.jsonl",
			LastMessage: "Done.",
		}},
		"gemini-afteragent.json": {Gemini, Stop{
			Event: EventAfterAgent, Session: "9789ae94-5be9-4d36-b788-446bd0758181", Turn: "2026-11-30T13:47:27.695Z",
			Folders: []string{"/home/user/gproj"}, Transcript: "/home/user/.gemini/tmp/gproj/chats/session-2026-11-30T13-47-9789ae94.jsonl",
			LastMessage: "Done.", Inputs: []string{"hello gemini"},
		}},
	} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", "payloads", file))
			if err != nil {
				t.Fatal(err)
			}
			got, ok := known(t, c.name).ParseStop(data)
			if diff := cmp.Diff(c.want, got); diff != "" || !ok {
				t.Error(ok, diff)
			}
		})
	}
}

func known(t *testing.T, name Name) Assistant {
	t.Helper()
	a, ok := Get(name)
	if !ok {
		t.Fatalf("no assistant %q", name)
	}
	return a
}

// TestCodexContext: context may be an object, a string with JSON in it, or a plain path; cwd of the payload comes after.
func TestCodexContext(t *testing.T) {
	for payload, want := range map[string][]string{
		`{"cwd":"/a"}`: {"/a"},
		`{"context":{"cwd":"/c","working_directory":"/w"},"cwd":"/a"}`: {"/c", "/w", "/a"},
		`{"context":{"working_directory":"/w"}}`:                       {"/w"},
		`{"context":"{\"cwd\":\"/c\"}","cwd":"/a"}`:                    {"/c", "/a"},
		`{"context":"/plain","cwd":"/a"}`:                              {"/plain", "/a"},
		`{"context":"","cwd":"/a"}`:                                    {"/a"},
		`{"context":"[1]"}`:                                            {"[1]"},
		`{"context":7,"cwd":7}`:                                        nil,
		`{"context":{"cwd":""},"cwd":null}`:                            nil,
		`{}`:                                                           nil,
	} {
		got, ok := known(t, Codex).ParseStop([]byte(payload))
		if diff := cmp.Diff(want, got.Folders); diff != "" || !ok {
			t.Errorf("%s: %v %s", payload, ok, diff)
		}
	}
	// Claude's project_dir comes before its cwd.
	if got, _ := known(t, Claude).ParseStop([]byte(`{"cwd":"/a","project_dir":"/p"}`)); !cmp.Equal(got.Folders, []string{"/p", "/a"}) {
		t.Errorf("%q", got.Folders)
	}
}

func TestPayloadThatIsNone(t *testing.T) {
	for _, payload := range []string{"", " ", "x", "{", `{"a":1}}`, "[]", "1", "null", `"{}"`, "{}{}", "\xff", strings.Repeat("[", 100_000)} {
		for _, a := range All() {
			if got, ok := a.ParseStop([]byte(payload)); ok || !cmp.Equal(got, Stop{}) {
				t.Errorf("%s: %.40q is a payload: %+v", a.Name, payload, got)
			}
		}
	}
	for _, payload := range []string{"{}", " {}\n", "\ufeff{}"} {
		if _, ok := known(t, Claude).ParseStop([]byte(payload)); !ok {
			t.Errorf("%q is no payload", payload)
		}
	}
}

// TestBackground: what still runs counts, and what does not say.
func TestBackground(t *testing.T) {
	for tasks, want := range map[string]int{
		`[]`: 0, `null`: 0, `"x"`: 1, `{}`: 1,
		`[{"status":"running"}]`: 1, `[{"status":"completed"},{"status":"failed"},{"status":"killed"}]`: 0,
		`[{"status":"completed"},{"id":"b"},{"status":"pending"}]`: 2,
	} {
		got, _ := known(t, Claude).ParseStop([]byte(`{"background_tasks":` + tasks + `}`))
		if got.Background != want {
			t.Errorf("%s: %d, want %d", tasks, got.Background, want)
		}
	}
}

// TestTurn: which key names the turn.
func TestTurn(t *testing.T) {
	for payload, want := range map[string]string{
		`{"prompt_id":"p","turn_id":"t","timestamp":"s"}`: "p",
		`{"turn_id":"t","timestamp":"s"}`:                 "t",
		`{"timestamp":"s"}`:                               "s",
		`{"session_id":"x"}`:                              "",
	} {
		if got, _ := known(t, Claude).ParseStop([]byte(payload)); got.Turn != want {
			t.Errorf("%s: %q, want %q", payload, got.Turn, want)
		}
	}
}

func FuzzParseStop(f *testing.F) {
	files, err := filepath.Glob("testdata/payloads/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, a := range All() {
			s, ok := a.ParseStop(payload)
			if !ok && !cmp.Equal(s, Stop{}) {
				t.Errorf("%s: no payload, and yet %+v", a.Name, s)
			}
			for _, dir := range s.Folders {
				if dir == "" {
					t.Errorf("%s: an empty folder", a.Name)
				}
			}
		}
	})
}

// TestSound: JSON that is nested without end must not be the end of the hook (a stack of a gigabyte, and no hand-over).
func TestSound(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for text, want := range map[string]bool{
		`{"a":[1,{"b":"[[[{\"{"}]}`: true, `"[["`: true, deep(1000): true, deep(1001): false,
		strings.Repeat("[", 16<<20): false, strings.Repeat(`{"a":`, 1<<20): false, `{"a":}`: false, ``: false, `"\`: false,
	} {
		if got := Sound([]byte(text)); got != want {
			t.Errorf("%.30q: %t, want %t", text, got, want)
		}
	}
}
