package hook

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/settings"
)

func TestPromptFault(t *testing.T) {
	for template, want := range map[string]string{
		"":               "",
		"no brace":       "",
		"{todo} {{x}} ":  "",
		"{task}":         "there is no {task}",
		"{todo!r}":       "there is no {todo!r}",
		"{}":             "there is no {}",
		"a { b":          "a brace stands alone",
		"a } b":          "a brace stands alone",
		"{a\x1b[31m\nb}": "there is no {a [31m b}",
	} {
		if got := PromptFault(template); got != want {
			t.Errorf("%q: %q, want %q", template, got, want)
		}
	}
}

// The values are those of the next hand-over of the chain as it stands; what is idle for too long would begin anew.
func TestPreviewPrompt(t *testing.T) {
	c := newClock()
	w, project := newWorld(t, c)
	set, _, err := settings.Parse([]byte("prompts.codex = '{source} {target} {hop} {since} {reason} {last_message}'\ncontinuations.codex.target = 'nobody'"))
	if err != nil {
		t.Fatal(err)
	}
	codex, _ := assistant.Get(assistant.Codex)
	begin := func(ch *chain.Chain, s *chain.Session) {
		t.Helper()
		err := chain.Store{Dir: w.StateDir(), Now: w.Now}.Project(project).Change(time.Second, func(st *chain.State) error {
			st.Chain, st.Session = ch, s
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, s := range map[string]struct {
		chain   *chain.Chain
		session *chain.Session
		want    string
	}{
		"no chain":    {nil, nil, "codex claude 1 HEAD finished > done"},
		"its own":     {&chain.Chain{ID: "c1", Hops: 4, Alive: c.now}, &chain.Session{Tool: "codex", Head: "abc"}, "codex claude 5 abc finished > done"},
		"of another":  {&chain.Chain{ID: "c1", Hops: 4, Alive: c.now}, &chain.Session{Tool: "claude", Head: "abc"}, "codex claude 5 HEAD finished > done"},
		"ended":       {&chain.Chain{ID: "c1", Hops: 4, Alive: c.now, Ended: "x"}, nil, "codex claude 1 HEAD finished > done"},
		"idle so far": {&chain.Chain{ID: "c1", Hops: 4, Alive: c.now.Add(-3 * time.Hour)}, nil, "codex claude 1 HEAD finished > done"},
	} {
		begin(s.chain, s.session)
		got, err := PreviewPrompt(w, set, codex, project, "done")
		if diff := cmp.Diff(Preview{Source: "codex", Target: "claude", Prompt: s.want}, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}
