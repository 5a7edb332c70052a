//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Night is a rig with vomgr enabled, a project with open items, and a model that does one item per turn.
type Night struct {
	*Rig
	Dir    string              // the project
	Answer func(Request) Reply // what the model does; set it before the first assistant starts
	items  int
	tick   sync.Mutex // one writer of TODO.md at a time
}

// building builds vomgr once for all tests of a run.
var building = sync.OnceValues(buildVomgr)

// buildVomgr builds the program into a folder that is removed like a home of this run.
func buildVomgr() (dir string, err error) {
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	homes := filepath.Join(cache, "homes")
	if err := os.MkdirAll(homes, 0o700); err != nil {
		return "", err
	}
	dir, err = os.MkdirTemp(homes, fmt.Sprintf("%s%d-vomgr-", homePrefix, os.Getpid()))
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "vomgr"), "github.com/vexyart/vomgr/cmd/vomgr").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building vomgr: %w\n%s", err, out)
	}
	return dir, nil
}

// NewNight makes a project called name with that many open items and enables vomgr for claude and codex, everywhere.
func NewNight(t *testing.T, name string, items int, programs ...Program) *Night {
	t.Helper()
	bin, err := building()
	must(t, err)
	n := &Night{items: items}
	n.Answer = n.work
	n.Rig = NewRig(t, func(q Request) Reply { return n.Answer(q) }, bin, programs...)
	n.Dir = n.Home.Project(t, name, strings.Join(openItems(0, items), "\n")+"\n")
	n.enable(t)
	return n
}

// enable puts vomgr into Claude Code and Codex and switches off the limits that a model without thought would reach.
func (n *Night) enable(t *testing.T) {
	t.Helper()
	t.Log(n.Home.run(t, n.Dir, "vomgr", "enable", "--everywhere", "claude", "codex"))
	n.Set(t, "max_quick", "0")
	n.Set(t, "stop_when_stalled", "0")
	n.Set(t, "stop_when_done", "false")
}

// freshLimits gives the limits their first values back.
func (n *Night) freshLimits(t *testing.T) {
	t.Helper()
	n.Set(t, "max_quick", "5")
	n.Set(t, "stop_when_stalled", "3")
	n.Set(t, "stop_when_done", `"auto"`)
}

// Set gives every key of that name in settings.toml the value, written as TOML, or a multi-line text as it stands.
func (n *Night) Set(t *testing.T, key, value string) {
	t.Helper()
	n.edit(t, regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(key)+` = (?s:""".*?"""|[^\n]*)$`), key+" = "+value)
}

// SetTarget makes target go on when source stops.
func (n *Night) SetTarget(t *testing.T, source, target Tool) {
	t.Helper()
	head := "[continuations." + string(source) + "]\nenabled = true\ntarget = "
	n.edit(t, regexp.MustCompile(regexp.QuoteMeta(head)+`.*`), head+strconv.Quote(string(target)))
}

// edit replaces what was matches in settings.toml by a text; the file must hold it.
func (n *Night) edit(t *testing.T, was *regexp.Regexp, text string) {
	t.Helper()
	path := filepath.Join(n.Home.Dir, ".vexy-overnight/settings.toml")
	old, err := os.ReadFile(path)
	must(t, err)
	if !was.Match(old) {
		t.Fatalf("settings.toml holds no %s:\n%s", was, old)
	}
	must(t, os.WriteFile(path, was.ReplaceAllLiteral(old, []byte(text)), 0o600))
}

// openItems lists the items from the given number on as TODO.md has them while they are open.
func openItems(from, items int) []string {
	var lines []string
	for i := from; i < items; i++ {
		lines = append(lines, fmt.Sprintf("- [ ] Item %02d: does `one` \"thing\"", i+1))
	}
	return lines
}

// work is what the model does in a turn: it ticks the first open item in the folder the assistant says it is in.
func (n *Night) work(q Request) Reply {
	if q.Kind != Turn || !strings.HasPrefix(q.Dir, n.Home.Dir) {
		return Reply{}
	}
	n.tick.Lock()
	defer n.tick.Unlock()
	path := filepath.Join(q.Dir, "TODO.md")
	text, err := os.ReadFile(path)
	if err != nil {
		return Reply{Text: "There is no TODO.md here."}
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "- [ ]", "- [x]", 1)), 0o600); err != nil {
		return Reply{Text: err.Error()}
	}
	return Reply{Text: fmt.Sprintf("Did the first open item, request %d.", q.Seq)}
}

// Event is one line of vomgr's history.
type Event struct {
	Time    time.Time `json:"time"`
	Chain   string    `json:"chain"`
	Hop     int       `json:"hop"`
	Step    string    `json:"step"`
	Source  Tool      `json:"source"`
	Target  Tool      `json:"target"`
	Project string    `json:"project"`
	Detail  string    `json:"detail"`
	Error   string    `json:"error"`
}

// History reads history.jsonl; with steps given only these.
func (n *Night) History(t *testing.T, steps ...string) []Event {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(n.Home.Dir, ".vexy-overnight/history.jsonl"))
	if os.IsNotExist(err) {
		return nil
	}
	must(t, err)
	var all []Event
	for line := range strings.Lines(string(text)) {
		var e Event
		if !strings.HasSuffix(line, "\n") {
			break // being written
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("history.jsonl: %v: %s", err, line)
		}
		if len(steps) == 0 || slices.Contains(steps, e.Step) {
			all = append(all, e)
		}
	}
	return all
}

// UntilEnded waits until the chain of the project has ended, each further turn within 90 s, and nothing more happens for 3 s.
func (n *Night) UntilEnded(t *testing.T) {
	t.Helper()
	for seen := -1; len(n.ended(t)) == 0; {
		seen = len(n.Model.Turns())
		n.Until(t, 90*time.Second, fmt.Sprintf("the chain ends or goes on after %d turns", seen), func() bool {
			return len(n.Model.Turns()) > seen || len(n.ended(t)) > 0
		})
	}
	n.UntilQuiet(t, 20*time.Second, 3*time.Second, "nothing happens any more", func() int { return len(n.Model.Requests()) + len(n.History(t)) })
}

func (n *Night) ended(t *testing.T) []Event {
	t.Helper()
	return slices.DeleteFunc(n.History(t, "ended"), func(e Event) bool { return e.Project != n.Dir })
}

// Finds waits until the assistants of the home are these, in any order, and returns them.
func (n *Night) Finds(t *testing.T, want ...Tool) []Proc {
	t.Helper()
	slices.Sort(want)
	var got []Proc
	n.Until(t, 15*time.Second, fmt.Sprintf("alive are exactly %v", want), func() bool {
		got = assistantsOf(n.Home.Dir)
		tools := make([]Tool, 0, len(got))
		for _, p := range got {
			tools = append(tools, p.Tool)
		}
		slices.Sort(tools)
		return slices.Equal(tools, want)
	})
	return got
}
