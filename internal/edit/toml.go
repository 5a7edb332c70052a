package edit

import (
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlValue is a value of a TOML document and where it stands.
type tomlValue struct {
	kind       unstable.Kind
	data       string // of a scalar: its text, of a string: decoded
	start, end int
	items      []tomlItem // of an array or an inline table
}

// tomlItem is an element of an array or a pair of an inline table.
type tomlItem struct {
	key   []string // of an inline table's pair
	start int      // of the key or, for an element, the value
	value tomlValue
}

// tomlLine is an expression of a TOML document: a header or a pair.
type tomlLine struct {
	header     unstable.Kind // Table or ArrayTable; KeyValue for a pair
	key        []string      // as written: of a pair, below its table
	table      int           // of a pair: the index of its header, -1 at top level
	start, end int           // from the key (or the header's bracket) to the value's end
	value      tomlValue
}

// tomlDoc is a valid TOML document.
type tomlDoc struct {
	bom, text string
	lines     []tomlLine
}

func parseTOML(doc []byte) (tomlDoc, error) {
	bom, body, err := decode(doc)
	if err != nil {
		return tomlDoc{}, syntax(err)
	}
	d := tomlDoc{bom: string(bom), text: string(body)}
	err = d.read(body)
	if err == nil {
		return d, nil
	}
	if at := conflictMark.FindStringIndex(d.text); at != nil { // in a string of several lines it would be no error
		err = refuse(body, at[0], "resolve the merge conflict", "a merge conflict")
	}
	return tomlDoc{}, syntax(err)
}

func (d *tomlDoc) read(body []byte) error {
	var p unstable.Parser
	p.Reset(body)
	seen := newSeen()
	table := -1
	for p.NextExpression() {
		e := p.Expression()
		line := tomlLine{header: e.Kind, table: table}
		at := 0 // just behind the last part of the key
		for it := e.Key(); it.Next(); {
			raw := it.Node().Raw
			if len(line.key) == 0 {
				line.start = int(raw.Offset)
			}
			line.key = append(line.key, string(it.Node().Data))
			at = int(raw.Offset + raw.Length)
		}
		if e.Kind == unstable.KeyValue {
			line.end = int(e.Raw.Offset + e.Raw.Length)
			line.value = readTOML(e.Value(), d.text, valueAt(d.text, at), line.end)
		} else {
			line.end = at + strings.IndexByte(d.text[at:], ']') + 1
			line.start = lineStart(d.text, line.start) + len(indentOf(d.text, line.start))
			table = len(d.lines)
		}
		if refusal := seen.line(d.text, line); refusal != nil {
			return refusal
		}
		d.lines = append(d.lines, line)
	}
	if err := p.Error(); err != nil {
		return refuseTOML(&p, body, err)
	}
	return nil
}

// valueAt returns where the value begins whose key ends at at.
func valueAt(text string, at int) int {
	at += strings.IndexByte(text[at:], '=') + 1
	return at + len(text[at:]) - len(strings.TrimLeft(text[at:], " \t"))
}

// readTOML copies n, since the parser uses its nodes again.
func readTOML(n *unstable.Node, text string, start, end int) tomlValue {
	v := tomlValue{kind: n.Kind, data: string(n.Data), start: start, end: end}
	for it := n.Children(); it.Next(); {
		c := it.Node()
		from, to := int(c.Raw.Offset), int(c.Raw.Offset+c.Raw.Length)
		if c.Kind != unstable.KeyValue {
			v.items = append(v.items, tomlItem{start: from, value: readTOML(c, text, from, to)})
			continue
		}
		item := tomlItem{start: from}
		at := from
		for k := c.Key(); k.Next(); {
			raw := k.Node().Raw
			item.key = append(item.key, string(k.Node().Data))
			at = int(raw.Offset + raw.Length)
		}
		item.value = readTOML(c.Value(), text, valueAt(text, at), to)
		v.items = append(v.items, item)
	}
	return v
}

func refuseTOML(p *unstable.Parser, body []byte, err error) error {
	var parse *unstable.ParserError
	if !errors.As(err, &parse) {
		return err
	}
	at := len(body)
	if len(parse.Highlight) > 0 {
		at = int(p.Range(parse.Highlight).Offset)
	}
	return refuse(body, at, "mend the syntax", "%s", parse.Message)
}

// seenTable is what has been defined under a name so far.
type seenTable struct {
	kind     seenKind
	explicit bool // by a header of its own
	kids     map[string]*seenTable
}

type seenKind int

const (
	seenHeader seenKind = iota // made by a [header]
	seenDotted                 // made by a dotted key
	seenArray                  // made by a [[header]]
	seenValue
)

// seen refuses names that are defined twice. go-toml's Unmarshal does so, too, but in quadratic time, and a Codex
// config.toml can have a table for every project (16,000 tables took it 0.4 s).
type seen struct {
	root, table *seenTable
}

func newSeen() *seen {
	root := &seenTable{explicit: true}
	return &seen{root, root}
}

func (s *seenTable) kid(name string) *seenTable { return s.kids[name] }

func (s *seenTable) make(name string, kind seenKind) *seenTable {
	if s.kids == nil {
		s.kids = map[string]*seenTable{}
	}
	s.kids[name] = &seenTable{kind: kind}
	return s.kids[name]
}

// line takes note of a header or a pair, or refuses it.
func (s *seen) line(text string, l tomlLine) *Refusal {
	var ok bool
	if l.header == unstable.KeyValue {
		if !s.table.pair(l.key) {
			return refuse(text, l.start, "remove one of the two", "%s is defined twice", dotted(l.key))
		}
		return checkTOML(text, l.value)
	}
	if s.table, ok = s.header(l); !ok {
		return refuse(text, l.start, "remove one of the two", "table %s is defined twice", dotted(l.key))
	}
	return nil
}

func (s *seen) header(l tomlLine) (*seenTable, bool) {
	at := s.root
	for _, name := range l.key[:len(l.key)-1] {
		next := at.kid(name)
		switch {
		case next == nil:
			next = at.make(name, seenHeader)
		case next.kind == seenValue:
			return nil, false
		}
		at = next
	}
	name := l.key[len(l.key)-1]
	is := at.kid(name)
	switch {
	case is == nil && l.header == unstable.ArrayTable:
		return at.make(name, seenArray), true
	case is == nil:
		is = at.make(name, seenHeader)
	case l.header == unstable.ArrayTable && is.kind == seenArray:
		is.kids = nil
		return is, true
	case l.header == unstable.ArrayTable || is.kind != seenHeader || is.explicit:
		return nil, false
	}
	is.explicit = true
	return is, true
}

func (s *seenTable) pair(key []string) bool {
	at := s
	for _, name := range key[:len(key)-1] {
		next := at.kid(name)
		switch {
		case next == nil:
			next = at.make(name, seenDotted)
		case next.kind != seenDotted:
			return false
		}
		at = next
	}
	name := key[len(key)-1]
	if at.kid(name) != nil {
		return false
	}
	at.make(name, seenValue)
	return true
}

// checkTOML refuses what the syntax alone allows: a key twice in an inline table, the 30th of February, a number too big.
func checkTOML(text string, v tomlValue) *Refusal {
	switch v.kind {
	case unstable.Array:
		for _, it := range v.items {
			if r := checkTOML(text, it.value); r != nil {
				return r
			}
		}
	case unstable.InlineTable:
		var names seenTable
		for _, it := range v.items {
			if !names.pair(it.key) {
				return refuse(text, it.start, "remove one of the two", "%s is defined twice", dotted(it.key))
			}
			if r := checkTOML(text, it.value); r != nil {
				return r
			}
		}
	case unstable.String, unstable.Bool:
	default:
		var any map[string]any
		if err := toml.Unmarshal([]byte("v = "+v.data), &any); err != nil {
			return refuse(text, v.start, "mend the value", "%s", strings.TrimPrefix(err.Error(), "toml: "))
		}
	}
	return nil
}

// sameValue compares what is meant, not how it is spelled; numbers and dates as they are spelled.
func sameValue(a, b tomlValue) bool {
	return a.kind == b.kind && a.data == b.data && slices.EqualFunc(a.items, b.items, func(a, b tomlItem) bool {
		return slices.Equal(a.key, b.key) && sameValue(a.value, b.value)
	})
}

func sameLine(a, b tomlLine) bool {
	return a.header == b.header && slices.Equal(a.key, b.key) && sameValue(a.value, b.value)
}
