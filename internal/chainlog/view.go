package chainlog

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/vexyart/vomgr/internal/history"
)

// View shows a Log as text of 80 columns, without colour. Foreign text is escaped.
type View struct {
	Now   time.Time           // times are shown in its zone
	Tilde func(string) string // shortens a path for messages
	All   bool                // also old chains and ignored stops
}

// recent is how many chains are shown unless all are asked for.
const recent = 10

// maxProject bounds a project's column.
const maxProject = 28

// Glance writes one line for each chain, and more on those that broke.
func (v View) Glance(w io.Writer, l Log) error {
	var b strings.Builder
	chains := l.Chains
	if !v.All {
		chains = chains[max(0, len(chains)-recent):]
	}
	if len(chains) == 0 {
		b.WriteString("no hand-over yet\n")
	} else {
		v.chains(&b, chains)
	}
	since := v.since(chains)
	v.breaks(&b, chains)
	v.failures(&b, after(l.Failed, since))
	v.ignored(&b, after(l.Ignored, since))
	if n := len(l.Chains) - len(chains); n > 0 {
		fmt.Fprintf(&b, "\n%s before these (vomgr log --all)\n", count(n, "chain"))
	}
	if len(chains) == 0 {
		b.WriteString("hint: vomgr doctor tells what would stop one\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (v View) chains(b *strings.Builder, chains []Chain) {
	rows := [][]string{{"CHAIN", "PROJECT", "TIME", "HOPS", "ENDED"}}
	for _, c := range chains {
		rows = append(rows, []string{
			show(c.ID), v.project(c.Project), v.span(c), strconv.Itoa(c.HandOvers), v.summary(c),
		})
	}
	table(b, rows, 3)
}

// since is the beginning of what Glance looks at.
func (v View) since(chains []Chain) time.Time {
	switch {
	case v.All:
		return time.Time{}
	case len(chains) > 0:
		return chains[0].First
	}
	return v.Now.Add(-24 * time.Hour)
}

func after(stops []Stop, t time.Time) []Stop {
	var list []Stop
	for _, s := range stops {
		if !s.Time.Before(t) {
			list = append(list, s)
		}
	}
	return list
}

// breaks says where and why chains stopped that should have gone on.
func (v View) breaks(b *strings.Builder, chains []Chain) {
	var broken []Chain
	for _, c := range chains {
		if c.Broken != nil {
			broken = append(broken, c)
		}
	}
	groups := v.grouped(len(broken), func(i, j int) bool {
		a, b := broken[i], broken[j]
		return a.Project == b.Project && a.Broken.Step == b.Broken.Step && a.Broken.Why == b.Broken.Why
	})
	for _, g := range v.latest(b, groups, "broken chain") {
		c := broken[g.last]
		b.WriteByte('\n')
		paragraph(b, fmt.Sprintf("%s broke at %s, %s%s", show(c.ID), v.clock(c.Broken.Time), v.where(*c.Broken), g.more()))
		fmt.Fprintf(b, "hint: vomgr log %s\n", show(c.ID))
	}
}

// failures shows the latest stops that failed; of identical neighbours the last one.
func (v View) failures(b *strings.Builder, stops []Stop) {
	groups := v.grouped(len(stops), func(i, j int) bool {
		a, b := stops[i], stops[j]
		return a.Source == b.Source && a.Project == b.Project && a.Step == b.Step && a.Why == b.Why
	})
	for _, g := range v.latest(b, groups, "failed stop") {
		s := stops[g.last]
		b.WriteByte('\n')
		paragraph(b, fmt.Sprintf("a stop%s at %s failed, step %s: %s%s", v.whose(s), v.clock(s.Time), show(s.Step), v.text(s.Why), g.more()))
	}
	if len(stops) > 0 {
		b.WriteString("hint: vomgr doctor\n")
	}
}

func (v View) whose(s Stop) string {
	text := ""
	if s.Source != "" {
		text += " of " + show(s.Source)
	}
	if s.Project != "" {
		text += " in " + v.project(s.Project)
	}
	return text
}

func (v View) ignored(b *strings.Builder, stops []Stop) {
	switch {
	case len(stops) == 0:
	case !v.All:
		fmt.Fprintf(b, "\n%s ignored (vomgr log --all tells why)\n", were(len(stops)))
	default:
		b.WriteByte('\n')
		rows := [][]string{{"IGNORED", "WHO", "PROJECT", "BECAUSE"}}
		for _, s := range stops {
			rows = append(rows, []string{v.clock(s.Time), show(s.Source), v.project(s.Project), v.text(s.Why)})
		}
		table(b, rows)
	}
}

func were(n int) string {
	if n == 1 {
		return "1 stop was"
	}
	return count(n, "stop") + " were"
}

// summary says in a few words how the chain stands.
func (v View) summary(c Chain) string {
	switch c.State {
	case Running:
		return c.worker() + " works"
	case Underway:
		return "hand-over under way"
	case Resting:
		if strings.HasPrefix(c.Reason, "until ") {
			return "rests " + v.text(c.Reason)
		}
		return "rests: " + v.text(c.Reason)
	case Pending:
		return "pending: " + show(c.Broken.Target)
	case Broken:
		return "broken: " + cause(v.text(c.Broken.Why))
	}
	return v.text(c.Reason)
}

// cause is the end of a chain of errors, which tells what really happened.
func cause(why string) string {
	if i := strings.LastIndex(why, ": "); i >= 0 {
		return why[i+2:]
	}
	return why
}

// worker is the assistant of the latest turn.
func (c Chain) worker() string {
	if len(c.Turns) == 0 || c.Turns[len(c.Turns)-1].Who == "" {
		return "an assistant"
	}
	return show(c.Turns[len(c.Turns)-1].Who)
}

// where says at which step of which hand-over a chain broke, and why.
func (v View) where(k Break) string {
	text := fmt.Sprintf("hop %d, ", k.Hop)
	if k.Source != "" || k.Target != "" {
		text += pair(k.Source, k.Target) + ", "
	}
	return text + "step " + show(k.Step) + ": " + v.text(k.Why)
}

func pair(source, target string) string {
	switch {
	case source == "":
		return show(target)
	case target == "":
		return show(source)
	}
	return show(source) + " -> " + show(target)
}

func (v View) project(path string) string { return tail(v.path(path), maxProject) }

func (v View) path(path string) string {
	if path == "" {
		return "-"
	}
	return history.Printable(v.Tilde(path))
}

// text is show for free text, with the paths in it shortened.
func (v View) text(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		words[i] = v.Tilde(w)
	}
	return show(strings.Join(words, " "))
}

// show makes foreign text fit for a terminal, on one line.
func show(s string) string { return history.Printable(strings.Join(strings.Fields(s), " ")) }

// span is when a chain was alive: "21:58 - 06:52", with the day where it was not today or last night.
func (v View) span(c Chain) string {
	begin, end := v.clock(c.First), c.Last.In(v.Now.Location()).Format("15:04")
	switch c.State {
	case Running, Underway, Resting:
		end = "now"
	}
	return begin + " - " + end
}

// clock writes a time of day, with the day where it lies more than 24 hours back.
func (v View) clock(t time.Time) string {
	t = t.In(v.Now.Location())
	switch age := v.Now.Sub(t); {
	case t.Year() != v.Now.Year() && age >= 24*time.Hour:
		return t.Format("2 Jan 2006 15:04")
	case age >= 24*time.Hour:
		return t.Format("2 Jan 15:04")
	}
	return t.Format("15:04")
}
