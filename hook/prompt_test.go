package hook

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// values are looked up by the tests of fill. That of todo looks like a template itself.
func values(name string) (func() string, bool) {
	v, known := map[string]string{"todo": "- [ ] {plan} {{x}}", "plan": "PLAN", "target": "codex", "source": "claude"}[name]
	return func() string { return v }, known
}

// TestFill holds what Python 3.12's str.format gives for these templates; those it rejects, and those with another
// placeholder than ours, stay as they are.
func TestFill(t *testing.T) {
	const todo = "- [ ] {plan} {{x}}"
	for template, want := range map[string]string{
		"":                           "",
		"plain":                      "plain",
		"{todo}":                     todo,
		"{todo}{plan}":               todo + "PLAN",
		"a{target}b{source}c":        "acodexbclaudec",
		"{todo}\n{plan}\n":           todo + "\nPLAN\n",
		"{{":                         "{",
		"}}":                         "}",
		"{{}}":                       "{}",
		"}}{{":                       "}{",
		"{{todo}}":                   "{todo}",
		"{{{todo}}}":                 "{" + todo + "}",
		"{{{{todo}}}}":               "{{todo}}",
		"{todo}}}":                   todo + "}",
		"{plan}{{":                   "PLAN{",
		"{plan}}}{{":                 "PLAN}{",
		"{{unknown}} {plan}":         "{unknown} PLAN",
		"{{\"a\": {plan}}}":          "{\"a\": PLAN}",
		"{{ {todo} }}":               "{ " + todo + " }",
		"${target}":                  "$codex",
		"%s {target} %(plan)s":       "%s codex %(plan)s",
		"ünï {plan} 日本 {{é}}":        "ünï PLAN 日本 {é}",
		"not \xff valid {plan} \xc3": "not \xff valid PLAN \xc3",
	} {
		if got := fill(template, values); got != want {
			t.Errorf("%q: %q, want %q", template, got, want)
		}
	}
	for _, template := range []string{
		"{", "}", "{todo", "todo}", "{todo}}", "{{todo}", "{{{todo}}", "}{", "{}{", "{plan}{", "{todo} }", "{ {todo}", // ValueError
		"{}", "{0}", "{todo} {}", // IndexError
		"{ todo }", "{todo }", "{Todo}", "{unknown}", "{todo} {unknown}", "{\n}", "{\"a\": 1}", "\\{plan\\}", // KeyError
		"{a{todo}b}", "{todo{plan}}", "{todo:{plan}}",
		"{todo:}", "{todo!r}", "{todo!s}", "{todo:>10}", "{todo[0]}", "{todo.upper}", // Python knows these; they are other placeholders
		"$(rm -rf ~) {todo} {HOME}", "{todo}{__class__}",
	} {
		if got := fill(template, values); got != template {
			t.Errorf("%q: %q, want it as it stands", template, got)
		}
	}
}

// TestFillLooksUpOnlyWhatIsNamed: a value that costs something is worked out only where the template names it, and not
// at all where the template stays as it is.
func TestFillLooksUpOnlyWhatIsNamed(t *testing.T) {
	asked := ""
	lookup := func(name string) (func() string, bool) {
		return func() string { asked += name + " "; return "" }, name != "other"
	}
	fill("{{todo}} {plan}", lookup)
	fill("{todo} {other}", lookup)
	fill("{todo} }", lookup)
	if asked != "plan " {
		t.Errorf("worked out %q", asked)
	}
}

// TestFillLaw: a template made of text, escaped braces and placeholders gives exactly those, whatever the values are;
// with one stray brace or one other placeholder in it, it stays as it is.
func TestFillLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SliceOfN(rapid.StringMatching(`[a-z{}\n$%\\-]{0,12}`), 4, 4).Draw(t, "values")
		names := []string{"todo", "plan", "target", "source"}
		lookup := func(name string) (func() string, bool) {
			for i, n := range names {
				if n == name {
					return func() string { return value[i] }, true
				}
			}
			return nil, false
		}
		var template, want strings.Builder
		for range rapid.IntRange(0, 8).Draw(t, "pieces") {
			switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); kind {
			case 0:
				text := rapid.StringMatching(`[^{}]{0,8}`).Draw(t, "text")
				template.WriteString(text)
				want.WriteString(text)
			case 1:
				brace := rapid.SampledFrom([]string{"{", "}"}).Draw(t, "brace")
				template.WriteString(brace + brace)
				want.WriteString(brace)
			default:
				i := rapid.IntRange(0, 3).Draw(t, "name")
				template.WriteString("{" + names[i] + "}")
				want.WriteString(value[i])
			}
		}
		if got := fill(template.String(), lookup); got != want.String() {
			t.Fatalf("%q: %q, want %q", template.String(), got, want.String())
		}
		stray := rapid.SampledFrom([]string{" {other} ", " {} ", " {todo!r} ", " { ", " } "}).Draw(t, "stray")
		for _, bad := range []string{template.String() + stray + "x", "x" + stray + template.String()} {
			if got := fill(bad, lookup); got != bad {
				t.Fatalf("%q: %q, want it as it stands", bad, got)
			}
		}
	})
}

// pythons is str.format as a machine of its own that goes letter by letter: ok is false where Python, or our rule about
// other placeholders, leaves the template as it is.
func pythons(template string) (out string, ok bool) {
	var b, field strings.Builder
	inside := false
	for i := 0; i < len(template); i++ {
		c := template[i]
		twice := i+1 < len(template) && template[i+1] == c
		switch {
		case inside && c == '}':
			v, known := values(field.String())
			if !known {
				return "", false
			}
			b.WriteString(v())
			inside = false
		case inside:
			field.WriteByte(c)
		case (c == '{' || c == '}') && twice:
			b.WriteByte(c)
			i++
		case c == '{':
			inside = true
			field.Reset()
		case c == '}':
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), !inside
}

func FuzzFill(f *testing.F) {
	for _, seed := range []string{"{todo}", "{{{todo}}}", "{todo}}", "{", "a{b{c}d}e", "{}{}", "{todo}{plan}{x}", "\xff{todo}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, template string) {
		want, ok := pythons(template)
		if !ok {
			want = template
		}
		if got := fill(template, values); got != want {
			t.Errorf("%q: %q, want %q", template, got, want)
		}
	})
}

// TestPlaceholders fills every placeholder of a project that has everything, and of one that has nothing.
func TestPlaceholders(t *testing.T) {
	_, project := newWorld(t, newClock())
	v := promptValues{project: project, source: "claude", target: "codex", reason: "finished", hop: 3}
	const all = "{todo}|{plan}|{target}|{source}|{reason}|{last_message}|{hop}|{branch}|{since}|{notes}"
	want := "No open TODO items.|No plan summary available.|codex|claude|finished|No last message.|3|no branch|HEAD|No hand-over notes."
	if got := fill(all, v.lookup); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	write(t, filepath.Join(project, "TODO.md"), "# To do\n- [ ] 1\n- [x] done\n  - [ ] 2 {plan}\n* [ ] no\n- [] no\n\t- [ ]3\n- [ ]\n- [ ] 5\n- [ ] 6\n")
	write(t, filepath.Join(project, "PLAN.md"), "\n# Plan\n\n  a  \nb\n\n\nc\nd\ne\n")
	write(t, filepath.Join(project, "HANDOFF.md"), "\n\ufeffnot first\r\nsecond\x1b[2J\n\n")
	write(t, filepath.Join(project, ".git", "HEAD"), "ref: refs/heads/a/branch\n")
	v.lastMessage, v.since = "Done.\n\nNext: {todo}\x07", strings.Repeat("ab", 20)
	want = "- [ ] 1\n- [ ] 2 {plan}\n- [ ]3\n- [ ]\n- [ ] 5|# Plan\na\nb\nc\nd|codex|claude|finished|> Done.\n> \n> Next: {todo}|3|a/branch|" +
		v.since + "|\ufeffnot first\nsecond [2J"
	if got := fill(all, v.lookup); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for name := range map[string]bool{"": true, "project": true, "Todo": true, "prompt": true} {
		if _, known := v.lookup(name); known {
			t.Errorf("{%s} is known", name)
		}
	}
}

func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		" \n\t\n":                 "",
		"Done.":                   "> Done.",
		"a\nb":                    "> a\n> b",
		"a\r\nb\r\n":              "> a\n> b",
		"a\rb":                    "> a b",
		"\n\na\n\n":               "> a",
		"a  \n  b":                "> a\n>   b",
		"\x1b]0;title\x07a\x00":   "> ]0;title a",
		"tab\there":               "> tab here",
		"bad \xff\xfe utf8":       "> bad \ufffd utf8",
		"\u0085next\u009bcontrol": "> next control",
		"{todo} {{":               "> {todo} {{",
		"> quoted before":         "> > quoted before",
	} {
		if got := quoted(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	line := strings.Repeat("x", 99) + "\n"
	long := quoted(strings.Repeat(line, 100))
	if first, last, ok := strings.Cut(long, "\n> […]\n"); !ok || strings.Count(first, "> x") != 10 || strings.Count(last, "> x") != 30 {
		t.Errorf("%d lines and %d lines of 99", strings.Count(first, "> x"), strings.Count(last, "> x"))
	}
	if exact := quoted(strings.Repeat("x", 4000)); exact != "> "+strings.Repeat("x", 4000) {
		t.Errorf("4,000 bytes were cut: %d", len(exact))
	}
}

// TestQuotedLaw: no line without its mark, no control character, at most 4,000 bytes of the message, valid UTF-8, and
// what is shown of a message is its beginning and its end.
func TestQuotedLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		message := strings.Join(rapid.SliceOfN(rapid.OneOf(
			rapid.String(), rapid.SampledFrom([]string{"\n", "\r\n", "\x00", "\x1b[2J", "\xff", "日本語", strings.Repeat("ü", 700), strings.Repeat("line\n", 300)}),
		), 0, 12).Draw(t, "parts"), "")
		got := quoted(message)
		if got == "" {
			if strings.TrimSpace(harmless(message)) != "" {
				t.Fatalf("%q is nothing", message)
			}
			return
		}
		length := 0
		for line := range strings.SplitSeq(got, "\n") {
			text, marked := strings.CutPrefix(line, "> ")
			if !marked {
				t.Fatalf("a line without its mark: %q", line)
			}
			length += len(text) + 1
		}
		if limit := 4000 + len("\n[…]\n") + 2; length > limit {
			t.Fatalf("%d bytes", length)
		}
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
			t.Fatalf("%q", got)
		}
	})
}

func TestLimitPrompt(t *testing.T) {
	for name, c := range map[string]struct {
		prompt string
		limit  int
		want   string
		cut    bool
	}{
		"empty":                        {"", 10, "", false},
		"as long as it may be":         {"0123456789", 10, "0123456789", false},
		"longer":                       {"0123456789x", 10, "0123456789", true},
		"at a character of two bytes":  {"012345678ü", 10, "012345678", true},
		"at a character of four bytes": {"0123456🚀x", 10, "0123456", true},
		"a character that just fits":   {"012345🚀x", 10, "012345🚀", true},
		"a zero byte":                  {"a\x00b", 10, "a b", false},
	} {
		if got, cut := limitPrompt(c.prompt, c.limit); got != c.want || cut != c.cut {
			t.Errorf("%s: %q %v", name, got, cut)
		}
	}
}

func TestPromptLimit(t *testing.T) {
	for _, c := range []struct {
		goos, program string
		want          int
	}{
		{"linux", "/usr/bin/claude", 32000},
		{"darwin", "/opt/claude.cmd", 32000},
		{"windows", `C:\bin\claude.exe`, 16000},
		{"windows", `C:\bin\codex.cmd`, 6000},
		{"windows", `C:\bin\CODEX.CMD`, 6000},
		{"windows", `C:\bin\gemini.bat`, 6000},
	} {
		if got := promptLimit(c.goos, c.program); got != c.want {
			t.Errorf("%s %s: %d, want %d", c.goos, c.program, got, c.want)
		}
	}
}

func TestCutLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		n := rapid.IntRange(0, len(s)+3).Draw(t, "n")
		head, tail := cut(s, n), cutFront(s, n)
		switch {
		case !strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail):
			t.Fatalf("%q %q are no parts of %q", head, tail, s)
		case len(head) > n && len(s) > n || len(tail) > n && len(s) > n:
			t.Fatalf("%d: %q %q", n, head, tail)
		case len(s) > n && (len(head) < n-3 || len(tail) < n-3):
			t.Fatalf("%d: more was cut than one character: %q %q", n, head, tail)
		case !utf8.ValidString(head) || !utf8.ValidString(tail):
			t.Fatalf("a character was cut: %q %q", head, tail)
		}
	})
}

func TestHarmless(t *testing.T) {
	for in, want := range map[string]string{
		"":                    "",
		"a b":                 "a b",
		"ünï 日本 🚀":            "ünï 日本 🚀",
		"\x00\x01\t\n\r\x1b":  "      ",
		"\x7f\u0080\u009f":    "   ",
		"\u00a0":              "\u00a0",
		"\xff":                "\ufffd",
		"a\xc3":               "a\ufffd",
		"\xe2\x82":            "\ufffd",
		"\xed\xa0\x80 half":   "\ufffd half",
		"keeps \u200d joiner": "keeps \u200d joiner",
	} {
		if got := harmless(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	if got := oneLine("a\nb\r\n\tc  d\x1b[2J"); got != "a b c d [2J" {
		t.Errorf("%q", got)
	}
}
