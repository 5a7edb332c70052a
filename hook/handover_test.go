package hook

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/history"
)

// TestEnvironment: the eight variables, in the order of the documentation.
func TestEnvironment(t *testing.T) {
	order := func(toml string) handover {
		return handover{set: set(t, toml), source: get(assistant.Claude), target: get(assistant.Codex), project: "/p"}
	}
	got := order("").environment("do it")
	want := [][2]string{
		{"VOMGR_TARGET_TOOL", "codex"}, {"VOMGR_SOURCE_TOOL", "claude"}, {"VOMGR_PROMPT", "do it"}, {"VOMGR_PROJECT_DIR", "/p"},
		{"VOMGR_NOTIFICATION_ENABLED", "1"}, {"VOMGR_NOTIFICATION_MESSAGE", "Handing over to codex"}, {"VOMGR_NOTIFICATION_SOUND", "Glass"},
		{"VOMGR_KILL_OLD", "1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = order("kill_old_sessions = false\n[notifications]\nenabled = false\nmessage = \"{source} {{}} {target}\"\nsound = \"\"").environment("")
	want = [][2]string{
		{"VOMGR_TARGET_TOOL", "codex"}, {"VOMGR_SOURCE_TOOL", "claude"}, {"VOMGR_PROMPT", ""}, {"VOMGR_PROJECT_DIR", "/p"},
		{"VOMGR_NOTIFICATION_ENABLED", "0"}, {"VOMGR_NOTIFICATION_MESSAGE", "claude {} codex"}, {"VOMGR_NOTIFICATION_SOUND", ""},
		{"VOMGR_KILL_OLD", "0"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// A message with anything else in braces stays as it is.
	if got := envValue(order("[notifications]\nmessage = \"{target} {todo}\"").environment(""), "VOMGR_NOTIFICATION_MESSAGE"); got != "{target} {todo}" {
		t.Error(got)
	}
}

// TestCommandInHistory: the command is written down without the prompt, which has a line of its own, and without what a
// terminal would obey.
func TestCommandInHistory(t *testing.T) {
	w, project := newWorld(t, newClock())
	write(t, filepath.Join(project, "TODO.md"), "- [ ] secret plan\n")
	h := newStopping(w, project, assistant.Claude, assistant.Stop{}, set(t, "[prompts]\nclaude = \"{todo}\"\n[commands]\ncodex = [\"x\", \"a\\u001bb\", \"<{prompt}>\"]"))
	order := handover{w: w, set: h.set, source: h.self, target: h.target, project: project, values: promptValues{project: project}}
	var j chain.Job
	if err := order.fill(&j, h.log); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"x", "a\x1bb", "<- [ ] secret plan>"}, j.Command); diff != "" {
		t.Error(diff)
	}
	for _, e := range h.log.waiting {
		if e.Step == history.Command && e.Detail != "x a b <PROMPT>" || e.Step == history.Prompt && e.Detail != "17 bytes, template claude" {
			t.Errorf("%s: %q", e.Step, e.Detail)
		}
	}
	h.set.Commands.Codex = []string{""}
	order.set = h.set
	if err := order.fill(&chain.Job{}, h.log); err == nil || !strings.Contains(err.Error(), "the first element names no program") {
		t.Errorf("%v", err)
	}
}

// TestMustBeginAnew: a conversation whose process lives and will not be ended is not taken up by a second one.
func TestMustBeginAnew(t *testing.T) {
	codex, claude := lives(t, "codex"), lives(t, "claude")
	gone := *codex
	gone.Start = "1"
	for name, c := range map[string]struct {
		toml  string
		state chain.State
		first *chain.Session // of the job: ended too
		want  bool
	}{
		"nothing runs":               {"", chain.State{}, nil, false},
		"it will be ended":           {"", chain.State{Session: codex}, nil, false},
		"it will not be ended":       {"kill_old_sessions = false", chain.State{Session: codex}, nil, true},
		"it is gone":                 {"kill_old_sessions = false", chain.State{Session: &gone}, nil, false},
		"another one's":              {"kill_old_sessions = false", chain.State{Session: claude}, nil, false},
		"a person's, which stays":    {"", chain.State{Chain: &chain.Chain{First: codex}}, nil, true},
		"a person's, which is ended": {"", chain.State{Chain: &chain.Chain{First: codex}}, codex, false},
		"a person's, ours has an id": {"", chain.State{Chain: &chain.Chain{First: codex}, Conversations: map[string]string{"codex": "s"}}, nil, false},
		"a person's, of another":     {"", chain.State{Chain: &chain.Chain{First: claude}}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, project := newWorld(t, newClock())
			h := newStopping(w, project, assistant.Claude, assistant.Stop{}, set(t, c.toml))
			h.state, h.job.First = c.state, c.first
			if h.state.Chain == nil {
				h.state.Chain = &chain.Chain{}
			}
			if got := h.mustBeginAnew(); got != c.want {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestWithPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths here are those of Unix")
	}
	for _, c := range []struct {
		env     []string
		program string
		want    []string
	}{
		{[]string{"A=1", "PATH=/bin:/usr/bin", "B=2"}, "/opt/x/codex", []string{"A=1", "PATH=/bin:/usr/bin:/opt/x", "B=2"}},
		{[]string{"PATH=/bin:/opt/x"}, "/opt/x/codex", []string{"PATH=/bin:/opt/x"}},
		{[]string{"A=1"}, "/opt/x/codex", []string{"A=1", "PATH=/opt/x"}},
		{[]string{"PATH=/bin"}, "codex", []string{"PATH=/bin"}},
		{[]string{"MYPATH=/bin"}, "/opt/x/codex", []string{"MYPATH=/bin", "PATH=/opt/x"}},
	} {
		before := slices.Clone(c.env)
		if got := withPath(c.env, c.program); !slices.Equal(got, c.want) || !slices.Equal(before, c.env) {
			t.Errorf("%q: %q, before %q", c.program, got, before)
		}
	}
}

// TestSessionState: the form of the documentation, and what counts as a record.
func TestSessionState(t *testing.T) {
	w, _ := newWorld(t, newClock())
	at := time.Date(2026, 10, 12, 23, 6, 51, 40162000, time.Local)
	err := writeSessionState(w, chain.Session{Tool: "codex", Pid: 51976, StartTime: at.Format(isoMicro), Cwd: "…/proj", Start: "1"})
	data, _ := os.ReadFile(sessionStatePath(w))
	want := "{\n  \"tool\": \"codex\",\n  \"pid\": 51976,\n  \"start_time\": \"2026-10-12T23:06:51.040162\",\n  \"cwd\": \"…/proj\"\n}"
	if err != nil || strings.TrimSuffix(string(data), "\n") != want {
		t.Errorf("%s %v", data, err)
	}
	s, ok := readSessionState(w)
	if started, known := s.started(); !ok || !known || !started.Equal(at) {
		t.Errorf("%+v %v %s", s, ok, started)
	}
	for _, c := range []struct{ content, start string }{
		{"", ""}, {"{", ""}, {"[]", ""}, {`{"pid":"7"}`, ""}, {`{"pid":0}`, ""}, {`{"pid":1}`, ""}, {`{"pid":-7}`, ""},
		{`{"pid":7}`, "none"}, {`{"pid":7,"start_time":"2026-10-12T23:06:51"}`, "2026-10-12T23:06:51.000000"},
		{`{"pid":7,"start_time":"yesterday"}`, "none"}, {`{"pid":7,"start_time":"2026-10-12T23:06:51.5"}`, "2026-10-12T23:06:51.500000"},
	} {
		write(t, sessionStatePath(w), c.content)
		s, ok := readSessionState(w)
		if ok != (c.start != "") {
			t.Errorf("%s: a record: %v", c.content, ok)
		}
		if started, known := s.started(); known && started.Format(isoMicro) != c.start || !known && c.start != "none" && c.start != "" {
			t.Errorf("%s: began %s", c.content, started)
		}
	}
}

func TestCheckStateDir(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "state")
	if err := checkStateDir("state"); err == nil {
		t.Error("a relative folder will do")
	}
	if err := checkStateDir(dir); err != nil {
		t.Errorf("a missing folder is not made: %v", err)
	}
	if err := checkStateDir(filepath.Join(home, "gone", "state")); err == nil {
		t.Error("a home is made")
	}
	if fi, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o700 {
		t.Errorf("what was made: %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for mode, ok := range map[os.FileMode]bool{0o700: true, 0o755: true, 0o500: true, 0o775: false, 0o702: false, 0o777: false} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if err := checkStateDir(dir); (err == nil) != ok {
			t.Errorf("%04o: %v", mode, err)
		}
	}
}

// TestRecord: the steps before the chain was known get it too, a dropped record leaves nothing, and a history that
// cannot be written holds nothing up.
func TestRecord(t *testing.T) {
	w, project := newWorld(t, newClock())
	r := newRecord(w, history.Entry{Source: "claude"})
	r.step(history.Called, "finished")
	r.entry.Project, r.entry.Target = project, "codex"
	r.chain(&chain.Chain{ID: "cnow1"}, 3)
	r.chain(nil, 7)
	r.step(history.Guard, "")
	r.flush()
	r.flush()
	data, err := os.ReadFile(historyPath(w))
	if err != nil || strings.Count(string(data), "\n") != 2 || strings.Count(string(data), `"chain":"cnow1","hop":3`) != 2 ||
		strings.Count(string(data), `"target":"codex"`) != 2 {
		t.Errorf("%s %v", data, err)
	}
	r.step(history.Job, "")
	r.drop()
	r.flush()
	if again, _ := os.ReadFile(historyPath(w)); string(again) != string(data) {
		t.Errorf("dropped, and yet: %s", again)
	}
	w.Home = filepath.Join(w.Home, "nothing\x00")
	r = newRecord(w, history.Entry{})
	if err := r.fail(history.Job, os.ErrPermission); err != os.ErrPermission { //nolint:errorlint // this very one
		t.Error(err)
	}
	r.flush()
}
