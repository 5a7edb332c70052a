package chainlog

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// columns is the width of all output.
const columns = 80

// wide lists the ranges of characters that take two columns of a terminal.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x2e80, 0xa4cf, 1}, {0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe30, 0xfe6f, 1},
		{0xff00, 0xff60, 1}, {0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{{0x1f300, 0x1f64f, 1}, {0x1f680, 0x1faff, 1}, {0x20000, 0x3fffd, 1}},
}

func runeWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

func width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// pad fills s up to n columns.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-width(s))) }

// padLeft puts s at the end of n columns.
func padLeft(s string, n int) string { return strings.Repeat(" ", max(0, n-width(s))) + s }

// head returns as much of s as n columns hold, and the rest; at least one character.
func head(s string, n int) (begin, rest string) {
	used := 0
	for i, r := range s {
		used += runeWidth(r)
		if used > n && i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// tail shortens s to n columns from its front: the end of a path tells more.
func tail(s string, n int) string {
	if width(s) <= n {
		return s
	}
	for width(s) > n-3 {
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
	}
	return "..." + s
}

// wrap breaks s into lines of n columns, at spaces where it can.
func wrap(s string, n int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && width(line)+1+width(word) <= n {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for width(word) > n {
			var begin string
			begin, word = head(word, n)
			lines = append(lines, begin)
		}
		line = word
	}
	return append(lines, line)
}

// hang writes s after lead, which stands as it is; further lines are indented as far as lead reaches.
func hang(b *strings.Builder, lead, s string) {
	for i, line := range wrap(s, max(20, columns-width(lead))) {
		if i > 0 {
			lead = strings.Repeat(" ", width(lead))
		}
		b.WriteString(strings.TrimRight(lead+line, " ") + "\n")
	}
}

// paragraph writes s without indentation.
func paragraph(b *strings.Builder, s string) { hang(b, "", s) }

// table writes rows in columns two spaces apart; the last one is wrapped. right names the columns set to the right.
func table(b *strings.Builder, rows [][]string, right ...int) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], width(cell))
		}
	}
	for _, row := range rows {
		lead := ""
		for i, cell := range row[:len(row)-1] {
			set := pad
			for _, r := range right {
				if r == i {
					set = padLeft
				}
			}
			lead += set(cell, widths[i]) + "  "
		}
		hang(b, lead, row[len(row)-1])
	}
}

// count writes a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// lasting writes a duration as a person says it: 6 s, 14 min, 2 h 5 min.
func lasting(d time.Duration) string {
	switch d = d.Round(time.Second); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
