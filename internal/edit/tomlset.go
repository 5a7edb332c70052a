package edit

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Key returns the value that the TOML document doc holds at path (a name per level): bool, int64, float64, string, a
// time, []any or map[string]any. ok is false when there is none; a path that names a table with a header is refused.
func Key(doc []byte, path ...string) (v any, ok bool, err error) {
	d, err := parseTOML(doc)
	if err != nil {
		return nil, false, err
	}
	p, err := d.find(path)
	if err != nil || p.value == nil {
		return nil, false, err
	}
	var m map[string]any
	if err := toml.Unmarshal([]byte("v = "+d.text[p.value.start:p.value.end]), &m); err != nil {
		return nil, false, fmt.Errorf("reading %s: %w", dotted(path), err)
	}
	return m["v"], true, nil
}

// Strings returns the list of strings that doc holds at path; a value of another type is refused.
func Strings(doc []byte, path ...string) (list []string, ok bool, err error) {
	d, err := parseTOML(doc)
	if err != nil {
		return nil, false, err
	}
	v, err := d.strings(path)
	if err != nil || v == nil {
		return nil, false, err
	}
	list = []string{}
	for _, it := range v.items {
		list = append(list, it.value.data)
	}
	return list, true, nil
}

func (d tomlDoc) strings(path []string) (*tomlValue, error) {
	p, err := d.find(path)
	if err != nil || p.value == nil {
		return nil, err
	}
	ok := p.value.kind == unstable.Array
	for _, it := range p.value.items {
		ok = ok && it.value.kind == unstable.String
	}
	if !ok {
		return nil, refuse(d.text, p.value.start, "make it a list of strings", "%s is not a list of strings", dotted(path))
	}
	return p.value, nil
}

// SetKey returns doc with value (bool, int, string or []string) at path. A value that is there is replaced where it
// stands, and left alone if it is the same; else the pair is put after the last one of its table, in that one's style.
// A table that does not exist is added; path with one name means the top level, before the first table.
func SetKey(doc []byte, path []string, value any) ([]byte, error) {
	d, err := parseTOML(doc)
	if err != nil {
		return nil, err
	}
	want, text, err := d.write(value)
	if err != nil {
		return nil, err
	}
	p, err := d.find(path)
	if err != nil {
		return nil, err
	}
	if p.value == nil {
		return d.add(path, p, want, text)
	}
	if sameValue(*p.value, want) {
		return doc, nil
	}
	fresh := *p.line
	fresh.value = p.replaced(fresh.value, want)
	return d.commit(splice{p.value.start, p.value.end, text}, p.index, 1, fresh)
}

// CopyKey returns doc with the value at path as it is spelled in from; both must have one.
func CopyKey(doc, from []byte, path ...string) ([]byte, error) {
	source, err := parseTOML(from)
	if err != nil {
		return nil, err
	}
	its, err := source.find(path)
	if err != nil {
		return nil, err
	}
	d, err := parseTOML(doc)
	if err != nil {
		return nil, err
	}
	p, err := d.find(path)
	if err != nil {
		return nil, err
	}
	if its.value == nil || p.value == nil {
		return nil, fmt.Errorf("%s is missing", dotted(path))
	}
	text := source.text[its.value.start:its.value.end]
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", newlineOf(d.text))
	fresh := *p.line
	fresh.value = p.replaced(fresh.value, *its.value)
	return d.commit(splice{p.value.start, p.value.end, text}, p.index, 1, fresh)
}

// UnsetKey returns doc without the pair at path, and without its line; doc itself when there is none.
func UnsetKey(doc []byte, path ...string) ([]byte, error) {
	d, err := parseTOML(doc)
	if err != nil {
		return nil, err
	}
	p, err := d.find(path)
	if err != nil {
		return nil, err
	}
	switch {
	case p.value == nil:
		return doc, nil
	case p.item != nil:
		return d.cutItem(p)
	}
	start, end := lineStart(d.text, p.line.start), lineEnd(d.text, p.line.end)
	if end == len(d.text) && !strings.HasSuffix(d.text, "\n") { // the line before becomes the last, also without an end
		start = len(strings.TrimSuffix(strings.TrimSuffix(d.text[:start], "\n"), "\r"))
	}
	return d.commit(splice{start, end, ""}, p.index, 1)
}

// place is where a path leads in a document.
type place struct {
	value *tomlValue // nil: there is none
	line  *tomlLine  // that holds the value, or the inline table that it belongs into
	index int        // of line
	item  *tomlItem  // the value's pair, inside an inline table
	table *tomlValue // the inline table
	below []string   // the path below table
}

// find follows path. What cannot hold it (a scalar on the way, a list of tables) is refused.
func (d tomlDoc) find(path []string) (place, error) {
	if len(path) == 0 {
		return place{}, errors.New("no key given")
	}
	var prefix []string
	for i := range d.lines {
		l := &d.lines[i]
		if l.header != unstable.KeyValue {
			prefix = l.key
			if l.header == unstable.ArrayTable && under(path, prefix) {
				return place{}, refuse(d.text, l.start, "edit it by hand", "%s is a list of tables", dotted(prefix))
			}
			if under(prefix, path) {
				return place{}, refuse(d.text, l.start, "name a key in it", "%s is a table", dotted(path))
			}
			continue
		}
		below, ok := strip(path, prefix)
		if !ok {
			continue
		}
		if len(below) < len(l.key) && under(l.key, below) {
			return place{}, refuse(d.text, l.start, "name a key in it", "%s is a table", dotted(path))
		}
		if rest, ok := strip(below, l.key); ok {
			return d.descend(place{line: l, index: i}, path, rest, &l.value)
		}
	}
	return place{}, nil
}

// descend looks for rest inside v.
func (d tomlDoc) descend(p place, path, rest []string, v *tomlValue) (place, error) {
	if len(rest) == 0 {
		p.value = v
		return p, nil
	}
	if v.kind != unstable.InlineTable {
		name := path[:len(path)-len(rest)]
		return p, refuse(d.text, v.start, "remove it, or make it a table", "%s is a value where a table is expected", dotted(name))
	}
	for i := range v.items {
		it := &v.items[i]
		if len(rest) < len(it.key) && under(it.key, rest) {
			return p, refuse(d.text, it.start, "name a key in it", "%s is a table", dotted(path))
		}
		if below, ok := strip(rest, it.key); ok {
			p.item, p.table = it, v
			return d.descend(p, path, below, &it.value)
		}
	}
	p.item, p.table, p.below = nil, v, rest
	return p, nil
}

// replaced returns v, the value of p's line, with want in the place of the value that p found.
func (p place) replaced(v, want tomlValue) tomlValue {
	if v.start == p.value.start {
		return want
	}
	v.items = slices.Clone(v.items)
	for i, it := range v.items {
		if it.value.start <= p.value.start && p.value.start < it.value.end {
			v.items[i].value = p.replaced(it.value, want)
		}
	}
	return v
}

// strip returns what of path follows prefix.
func strip(path, prefix []string) (rest []string, ok bool) {
	if !under(path, prefix) {
		return nil, false
	}
	return path[len(prefix):], true
}

// under tells whether path begins with prefix.
func under(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// dotted writes a key.
func dotted(path []string) string {
	parts := make([]string, len(path))
	for i, p := range path {
		if parts[i] = p; !bareKey.MatchString(p) {
			parts[i] = basicString(p)
		}
	}
	return strings.Join(parts, ".")
}

// write returns the value that a parser shall read, and its text.
func (d tomlDoc) write(value any) (tomlValue, string, error) {
	switch v := value.(type) {
	case bool:
		text := strconv.FormatBool(v)
		return tomlValue{kind: unstable.Bool, data: text}, text, nil
	case int:
		text := strconv.Itoa(v)
		return tomlValue{kind: unstable.Integer, data: text}, text, nil
	case string:
		if !utf8.ValidString(v) {
			return tomlValue{}, "", fmt.Errorf("%q is not UTF-8, which toml has to be", v)
		}
		return tomlValue{kind: unstable.String, data: v}, d.stringText(v), nil
	case []string:
		want := tomlValue{kind: unstable.Array}
		var parts []string
		for _, s := range v {
			if !utf8.ValidString(s) {
				return tomlValue{}, "", fmt.Errorf("%q is not UTF-8, which toml has to be", s)
			}
			parts = append(parts, basicString(s))
			want.items = append(want.items, tomlItem{value: tomlValue{kind: unstable.String, data: s}})
		}
		return want, "[" + strings.Join(parts, ", ") + "]", nil
	}
	return tomlValue{}, "", fmt.Errorf("a toml value of type %T is not supported", value)
}

// stringText writes a text of several lines as such, unless the document's line ends would get into it.
func (d tomlDoc) stringText(s string) string {
	if !strings.Contains(s, "\n") || newlineOf(d.text) != "\n" {
		return basicString(s)
	}
	return "\"\"\"\n" + escape(s, true) + `"""`
}

// basicString writes s between double quotes, in one line.
func basicString(s string) string { return `"` + escape(s, false) + `"` }

// escape writes s as it stands in a basic string; with lines as in one of several lines, where a quote needs escaping only
// before another one.
func escape(s string, lines bool) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case lines && (r == '\n' || r == '"' && i+1 < len(s) && s[i+1] != '"'):
			b.WriteRune(r)
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
