package chainlog

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/vexyart/vomgr/internal/history"
)

// Chain writes the turns of one chain, why it is not going on, and what to do.
func (v View) Chain(w io.Writer, c Chain) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  %s\n", show(c.ID), v.path(c.Project), v.span(c))
	paragraph(&b, v.outcome(c))
	if len(c.Turns) > 0 {
		b.WriteByte('\n')
		v.turns(&b, c)
	}
	v.ignored(&b, c.Ignored)
	b.WriteByte('\n')
	v.hint(&b, c)
	_, err := io.WriteString(w, b.String())
	return err
}

// outcome sums a chain up.
func (v View) outcome(c Chain) string {
	text := count(c.HandOvers, "hand-over")
	switch c.State {
	case Running:
		text += "; " + v.summary(c)
		if n := len(c.Turns); n > 0 && !c.Turns[n-1].Start.IsZero() {
			text += " since " + v.clock(c.Turns[n-1].Start)
		}
		return text
	case Broken, Pending:
		text += "; broken at " + v.where(*c.Broken)
		if c.State == Pending {
			text += "; the job is pending"
		}
		return text
	case Ended:
		return text + ", " + v.summary(c)
	}
	return text + "; " + v.summary(c)
}

// turns writes a row for each turn, and between them what else happened.
func (v View) turns(b *strings.Builder, c Chain) {
	rows := [][]string{{"HOP", "WHO", "START", "WORKED", "STOPPED BECAUSE"}}
	notes := c.Notes
	for i, t := range c.Turns {
		rows = append(rows, v.turn(c, t))
		until := time.Time{}
		if i+1 < len(c.Turns) {
			until = cmp.Or(c.Turns[i+1].Start, c.Turns[i+1].Stop)
		}
		for len(notes) > 0 && (until.IsZero() || notes[0].From.Before(until)) {
			rows = append(rows, v.note(notes[0]))
			notes = notes[1:]
		}
	}
	table(b, rows, 0, 3)
}

func (v View) turn(c Chain, t Turn) []string {
	row := []string{strconv.Itoa(t.Hop), show(t.Who), "-", "-", v.text(t.Reason)}
	if t.Yours {
		row[1] += " (yours)"
	}
	if !t.Start.IsZero() {
		row[2] = v.clock(t.Start)
	}
	works := t.Stop.IsZero() && c.State == Running
	if !t.Start.IsZero() && (works || !t.Stop.IsZero()) {
		row[3] = lasting(t.Worked(v.Now))
	}
	if row[4] == "" {
		row[4] = "-"
	}
	if works {
		row[4] = "works"
	}
	return row
}

func (v View) note(n Note) []string {
	span := v.clock(n.From)
	if !n.To.IsZero() {
		span += " - " + v.clock(n.To)
	}
	return []string{"", span, "", "", v.text(n.Text)}
}

// Steps writes each step of hand-over hop, or, when hop is negative, of all.
func (v View) Steps(w io.Writer, c Chain, hop int) error {
	steps := c.Steps(hop)
	if len(steps) == 0 {
		return fmt.Errorf("chain %s has no hop %d; vomgr log %s lists its hops", show(c.ID), hop, show(c.ID))
	}
	var b strings.Builder
	b.WriteString(show(c.ID))
	if hop >= 0 {
		a := attempt{entries: steps}
		fmt.Fprintf(&b, " hop %d  %s", hop, pair(a.names()))
	}
	b.WriteString("  " + v.path(c.Project))
	first := steps[0].Time.In(v.Now.Location())
	if v.Now.Sub(first) >= 24*time.Hour {
		b.WriteString(first.Format("  2 Jan 2006"))
	}
	b.WriteByte('\n')
	for _, e := range steps {
		of := ""
		if hop < 0 {
			of = padLeft(strconv.Itoa(e.Hop), 2) + "  "
		}
		v.step(&b, e, of)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Entries writes steps as they come in, each with its chain.
func (v View) Entries(w io.Writer, entries []history.Entry) error {
	var b strings.Builder
	for _, e := range entries {
		v.step(&b, e, pad(show(cmp.Or(e.Chain, "-")), 6)+"  "+padLeft(strconv.Itoa(e.Hop), 2)+"  ")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// step writes one step. Among those of several hand-overs, of says of which one it is, and a call says between whom.
func (v View) step(b *strings.Builder, e history.Entry, of string) {
	text := v.stepText(e, of != "" && e.Step == history.Called)
	lead := e.Time.In(v.Now.Location()).Format("15:04:05.000") + "  " + of
	hang(b, lead+pad(show(e.Step), len("preferences"))+"  ", text)
}
