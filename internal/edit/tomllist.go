package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// PrependElements returns doc with elements put before those of the list of strings at path, which must have some. What
// the list holds stays as it is spelled, with its comments and line ends.
func PrependElements(doc []byte, path []string, elements ...string) ([]byte, error) {
	d, v, p, err := findList(doc, path, 1)
	if err != nil {
		return nil, err
	}
	var parts []string
	var items []tomlItem
	for _, e := range elements {
		parts = append(parts, basicString(e))
		items = append(items, stringItem(e))
	}
	text := strings.Join(parts, ", ")
	first := v.items[0].start
	s := splice{first, first, text + ", "}
	if startsLine(d.text, first) { // a line of its own, above what may be the first element's comment
		at := lineEnd(d.text, v.start)
		s = splice{at, at, indentOf(d.text, first) + text + "," + newlineOf(d.text)}
	}
	return d.commitList(p, s, slices.Concat(items, v.items))
}

// DropElements returns doc without the first n elements of the list of strings at path, which must have more. It undoes
// PrependElements byte for byte.
func DropElements(doc []byte, path []string, n int) ([]byte, error) {
	d, v, p, err := findList(doc, path, n+1)
	if err != nil {
		return nil, err
	}
	start := v.items[0].start
	end := d.commaAfter(v.items[n-1].value.end) + 1
	rest := d.text[end:lineEnd(d.text, end)]
	if strings.TrimSpace(rest) == "" && startsLine(d.text, start) { // lines of their own
		start, end = lineStart(d.text, start), end+len(rest)
	} else {
		end += len(rest) - len(strings.TrimLeft(rest, " \t"))
	}
	return d.commitList(p, splice{start, end, ""}, v.items[n:])
}

// SetElement returns doc with the i-th element, from 0, of the list of strings at path replaced.
func SetElement(doc []byte, path []string, i int, element string) ([]byte, error) {
	d, v, p, err := findList(doc, path, i+1)
	if err != nil {
		return nil, err
	}
	if v.items[i].value.data == element {
		return doc, nil
	}
	items := slices.Clone(v.items)
	items[i] = stringItem(element)
	at := v.items[i].value
	return d.commitList(p, splice{at.start, at.end, basicString(element)}, items)
}

// RemoveElement returns doc without the i-th element, from 0, of the list of strings at path: without its line, comment
// included, where it has one of its own. The other elements stay as they are spelled.
func RemoveElement(doc []byte, path []string, i int) ([]byte, error) {
	d, v, p, err := findList(doc, path, i+1)
	if err != nil {
		return nil, err
	}
	rest := slices.Delete(slices.Clone(v.items), i, i+1)
	return d.commitList(p, d.withoutElement(v, i), rest)
}

// withoutElement cuts the i-th element out of the list v, with the comma that is then too many.
func (d tomlDoc) withoutElement(v *tomlValue, i int) splice {
	start, end := v.items[i].start, v.items[i].value.end
	if last := i == len(v.items)-1; last && i > 0 && !startsLine(d.text, start) {
		return splice{v.items[i-1].value.end, end, ""}
	}
	if next := d.pastComments(end); d.text[next] == ',' {
		end = next + 1
	}
	if len(v.items) == 1 && strings.TrimSpace(d.text[v.start+1:start]+d.text[end:v.end-1]) == "" {
		return splice{v.start, v.end, "[]"}
	}
	behind := d.text[end:lineEnd(d.text, end)]
	text := strings.TrimSpace(behind)
	switch {
	case startsLine(d.text, start) && (text == "" || text[0] == '#'):
		return splice{lineStart(d.text, start), end + len(behind), ""}
	case text != "":
		end += len(behind) - len(strings.TrimLeft(behind, " \t"))
	}
	return splice{start, end, ""}
}

// pastComments returns the first byte from off on that is neither blank nor in a comment.
func (d tomlDoc) pastComments(off int) int {
	for ; strings.IndexByte(" \t\r\n#", d.text[off]) >= 0; off++ {
		if d.text[off] == '#' {
			off = lineEnd(d.text, off) - 1
		}
	}
	return off
}

func stringItem(s string) tomlItem {
	return tomlItem{value: tomlValue{kind: unstable.String, data: s}}
}

// findList finds the list of at least size strings at path.
func findList(doc []byte, path []string, size int) (tomlDoc, *tomlValue, place, error) {
	d, err := parseTOML(doc)
	if err != nil {
		return d, nil, place{}, err
	}
	v, err := d.strings(path)
	if err == nil && (v == nil || len(v.items) < size) {
		err = fmt.Errorf("%s has no %d elements", dotted(path), size)
	}
	if err != nil {
		return d, nil, place{}, err
	}
	p, err := d.find(path)
	return d, v, p, err
}

func (d tomlDoc) commitList(p place, s splice, items []tomlItem) ([]byte, error) {
	fresh := *p.line
	list := *p.value
	list.items = items
	fresh.value = p.replaced(fresh.value, list)
	return d.commit(s, p.index, 1, fresh)
}

// commaAfter returns where the comma stands that follows the byte at off, comments passed over.
func (d tomlDoc) commaAfter(off int) int {
	for d.text[off] != ',' {
		if d.text[off] == '#' {
			off = lineEnd(d.text, off) - 1
		}
		off++
	}
	return off
}
