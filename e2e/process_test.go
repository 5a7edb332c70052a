//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endable are the assistants, with what each has below it while it works.
var endable = []struct {
	name    string
	program Program
	native  bool // the program that npm's wrapper starts, by itself
}{
	{"claude-new", ClaudeNew, false},
	{"claude-old", ClaudeOld, false},
	{"codex-npm", CodexNow, false},
	{"codex-native", CodexNow, true},
	{"gemini", GeminiNow, false},
}

// Each assistant is ended in its terminal within 6 s, with its whole tree, by vomgr stop and by the next one that takes
// its place; a second session of it, Codex's shared server and the person's shells stay, and the terminal is as it was.
func TestEnded(t *testing.T) {
	t.Parallel()
	for _, e := range endable {
		for _, way := range []string{"stop", "replaced"} {
			t.Run(e.name+"/"+way, func(t *testing.T) {
				t.Parallel()
				ended(t, e.program, e.native, way)
			})
		}
	}
}

// ending is a rig in which an assistant works in a shell's terminal, beside others.
type ending struct {
	*Rig
	tool    Tool
	dir     string
	before  terminal // of the shell's terminal, before the assistant
	tree    []Proc   // the assistant and all below it
	bystand []Proc   // whoever else is there
	shell   int      // the shell it was started from
	helper  int      // the assistant's parent
}

func ended(t *testing.T, p Program, native bool, way string) {
	t.Helper()
	r := newEnding(t, p, native)
	during := r.terminal(t)
	t.Logf("in the way of the terminal while it works: %s", during.differs(r.before))
	began := time.Now()
	if way == "stop" {
		t.Log(strings.TrimSpace(r.Home.run(t, r.dir, "vomgr", "stop", "proj")))
	} else {
		r.Tmux.Start(t, "next", r.dir, append([]string{"vomgr"}, r.run()...)...)
	}
	r.Until(t, 10*time.Second, "the whole tree is gone", func() bool { return len(alive(r.tree)) == 0 })
	took := time.Since(began)
	t.Logf("%d processes gone after %.2f s", len(r.tree), took.Seconds())
	if took > 6*time.Second && way == "stop" || took > 8*time.Second {
		t.Errorf("it took %s", took)
	}
	r.Until(t, 10*time.Second, "the shell has its terminal again", func() bool { return r.shellIsBack(t) })
	if gone := without(r.bystand, alive(r.bystand)); len(gone) > 0 {
		t.Errorf("ended although it is another's: %v", gone)
	}
	if p.Tool == Codex && !sharedServer(r.Home.Dir) {
		t.Error("codex's shared server was ended")
	}
	if after := r.terminal(t); after != r.before {
		t.Errorf("the terminal afterwards: %s", after.differs(r.before))
	}
	r.Tmux.Type(t, "night", "echo us''able; stty -a | grep -c ' icanon'")
	r.Tmux.Press(t, "night", "Enter")
	r.Until(t, 10*time.Second, "the shell answers", func() bool { return strings.Contains(r.Tmux.Screen("night"), "usable\n1") })
	r.writtenDown(t, way)
}

// newEnding starts the assistant in a shell in the project, one more of it elsewhere, and shells of the person's.
func newEnding(t *testing.T, p Program, native bool) *ending {
	t.Helper()
	bin, err := building()
	must(t, err)
	r := &ending{tool: p.Tool}
	r.Rig = NewRig(t, func(q Request) Reply {
		if q.Tool == Claude && q.Kind == Turn && q.Dir == r.dir {
			return Reply{Call: &Call{Name: "Bash", Input: obj{"command": "setsid -w sleep 98765", "description": "Wait"}}}
		}
		return Reply{}
	}, bin, p)
	if native {
		r.nativeCodex(t)
	}
	r.dir = r.Home.Project(t, "proj", "- [ ] First\n")
	other := r.Home.Project(t, "other", "- [ ] Other\n")
	r.Tmux.Start(t, "shell", r.dir, "sh", "-i")
	r.Tmux.Start(t, "other", other, commands(p.Tool, other, "hello")...)
	r.Until(t, time.Minute, "the other session had its turn", func() bool { return len(r.Model.Turns(p.Tool)) > 0 })
	if p.Tool == Codex {
		r.Until(t, time.Minute, "codex's shared server runs", func() bool { return sharedServer(r.Home.Dir) })
	}
	r.Tmux.Start(t, "night", r.dir, "sh", "-i")
	r.Until(t, 10*time.Second, "the shell shows its prompt", func() bool { return strings.Contains(r.Tmux.Screen("night"), "$") })
	r.before = r.terminal(t)
	r.bystand = r.settled(t)
	for _, p := range r.Tmux.Panes() {
		if p.Session == "night" {
			r.shell = p.PID
		}
	}
	r.Tmux.Type(t, "night", "vomgr "+strings.Join(r.run(), " "))
	r.Tmux.Press(t, "night", "Enter")
	r.Until(t, 2*time.Minute, "it works", func() bool {
		all := procsOf(r.Home.Dir)
		return slices.ContainsFunc(r.Model.Turns(p.Tool), func(q Request) bool { return q.Dir == r.dir }) &&
			(p.Tool != Claude || slices.ContainsFunc(all, func(p Proc) bool { return strings.Join(p.Args, " ") == "sleep 98765" }))
	})
	r.tree = r.below(t, r.settled(t))
	if len(r.tree) == 0 || r.tool == Claude && len(r.tree) < 3 {
		t.Fatalf("the tree: %v", r.tree)
	}
	return r
}

// However the window goes or the helper is asked to end, the assistant goes with its tree, and the history has a line of it.
func TestEndedFromOutside(t *testing.T) {
	t.Parallel()
	for _, e := range endable {
		for _, way := range []string{"window closed", "helper asked"} {
			t.Run(e.name+"/"+way, func(t *testing.T) {
				t.Parallel()
				r := newEnding(t, e.program, e.native)
				began := time.Now()
				if way == "window closed" {
					must(t, r.Tmux.command("kill-session", "-t", "=night").Run())
				} else {
					must(t, syscall.Kill(r.helper, syscall.SIGTERM))
				}
				r.Until(t, 10*time.Second, "the whole tree is gone", func() bool { return len(alive(r.tree)) == 0 })
				t.Logf("%d processes gone after %.2f s", len(r.tree), time.Since(began).Seconds())
				bystand := slices.DeleteFunc(r.bystand, func(p Proc) bool { return way == "window closed" && p.PID == r.shell })
				if gone := without(bystand, alive(bystand)); len(gone) > 0 {
					t.Errorf("ended although it is another's: %v", gone)
				}
				r.writtenDown(t, "stop")
			})
		}
	}
}

// replace_first: the assistant that a person began is found from the hook upwards, and ended as the settings say.
func TestReplaceFirst(t *testing.T) {
	t.Parallel()
	for setting, limited := range map[string]bool{"limit": true, "always": false, "never": true} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			n := NewNight(t, "proj", 4, ClaudeNew, CodexNow)
			n.Set(t, "max_handovers", "1")
			n.edit(t, regexp.MustCompile(`(?m)^kill_old_sessions = true$`), "kill_old_sessions = true\nreplace_first = "+strconv.Quote(setting))
			n.Answer = func(q Request) Reply {
				if q.Tool == Claude && limited {
					return Reply{Status: http.StatusTooManyRequests, Text: "This request would exceed your account's rate limit."}
				}
				return n.work(q)
			}
			n.typePrompt(t, n.Dir, "Please do the first item")
			n.Until(t, time.Minute, "codex has its turn", func() bool { return len(n.Model.Turns(Codex)) > 0 })
			want := []Tool{Codex}
			if setting == "never" {
				want = append(want, Claude)
			}
			n.UntilEnded(t)
			n.Finds(t, want...)
			for _, e := range n.History(t, "replaced") {
				t.Logf("history: replaced %s %s", e.Detail, e.Error)
			}
			if setting != "never" {
				n.Tmux.Type(t, "mine", "echo us''able")
				n.Tmux.Press(t, "mine", "Enter")
				n.Until(t, 10*time.Second, "the person's shell answers", func() bool { return strings.Contains(n.Tmux.Screen("mine"), "usable") })
			}
		})
	}
}

// run is how a person starts the assistant under vomgr: Claude without --continue, since there is nothing to go on with.
func (r *ending) run() []string {
	if r.tool == Claude {
		return append([]string{"run", "claude", "--"}, commands(Claude, r.dir, "hello")[1:]...)
	}
	return []string{"run", string(r.tool)}
}

// settled lists the processes of the home once nothing has come or gone for 2 s.
func (r *ending) settled(t *testing.T) []Proc {
	t.Helper()
	var all []Proc
	r.UntilQuiet(t, time.Minute, 2*time.Second, "no process comes or goes", func() int {
		all = procsOf(r.Home.Dir)
		sum := 0
		for _, p := range all {
			sum += p.PID * p.PID
		}
		return sum
	})
	return all
}

// below lists the assistant that vomgr recorded and everything under it, but Codex's shared server.
func (r *ending) below(t *testing.T, all []Proc) []Proc {
	t.Helper()
	n := &Night{Rig: r.Rig, Dir: r.dir}
	var s struct{ PID int }
	n.readJSON(t, ".vexy-overnight/session_state.json", &s)
	in := map[int]bool{s.PID: true}
	var tree []Proc
	for range all { // a child may have a smaller number
		tree = tree[:0]
		for _, p := range all {
			if p.PID == s.PID {
				r.helper = p.PPID
			}
			if p.PID == s.PID || in[p.PPID] && !slices.Contains(p.Args, "app-server") {
				in[p.PID] = true
				tree = append(tree, p)
			}
		}
	}
	for _, p := range tree {
		t.Logf("of the tree: %s", p)
	}
	return tree
}

// nativeCodex puts the program that npm's wrapper would start on PATH as codex.
func (r *ending) nativeCodex(t *testing.T) {
	t.Helper()
	bin, err := CodexNow.Install()
	must(t, err)
	found, err := exec.Command("find", filepath.Dir(bin), "-path", "*vendor*", "-name", "codex", "-type", "f").Output()
	must(t, err)
	native, _, _ := strings.Cut(string(found), "\n")
	dir := filepath.Join(r.Home.Dir, "native")
	must(t, os.Mkdir(dir, 0o700))
	must(t, os.Symlink(native, filepath.Join(dir, "codex")))
	r.Home.path = append([]string{dir}, r.Home.path...)
}

// terminal is the state of a terminal: its modes, and what escape sequences have switched.
type terminal struct{ modes, flags string }

const flags = "alternate_on mouse_any_flag mouse_all_flag mouse_sgr_flag mouse_utf8_flag keypad_flag keypad_cursor_flag insert_flag origin_flag wrap_flag cursor_flag"

// terminal reads the state of the session "night" from outside.
func (r *ending) terminal(t *testing.T) terminal {
	t.Helper()
	var format []string
	for _, f := range strings.Fields(flags) {
		format = append(format, f+"=#{"+f+"}")
	}
	out, err := r.Tmux.command("display-message", "-p", "-t", "=night:", "#{pane_tty} "+strings.Join(format, " ")).Output()
	must(t, err)
	tty, set, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	modes, err := exec.Command("stty", "-a", "-F", tty).Output()
	must(t, err)
	return terminal{string(modes), set}
}

// differs says in which words.
func (x terminal) differs(from terminal) string {
	was := strings.Fields(from.modes + " " + from.flags)
	return fmt.Sprint(slices.DeleteFunc(strings.Fields(x.modes+" "+x.flags), func(w string) bool { return slices.Contains(was, w) }))
}

func (r *ending) shellIsBack(t *testing.T) bool {
	t.Helper()
	out, err := r.Tmux.command("display-message", "-p", "-t", "=night:", "#{pane_current_command}").Output()
	must(t, err)
	return strings.TrimSpace(string(out)) == "sh"
}

// writtenDown checks that the history tells how it ended.
func (r *ending) writtenDown(t *testing.T, way string) {
	t.Helper()
	n := &Night{Rig: r.Rig, Dir: r.dir}
	want := map[string]string{"stop": string(r.tool) + ", status ", "replaced": "replaced"}[way]
	r.Until(t, 5*time.Second, "the history tells of the end", func() bool {
		return slices.ContainsFunc(n.History(t, "exited"), func(e Event) bool { return strings.HasPrefix(e.Detail, want) })
	})
	for _, e := range n.History(t) {
		if e.Step == "exited" || e.Step == "replaced" || e.Step == "ended" || e.Error != "" {
			t.Logf("history: %s %s %s", e.Step, e.Detail, e.Error)
		}
	}
}

// alive lists those that live still.
func alive(all []Proc) []Proc {
	return slices.DeleteFunc(slices.Clone(all), func(p Proc) bool {
		now, ok := readProc(p.PID)
		return !ok || syscall.Kill(p.PID, 0) != nil || now.PPID == 0 || now.Exe != p.Exe && p.Exe != ""
	})
}

func without(all, some []Proc) []Proc {
	return slices.DeleteFunc(slices.Clone(all), func(p Proc) bool {
		return slices.ContainsFunc(some, func(o Proc) bool { return o.PID == p.PID })
	})
}
