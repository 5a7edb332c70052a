package main

import (
	"strings"
	"unicode/utf8"

	"github.com/vexyart/vomgr/internal/history"
)

// columns is the width of all output.
const columns = 80

// hang returns text behind lead, broken at spaces into lines of 80 columns of which all but the first are indented as
// far as lead reaches. What a terminal would not simply show is escaped.
func hang(lead, text string) string {
	indent := strings.Repeat(" ", utf8.RuneCountInString(lead))
	room := max(20, columns-len(indent))
	var b strings.Builder
	b.WriteString(lead)
	used := 0
	for i, word := range strings.Fields(text) {
		word = history.Printable(word)
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > room:
			b.WriteString("\n" + indent)
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

// field is s in n columns, and two more.
func field(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s))+2)
}
