package edit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// commit does the splice and compares, expression by expression, what a parser reads afterwards with what was meant:
// the old lines in their order, but fresh instead of the count lines from index on.
func (d tomlDoc) commit(s splice, index, count int, fresh ...tomlLine) ([]byte, error) {
	out := []byte(d.bom + apply(d.text, []splice{s}))
	parsed, err := parseTOML(out)
	if err != nil {
		return nil, fmt.Errorf("the edited text would not be valid: %w", err)
	}
	before, after := d.lines[:index], d.lines[index+count:]
	got := parsed.lines
	ok := len(got) == len(before)+len(fresh)+len(after) &&
		slices.EqualFunc(got[:index], before, sameLine) &&
		slices.EqualFunc(got[index:index+len(fresh)], fresh, sameLine) &&
		slices.EqualFunc(got[index+len(fresh):], after, sameLine)
	if !ok {
		return nil, errors.New("the edited text would not hold what is meant")
	}
	return out, nil
}

// add puts the pair that find did not find where it belongs.
func (d tomlDoc) add(path []string, p place, want tomlValue, text string) ([]byte, error) {
	if p.table != nil {
		return d.addItem(p, want, text)
	}
	table, name := path[:len(path)-1], path[len(path)-1:]
	after, key, ok := d.neighbour(table, name)
	switch {
	case ok:
	case len(table) == 0:
		return d.addFirst(name, want, text)
	default:
		return d.addTable(table, name, want, text)
	}
	n := d.lines[after]
	equals := " = "
	if n.header == unstable.KeyValue && strings.HasSuffix(d.text[:n.value.start], "=") {
		equals = "="
	}
	line := indentOf(d.text, n.start) + dotted(key) + equals + text
	return d.commit(d.lineAfter(n.end, line), after+1, 0, tomlLine{header: unstable.KeyValue, key: key, value: want})
}

// neighbour finds the line after which a pair of table belongs, and the key it has there: behind the last pair of the
// table or its header, or behind the last dotted key that makes the table.
func (d tomlDoc) neighbour(table, name []string) (after int, key []string, ok bool) {
	var prefix []string
	for i, l := range d.lines {
		if l.header != unstable.KeyValue {
			prefix = l.key
			if slices.Equal(prefix, table) {
				after, key, ok = i, name, true
			}
			continue
		}
		below, fits := strip(table, prefix)
		switch {
		case fits && len(below) == 0:
			after, key, ok = i, name, true
		case fits && len(l.key) > len(below) && under(l.key, below):
			after, key, ok = i, slices.Concat(below, name), true
		}
	}
	return after, key, ok
}

// lineAfter inserts line after the line of the byte at off. A document without a final line end gets none.
func (d tomlDoc) lineAfter(off int, line string) splice {
	nl := newlineOf(d.text)
	at := lineEnd(d.text, off)
	if at > 0 && d.text[at-1] != '\n' {
		return splice{at, at, nl + line}
	}
	return splice{at, at, line + nl}
}

// addFirst puts the first pair of the top level: before all tables, but below a #:schema line, which tools expect first;
// into a document without tables at its end.
func (d tomlDoc) addFirst(key []string, want tomlValue, text string) ([]byte, error) {
	line := dotted(key) + " = " + text
	fresh := tomlLine{header: unstable.KeyValue, key: key, value: want}
	switch {
	case len(d.lines) == 0 && d.text != "":
		return d.commit(d.lineAfter(len(d.text)-1, line), 0, 0, fresh)
	case strings.HasPrefix(d.text, "#:"):
		return d.commit(d.lineAfter(0, line), 0, 0, fresh)
	}
	return d.commit(splice{0, 0, line + newlineOf(d.text)}, 0, 0, fresh)
}

// addTable adds a header and its first pair, behind the table that is its nearest relative, else at the end.
func (d tomlDoc) addTable(table, name []string, want tomlValue, text string) ([]byte, error) {
	nl := newlineOf(d.text)
	lines := "[" + dotted(table) + "]" + nl + dotted(name) + " = " + text
	fresh := []tomlLine{{header: unstable.Table, key: table}, {header: unstable.KeyValue, key: name, value: want}}
	best, after := 0, -1
	var prefix []string
	for i, l := range d.lines {
		if l.header != unstable.KeyValue {
			prefix = l.key
		}
		if n := common(prefix, table); n > 0 && n >= best {
			best, after = n, i
		}
	}
	switch {
	case after >= 0:
		return d.commit(d.lineAfter(d.lines[after].end, nl+lines), after+1, 0, fresh...)
	case d.text == "":
		return d.commit(splice{0, 0, lines + nl}, 0, 0, fresh...)
	}
	return d.commit(d.lineAfter(len(d.text)-1, nl+lines), len(d.lines), 0, fresh...)
}

// common counts the names that two paths have in common at the beginning.
func common(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// addItem puts a pair into an inline table.
func (d tomlDoc) addItem(p place, want tomlValue, text string) ([]byte, error) {
	pair := dotted(p.below) + " = " + text
	item := tomlItem{key: p.below, value: want}
	fresh := *p.line
	grown := *p.table
	grown.items = append(slices.Clone(grown.items), item)
	at := *p.table
	fresh.value = place{value: &at}.replaced(fresh.value, grown)
	s := splice{p.table.start + 1, p.table.end - 1, " " + pair + " "}
	if n := len(p.table.items); n > 0 {
		end := p.table.items[n-1].value.end
		s = splice{end, end, ", " + pair}
	}
	return d.commit(s, p.index, 1, fresh)
}

// cutItem takes the pair of p out of its inline table.
func (d tomlDoc) cutItem(p place) ([]byte, error) {
	items := p.table.items
	i := slices.IndexFunc(items, func(it tomlItem) bool { return it.start == p.item.start })
	s := splice{p.table.start + 1, p.table.end - 1, ""}
	switch {
	case i > 0:
		s = splice{items[i-1].value.end, p.item.value.end, ""}
	case len(items) > 1:
		s = splice{p.item.start, items[1].start, ""}
	}
	shrunk := *p.table
	shrunk.items = slices.Delete(slices.Clone(items), i, i+1)
	at := *p.table
	fresh := *p.line
	fresh.value = place{value: &at}.replaced(fresh.value, shrunk)
	return d.commit(s, p.index, 1, fresh)
}
