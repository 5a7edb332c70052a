package edittest

import (
	"bytes"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// printer writes a JSON document in one of the ways that real files are written.
type printer struct {
	newline, unit, colon, comma, pad string
	oneLine                          bool
}

func anyPrinter(t *rapid.T) printer {
	return printer{
		newline: rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "newline"),
		unit:    rapid.SampledFrom([]string{"  ", "  ", "    ", "\t", "   ", ""}).Draw(t, "unit"),
		colon:   rapid.SampledFrom([]string{": ", ": ", ":", " : "}).Draw(t, "colon"),
		comma:   rapid.SampledFrom([]string{", ", ","}).Draw(t, "comma"),
		pad:     rapid.SampledFrom([]string{"", " "}).Draw(t, "pad"),
		oneLine: rapid.IntRange(0, 3).Draw(t, "one line") == 0,
	}
}

// wrap writes an object or a list; one that fits a line may be in one also where its neighbours are not.
func (p printer) wrap(t *rapid.T, open byte, parts []string, indent string) string {
	closing := string(open + 2)
	if len(parts) == 0 {
		return string(open) + rapid.SampledFrom([]string{"", "", " ", p.newline + indent}).Draw(t, "blank") + closing
	}
	short := !strings.Contains(strings.Join(parts, ""), "\n")
	switch shape := rapid.IntRange(0, 5).Draw(t, "shape"); {
	case p.oneLine, short && shape == 0:
		return string(open) + p.pad + strings.Join(parts, p.comma) + p.pad + closing
	case shape == 1: // [{ ... }, { ... }]
		return string(open) + strings.Join(parts, p.comma) + closing
	}
	inner := p.newline + indent + p.unit
	return string(open) + inner + strings.Join(parts, ","+inner) + p.newline + indent + closing
}

// JSON generates a settings file as Claude Code has them: any indentation, line ends, order, spelling; hooks of others,
// hooks of vomgr's, names that stand twice, and now and then a hook of the wrong type.
func JSON(t *rapid.T) []byte {
	p := anyPrinter(t)
	var parts []string
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		key := rapid.SampledFrom([]string{"theme", "a.b", "hooks", "h\\u006foks", "permissions", "//"}).Draw(t, "key")
		v := ""
		switch {
		case strings.HasPrefix(key, "h"):
			v = p.anyHooks(t)
		case key == "permissions":
			v = p.wrap(t, '{', []string{`"allow"` + p.colon + `["Bash(ls:*)"]`}, p.unit)
		default:
			v = p.anyValue(t, 2, p.unit)
		}
		parts = append(parts, `"`+key+`"`+p.colon+v)
	}
	bom := rapid.SampledFrom([]string{"", "", "\xef\xbb\xbf"}).Draw(t, "bom")
	end := rapid.SampledFrom([]string{"", p.newline, p.newline + p.newline}).Draw(t, "end")
	return []byte(bom + p.wrap(t, '{', parts, "") + end)
}

var remarks = []string{"/* { */", "// , \"\n", " /* a\n b */ ", "/**/", "// }]\r\n"}

// JSONC generates a settings file as Gemini CLI reads them: JSON, without a byte order mark, with comments anywhere.
func JSONC(t *rapid.T) []byte {
	doc := bytes.TrimPrefix(JSON(t), []byte("\xef\xbb\xbf"))
	var out []byte
	inString, escaped := false, false
	for _, c := range doc {
		out = append(out, c)
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		}
		if !inString && bytes.IndexByte([]byte("{[,:]}\n"), c) >= 0 && rapid.IntRange(0, 19).Draw(t, "comment") == 0 {
			out = append(out, rapid.SampledFrom(remarks).Draw(t, "text")...)
		}
	}
	return out
}

func (p printer) anyHooks(t *rapid.T) string {
	if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
		return rapid.SampledFrom([]string{"null", "[]", "5", `"x"`}).Draw(t, "hooks")
	}
	var events []string
	for range rapid.IntRange(0, 3).Draw(t, "events") {
		name := rapid.SampledFrom([]string{"Stop", "Stop", "StopFailure", "PreToolUse", "//"}).Draw(t, "event")
		var groups []string
		for range rapid.IntRange(0, 3).Draw(t, "groups") {
			groups = append(groups, p.anyGroup(t, p.unit+p.unit+p.unit))
		}
		events = append(events, `"`+name+`"`+p.colon+p.wrap(t, '[', groups, p.unit+p.unit))
	}
	return p.wrap(t, '{', events, p.unit)
}

func (p printer) anyGroup(t *rapid.T, indent string) string {
	if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
		return p.anyValue(t, 1, indent)
	}
	var handlers []string
	for range rapid.IntRange(0, 3).Draw(t, "handlers") {
		handlers = append(handlers, p.anyHandler(t, indent+p.unit+p.unit))
	}
	parts := []string{`"hooks"` + p.colon + p.wrap(t, '[', handlers, indent+p.unit)}
	if rapid.Bool().Draw(t, "matcher") {
		parts = append(parts, `"matcher"`+p.colon+`"*"`)
	}
	return p.wrap(t, '{', parts, indent)
}

func (p printer) anyHandler(t *rapid.T, indent string) string {
	command := rapid.SampledFrom([]string{
		"bell", "bell", `a \u0026\u0026 b`, `\"/opt/vomgr/vocl-go\" \"$CLAUDE_PROJECT_DIR\"`, `/old/vocl-go`,
	}).Draw(t, "command")
	parts := []string{`"type"` + p.colon + rapid.SampledFrom([]string{`"command"`, `"command"`, `"command"`, `"prompt"`}).Draw(t, "type"), `"command"` + p.colon + `"` + command + `"`}
	switch rapid.IntRange(0, 4).Draw(t, "more") {
	case 0:
		parts = append(parts, `"args"`+p.colon+`["${CLAUDE_PROJECT_DIR}"]`)
	case 1:
		parts = append(parts, `"timeout"`+p.colon+"30")
	}
	return p.wrap(t, '{', parts, indent)
}

func (p printer) anyValue(t *rapid.T, depth int, indent string) string {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		return rapid.SampledFrom([]string{"1e2", "12345678901234567890", "-0", "0.10", "null", "true"}).Draw(t, "scalar")
	case 1:
		return rapid.SampledFrom([]string{`"\/"`, `"\u00e9 é"`, `"// no"`, `"}],"`, `"\ud83d\ude00"`, `"\\"`}).Draw(t, "string")
	case 2, 3:
		return strconv.Itoa(rapid.Int().Draw(t, "number"))
	}
	var parts []string
	for i := range rapid.IntRange(0, 3).Draw(t, "size") {
		v := p.anyValue(t, depth-1, indent+p.unit)
		if kind == 4 {
			v = `"k` + strconv.Itoa(i) + `"` + p.colon + v
		}
		parts = append(parts, v)
	}
	if kind == 4 {
		return p.wrap(t, '{', parts, indent)
	}
	return p.wrap(t, '[', parts, indent)
}
