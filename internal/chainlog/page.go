package chainlog

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/vexyart/vomgr/internal/history"
)

// pageHead makes the browser ask for nothing from elsewhere and run no script.
//
//go:embed page_head.html
var pageHead string

// markup collects HTML. Everything from the history goes through text: html/template would make the program by a quarter
// larger.
type markup struct{ strings.Builder }

// text escapes s for an element or a quoted attribute.
func (m *markup) text(s string) { m.WriteString(html.EscapeString(s)) }

// cell is a table's cell with foreign text; class may be empty.
func (m *markup) cell(class, s string) {
	m.WriteString("<td class=\"" + class + "\">")
	m.text(s)
	m.WriteString("</td>")
}

// table opens a table with these headings, of which those that end in # stand over numbers.
func (m *markup) table(class string, headings ...string) {
	m.WriteString("<table class=\"" + class + "\">\n<tr>")
	for _, h := range headings {
		if name, number := strings.CutSuffix(h, "#"); number {
			m.WriteString("<th class=\"n\">" + name + "</th>")
		} else {
			m.WriteString("<th>" + h + "</th>")
		}
	}
	m.WriteString("</tr>\n")
}

// Page writes the log as one HTML page that needs nothing besides: every chain with its turns and its steps, and the stops
// from which no hand-over came; each with the newest first.
func (v View) Page(w io.Writer, l Log) error {
	var m markup
	m.WriteString(pageHead + "<h1>Hand-overs</h1>\n")
	fmt.Fprintf(&m, "<p class=\"soft\">as of %s</p>\n", html.EscapeString(v.Now.Format("2 January 2006, 15:04 MST")))
	if len(l.Chains) == 0 {
		m.WriteString("<p>No hand-over yet.</p>\n")
	} else {
		v.pageGlance(&m, l.Chains)
	}
	for _, c := range slices.Backward(l.Chains) {
		v.pageChain(&m, c)
	}
	if len(l.Failed)+len(l.Ignored) > 0 {
		v.pageStops(&m, l)
	}
	m.WriteString("</body>\n</html>\n")
	_, err := io.WriteString(w, m.String())
	return err
}

func (v View) pageGlance(m *markup, chains []Chain) {
	m.table("", "Chain", "Project", "Time", "Hops#", "Now")
	for _, c := range slices.Backward(chains) {
		id := html.EscapeString(show(c.ID))
		m.WriteString("<tr><td class=\"mono\"><a href=\"#" + id + "\">" + id + "</a></td>")
		m.cell("", v.path(c.Project))
		m.cell("", v.span(c))
		m.cell("n", strconv.Itoa(c.HandOvers))
		m.cell(string(c.State), v.summary(c))
		m.WriteString("</tr>\n")
	}
	m.WriteString("</table>\n")
}

// pageChain writes one chain: how it stands, its turns, and, folded away, its steps.
func (v View) pageChain(m *markup, c Chain) {
	id := html.EscapeString(show(c.ID))
	m.WriteString("<h2 id=\"" + id + "\"><span class=\"mono\">" + id + "</span> ")
	m.text(v.path(c.Project))
	m.WriteString("</h2>\n<p><span class=\"soft\">")
	m.text(v.span(c))
	m.WriteString("</span> <span class=\"" + string(c.State) + "\">")
	m.text(v.outcome(c))
	m.WriteString("</span></p>\n")
	if len(c.Turns) > 0 {
		m.table("", "Hop#", "Who", "Start", "Worked#", "Stopped because")
		for _, t := range c.Turns {
			m.WriteString("<tr>")
			for i, s := range v.turn(c, t) {
				m.cell([]string{"n", "", "", "n", ""}[i], s)
			}
			m.WriteString("</tr>\n")
		}
		m.WriteString("</table>\n")
	}
	m.WriteString("<details><summary>steps</summary>\n")
	m.table("mono", "Time", "Hop#", "Step", "")
	for _, e := range c.entries {
		m.row(e.Error != "")
		m.cell("", e.Time.In(v.Now.Location()).Format("2 Jan 15:04:05"))
		m.cell("n", strconv.Itoa(e.Hop))
		m.cell("", show(e.Step))
		m.cell("", v.stepText(e, e.Step == history.Called))
		m.WriteString("</tr>\n")
	}
	m.WriteString("</table>\n</details>\n")
}

func (v View) pageStops(m *markup, l Log) {
	m.WriteString("<h2>Stops without a hand-over</h2>\n")
	m.table("", "Time", "Who", "Project", "Because")
	for i, stops := range [][]Stop{l.Failed, l.Ignored} {
		for _, s := range slices.Backward(stops) {
			m.row(i == 0)
			m.cell("", v.clock(s.Time))
			m.cell("", show(s.Source))
			m.cell("", v.path(s.Project))
			m.cell("", v.text(s.Why))
			m.WriteString("</tr>\n")
		}
	}
	m.WriteString("</table>\n")
}

func (m *markup) row(failed bool) {
	if failed {
		m.WriteString("<tr class=\"broken\">")
		return
	}
	m.WriteString("<tr>")
}

// stepText says what a step came to; with between, too, who handed over to whom.
func (v View) stepText(e history.Entry, between bool) string {
	text := v.text(e.Detail)
	if between {
		text = strings.TrimSuffix(pair(e.Source, e.Target)+": "+text, ": ")
	}
	if e.Error != "" {
		text = strings.TrimPrefix(text+": failed: "+v.text(e.Error), ": ")
	}
	return text
}
