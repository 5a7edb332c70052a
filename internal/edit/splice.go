package edit

import (
	"cmp"
	"slices"
	"strings"
)

// splice replaces the bytes from start to end of a document by text.
type splice struct {
	start, end int
	text       string
}

// apply returns doc with all the splices done; they must not overlap.
func apply(doc string, all []splice) string {
	all = slices.SortedStableFunc(slices.Values(all), func(a, b splice) int { return cmp.Compare(a.start, b.start) })
	var out strings.Builder
	done := 0
	for _, s := range all {
		out.WriteString(doc[done:s.start])
		out.WriteString(s.text)
		done = s.end
	}
	out.WriteString(doc[done:])
	return out.String()
}

// newlineOf returns the line end that doc uses first, LF if it has none.
func newlineOf(doc string) string {
	i := strings.IndexByte(doc, '\n')
	if i > 0 && doc[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineStarts returns where the lines of doc begin, in order.
func lineStarts(doc string) []int {
	starts := []int{0}
	for i := range len(doc) {
		if doc[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// lineStart returns where the line of the byte at off begins.
func lineStart(doc string, off int) int { return strings.LastIndexByte(doc[:off], '\n') + 1 }

// lineEnd returns where the line of the byte at off ends, its line end included.
func lineEnd(doc string, off int) int {
	if i := strings.IndexByte(doc[off:], '\n'); i >= 0 {
		return off + i + 1
	}
	return len(doc)
}

// indentOf returns the blanks at the beginning of the line of the byte at off.
func indentOf(doc string, off int) string {
	line := doc[lineStart(doc, off):off]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// startsLine tells whether only blanks stand before the byte at off in its line.
func startsLine(doc string, off int) bool {
	return strings.Trim(doc[lineStart(doc, off):off], " \t") == ""
}
