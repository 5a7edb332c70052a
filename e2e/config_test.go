//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The real programs with each configuration file of internal/edit/testdata/config that vomgr accepts: after enable the hook
// is called exactly once a turn; and when the program itself has rewritten the file, what disable leaves is what it would
// have made of the original.

// refusedFiles are those that the assistants themselves reject or ignore, and vomgr refuses.
var refusedFiles = map[string]bool{
	"08-jsonc-comments.json": true, "09-trailing-comma.json": true, "10-hooks-is-list.json": true, "11-stop-is-object.json": true,
	"20-truncated-and-conflict.json": true, "28-duplicate-notify.toml": true,
}

// ownedFiles hold an older hook of vomgr's already, which stays gone.
var ownedFiles = map[string]bool{"17-already-shared-group.json": true, "18-already-old-path.json": true}

// keptLines are lines that Codex loses when it rewrites the original, since they stand directly above its own tables, and
// that our line protects.
var keptLines = map[string]string{"21-table-first-with-schema.toml": "#:schema https://example.invalid/config.schema.json\n\n"}

// configFiles reads the accepted inputs with that ending.
func configFiles(t *testing.T, ending string) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../internal/edit/testdata/config/*." + ending)
	must(t, err)
	all := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		must(t, err)
		if !refusedFiles[filepath.Base(name)] {
			all[filepath.Base(name)] = string(text)
		}
	}
	if len(all) < 5 {
		t.Fatalf("only %d inputs", len(all))
	}
	return all
}

// subject is one assistant whose configuration is edited, without a terminal.
type subject struct {
	*Night
	tool    Tool
	config  string // its file, below the home
	rewrite [][]string
}

func newSubject(t *testing.T, p Program) *subject {
	t.Helper()
	bin, err := building()
	must(t, err)
	s := &subject{Night: &Night{}, tool: p.Tool, config: map[Tool]string{Claude: ".claude/settings.json", Codex: ".codex/config.toml"}[p.Tool]}
	s.Rig = NewRig(t, nil, bin, p)
	s.Dir = s.Home.Project(t, "proj", "- [ ] First\n")
	s.Home.Write(t, "market/.claude-plugin/marketplace.json", `{"name":"mine","owner":{"name":"me"},"plugins":[{"name":"small","source":"./small","description":"d"}]}`)
	s.Home.Write(t, "market/small/.claude-plugin/plugin.json", `{"name":"small","version":"1.0.0","description":"d"}`)
	if p.Tool == Claude {
		s.rewrite = [][]string{{"claude", "plugin", "marketplace", "add", filepath.Join(s.Home.Dir, "market")}, {"claude", "plugin", "install", "small@mine"}}
	} else {
		s.rewrite = [][]string{{"codex", "mcp", "add", "small", "--", "true"}}
	}
	return s
}

// reset makes the configuration what a case says, and forgets what the assistant and vomgr know of another one.
func (s *subject) reset(t *testing.T, text string) {
	t.Helper()
	for _, dir := range []string{".vexy-overnight", ".claude/plugins"} {
		must(t, os.RemoveAll(filepath.Join(s.Home.Dir, dir)))
	}
	s.Home.Write(t, s.config, text)
}

func (s *subject) read(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Home.Dir, s.config))
	must(t, err)
	return string(text)
}

func (s *subject) vomgr(t *testing.T, args ...string) {
	t.Helper()
	s.Home.run(t, s.Dir, "vomgr", append(args, string(s.tool))...)
}

// rewritten lets the assistant rewrite its configuration.
func (s *subject) rewritten(t *testing.T) string {
	t.Helper()
	for _, argv := range s.rewrite {
		s.Home.run(t, s.Dir, argv[0], argv[1:]...)
	}
	return s.read(t)
}

// turn lets the assistant answer once, without a terminal, and with its service named on the command line only.
func (s *subject) turn(t *testing.T) *exec.Cmd {
	t.Helper()
	if s.tool == Claude {
		return s.Home.command(s.Dir, "claude", "-p", "hello")
	}
	return s.Home.command(s.Dir, "codex", "exec", "--skip-git-repo-check", "-c", `model_provider="mock"`,
		"-c", `model_providers.mock={name="mock",base_url="`+s.Model.URL+`/v1",wire_api="responses",env_key="MOCK_KEY"}`, "hello")
}

// calledOnce runs a turn and wants exactly one call of the hook.
func (s *subject) calledOnce(t *testing.T) {
	t.Helper()
	cmd := s.turn(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	s.Until(t, 20*time.Second, "the hook is called", func() bool { return len(s.History(t, "called")) > 0 })
	s.UntilQuiet(t, 20*time.Second, time.Second, "it is called no more", func() int { return len(s.History(t)) })
	if calls := s.History(t, "called"); len(calls) != 1 || calls[0].Source != s.tool {
		t.Errorf("called: %+v", calls)
	}
}

// TestConfigFiles holds, for every accepted input: the assistant calls the hook once, and what it rewrites comes back clean.
func TestConfigFiles(t *testing.T) {
	t.Parallel()
	for _, p := range []Program{ClaudeOld, ClaudeNew, CodexNow} {
		t.Run(string(p.Tool)+"-"+p.Version, func(t *testing.T) {
			t.Parallel()
			s := newSubject(t, p)
			ending := map[Tool]string{Claude: "json", Codex: "toml"}[p.Tool]
			for name, text := range configFiles(t, ending) {
				t.Run(name, func(t *testing.T) {
					s.reset(t, text)
					s.vomgr(t, "enable", "--everywhere")
					s.calledOnce(t)
					s.vomgr(t, "disable")
				})
				if ownedFiles[name] {
					continue
				}
				t.Run(name+" rewritten", func(t *testing.T) {
					s.reset(t, text)
					want := s.rewritten(t)
					if want == text {
						t.Fatal("the assistant rewrote nothing")
					}
					s.reset(t, text)
					s.vomgr(t, "enable", "--everywhere")
					between := s.rewritten(t)
					s.vomgr(t, "disable")
					if got := s.read(t); got != want && got != keptLines[name]+want {
						t.Errorf("(-want +got)\n%s\nbetween\n%s", cmp.Diff(want, got), between)
					}
				})
			}
		})
	}
}

// A hook whose program is gone, as after an uninstallation by hand, does not stop Claude (amplihack#3060).
func TestClaudeWithoutTheProgram(t *testing.T) {
	for _, p := range []Program{ClaudeOld, ClaudeNew} {
		t.Run(p.Version, func(t *testing.T) {
			s := newSubject(t, p)
			s.vomgr(t, "enable", "--everywhere")
			must(t, os.Remove(filepath.Join(s.Home.Dir, ".claude/hooks/vocl-go")))
			out, err := s.turn(t).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "Done.") {
				t.Errorf("%v\n%s", err, out)
			}
			if n := len(s.Model.Turns(Claude)); n != 1 {
				t.Errorf("%d turns, want one", n)
			}
		})
	}
}

// HOOK stands for the registered group in these files, which Claude passes over, or does not look into where it stands.
var ignoredByClaude = []string{
	"{ // x\n\"hooks\":{\"Stop\":[HOOK]}}", `{"hooks":{"Stop":[HOOK,]}}`, "<<<<<<< HEAD\n{\"hooks\":{\"Stop\":[HOOK]}}\n", `{"hooks":{"Stop":[HOOK]`,
	`{"hooks":[HOOK]}`, `{"hooks":{"Stop":HOOK}}`,
	`{"model":5,"hooks":{"Stop":[HOOK]}}`, `{"permissions":"x","hooks":{"Stop":[HOOK]}}`, `{"env":[],"hooks":{"Stop":[HOOK]}}`,
	`{"disableAllHooks":"x","hooks":{"Stop":[HOOK]}}`, `{"statusLine":"x","hooks":{"Stop":[HOOK]}}`,
	`{"hooks":{"Stop":[HOOK],"PreToolUse":[{"hooks":[{"type":"command"}]}]}}`,
	`{"hooks":{"Stop":[HOOK,{"type":"command","command":"true"}]}}`, `{"hooks":{"Stop":[HOOK,{"matcher":1,"hooks":[]}]}}`, `{"hooks":{"Stop":[HOOK,{"hooks":[{"type":"command","command":"true","timeout":"9"}]}]}}`,
}

// lenient are files of which Claude Code 2.1.332 passes over one hook only, 2.1.197 over all.
var lenient = ignoredByClaude[len(ignoredByClaude)-3:]

// What vomgr refuses would not work: Claude does not call a hook in such a file, and Codex does not start.
func TestWhatIsRefusedWouldNotWork(t *testing.T) {
	t.Parallel()
	for _, p := range []Program{ClaudeOld, ClaudeNew} {
		t.Run("claude-"+p.Version, func(t *testing.T) {
			t.Parallel()
			s := newSubject(t, p)
			s.vomgr(t, "enable", "--everywhere")
			group := `{"hooks":[{"type":"command","command":"\"` + s.Home.Dir + `/.claude/hooks/vocl-go\""}]}`
			for _, text := range append(ignoredByClaude, `{"hooks":{"Stop":[HOOK]}}`) {
				s.Home.Write(t, s.config, strings.ReplaceAll(text, "HOOK", group))
				refused := s.Home.command(s.Dir, "vomgr", "enable", "--everywhere", "claude", "--dry-run").Run() != nil
				calls := len(s.History(t, "called"))
				if out, err := s.turn(t).CombinedOutput(); err != nil {
					t.Errorf("%s: %v, %s", text, err, out)
				}
				time.Sleep(200 * time.Millisecond)
				if called := len(s.History(t, "called")) > calls; called == refused && (p == ClaudeOld || !slices.Contains(lenient, text)) {
					t.Errorf("%s: refused %v, and the hook was called: %v", text, refused, called)
				}
			}
		})
	}
	t.Run("codex-"+CodexNow.Version, func(t *testing.T) {
		s := newSubject(t, CodexNow)
		for _, text := range []string{"notify = 'x'\n", "notify = [1]\n", "a = 1\na = 2\n", "[a]\n[a]\n", "a = \n", "x = \"\xe4\"\n", "<<<<<<< HEAD\n", "x = 1\n"} {
			s.Home.Write(t, s.config, text)
			refused := s.Home.command(s.Dir, "vomgr", "enable", "--everywhere", "codex", "--dry-run").Run() != nil
			out, err := s.turn(t).CombinedOutput()
			if started := err == nil; started == refused {
				t.Errorf("%q: refused %v, and codex started: %v\n%s", text, refused, started, out)
			}
		}
	})
}
