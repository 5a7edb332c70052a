package settings

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Parse reads the text of a settings.toml. Keys vomgr does not know are returned, in their order; text that is no TOML,
// a key given twice, a wrong type and a value that cannot be meant are an *Error.
func Parse(doc []byte) (Settings, []Unknown, error) {
	s, unknown, err := parse(doc)
	if err != nil {
		return Settings{}, nil, err
	}
	if s.promptsGiven != (PerTool[bool]{Claude: true, Codex: true, Gemini: true}) {
		if err := s.fillPrompts(); err != nil {
			return Settings{}, nil, err
		}
	}
	return s, unknown, nil
}

// fillPrompts gives the tools without a prompt that of the fresh file.
func (s *Settings) fillPrompts() error {
	def, _, err := parse(Default)
	if err != nil {
		return fmt.Errorf("reading the fresh settings: %w", err)
	}
	for _, tool := range []string{"claude", "codex", "gemini"} {
		if given := s.promptsGiven.of(tool); !*given {
			*s.Prompts.of(tool) = def.Prompts.For(tool)
			*given = true
		}
	}
	return nil
}

// maxDepth bounds the parts of a dotted key, in any spelling: the work for a key grows with them, and ours have four.
const (
	maxDepth = 64
	tooDeep  = "tables are nested too deeply"
)

// reader is one pass over a file.
type reader struct {
	p       unstable.Parser
	doc     []byte // without its BOM
	s       Settings
	tree    *tree
	unknown []Unknown
	lines   lines

	at      int      // the table we are in
	table   []string // its path
	foreign bool     // it is unknown: its keys are not reported one by one

	met func(path []string, offset int) // is told of each value that was read; may be nil
}

func parse(doc []byte) (Settings, []Unknown, error) {
	r := newReader(doc)
	if err := r.read(); err != nil {
		return Settings{}, nil, err
	}
	return r.s, r.unknown, nil
}

func newReader(doc []byte) *reader {
	doc = bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))
	doc = doc[:len(doc):len(doc)] // the parser finds offsets by capacity
	r := &reader{doc: doc, s: fresh(), tree: newTree()}
	r.p.Reset(doc)
	return r
}

// read goes through the file, to its end or to the first error.
func (r *reader) read() error {
	for r.p.NextExpression() {
		if err := r.expression(r.p.Expression()); err != nil {
			return err
		}
	}
	if err := r.p.Error(); err != nil {
		return r.syntax(err)
	}
	return nil
}

func (r *reader) syntax(err error) error {
	var perr *unstable.ParserError
	if !errors.As(err, &perr) {
		return fmt.Errorf("reading TOML: %w", err)
	}
	return r.fault(int(r.p.Range(perr.Highlight).Offset), nil, "%s", perr.Message)
}

func (r *reader) fault(offset int, path []string, format string, args ...any) error {
	e := &Error{Msg: fmt.Sprintf(format, args...)}
	e.Line, e.Col = position(r.doc, offset)
	if path != nil {
		e.Key = dotted(path)
	}
	return e
}

func (r *reader) expression(n *unstable.Node) error {
	if n.Kind == unstable.KeyValue {
		return r.keyValue(r.at, r.table, n)
	}
	return r.header(n)
}

// header enters a [table] or a [[table]].
func (r *reader) header(n *unstable.Node) error {
	path, offset := keyOf(n, nil)
	if len(path) > maxDepth {
		return r.fault(offset, path[:1], tooDeep)
	}
	k := header
	if n.Kind == unstable.ArrayTable {
		k = element
	}
	at, ok := r.tree.table(path, k, offset)
	if !ok {
		return r.twice(offset, path, at)
	}
	r.at, r.table = at, path
	dst, known := r.s.find(path)
	r.foreign = dst == nil && known < len(path)
	switch {
	case r.foreign:
		r.report(path, offset)
	case dst != nil:
		return r.fault(offset, path[:known], "expected a value, found a table")
	case k == element:
		return r.fault(offset, path, "expected one table, [%s], found a list of tables", dotted(path))
	}
	return nil
}

// keyValue reads a key of the table at, whose path is table.
func (r *reader) keyValue(at int, table []string, n *unstable.Node) error {
	path, offset := keyOf(n, table)
	if len(path) > maxDepth {
		return r.fault(offset, path[:1], tooDeep)
	}
	where, ok := r.tree.key(at, path[len(table):], offset)
	if !ok {
		return r.twice(offset, path, where)
	}
	v := n.Value()
	dst, known := r.s.find(path)
	unknown := dst == nil && known < len(path)
	if unknown && !r.foreign {
		r.report(path, offset)
	}
	switch {
	case dst != nil && known < len(path):
		return r.fault(offset, path[:known], "expected a value, found a table")
	case dst == nil && v.Kind == unstable.InlineTable:
		return r.inlineTable(where, path, v, unknown)
	case dst == nil && !unknown:
		return r.fault(offset, path, "expected a table, found %s", describe(v))
	case dst == nil:
		return nil
	}
	if want, bad := r.store(dst, v); want != "" {
		return r.fault(offsetOf(bad, offset), path, "expected %s, found %s", want, describe(bad))
	}
	if r.met != nil {
		r.met(path, offset)
	}
	return nil
}

// inlineTable reads { … } as the table it stands for.
func (r *reader) inlineTable(at int, path []string, v *unstable.Node, foreign bool) error {
	was := r.foreign
	r.foreign = was || foreign
	defer func() { r.foreign = was }()

	it := v.Children()
	for it.Next() {
		if err := r.keyValue(at, path, it.Node()); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) report(path []string, offset int) {
	r.unknown = append(r.unknown, Unknown{Key: dotted(path), Line: r.lines.of(r.doc, offset)})
}

func (r *reader) twice(offset int, path []string, first int) error {
	line, _ := position(r.doc, r.tree.places[first].offset)
	return r.fault(offset, path, "given twice, first on line %d", line)
}

// keyOf returns the path of n's key below table, and where the key stands.
func keyOf(n *unstable.Node, table []string) (path []string, offset int) {
	path = make([]string, len(table), len(table)+3)
	copy(path, table)
	it := n.Key()
	for it.Next() {
		if len(path) == len(table) {
			offset = int(it.Node().Raw.Offset)
		}
		path = append(path, string(it.Node().Data))
	}
	return path, offset
}

// offsetOf is where v stands; a list has no place of its own in the parser's tree, so its key's is taken.
func offsetOf(v *unstable.Node, key int) int {
	if v.Raw.Offset == 0 {
		return key
	}
	return int(v.Raw.Offset)
}

// lines counts lines for offsets that only grow.
type lines struct{ offset, line int }

func (l *lines) of(doc []byte, offset int) int {
	if offset < l.offset {
		*l = lines{}
	}
	l.line += bytes.Count(doc[l.offset:offset], []byte{'\n'})
	l.offset = offset
	return l.line + 1
}
