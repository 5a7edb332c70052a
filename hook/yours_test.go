package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
)

// TestYours: a turn that a person asked for in a session of vomgr's is theirs. Codex names all prompts of the session,
// Gemini the last one.
func TestYours(t *testing.T) {
	mine := lives(t, "codex")
	mine.Thread, mine.Prompt = "mine", "Carry on:\n- [ ] First"
	for name, c := range map[string]struct {
		session string
		inputs  []string
		want    string
	}{
		"our prompt":                    {"mine", []string{mine.Prompt}, ""},
		"our prompt, other white space": {"mine", []string{"Carry on:  - [ ] First\n"}, ""},
		"a person's after ours":         {"mine", []string{mine.Prompt, "and the docs?"}, takenOver},
		"ours after a person's":         {"mine", []string{"hello", mine.Prompt}, ""},
		"no prompts named":              {"mine", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, project := newWorld(t, newClock())
			s := assistant.Stop{Event: assistant.EventTurn, Session: c.session, Turn: "1", Inputs: c.inputs}
			h := newStopping(w, project, assistant.Codex, s, set(t, ""))
			change(t, h, func(st *chain.State) {
				session := *mine
				st.Session = &session
			})
			wantPrefix(t, admitted(t, h), c.want)
		})
	}
}

// TestTyped finds a person's prompt in Claude's transcript by the turn's id (Claude Code 2.1.332).
func TestTyped(t *testing.T) {
	const prompt = "Carry on:\n- [ ] First"
	entry := func(kind, id, content string) string {
		return `{"type":"` + kind + `","promptId":"` + id + `","message":{"role":"user","content":` + content + `}}` + "\n"
	}
	ours, theirs := entry("user", "p1", asJSON(prompt)), entry("user", "p2", asJSON("and the docs?"))
	for name, c := range map[string]struct {
		transcript, turn, prompt string
		want                     bool
	}{
		"ours":                            {ours + theirs, "p1", prompt, false},
		"theirs":                          {ours + theirs, "p2", prompt, true},
		"theirs, in parts":                {entry("user", "p2", `[{"type":"image"},{"type":"text","text":"look"}]`), "p2", prompt, true},
		"ours, in parts":                  {entry("user", "p1", `[{"type":"text","text":`+asJSON(prompt)+`}]`), "p1", prompt, false},
		"a result of a tool counts not":   {ours + entry("user", "p1", `[{"type":"tool_result"}]`), "p1", prompt, false},
		"an answer that has the id":       {entry("assistant", "p2", asJSON("hi")), "p2", prompt, false},
		"the turn is not in it":           {ours, "p9", prompt, false},
		"torn":                            {ours + theirs[:20], "p2", prompt, false},
		"nothing was said by us":          {theirs, "p2", "", false},
		"the id is only quoted elsewhere": {entry("user", "p1", asJSON("p2")), "p2", prompt, false},
		"behind many records":             {strings.Repeat(ours, 1000) + theirs, "p2", prompt, true},
	} {
		t.Run(name, func(t *testing.T) {
			w, project := newWorld(t, newClock())
			path := filepath.Join(w.Home, "transcript.jsonl")
			write(t, path, c.transcript)
			l := &launching{w: w, store: chain.Store{Dir: w.StateDir(), Now: w.Now}}
			l.job = chain.Job{ID: "thejob111", Project: project, Transcript: path, Turn: c.turn}
			h := newStopping(w, project, assistant.Claude, assistant.Stop{}, l.set)
			change(t, h, func(st *chain.State) { st.Session = &chain.Session{Prompt: c.prompt} })
			if got := l.typed(); got != c.want {
				t.Errorf("%v", got)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if l.typed() {
				t.Error("a transcript that is gone says it was typed")
			}
		})
	}
}
