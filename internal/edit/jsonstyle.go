package edit

import "strings"

// value is a JSON value to be inserted: a scalar's text, or an object or list of items.
type value struct {
	scalar string
	open   byte // '{' or '['; 0 for a scalar
	items  []item
}

type item struct {
	key   string // of an object's member
	value value
}

func scalar(s string) value      { return value{scalar: quote(s)} }
func object(items ...item) value { return value{open: '{', items: items} }
func list(values ...value) value {
	v := value{open: '['}
	for _, e := range values {
		v.items = append(v.items, item{value: e})
	}
	return v
}

// style is how a document is written.
type style struct {
	newline string
	unit    string // one level of indentation
	colon   string // between key and value
	comma   string // between siblings in one line
	oneLine bool   // the document has no line ends between its values
	pad     string // inside the brackets, then
}

func (d document) style() style {
	s := style{newline: newlineOf(d.text), unit: "  ", colon: ": ", comma: ", "}
	if d.blank() {
		return s
	}
	root := d.root()
	kids := d.kids(root)
	if len(kids) == 0 {
		return s
	}
	if s.oneLine = !strings.Contains(d.raw(root), "\n"); s.oneLine {
		s.pad = padOf(d.raw(root))
	}
	first := kids[0]
	if in := indentOf(d.text, first.from); in != "" && startsLine(d.text, first.from) {
		s.unit = in
	}
	if colon := d.view[first.from:first.start]; !strings.ContainsAny(colon, "\r\n") {
		s.colon = colon[strings.LastIndexByte(colon, '"')+1:]
	}
	if !strings.HasSuffix(s.colon, " ") {
		s.comma = ","
	}
	return s
}

// render writes v, with every item on a line of its own.
func (s style) render(v value, indent string) string {
	if v.open == 0 || len(v.items) == 0 {
		return s.inline(v, "")
	}
	var b strings.Builder
	b.WriteByte(v.open)
	for i, it := range v.items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(s.newline + indent + s.unit)
		if v.open == '{' {
			b.WriteString(quote(it.key) + s.colon)
		}
		b.WriteString(s.render(it.value, indent+s.unit))
	}
	b.WriteString(s.newline + indent)
	b.WriteByte(v.open + 2) // '{' and '}' are two apart, as are '[' and ']'
	return b.String()
}

// inline writes v in one line, with pad inside its brackets.
func (s style) inline(v value, pad string) string {
	if v.open == 0 {
		return v.scalar
	}
	if len(v.items) == 0 {
		return string([]byte{v.open, v.open + 2})
	}
	var parts []string
	for _, it := range v.items {
		part := s.inline(it.value, pad)
		if v.open == '{' {
			part = quote(it.key) + s.colon + part
		}
		parts = append(parts, part)
	}
	return string(v.open) + pad + strings.Join(parts, s.comma) + pad + string(v.open+2)
}

// insert returns the splice that adds it as the last child of in, written as its neighbours are. With mimic a last child
// that fills one line makes the new one fill one line, too.
func (d document) insert(in node, it item, mimic bool) splice {
	s := d.style()
	kids := d.kids(in)
	key := ""
	if d.view[in.start] == '{' {
		key = quote(it.key) + s.colon
	}
	if len(kids) == 0 {
		return d.fill(in, key, it.value, s)
	}
	prev := kids[len(kids)-1]
	raw := d.raw(prev)
	indent := indentOf(d.text, prev.from)
	ownLine := startsLine(d.text, prev.from)
	between := "," + s.newline + indent
	if !ownLine {
		between = s.comma
		if len(kids) > 1 {
			if gap := d.view[kids[len(kids)-2].end:prev.from]; !strings.ContainsAny(gap, "\r\n") {
				between = gap
			}
		}
	}
	long := strings.Contains(raw, "\n")
	switch single := !long && len(d.kids(prev)) > 0 && mimic; {
	case s.oneLine:
		return splice{prev.end, prev.end, between + key + s.inline(it.value, s.pad)}
	case single, !ownLine && !long:
		return splice{prev.end, prev.end, between + key + s.inline(it.value, padOf(raw))}
	}
	return splice{prev.end, prev.end, between + key + s.render(it.value, indent)}
}

// padOf tells what stands inside the brackets of a value like { "a": 1 }.
func padOf(raw string) string {
	if len(raw) > 2 && (raw[0] == '{' || raw[0] == '[') && raw[1] == ' ' {
		return " "
	}
	return ""
}

// fill returns the splice that gives the empty object or list in its first child.
func (d document) fill(in node, key string, v value, s style) splice {
	start, end := d.inner(in)
	if s.oneLine && strings.TrimSpace(d.text[start:end]) != "" { // a comment
		return splice{start, start, s.pad + key + s.inline(v, s.pad) + " "}
	}
	if s.oneLine {
		return splice{start, end, s.pad + key + s.inline(v, s.pad) + s.pad}
	}
	indent := indentOf(d.text, in.start)
	text := s.newline + indent + s.unit + key + s.render(v, indent+s.unit)
	switch between := d.text[start:end]; {
	case strings.Contains(between, "\n"): // its closing bracket has a line of its own already
		return splice{start, start, text}
	case strings.TrimSpace(between) != "": // a comment
		return splice{start, start, text + s.newline + indent}
	}
	return splice{start, end, text + s.newline + indent}
}
