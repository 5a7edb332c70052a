package hook

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/world"
)

func TestBadPlace(t *testing.T) {
	w, project := newWorld(t, newClock())
	other := tempDir(t)
	link := filepath.Join(other, "link-to-home")
	if err := os.Symlink(w.Home, link); err != nil {
		t.Skip(err)
	}
	linked := w
	linked.Home = link
	above := "a hand-over in "
	for name, c := range map[string]struct {
		w       world.World
		project string
		listed  []string
		want    string
	}{
		"a project":                       {w, project, nil, ""},
		"the folder above the project":    {w, filepath.Dir(project), nil, ""},
		"a folder outside home":           {w, other, nil, ""},
		"the root":                        {w, "/", nil, above},
		"home itself":                     {w, w.Home, nil, above},
		"above home":                      {w, filepath.Dir(w.Home), nil, above},
		"home, reached by a link":         {linked, w.Home, nil, above},
		"above home, reached by a link":   {linked, filepath.Dir(w.Home), nil, above},
		"home, listed":                    {w, w.Home, []string{"~"}, ""},
		"home, a folder in it listed":     {w, w.Home, []string{"~/src"}, above},
		"the root, listed":                {w, "/", []string{"/"}, ""},
		"a folder that vanished":          {w, filepath.Join(w.Home, "gone"), nil, "the folder belongs to another user"},
		"a name that is no UTF-8":         {w, project + "\xff", []string{"/"}, "the folder's name is not UTF-8"},
		"a name that begins as home's is": {w, mkdirBeside(t, w.Home), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			wantPrefix(t, badPlace(c.w, c.project, c.listed), c.want)
		})
	}
}

// mkdirBeside makes a folder whose path begins with the letters of dir and is not below it.
func mkdirBeside(t *testing.T, dir string) string {
	t.Helper()
	mkdir(t, dir+"-other")
	return dir + "-other"
}

func TestBadPlaceOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 || runtime.GOOS == "windows" {
		t.Skip("only root can give a folder away")
	}
	w, project := newWorld(t, newClock())
	if err := os.Chown(project, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	wantPrefix(t, badPlace(w, project, nil), "the folder belongs to another user")
	wantPrefix(t, badPlace(w, project, []string{"~/src"}), "")
}

func TestContains(t *testing.T) {
	for _, c := range []struct {
		outer, inner string
		want         bool
	}{
		{"/a", "/a", true}, {"/a", "/a/b", true}, {"/a", "/a/b/c", true}, {"/", "/a", true},
		{"/a", "/ab", false}, {"/a/b", "/a", false}, {"/a", "/b", false}, {"/a", "/a/..b", true}, {"/a/b", "/a/..b", false},
	} {
		if got := contains(filepath.FromSlash(c.outer), filepath.FromSlash(c.inner)); got != c.want {
			t.Errorf("contains(%s, %s) = %v", c.outer, c.inner, got)
		}
	}
}

func TestInScope(t *testing.T) {
	w, project := newWorld(t, newClock())
	for _, c := range []struct {
		folders []string
		want    bool
	}{
		{nil, false},
		{[]string{project}, true},
		{[]string{"~/src"}, true},
		{[]string{"~"}, true},
		{[]string{"~/src/pro"}, false},
		{[]string{"~/src/proj/below"}, false},
		{[]string{"src/proj"}, false}, // relative to nothing
		{[]string{""}, false},
		{[]string{"/no/such", "~/src/proj/"}, true},
	} {
		if got := inScope(project, c.folders, w.Home); got != c.want {
			t.Errorf("inScope(%q) = %v", c.folders, got)
		}
	}
}

// TestPayloads asks the guards that need no lock about recorded payloads.
func TestPayloads(t *testing.T) {
	w, project := newWorld(t, newClock())
	for _, c := range []struct {
		source assistant.Name
		file   string
		want   string
	}{
		{assistant.Claude, "claude-stop.json", ""},
		{assistant.Claude, "claude-stopfailure.json", ""},
		{assistant.Claude, "claude-stop-active.json", "stop_hook_active"},
		{assistant.Claude, "claude-substop.json", "event SubagentStop is no end of a turn of claude"},
		{assistant.Claude, "claude-sessionend.json", "event SessionEnd is no end"},
		{assistant.Claude, "claude-sessionstart-resume.json", "event SessionStart is no end"},
		{assistant.Claude, "gemini-afteragent.json", "event AfterAgent is no end of a turn of claude"},
		{assistant.Codex, "codex-notify-turn.json", ""},
		{assistant.Codex, "codex-notify-title-thread.json", "codex's thread for the title"},
		{assistant.Codex, "codex-hook-stop.json", ""},
		{assistant.Codex, "gemini-afteragent.json", "event AfterAgent is no end of a turn of codex"},
		{assistant.Gemini, "gemini-afteragent.json", ""},
		{assistant.Gemini, "claude-stop.json", "event Stop is no end of a turn of gemini"},
	} {
		t.Run(string(c.source)+"/"+c.file, func(t *testing.T) {
			h := newStopping(w, project, c.source, payload(t, c.source, c.file), set(t, ""))
			wantPrefix(t, h.judge(), c.want)
		})
	}
}

func TestJudge(t *testing.T) {
	w, project := newWorld(t, newClock())
	stop := assistant.Stop{Event: assistant.EventStop, Session: "s", Turn: "1"}
	for name, c := range map[string]struct {
		source assistant.Name
		env    []string
		edit   func(*assistant.Stop)
		toml   string
		want   string
	}{
		"ordinary":          {source: assistant.Claude},
		"no payload at all": {source: assistant.Claude, edit: func(s *assistant.Stop) { *s = assistant.Stop{} }},
		"a terminal session": {
			source: assistant.Claude, env: []string{"CLAUDE_CODE_ENTRYPOINT=cli"},
		},
		"claude -p": {
			source: assistant.Claude, env: []string{"CLAUDE_CODE_ENTRYPOINT=sdk-cli"}, want: "not a terminal session (sdk-cli)",
		},
		"an IDE": {
			source: assistant.Claude, env: []string{"CLAUDE_CODE_ENTRYPOINT=claude-vscode"}, want: "not a terminal session (claude-vscode)",
		},
		"a front end with an escape in its name": {
			source: assistant.Claude, env: []string{"CLAUDE_CODE_ENTRYPOINT=\x1b[2J"}, want: "not a terminal session ( [2J)",
		},
		"codex below claude": { // the variable is inherited from a Claude further up, and says nothing of Codex
			source: assistant.Codex, env: []string{"CLAUDE_CODE_ENTRYPOINT=sdk-cli"},
		},
		"codex exec": {
			source: assistant.Codex, edit: func(s *assistant.Stop) { s.Event, s.Client = assistant.EventTurn, "codex_exec" },
			want: "not a terminal session (codex_exec)",
		},
		"codex in a terminal": {
			source: assistant.Codex, edit: func(s *assistant.Stop) { s.Event, s.Client = assistant.EventTurn, "codex-tui" },
		},
		"codex, an older one": {
			source: assistant.Codex, edit: func(s *assistant.Stop) { s.Event = assistant.EventTurn },
		},
		"another codex event": {
			source: assistant.Codex, edit: func(s *assistant.Stop) { s.Event = "approval-requested" },
			want: "event approval-requested is no end of a turn of codex",
		},
		"a sub-agent": {
			source: assistant.Claude, edit: func(s *assistant.Stop) { s.Agent = "a19" }, want: "a sub-agent stopped",
		},
		"a background task": {
			source: assistant.Claude, edit: func(s *assistant.Stop) { s.Background = 1 }, want: "background tasks run",
		},
		"a wake-up": {
			source: assistant.Claude, edit: func(s *assistant.Stop) { s.Crons = 1 }, want: "the session has set itself a wake-up",
		},
		"a usage limit": {
			source: assistant.Claude, edit: func(s *assistant.Stop) { s.Event, s.Failure = assistant.EventStopFailure, "rate_limit" },
		},
		"a usage limit, not wanted": {
			source: assistant.Claude, edit: func(s *assistant.Stop) { s.Event, s.Failure = assistant.EventStopFailure, "rate_limit" },
			toml: "handover_on_usage_limit = false", want: "handover_on_usage_limit is off",
		},
		"a finished turn, limits not wanted": {
			source: assistant.Claude, toml: "handover_on_usage_limit = false",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, s := w, stop
			w.Env = c.env
			if c.edit != nil {
				c.edit(&s)
			}
			wantPrefix(t, newStopping(w, project, c.source, s, set(t, c.toml)).judge(), c.want)
		})
	}
}

// TestPlaceComesFirst: in a bad place that is the reason, whatever else is wrong.
func TestPlaceComesFirst(t *testing.T) {
	w, _ := newWorld(t, newClock())
	h := newStopping(w, w.Home, assistant.Claude, assistant.Stop{Event: "Other", Active: true, Agent: "a"}, set(t, ""))
	wantPrefix(t, h.judge(), "a hand-over in ~ could reach")
}

func TestReason(t *testing.T) {
	for _, c := range []struct{ event, failure, want string }{
		{assistant.EventStop, "", ReasonFinished},
		{"", "", ReasonFinished},
		{assistant.EventTurn, "", ReasonFinished},
		{assistant.EventStopFailure, "rate_limit", ReasonLimit},
		{assistant.EventStopFailure, "usage_limit", ReasonLimit},
		{assistant.EventStopFailure, "billing_error", ReasonLimit},
		{assistant.EventStopFailure, "authentication_failed", ReasonError},
		{assistant.EventStopFailure, "unknown", ReasonError},
		{assistant.EventStopFailure, "", ReasonError},
	} {
		h := &stopping{payload: assistant.Stop{Event: c.event, Failure: c.failure}}
		if got := h.reason(); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.event, c.failure, got, c.want)
		}
	}
}

// A thread of Codex and the time that its id holds, 2026-11-30 13:43:27 UTC, measured with Codex 0.171.0.
const thread = "01a22cb2-1268-7391-94eb-a4a421d5f62c"

func TestUUIDTime(t *testing.T) {
	at, ok := uuidTime(thread)
	want := time.Date(2026, 11, 30, 13, 43, 0, 0, time.UTC)
	if !ok || at.Sub(want).Abs() > 2*time.Minute {
		t.Errorf("%v %v, want about %v", at.UTC(), ok, want)
	}
	for _, id := range []string{"", "thread", "01a22cb2-1268-4391-94eb-a4a421d5f62c", "01a22cb2-1268-7391-94eb", "zzzzzzzz-1268-7391-94eb-a4a421d5f62c"} {
		if _, ok := uuidTime(id); ok {
			t.Errorf("%q passes for a UUID of version 7", id)
		}
	}
}

// sessionFile is where Codex writes a thread's file on the given day.
func sessionFile(w world.World, day time.Time, id string) string {
	return filepath.Join(w.Home, ".codex", "sessions", day.Format("2006"), day.Format("01"), day.Format("02"),
		"rollout-"+day.Format("2006-01-02T15-04-05")+"-"+id+".jsonl")
}

func TestTitleThread(t *testing.T) {
	began, _ := uuidTime(thread)
	other := "01a22cb1-4d75-7441-9726-0142a38e2386"
	turn := assistant.Stop{Event: assistant.EventTurn, Session: thread, Inputs: []string{"hello"}}
	title := turn
	title.Inputs = []string{titlePrompt + " of at most 36 characters"}
	quotes := turn
	quotes.Inputs = []string{"hello", titlePrompt + " is what Codex asks itself"}
	for name, c := range map[string]struct {
		s     assistant.Stop
		files []string // threads with a session file
		day   time.Time
		want  bool
	}{
		"its prompt":                          {s: title, want: true},
		"its prompt, though it has a file":    {s: title, files: []string{thread}, day: began, want: true},
		"a person who quotes the prompt":      {s: quotes, files: []string{thread}, day: began},
		"a thread with its file":              {s: turn, files: []string{thread, other}, day: began},
		"no file where others have one":       {s: turn, files: []string{other}, day: began, want: true},
		"no file and no others":               {s: turn},
		"others of another week":              {s: turn, files: []string{other}, day: began.AddDate(0, 0, -7)},
		"a file in the folder of the day":     {s: turn, files: []string{thread}, day: began.AddDate(0, 0, -1)},
		"a file by the clock of another zone": {s: turn, files: []string{thread}, day: began.AddDate(0, 0, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			w, project := newWorld(t, newClock())
			for _, id := range c.files {
				write(t, sessionFile(w, c.day, id), "{}\n")
			}
			h := newStopping(w, project, assistant.Codex, c.s, set(t, ""))
			if got := titleThread(h.self, c.s, h.sessions) != ""; got != c.want {
				t.Errorf("%v", got)
			}
		})
	}
}

// TestTitleThreadIsCodexs: a prompt that begins so means nothing when it comes from another, or through hooks.json,
// which the title thread does not reach.
func TestTitleThreadIsCodexs(t *testing.T) {
	s := assistant.Stop{Event: assistant.EventStop, Session: thread, Inputs: []string{titlePrompt}}
	wantPrefix(t, titleThread(get(assistant.Codex), s, codexSessions{}), "")
	s.Event = assistant.EventTurn
	wantPrefix(t, titleThread(get(assistant.Claude), s, codexSessions{}), "")
}

// TestSubAgentOfCodex: ai-cli-complete-notify PR#34, CodexFlow PR#227.
func TestSubAgentOfCodex(t *testing.T) {
	began, _ := uuidTime(thread)
	for name, c := range map[string]struct {
		record string
		want   string
	}{
		"a person's thread": {`{"type":"session_meta","payload":{"source":"cli","thread_source":"user"}}`, ""},
		"a sub-agent's":     {`{"type":"session_meta","payload":{"source":{"subagent":{"thread_spawn":{"depth":1}}}}}`, "a sub-agent stopped"},
		"a review's":        {`{"type":"session_meta","payload":{"source":{"subagent":"review"}}}`, "a sub-agent stopped"},
		"no JSON":           {"torn", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, project := newWorld(t, newClock())
			write(t, sessionFile(w, began, thread), c.record+"\n")
			s := assistant.Stop{Event: assistant.EventTurn, Session: thread}
			wantPrefix(t, newStopping(w, project, assistant.Codex, s, set(t, "")).judge(), c.want)
			s.Event = assistant.EventStop
			wantPrefix(t, newStopping(w, project, assistant.Codex, s, set(t, "")).judge(), c.want)
		})
	}
}

func TestFindProject(t *testing.T) {
	began, _ := uuidTime(thread)
	type given struct {
		source     assistant.Name
		registered string
		env        []string
		s          assistant.Stop
		dir        string
	}
	w, _ := newWorld(t, newClock())
	folder := func(name string) string {
		dir := filepath.Join(w.Home, "src", name)
		mkdir(t, dir)
		return dir
	}
	a, b, c, d := folder("a"), folder("b"), folder("c"), folder("d")
	write(t, sessionFile(w, began, thread), `{"type":"session_meta","payload":{"id":"`+thread+`","cwd":`+asJSON(c)+`}}`+"\n{\"type\":\"other\"}\n")
	old := filepath.Join(w.Home, ".codex", "sessions", "old.jsonl")
	write(t, old, "{\"type\":\"x\"}\n{\"cwd\":"+asJSON(d)+"}\n")
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(w.Home, "link")
	if err := os.Symlink(a, link); err != nil {
		t.Skip(err)
	}
	gone := filepath.Join(w.Home, "gone")
	for name, g := range map[string]struct {
		given
		want string
	}{
		"claude: the registered argument":      {given{assistant.Claude, a, []string{"CLAUDE_PROJECT_DIR=" + b}, assistant.Stop{Folders: []string{c}}, d}, a},
		"claude: the variable":                 {given{assistant.Claude, "", []string{"CLAUDE_PROJECT_DIR=" + b}, assistant.Stop{Folders: []string{c}}, d}, b},
		"claude: the payload":                  {given{assistant.Claude, gone, []string{"CLAUDE_PROJECT_DIR=" + gone}, assistant.Stop{Folders: []string{gone, c}}, d}, c},
		"claude: PWD":                          {given{assistant.Claude, "", []string{"PWD=" + b}, assistant.Stop{}, d}, b},
		"claude: the current folder":           {given{assistant.Claude, "", nil, assistant.Stop{}, d}, d},
		"claude: home written as ~":            {given{assistant.Claude, "~/src/b", nil, assistant.Stop{}, d}, b},
		"claude: a link":                       {given{assistant.Claude, link, nil, assistant.Stop{}, d}, a},
		"claude: a relative folder counts not": {given{assistant.Claude, "src", nil, assistant.Stop{}, d}, d},
		"claude: a file is no folder":          {given{assistant.Claude, old, nil, assistant.Stop{}, d}, d},
		"codex: the variable of claude":        {given{assistant.Codex, "", []string{"CLAUDE_PROJECT_DIR=" + b}, assistant.Stop{Folders: []string{a}}, d}, a},
		"codex: its thread's file":             {given{assistant.Codex, "", []string{"PWD=" + b}, assistant.Stop{Session: thread}, d}, c},
		"codex: the latest file":               {given{assistant.Codex, "", []string{"PWD=" + b}, assistant.Stop{}, d}, c},
		"gemini: no session file of codex's":   {given{assistant.Gemini, "", []string{"PWD=" + b}, assistant.Stop{}, d}, b},
		"nothing is left":                      {given{assistant.Claude, gone, []string{"PWD=" + gone}, assistant.Stop{}, gone}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := w
			w.Env, w.Dir = g.env, g.dir
			h := newStopping(w, "", g.source, g.s, set(t, ""))
			h.registered = g.registered
			if got := h.findProject(); got != g.want {
				t.Errorf("%s, want %s", got, g.want)
			}
		})
	}
	// The file that changed last wins, also when it lies in sessions itself.
	now := time.Now().Add(time.Hour)
	if err := os.Chtimes(old, now, now); err != nil {
		t.Fatal(err)
	}
	if got := newStopping(w, "", assistant.Codex, assistant.Stop{}, set(t, "")).findProject(); got != d {
		t.Errorf("%s, want %s", got, d)
	}
}

// TestSessionFolder reads the folder out of a record that is longer than what is kept of a line.
func TestSessionFolder(t *testing.T) {
	long := make([]byte, 100_000)
	for i := range long {
		long[i] = 'x'
	}
	for name, c := range map[string]struct{ content, want string }{
		"empty":                {"", ""},
		"no JSON":              {"hello\n", ""},
		"under payload":        {`{"payload":{"cwd":"/a"}}`, "/a"},
		"at top level":         {`{"cwd":"/a"}` + "\n", "/a"},
		"a later record":       {"{}\n[]\n\n" + `{"cwd":"/a"}`, "/a"},
		"too late":             {manyLines(60) + `{"cwd":"/a"}`, ""},
		"before a long text":   {`{"payload":{"cwd":"/a","base_instructions":"` + string(long) + `"}}`, "/a"},
		"behind a long record": {`{"x":"` + string(long) + `"}` + "\n" + `{"cwd":"/a"}`, "/a"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			write(t, path, c.content)
			if got := sessionFolder(path); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func manyLines(n int) string {
	text := ""
	for range n {
		text += "{}\n"
	}
	return text
}
