package edittest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// TOML generates a config.toml as Codex has them; most are valid. Some hold a notify program, of somebody else's or ours.
func TOML(t *rapid.T) []byte {
	nl := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "newline")
	var lines []string
	if rapid.IntRange(0, 4).Draw(t, "soup") == 0 {
		lines = rapid.SliceOfN(rapid.SampledFrom(soup), 0, 8).Draw(t, "lines")
	} else {
		lines = anyLines(t)
	}
	bom := rapid.SampledFrom([]string{"", "", "\xef\xbb\xbf"}).Draw(t, "bom")
	end := rapid.SampledFrom([]string{"", nl}).Draw(t, "end")
	return []byte(bom + strings.Join(lines, nl) + end)
}

// soup are lines that real files have; together they may be nothing at all.
var soup = []string{
	"", "# notify = ['old']", "#:schema https://example.invalid/x.json", "model = \"m1\" # [not a table]", "approval='never'",
	"  indented = 1", "big = 1_000_000", "when = 1979-05-27T07:32:00Z", "x = 0.1e5", "\"quoted key\" = 'v'",
	"a.b = 1", "a.c = { d = [1, {e = 2}] }", "list = [", "  1, # ]", "]", "text = \"\"\"", "[notify]", "\"\"\"", "lit = '''", "'''",
	"notify = []", "\"notify\" = [ ] # none", "notify = ['/bin/ding', \"-x\"]", "notify = [ # c", "  '/bin/ding', # one ]", "  \"-x\"", "notify.x = 1",
	"[tui]", "notify = [\"decoy\"]", "[projects.\"/home/someone/a.b c\"]", "trust_level = \"trusted\"", "[[hooks.Stop]]", "[[hooks.Stop.hooks]]",
	"[continuations.claude]", "[continuations]", "claude = { enabled = false }", "claude.enabled = true # on", "enabled = true", "enabled = false", "target = 'codex'",
	"continuations.claude.target = \"codex\"", "[continuations.codex]", "[a]", "[a.b]", "[[continuations]]",
}

var (
	values = []string{
		"1", "1_000", "-0", "0x1F", "1e2", "0.10", "inf", "true", "\"a # b\"", "'c:\\d'", "\"\\u00e9 é\"", "\"\"\"\na ] = [b]\n\"\"\"", "'''\n# no\n'''",
		"1979-05-27T07:32:00Z", "07:32:00", "[]", "[1, 2,\n  3, # three ]\n]", "{}", "{ a = 1, b.c = [{}] }", "[[1], ['x']]",
	}
	notifies = []string{
		"[]", "[ ] # none", "[\n  # none\n]", "['/bin/ding', \"-x\"]", "[\"/bin/ding\"]", "[ # c\n  '/bin/ding', # one ]\n  \"-x\",\n]",
		"['/o/voco-go']", "['/o/voco-go', '--then', 'ding', '-x']", "[\n  \"~/.codex/voco-go.py\"\n]",
		"[\"/Sky\", \"turn-ended\", \"--previous-notify\", '[\"/o/voco-go\"]']", "\"a string\"", "[1]", "['a', 'b',\n\t'c']",
	}
	comments = []string{"# notify = ['old']", "#", "# [table]", "  # about what follows"}
	spelled  = []string{"%s = ", "%s=", "  %s = ", "\"%s\" = ", "'%s' = ", "%s.sub = ", "%s     = "}
	headers  = []string{"[t%d]", "[ t%d . x ]", "[t%d.\"a.b c\"]", "[[l%d]]", "  [t%d] # c", "[projects.'/home/s/p%d']"}
	ours     = []string{
		"[continuations.claude]\nenabled = false", "[continuations]\nclaude = { enabled = true }", "[continuations]\nclaude.target = 'x'", "[continuations.codex]",
	}
)

// anyLines writes pairs and tables with names of their own.
func anyLines(t *rapid.T) []string {
	var lines []string
	if rapid.IntRange(0, 5).Draw(t, "schema") == 0 {
		lines = append(lines, "#:schema https://example.invalid/x.json")
	}
	notify := rapid.IntRange(-4, 4).Draw(t, "notify at")
	pairs := rapid.IntRange(0, 4).Draw(t, "pairs")
	for i := range pairs + 1 {
		if i == notify {
			key := rapid.SampledFrom([]string{"notify = ", "notify=", "\"notify\" = ", "  notify   = "}).Draw(t, "spelled")
			lines = append(lines, key+rapid.SampledFrom(notifies).Draw(t, "notify"))
		}
		if i < pairs {
			lines = append(lines, anyPair(t, fmt.Sprintf("key%d", i))...)
		}
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "tables") {
		lines = append(lines, anyBlank(t)...)
		lines = append(lines, fmt.Sprintf(rapid.SampledFrom(headers).Draw(t, "header"), i))
		for n := range rapid.IntRange(0, 2).Draw(t, "pairs") {
			key := rapid.SampledFrom([]string{"notify", "key", "enabled"}).Draw(t, "key")
			lines = append(lines, anyPair(t, key+strings.Repeat("_", n))...)
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "ours") == 0 {
		lines = append(lines, rapid.SampledFrom(ours).Draw(t, "continuations"))
	}
	return lines
}

func anyPair(t *rapid.T, key string) []string {
	line := fmt.Sprintf(rapid.SampledFrom(spelled).Draw(t, "spelled"), key) + rapid.SampledFrom(values).Draw(t, "value")
	if rapid.IntRange(0, 3).Draw(t, "comment") == 0 {
		line += " # [why]"
	}
	return append(anyBlank(t), line)
}

func anyBlank(t *rapid.T) []string {
	switch rapid.IntRange(0, 5).Draw(t, "blank") {
	case 0:
		return []string{""}
	case 1:
		return []string{rapid.SampledFrom(comments).Draw(t, "comment")}
	}
	return nil
}
