package demo

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/history"
)

// story is what can be told of a hop, in its order: its steps and what the stand-ins do.
var story = slices.Concat(
	[]string{actAnswered, history.Called, actTitle, history.Project, history.Preferences, history.Guard, history.Ended},
	hookSteps[4:], []string{history.Terminal, history.Claimed, history.Started, actWorking}, helperSteps[2:],
)

// show tells the story in its order. The parts of the chain run at the same time, and some write down late what they
// did early; so a line waits a moment for those before it.
type show struct {
	out   io.Writer
	stage *stage
	told  []bool // by place: told, or nothing to wait for
	held  []line
	stops int      // of stand-ins so far
	cast  []string // their tokens, in the order in which they began
	how   []string // by stop: how the hook was called
	began time.Time
}

// line is something to tell, at its place in the story of all hops.
type line struct {
	place int
	since time.Time
	text  string
}

func newShow(out io.Writer, s *stage) *show {
	v := &show{out: out, stage: s, told: make([]bool, (handovers+2)*len(story)), how: []string{""}}
	for i := range v.told {
		part := story[i%len(story)]
		// Of the start by hand only the work is told; what need not come is not waited for.
		source, _ := players(i / len(story))
		v.told[i] = i < len(story) && part != actWorking || part == actTitle && source != "codex" || part == history.Ended
	}
	return v
}

// wait is how long a line waits for those before it.
const wait = 150 * time.Millisecond

// due tells what waits for nothing, or has waited long enough.
func (v *show) due(now time.Time) {
	for len(v.held) > 0 {
		first := v.held[0]
		if now.Sub(first.since) < wait && slices.Contains(v.told[:first.place], false) {
			return
		}
		v.tell()
	}
}

// rest tells what is still held.
func (v *show) rest() {
	for len(v.held) > 0 {
		v.tell()
	}
}

func (v *show) tell() {
	fmt.Fprint(v.out, v.held[0].text)
	v.told[v.held[0].place] = true
	v.held = v.held[1:]
}

func (v *show) hold(hop int, part, text string) {
	at := slices.Index(story, part)
	if at < 0 || hop < 0 || hop > handovers+1 {
		return
	}
	v.held = append(v.held, line{hop*len(story) + at, time.Now(), text})
	slices.SortStableFunc(v.held, func(a, b line) int { return a.place - b.place })
}

// act takes in what a stand-in wrote.
func (v *show) act(e history.Entry) {
	switch e.Step {
	case actBegan:
		v.cast = append(v.cast, e.Chain)
	case actWorking:
		v.hold(slices.Index(v.cast, e.Chain), actWorking, fmt.Sprintf("          %-6s ---- %s\n", e.Source, history.Printable(e.Detail)))
	case actAnswered:
		v.stops++
		v.how = append(v.how, e.Detail)
		if v.stops == 1 {
			v.began = e.Time
		}
		name := "hop " + fmt.Sprint(v.stops)
		if v.stops > handovers {
			name = "then"
		}
		head := fmt.Sprintf("%-9s %-6s ---- answer finished ", name, e.Source)
		v.hold(v.stops, actAnswered, "\n"+v.timed(head+strings.Repeat("-", timeColumn-len(head)), e.Time))
	}
}

// step takes in a step of the chain.
func (v *show) step(e history.Entry) {
	switch text := history.Printable(strings.ReplaceAll(e.Detail, v.stage.w.Home, "~")); {
	case e.Error != "":
		v.hold(e.Hop, e.Step, v.row("!", e.Step, history.Printable(e.Error)))
	case isTitle(e):
		v.hold(v.stops, actTitle, v.row("|", "ignored", "a second call, for the title of the thread"))
	case e.Chain == "", e.Hop == 0: // ignored, or the start by hand
	case e.Step == history.Ended:
		_, why, _ := strings.Cut(text, ": ")
		v.hold(e.Hop, e.Step, "\n"+v.timed("ended     "+why, e.Time))
	case e.Step == history.Started:
		v.hold(e.Hop, e.Step, v.timed(strings.TrimSuffix(v.row("v", e.Step, text), "\n"), e.Time))
	case e.Step == history.Replaced:
		v.hold(e.Hop, e.Step, v.row("x", e.Step, e.Source+", "+text))
	default:
		v.hold(e.Hop, e.Step, v.row("|", e.Step, v.detail(e, text)))
	}
}

// detail says what a step did, where its own words are not enough.
func (v *show) detail(e history.Entry, text string) string {
	switch {
	case e.Step == history.Called && e.Hop < len(v.how):
		return v.how[e.Hop]
	case e.Step == history.Guard && text == "":
		return "nothing speaks against it"
	case e.Step == history.Prompt:
		return v.prompt(e, text)
	}
	return text
}

// prompt is what the next assistant is told, as the job file has it. The job itself is not opened: Windows would not
// let the helper rename it meanwhile.
func (v *show) prompt(e history.Entry, otherwise string) string {
	source, _ := assistant.Get(assistant.Name(e.Source))
	job, err := hook.ReadJobFile(source.JobPath(v.stage.w))
	if err != nil {
		return otherwise
	}
	for _, kv := range job.Env {
		if kv[0] == "VOMGR_PROMPT" {
			return `"` + history.Printable(strings.Join(strings.Fields(kv[1]), " ")) + `"`
		}
	}
	return otherwise
}

const (
	textColumn = 26
	timeColumn = 72
	width      = 79
)

// row is one step: a mark, its name, and what there is to say, in as many lines as that takes.
func (v *show) row(mark, step, text string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "          %s  %-13s", mark, step)
	column := textColumn
	for i, word := range strings.Fields(text) {
		if i > 0 && column+1+len(word) > width {
			fmt.Fprintf(&b, "\n%-*s", textColumn, "          |")
			column = textColumn
		} else if i > 0 {
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	b.WriteByte('\n')
	return b.String()
}

// timed puts a time, counted from the first stop, at the end of a line.
func (v *show) timed(text string, at time.Time) string {
	return fmt.Sprintf("%-*s %4.1f s\n", timeColumn, text, max(0, at.Sub(v.began).Seconds()))
}
