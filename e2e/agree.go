//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// onceEach are the steps that happen exactly once in each hand-over.
var onceEach = []string{"job", "claimed", "started", "notified"}

// atLeastOnce are the steps that a hand-over cannot lack. Calls that were not handed over take some of them, too; an assistant whose
// turn was short may have two to replace, one of them on its way out; and claude is recorded again when it starts once more because
// there was no conversation to go on with.
var atLeastOnce = []string{"called", "project", "preferences", "guard", "prompt", "command", "terminal", "replaced", "recorded"}

// turnsAgree checks that the project's turns are these assistants', in this order, each told once and of exactly the items then open;
// first is the number of items that were done before them. It prints how long each hand-over took.
func (n *Night) turnsAgree(t *testing.T, first int, want ...Tool) {
	t.Helper()
	turns := slices.DeleteFunc(n.Model.Turns(), func(q Request) bool { return q.Dir != n.Dir })
	got := make([]Tool, 0, len(turns))
	for _, q := range turns {
		got = append(got, q.Tool)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("turns in the project: %v, want %v", got, want)
	}
	for i, q := range turns {
		open := openItems(first+i, n.items)
		if told := itemsIn(q.Prompt); !slices.Equal(told, open[:min(5, len(open))]) {
			t.Errorf("turn %d (%s) was told of %q, want %q", i+1, q.Tool, told, open[:min(5, len(open))])
		}
		if i > 0 {
			t.Logf("hand-over %d, %s to %s: %.1f s", i, turns[i-1].Tool, q.Tool, q.Time.Sub(turns[i-1].Time).Seconds())
		}
	}
	for _, q := range n.Model.Turns() {
		if q.Dir == "" {
			t.Errorf("request %d says no folder", q.Seq)
		}
	}
}

// itemsIn lists the open items in a prompt.
func itemsIn(prompt string) []string {
	var items []string
	for line := range strings.Lines(prompt) {
		if strings.HasPrefix(line, "- [ ]") {
			items = append(items, strings.TrimSuffix(line, "\n"))
		}
	}
	return items
}

// historyAgrees checks that the project had one chain with these hand-overs, each with every step, and that it ended for the reason.
func (n *Night) historyAgrees(t *testing.T, hops int, reason string) {
	t.Helper()
	ended := n.ended(t)
	if len(ended) != 1 || !strings.Contains(ended[0].Detail+ended[0].Error, reason) {
		t.Errorf("ended: %+v, want one that names %q", ended, reason)
	}
	for hop := 1; hop <= hops; hop++ {
		for _, step := range onceEach {
			if c := n.count(t, hop, step); c != 1 {
				t.Errorf("hop %d: step %s %d times, want once", hop, step, c)
			}
		}
		for _, step := range atLeastOnce {
			if n.count(t, hop, step) == 0 {
				t.Errorf("hop %d: no step %s", hop, step)
			}
		}
	}
	if c := n.count(t, hops+1, "started"); c != 0 {
		t.Errorf("hop %d was started", hops+1)
	}
}

// count is how often the project's history has a step in a hop; claude's second start without an earlier conversation does not count.
func (n *Night) count(t *testing.T, hop int, step string) int {
	t.Helper()
	return len(slices.DeleteFunc(n.History(t, step), func(e Event) bool {
		return e.Hop != hop || e.Project != n.Dir || strings.Contains(e.Detail, "once more")
	}))
}

// sessionAgrees checks that session_state.json tells of the process p, in the project.
func (n *Night) sessionAgrees(t *testing.T, p Proc) {
	t.Helper()
	var s struct {
		Tool  Tool   `json:"tool"`
		PID   int    `json:"pid"`
		Start string `json:"start_time"`
		Cwd   string `json:"cwd"`
	}
	n.readJSON(t, ".vexy-overnight/session_state.json", &s)
	if s.Tool != p.Tool || s.PID != p.PID || s.Cwd != n.Dir {
		t.Errorf("session_state.json: %+v, want %s, %d, %s", s, p.Tool, p.PID, n.Dir)
	}
	if _, err := time.ParseInLocation("2006-01-02T15:04:05.000000", s.Start, time.Local); err != nil {
		t.Errorf("session_state.json: %v", err)
	}
}

// jobsAgree checks that no job is left on its way, and that the seed's job file of each source tells what its latest target was told.
func (n *Night) jobsAgree(t *testing.T, hops int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(n.Home.Dir, ".vexy-overnight/jobs/*.json"))
	must(t, err)
	started := 0
	for _, name := range names {
		phase := strings.Split(filepath.Base(name), ".")[1]
		switch phase {
		case "started":
			started++
		case "pending", "claimed", "starting", "failed":
			t.Errorf("job %s is left %s", filepath.Base(name), phase)
		}
	}
	if started < hops {
		t.Errorf("%d started jobs, want at least %d: %v", started, hops, names)
	}
	latest := map[Tool]Event{}
	for _, e := range n.History(t, "started") {
		if e.Project == n.Dir && e.Hop > 0 {
			latest[e.Source] = e
		}
	}
	for source, e := range latest {
		n.jobFileAgrees(t, source, e.Target)
	}
}

// jobFileAgrees checks the seed's job file of source against the last prompt that target's model saw in the project.
func (n *Night) jobFileAgrees(t *testing.T, source, target Tool) {
	t.Helper()
	file := map[Tool]string{Claude: ".claude/hooks/vocl-new.json", Codex: ".codex/voco-new.json"}[source]
	var job struct {
		Command []string          `json:"command"`
		Cwd     string            `json:"cwd"`
		Env     map[string]string `json:"env"`
	}
	n.readJSON(t, file, &job)
	var told string
	for _, q := range n.Model.Turns(target) {
		if q.Dir == n.Dir {
			told = q.Prompt
		}
	}
	prompt := job.Env["VOMGR_PROMPT"]
	if strings.TrimSpace(prompt) != strings.TrimSpace(told) || !strings.HasSuffix(last(job.Command), prompt) {
		t.Errorf("%s: prompt %q, command %q; the model was told %q", file, prompt, job.Command, told)
	}
	if job.Cwd != n.Dir || job.Env["VOMGR_PROJECT_DIR"] != n.Dir || job.Env["VOMGR_SOURCE_TOOL"] != string(source) || job.Env["VOMGR_TARGET_TOOL"] != string(target) {
		t.Errorf("%s: %+v, want %s to %s in %s", file, job, source, target, n.Dir)
	}
}

// readJSON reads a file below the home.
func (n *Night) readJSON(t *testing.T, name string, v any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(n.Home.Dir, name))
	must(t, err)
	if err := json.Unmarshal(text, v); err != nil {
		t.Errorf("%s: %v: %s", name, err, text)
	}
}

// alternating lists count assistants, beginning with first.
func alternating(first Tool, count int) []Tool {
	var list []Tool
	for next := first; len(list) < count; {
		list = append(list, next)
		next = map[Tool]Tool{Claude: Codex, Codex: Claude}[next]
	}
	return list
}
