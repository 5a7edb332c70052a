package assistant

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/edit"
	"github.com/vexyart/vomgr/internal/world"
)

func config(t *testing.T, name Name, file string) Config {
	t.Helper()
	a, ok := Get(name)
	if !ok {
		t.Fatal(name)
	}
	for _, c := range a.Configs(world.World{Home: "/home/someone"}) {
		if filepath.Base(c.Path) == file {
			return c
		}
	}
	t.Fatal(name, file)
	return Config{}
}

func claudeConfig(t *testing.T) Config { return config(t, Claude, "settings.json") }
func codexToml(t *testing.T) Config    { return config(t, Codex, "config.toml") }

func testdata(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "edit", "testdata", "config", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// registered registers and checks what every registration owes: a second time changes nothing, taking out leaves none of
// ours, and gives doc back if that is said.
func registered(t *testing.T, c Config, doc string, r Registration, back bool) string {
	t.Helper()
	out, err := c.Register([]byte(doc), r)
	if err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	again, err := c.Register(out, r)
	if err != nil || string(again) != string(out) {
		t.Errorf("again: %v\n%s", err, cmp.Diff(string(out), string(again)))
	}
	s, err := c.State(out)
	if err != nil || !s.Registered() {
		t.Errorf("state %+v, %v", s, err)
	}
	bare, err := c.Unregister(out, nil)
	if err != nil || back && string(bare) != doc {
		t.Errorf("taken out: %v\n%s", err, cmp.Diff(doc, string(bare)))
	}
	if s, err := c.State(bare); err != nil || len(s.Entries) > 0 {
		t.Errorf("taken out: state %+v, %v", s, err)
	}
	return string(out)
}

var (
	claudeReg = Registration{Hook: "/opt/vomgr/vocl-go"}
	codexReg  = Registration{Hook: "/opt/vomgr/voco-go"}
)

func TestClaudeCommand(t *testing.T) {
	c := claudeConfig(t)
	cases := []struct {
		name string
		r    Registration
		want string
	}{
		{"seed", claudeReg, `"command": "\"/opt/vomgr/vocl-go\" \"$CLAUDE_PROJECT_DIR\""`},
		{"33 JetBrains/context#29 a space in the path", Registration{Hook: "/a b/vocl-go"}, `"\"/a b/vocl-go\" \"$CLAUDE_PROJECT_DIR\""`},
		{"what a shell would expand", Registration{Hook: "/a$b`c\"d/vocl-go"}, `"\"/a\\$b\\` + "`" + `c\\\"d/vocl-go\" `},
	}
	for _, x := range cases {
		t.Run(x.name, func(t *testing.T) {
			if out := registered(t, c, "{}", x.r, true); !strings.Contains(out, x.want) {
				t.Errorf("%s lacks %s", out, x.want)
			}
		})
	}
}

// What is registered on Windows, where Claude may run a command's text through Git Bash or PowerShell.
func TestWindowsForms(t *testing.T) {
	claude := registered(t, claudeConfig(t), "{}", Registration{Hook: `C:\Users\A B\.claude\hooks\vocl-go.exe`, Windows: true, UsageLimit: true}, true)
	codex := registered(t, codexToml(t), "", Registration{Hook: `C:\Users\A B\.codex\voco-go.exe`, Windows: true}, false)
	hooks := registered(t, config(t, Codex, "hooks.json"), "", Registration{Hook: `C:\Users\A B\.codex\voco-go.exe`, Windows: true, ViaHooks: true}, false)
	t.Run("CC#21878 Git Bash eats backslashes", func(t *testing.T) {
		for _, want := range []string{`"command": "C:/Users/A B/.claude/hooks/vocl-go.exe"`, `"args": [`, `"${CLAUDE_PROJECT_DIR}"`} {
			if strings.Count(claude, want) != 2 {
				t.Errorf("%s lacks %s", claude, want)
			}
		}
		if strings.Contains(claude, `\`) || !strings.Contains(hooks, `"command": "\"C:/Users/A B/.codex/voco-go.exe\""`) {
			t.Errorf("%s\n%s", claude, hooks)
		}
	})
	t.Run("kenjaku#31 no cmd before it", func(t *testing.T) {
		if all := strings.ToLower(claude + codex + hooks); strings.Contains(all, "cmd") || strings.Contains(all, "/c ") {
			t.Error(all)
		}
	})
	t.Run("TokenTracker#361 no env before it", func(t *testing.T) {
		if want := "notify = [\"C:\\\\Users\\\\A B\\\\.codex\\\\voco-go.exe\"]\n"; codex != want {
			t.Errorf("got %s", codex)
		}
	})
}

// An entry of ours of another path or form, or of the Python original, is replaced in place and never doubled.
func TestClaudeOldEntries(t *testing.T) {
	c := claudeConfig(t)
	group := func(handler string) string {
		return "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n" + handler + "\n          }\n        ]\n      }\n    ]\n  }\n}\n"
	}
	command := func(s string) string { return "            \"command\": " + s }
	want := group(command(`"\"/opt/vomgr/vocl-go\" \"$CLAUDE_PROJECT_DIR\""`))
	for name, doc := range map[string]string{
		"another path":     group(command(`"\"/old/bin/vocl-go\" \"$CLAUDE_PROJECT_DIR\""`)),
		"unquoted":         group(command(`"/old/vocl-go $CLAUDE_PROJECT_DIR"`)),
		"the Python one":   group(command(`"\"~/.claude/hooks/vocl-go.py\" \"$CLAUDE_PROJECT_DIR\""`)),
		"with interpreter": group(command(`"python3 ~/.claude/hooks/vocl-go.py"`)),
		"by words":         group(command(`"'/old/vomgr' hook stop claude"`)),
		"exec form":        group(command(`"C:/x/vocl-go.exe",` + "\n            \"args\": [\n              \"${CLAUDE_PROJECT_DIR}\"\n            ]")),
		"exec form first":  group("            \"args\": [],\n" + command(`"/x/vocl-go"`)),
	} {
		t.Run(name, func(t *testing.T) {
			out := registered(t, c, doc, claudeReg, false)
			if diff := cmp.Diff(want, out); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("shell form to exec form", func(t *testing.T) {
		r := Registration{Hook: "C:/y/vocl-go.exe", Windows: true}
		out := registered(t, c, want, r, false)
		exec := group(command(`"C:/y/vocl-go.exe",` + "\n            \"args\": [\n              \"${CLAUDE_PROJECT_DIR}\"\n            ]"))
		if diff := cmp.Diff(exec, out); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("somebody else's", func(t *testing.T) {
		doc := group(command(`"/x/not-vocl-go && echo vocl-go"`))
		if out := registered(t, c, doc, claudeReg, true); !strings.Contains(out, "not-vocl-go") {
			t.Error(out)
		}
	})
}

// 29 sqz#21: what is there several times becomes one, the one that fits first.
func TestDuplicatesCollapse(t *testing.T) {
	doc := `{
  "hooks": {
    "Stop": [
      { "hooks": [ { "type": "command", "command": "/old/vocl-go" }, { "type": "command", "command": "bell" } ] },
      { "hooks": [ { "type": "command", "command": "\"/opt/vomgr/vocl-go\" \"$CLAUDE_PROJECT_DIR\"", "timeout": 9 } ] },
      { "hooks": [ { "type": "command", "command": "/older/vocl-go" } ] }
    ]
  }
}
`
	want := `{
  "hooks": {
    "Stop": [
      { "hooks": [ { "type": "command", "command": "bell" } ] },
      { "hooks": [ { "type": "command", "command": "\"/opt/vomgr/vocl-go\" \"$CLAUDE_PROJECT_DIR\"", "timeout": 9 } ] }
    ]
  }
}
`
	if diff := cmp.Diff(want, registered(t, claudeConfig(t), doc, claudeReg, false)); diff != "" {
		t.Error(diff)
	}
}

func TestUsageLimitEvent(t *testing.T) {
	c := claudeConfig(t)
	r := claudeReg
	r.UsageLimit = true
	both := registered(t, c, testdata(t, "01-two-groups.json"), r, true)
	s, err := c.State([]byte(both))
	if err != nil || len(s.Entries) != 2 || s.Entries[0].Event != "Stop" || s.Entries[1].Event != "StopFailure" || s.Entries[0].Program != r.Hook {
		t.Errorf("%+v, %v", s, err)
	}
	one, err := c.Register([]byte(both), claudeReg) // the setting was switched off
	if err != nil || string(one) != testdata(t, "expected/01-two-groups.json") {
		t.Errorf("%v\n%s", err, one)
	}
}

// 17 Graphify#2167: an array of events of others stays, to the last byte.
func Test17ManyForeignHooks(t *testing.T) {
	var b strings.Builder
	b.WriteString("{\n")
	for i := range 16 {
		fmt.Fprintf(&b, "  \"key%d\": %d,\n", i, i)
	}
	b.WriteString("  \"hooks\": {\n    \"Stop\": [")
	for i := range 59 {
		fmt.Fprintf(&b, "%s\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"hook%d\"\n          }\n        ]\n      }", map[bool]string{true: ","}[i > 0], i)
	}
	b.WriteString("\n    ]\n  }\n}\n")
	out := registered(t, claudeConfig(t), b.String(), claudeReg, true)
	found, err := edit.JSON.Hooks([]byte(out))
	if err != nil || len(found) != 60 || found[59].Command != `"/opt/vomgr/vocl-go" "$CLAUDE_PROJECT_DIR"` {
		t.Errorf("%d handlers, %v", len(found), err)
	}
	lines := strings.Count(out, "\n") - strings.Count(b.String(), "\n")
	if lines != 8 {
		t.Errorf("%d more lines, want the group's 8", lines)
	}
}

// 21 agent-deck: fields that others put into our own handler stay.
func Test21UnknownFieldsSurvive(t *testing.T) {
	doc := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/old/vocl-go","timeout":5,"if":"x","statusMessage":"s"}],"_source":"me"}]}}`
	want := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"\"/opt/vomgr/vocl-go\" \"$CLAUDE_PROJECT_DIR\"","timeout":5,"if":"x","statusMessage":"s"}],"_source":"me"}]}}`
	if diff := cmp.Diff(want, registered(t, claudeConfig(t), doc, claudeReg, false)); diff != "" {
		t.Error(diff)
	}
}

// 22 beads#955: nothing empty and no null stays behind.
func Test22NothingEmptyStays(t *testing.T) { registered(t, claudeConfig(t), "{}", claudeReg, true) }

// 20 herdr#2066, 26 peon-ping#569, 27 claude-mem#4010: order, escapes, byte order mark and the last line's end stay.
func TestBytesStay(t *testing.T) {
	for _, name := range []string{"15-bytes-to-keep.json", "05-bom-minified.json", "03-four-no-hooks-no-eol.json"} {
		registered(t, claudeConfig(t), testdata(t, name), claudeReg, true)
	}
	out := registered(t, claudeConfig(t), "\xef\xbb\xbf{\"model\":\"a\"}", claudeReg, true)
	if !strings.HasPrefix(out, "\xef\xbb\xbf{\"model\":\"a\",") {
		t.Error(out)
	}
}

// 18 get-shit-done#1461, 32 CC#11544, and shapes for which Claude drops the whole file: refused with place and meaning.
func TestClaudeRefusals(t *testing.T) {
	for doc, want := range map[string]string{
		"{ // x\n \"model\":\"a\"}":                                    "1:3: a comment, which json does not have; claude ignores the whole file",
		"{\n  \"a\": 1,\n}":                                            "2:9: trailing comma; claude ignores the whole file",
		`{"model":5}`:                                                  `1:10: "model" is a number where a string is expected; claude ignores the whole file`,
		`{"hooks":{"Stop":["x"]},"env":[]}`:                            `1:19: hooks.Stop[0] is a string where an object is expected; claude ignores it, and older`,
		`{"env":[],"permissions":null}`:                                `1:8: "env" is a list where an object is expected; claude`,
		`{"model":5,"model":"x","disableAllHooks":"yes"}`:              `1:42: "disableAllHooks" is a string where true or false is expected; claude`,
		`{"hooks":[{"event":"Stop"}]}`:                                 `1:10: "hooks" is a list where an object is expected`,
		`{"hooks":{"Stop":[{"type":"command","command":"x"}]}}`:        `1:19: hooks.Stop[0] has no "hooks"; claude ignores it, and older versions the whole file because of it`,
		`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command"}]}]}}`:    `1:35: hooks.PreToolUse[0].hooks[0] has no "command"; claude ignores it, and older`,
		`{"hooks":{"Stop":[{"hooks":[{"type":"x","timeout":"10"}]}]}}`: `1:51: hooks.Stop[0].hooks[0].timeout is a string where a number is expected; claude ignores it, and older`,
		`{"hooks":{"Stop":[{"matcher":1,"hooks":[]}]}}`:                `1:30: hooks.Stop[0].matcher is a number where a string is expected; claude ignores it, and older`,
		`{"hooks":{"Stop":["x"]}}`:                                     `1:19: hooks.Stop[0] is a string where an object is expected; claude ignores it, and older`,
		`{"hooks":{"Stop":[{"hooks":{}}]}}`:                            `1:28: hooks.Stop[0].hooks is an object where a list is expected; claude ignores it, and older`,
		`{"hooks":{"Stop":[{"hooks":[5]}]}}`:                           `hooks.Stop[0].hooks[0] is a number where an object is expected; claude ignores it, and older`,
		`{"hooks":{"Stop":[{"hooks":[{}]}]}}`:                          `hooks.Stop[0].hooks[0] has no "type"; claude ignores it, and older`,
	} {
		out, err := claudeConfig(t).Register([]byte(doc), claudeReg)
		var r *Refusal
		if out != nil || !errors.As(err, &r) || !strings.Contains(err.Error(), want) || r.Remedy == "" {
			t.Errorf("%s: %q, %v", doc, out, err)
		}
	}
	tolerated := `{"hooks":{"//":"x","Unheard":[1],"PreToolUse":"x","Stop":[{"//":1,"hooks":[{"type":"agent"}]}]}}`
	registered(t, claudeConfig(t), tolerated, claudeReg, true)
}

func TestClaudeHooksSwitchedOff(t *testing.T) {
	s, err := claudeConfig(t).State([]byte(`{"disableAllHooks":true}`))
	if err != nil || !s.Off || s.Registered() {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestGemini(t *testing.T) {
	c := config(t, Gemini, "settings.json")
	r := Registration{Vomgr: "/opt/it's/vomgr", Gemini: true}
	doc := "{\n  // mine\n  \"ui\": {\n    \"theme\": \"x\" /* y */\n  } // last\n}\n"
	out := registered(t, c, doc, r, true)
	for _, want := range []string{`"AfterAgent"`, `"matcher": "*"`, `"name": "vomgr"`, `"command": "'/opt/it'\\''s/vomgr' hook stop gemini"`, `"timeout": 30000`, "// mine", "/* y */", "// last"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s lacks %s", out, want)
		}
	}
	r.Windows, r.Vomgr = true, `C:\it's\vomgr.exe`
	if out := registered(t, c, "{}", r, true); !strings.Contains(out, `"command": "& 'C:\\it''s\\vomgr.exe' hook stop gemini"`) {
		t.Error(out)
	}
	if same, err := c.Register([]byte(doc), Registration{}); err != nil || string(same) != doc {
		t.Errorf("%s, %v", same, err)
	}
	if _, err := c.Register([]byte("{\"a\": 1,}"), r); err == nil || !strings.Contains(err.Error(), "1:8: trailing comma; gemini ends with status 52") {
		t.Error(err)
	}
	if _, err := c.Register([]byte("\xef\xbb\xbf{}"), r); err == nil || !strings.Contains(err.Error(), "byte order mark") {
		t.Error(err)
	}
}

// 39 CLAUDE_CONFIG_DIR, 58 CODEX_HOME, and Gemini's: honoured, empty is unset, and relative is made absolute.
func TestConfigPlaces(t *testing.T) {
	root := filepath.VolumeName(t.TempDir()) // C: on Windows, where /x is not absolute
	w := world.World{
		Home: filepath.FromSlash(root + "/h"), Dir: filepath.FromSlash(root + "/else"),
		Env: []string{"CLAUDE_CONFIG_DIR=" + root + "/x", "CODEX_HOME=", "GEMINI_CLI_HOME=g"},
	}
	var got []string
	for _, a := range All() {
		for _, c := range a.Configs(w) {
			got = append(got, filepath.ToSlash(c.Path))
		}
	}
	want := []string{root + "/x/settings.json", root + "/h/.codex/config.toml", root + "/h/.codex/hooks.json", root + "/else/g/.gemini/settings.json"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
