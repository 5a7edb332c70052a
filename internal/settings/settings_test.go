package settings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustParse(t *testing.T, doc string) Settings {
	t.Helper()
	s, _, err := Parse([]byte(doc))
	if err != nil {
		t.Fatalf("Parse(%q): %v", doc, err)
	}
	return s
}

// given leaves out what only Parse itself needs.
func given(s Settings) Settings {
	s.promptsGiven = PerTool[bool]{}
	return s
}

func TestFreshFile(t *testing.T) {
	s, unknown, err := Parse(Default)
	if err != nil || len(unknown) != 0 {
		t.Fatalf("Parse(Default): unknown %v, error %v", unknown, err)
	}
	for _, tool := range []string{"claude", "codex", "gemini"} {
		if p := s.Prompt(tool); !strings.HasPrefix(p, "Continue the work {source} left in this project ({reason}).") || !strings.HasSuffix(p, ".\n") {
			t.Errorf("prompt of %s: %q", tool, p)
		}
	}
	want := Settings{
		KillOldSessions:      true,
		HandoverOnUsageLimit: true,
		CommandStyle:         "auto",
		ReplaceFirst:         "limit",
		Continuations: PerTool[Continuation]{
			Claude: Continuation{true, "codex"}, Codex: Continuation{true, "claude"}, Gemini: Continuation{false, "claude"},
		},
		Prompts:       s.Prompts,
		Notifications: Notifications{Enabled: true, Message: "Handing over to {target}", Sound: "Glass", Desktop: "ends"},
		Terminals:     Terminals{Defaults: PerPlatform{Linux: []string{"auto"}}},
		Scope:         Scope{Mode: "everywhere", Folders: []string{}},
		Limits:        Limits{50, 12, 20, 5, 3, "auto", ""},
	}
	if d := cmp.Diff(want, given(s), cmp.AllowUnexported(Settings{})); d != "" {
		t.Errorf("fresh file (-want +got):\n%s", d)
	}
}

// A file of the Python original has few tables; the rest is as in the fresh file, but no terminal is configured.
func TestMissingKeys(t *testing.T) {
	def := mustParse(t, string(Default))
	for _, doc := range []string{"", "kill_old_sessions = true\n", "[continuations.claude]\nenabled = true\n", "[limits]\nmax_hours = 12\n", "[prompts]\n"} {
		want := given(def)
		want.Terminals = Terminals{}
		want.Scope.Folders = nil
		if d := cmp.Diff(want, given(mustParse(t, doc)), cmp.AllowUnexported(Settings{})); d != "" {
			t.Errorf("%q (-want +got):\n%s", doc, d)
		}
	}
	s := mustParse(t, "[prompts]\nclaude = ''\n")
	if s.Prompt("claude") != "" || s.Prompt("codex") != def.Prompt("codex") {
		t.Errorf("an empty prompt is what the person wrote: %q, %q", s.Prompt("claude"), s.Prompt("codex"))
	}
}

func TestEveryKey(t *testing.T) {
	s := mustParse(t, `
kill_old_sessions = false
handover_on_usage_limit = false
command_style = "documented"
replace_first = 'never'
continuations = { claude = { enabled = false, target = "gemini" }, codex.target = "nobody" }
prompts.claude = "c"
prompts.codex = """
x \
   y"""
prompts.gemini = '''
{todo}
'''
commands.claude = ["claude", "{prompt}"]
commands.gemini = []
[notifications]
enabled = false
message = "m"
sound = ""
desktop = "all"
[terminals]
keep_open = true
[terminals.defaults]
darwin = ["d"]
windows = ["w", "{command}"]
linux = ["l"]
[terminals.per_tool.codex]
linux = [
  "kitty", # a comment
  "{command}",
]
[terminals.per_tool]
claude.linux = []
[scope]
mode = "only"
folders = ["~/src", "/x"]
[limits]
max_handovers = 1_000
max_hours = 0
max_per_hour = 0x10
max_quick = +1
stop_when_stalled = 0
stop_when_done = false
until = "7:00"
`)
	want := Settings{
		CommandStyle: StyleDocumented, ReplaceFirst: ReplaceNever,
		Continuations: PerTool[Continuation]{
			Claude: Continuation{false, "gemini"}, Codex: Continuation{true, "nobody"}, Gemini: Continuation{false, "claude"},
		},
		Prompts:       PerTool[string]{"c", "x y", "{todo}\n"},
		Commands:      PerTool[[]string]{Claude: []string{"claude", "{prompt}"}, Gemini: []string{}},
		Notifications: Notifications{false, "m", "", DesktopAll},
		Terminals: Terminals{
			Defaults: PerPlatform{Darwin: []string{"d"}, Windows: []string{"w", "{command}"}, Linux: []string{"l"}},
			PerTool: PerTool[PerPlatform]{
				Codex: PerPlatform{Linux: []string{"kitty", "{command}"}}, Claude: PerPlatform{Linux: []string{}},
			},
			KeepOpen: true,
		},
		Scope:  Scope{OnlyFolders, []string{"~/src", "/x"}},
		Limits: Limits{1000, 0, 16, 1, 0, DoneFalse, "7:00"},
	}
	if d := cmp.Diff(want, given(s), cmp.AllowUnexported(Settings{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, c := range []struct{ tool, platform, want string }{
		{"codex", "linux", "kitty {command}"},
		{"claude", "linux", "l"}, // an empty list configures nothing
		{"gemini", "linux", "l"},
		{"codex", "windows", "w {command}"},
		{"codex", "plan9", ""},
		{"nobody", "darwin", "d"},
	} {
		if got := strings.Join(s.Template(c.tool, c.platform), " "); got != c.want {
			t.Errorf("Template(%s, %s) = %q, want %q", c.tool, c.platform, got, c.want)
		}
	}
	if c := s.Continuation("nobody"); c != (Continuation{}) {
		t.Errorf("Continuation of no assistant: %+v", c)
	}
	if c := s.Command("claude"); len(c) != 2 || s.Command("codex") != nil {
		t.Errorf("Command: %q", c)
	}
}

// A byte order mark and Windows line ends change nothing of what the file says.
func TestByteOrderMarkAndLineEnds(t *testing.T) {
	want := given(mustParse(t, string(Default)))
	crlf := strings.ReplaceAll(string(Default), "\n", "\r\n")
	for name, doc := range map[string]string{"bom": "\xef\xbb\xbf" + string(Default), "crlf": crlf, "both": "\xef\xbb\xbf" + crlf} {
		if d := cmp.Diff(want, given(mustParse(t, doc)), cmp.AllowUnexported(Settings{})); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	if s := mustParse(t, `prompts.claude = "a\r\nb"`); s.Prompt("claude") != "a\r\nb" {
		t.Errorf("an escaped carriage return is meant: %q", s.Prompt("claude"))
	}
	_, unknown, err := Parse([]byte("\xef\xbb\xbfkill = 1\r\n\r\n[nope]\r\n"))
	if d := cmp.Diff([]Unknown{{"kill", 1}, {"nope", 3}}, unknown); err != nil || d != "" {
		t.Errorf("error %v, unknown keys (-want +got):\n%s", err, d)
	}
}

func TestUnknownKeys(t *testing.T) {
	_, unknown, err := Parse([]byte(`colour = true
continuations.cursor.enabled = true
limits = { max_naps = 3, until = "" }
[scope.more]
a = 1
b.c = { d = 1 }
[terminals.defaults]
win32 = ["x"]
"p q" = 1
[[hooks]]
x = 1
[[hooks]]
x = 1
[prompts]
CLAUDE = "case counts"
`))
	want := []Unknown{
		{"colour", 1},
		{"continuations.cursor.enabled", 2},
		{"limits.max_naps", 3},
		{"scope.more", 4},
		{"terminals.defaults.win32", 8},
		{`terminals.defaults."p q"`, 9},
		{"hooks", 10},
		{"hooks", 12},
		{"prompts.CLAUDE", 15},
	}
	if d := cmp.Diff(want, unknown); err != nil || d != "" {
		t.Errorf("error %v, unknown keys (-want +got):\n%s", err, d)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{"a = \n", "line 1, column 5: "},
		{"x", "line 1, column 1: expected '=' after key"},
		{"a = 1\nb = 2 c = 3\n", "line 2, column 7: expected newline"},
		{"a = 1\r", "line 1, column 6: expected newline"},
		{"\xef\xbb\xbfkill_old_sessions = 1", "line 1, column 21: kill_old_sessions: expected true or false, found 1"},
		{"\n\nkill_old_sessions = \"true\"", `line 3, column 21: kill_old_sessions: expected true or false, found "true"`},
		{"handover_on_usage_limit = []", "handover_on_usage_limit: expected true or false, found a list"},
		{`command_style = "python"`, `column 17: command_style: expected "auto" or "documented", found "python"`},
		{"replace_first = true", `replace_first: expected "limit" or "always" or "never", found true`},
		{"[continuations.claude]\nenabled = \"yes\"", `line 2, column 11: continuations.claude.enabled: expected true or false, found "yes"`},
		{"[continuations.claude]\ntarget = 3", "line 2, column 10: continuations.claude.target: expected a text in quotes"},
		{"continuations.claude = true", "column 1: continuations.claude: expected a table, found true"},
		{"continuations = []", "continuations: expected a table, found a list"},
		{"[prompts]\nclaude = ['a']", "line 2, column 1: prompts.claude: expected a text in quotes"},
		{`prompts.claude = "a\u0000b"`, "prompts.claude: expected a text in quotes, without a NUL"},
		{"[prompts.claude]", "column 2: prompts.claude: expected a value, found a table"},
		{"prompts.claude.text = 'a'", "column 1: prompts.claude: expected a value, found a table"},
		{"prompts.claude.text = {}", "prompts.claude: expected a value, found a table"},
		{"kill_old_sessions = {}", "kill_old_sessions: expected true or false, found a table"},
		{"commands.codex = 'codex {prompt}'", `commands.codex: expected a list of texts, found "codex {prompt}"`},
		{"commands.codex = [\n  'codex',\n  1,\n]", "line 3, column 3: commands.codex: expected a list of texts, found 1"},
		{"commands.codex = ['', 'x']", "commands.codex: expected a first text that is not empty"},
		{"[terminals.defaults]\nlinux = \"xterm -e {command}\"", "line 2, column 9: terminals.defaults.linux: expected a list of texts"},
		{"[terminals]\nlinux = ['x']\nkeep_open = 0", "line 3, column 13: terminals.keep_open: expected true or false, found 0"},
		{"[[terminals.per_tool]]", "terminals.per_tool: expected one table, [terminals.per_tool], found a list of tables"},
		{"[notifications]\nsound = false", "notifications.sound: expected a text in quotes"},
		{"[notifications]\ndesktop = 'some'", `notifications.desktop: expected "ends" or "all" or "never", found "some"`},
		{"[scope]\nmode = 'nowhere'", `line 2, column 8: scope.mode: expected "everywhere" or "armed" or "only", found "nowhere"`},
		{"[scope]\nmode = ''", `found ""`},
		{"[scope]\nfolders = '~/src'", "scope.folders: expected a list of texts"},
		{"[limits]\nmax_hours = -1", "line 2, column 13: limits.max_hours: expected a whole number from 0 to 1000000, found -1"},
		{"[limits]\nmax_hours = 1.5", "limits.max_hours: expected a whole number from 0 to 1000000, found 1.5"},
		{"[limits]\nmax_hours = 99999999999999999999", "limits.max_hours: expected a whole number"},
		{"[limits]\nmax_hours = '12'", `found "12"`},
		{"[limits]\nmax_hours = 07", "line 2, column 13: integers cannot have leading zeroes"},
		{"[limits]\nuntil = '25:00'", `limits.until: expected a time in quotes, like "07:00", or "", found "25:00"`},
		{"[limits]\nuntil = '7 am'", "limits.until: expected a time"},
		{"[limits]\nuntil = 07:00:00", "limits.until: expected a time in quotes, like \"07:00\", or \"\", found a date or time"},
		{"[limits]\nstop_when_done = 'true'", `limits.stop_when_done: expected "auto", true or false, found "true"`},
		{"[limits]\nstop_when_done = 1", "limits.stop_when_done: expected"},
		{"[limits]\nmax_hours = 1\nmax_hours = 2", "line 3, column 1: limits.max_hours: given twice, first on line 2"},
		{"[limits]\n[scope]\n[limits]", "line 3, column 2: limits: given twice, first on line 1"},
		{"limits.max_hours = 1\n[limits]", "line 2, column 2: limits: given twice, first on line 1"},
		{"limits = {}\n[limits]", "limits: given twice, first on line 1"},
		{"limits = { max_hours = 1, max_hours = 1 }", "column 27: limits.max_hours: given twice"},
		{"x = 1\nx = 2", "line 2, column 1: x: given twice"},
		{"x = { y = 1, y = 2 }", "x.y: given twice"},
		{"[x]\n[[x]]", "line 2, column 3: x: given twice"},
		{"prompts.claude = '''" + strings.Repeat("é", 50), "line 1, column "},
		{"[scope]\nmode = '" + strings.Repeat("é", 50) + "'", `found "` + strings.Repeat("é", 20) + `..."`},
	} {
		_, _, err := Parse([]byte(c.doc))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%q)\n got %v\nwant %s", c.doc, err, c.want)
		}
	}
}
