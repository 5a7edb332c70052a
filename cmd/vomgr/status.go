package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/internal/chainlog"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/overview"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

func newStatus(w world.World) *cobra.Command {
	var asJSON, all bool
	c := &cobra.Command{
		Use:     "status",
		Short:   "Show who hands over to whom, and what works now",
		Example: "  vomgr status\n  vomgr status --all\n  vomgr status --json",
		Args:    wants(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			o := overview.Read(w)
			if asJSON {
				return writeJSON(w, o)
			}
			status{w: w, out: w.Stdout, all: all}.show(o)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	c.Flags().BoolVarP(&all, "all", "a", false, "every chain of the last day")
	return c
}

// bare is vomgr without a word: the status, or where to begin.
func bare(w world.World) error {
	o := overview.Read(w)
	if o.Enabled() {
		status{w: w, out: w.Stdout}.show(o)
	} else {
		startPage(w.Stdout, o)
	}
	return nil
}

// startPage is for those who have not begun.
func startPage(out io.Writer, o overview.Overview) {
	var found, missing []string
	for _, a := range o.Assistants {
		switch {
		case a.Path == "":
			missing = append(missing, string(a.Name)+": not found")
		case a.Version == "":
			found = append(found, string(a.Name))
		default:
			found = append(found, string(a.Name)+" "+a.Version)
		}
	}
	here := "not enabled. "
	switch {
	case len(found) == 0:
		here += "no assistant was found on PATH: claude, codex, gemini"
	case len(missing) == 0:
		here += "found here: " + strings.Join(found, ", ")
	default:
		here += "found here: " + strings.Join(found, ", ") + " (" + strings.Join(missing, ", ") + ")"
	}
	fmt.Fprint(out, hang("", "vomgr lets claude code, codex and gemini hand a project to each other while nobody is there."), "\n", hang("", here))
	fmt.Fprint(out, `
  vomgr demo       three hand-overs between stand-ins; nothing is changed
  vomgr enable     put the hook into claude and codex
  vomgr doctor     what would stop tonight's chain, and how to mend it
  vomgr --help     all commands
`)
}

// status shows an overview as text.
type status struct {
	w   world.World
	out io.Writer
	all bool // also of many chains that are over each one
}

func (s status) line(name, text string) { fmt.Fprint(s.out, hang(field(name, 8), text)) }

func (s status) show(o overview.Overview) {
	if o.Settings != "" {
		s.line("settings", o.Settings+"; nothing is started")
	}
	for _, fault := range o.Faults {
		s.line("state", fault+"; nothing is handed over there")
	}
	s.line("nights", s.nights(o))
	s.line("", hooks(o))
	if p := o.Paused; p != nil {
		text := "answers under way are finished, then nothing is started"
		if !p.Until.IsZero() {
			text = "until " + s.clock(p.Until) + "; " + text
		}
		s.line("paused", text)
	}
	if len(o.Projects) > 0 {
		fmt.Fprintln(s.out)
		s.projects(o)
		fmt.Fprintln(s.out)
	}
	s.last(o.Last)
	if hint := s.hint(o); hint != "" {
		fmt.Fprint(s.out, hang("hint: ", hint))
	}
}

// nights says who hands over to whom, and where.
func (s status) nights(o overview.Overview) string {
	var pairs []string
	for _, a := range o.Assistants {
		if a.Target != "" {
			pairs = append(pairs, fmt.Sprintf("%s -> %s", a.Name, a.Target))
		}
	}
	if len(pairs) == 0 {
		return "off: no assistant hands anything over"
	}
	where := map[settings.ScopeMode]string{
		settings.Everywhere: "in every folder", settings.Armed: "only after vomgr night", settings.OnlyFolders: "only in the folders of scope.folders",
	}[o.Scope]
	return strings.Join(pairs, ", ") + "; " + where
}

// hooks says which assistants call vomgr.
func hooks(o overview.Overview) string {
	by := map[overview.HookState][]string{}
	for _, a := range o.Assistants {
		if a.Target != "" || a.Hook != overview.HookNone {
			by[a.Hook] = append(by[a.Hook], string(a.Name))
		}
	}
	var parts []string
	for _, state := range []struct {
		is   overview.HookState
		text string
	}{
		{overview.HookCurrent, "hook installed and current in "},
		{overview.HookOutdated, "hook outdated or broken in "},
		{overview.HookNone, "no hook in "},
	} {
		if names := by[state.is]; len(names) > 0 {
			parts = append(parts, state.text+strings.Join(names, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// projects writes a row for each project with a chain.
func (s status) projects(o overview.Overview) {
	rows := [][4]string{{"PROJECT", "NOW", "HOP", "LAST WORK"}}
	for _, p := range o.Projects {
		rows = append(rows, [4]string{history.Printable(s.w.Tilde(p.Project)), s.now(p, o.Paused != nil), hops(p), s.ago(p.LastWork)})
	}
	var width [4]int
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	const gaps = 3 * 2
	width[0] = min(width[0], max(len("PROJECT"), columns-gaps-width[1]-width[2]-width[3]))
	for i, row := range rows {
		text := field(tail(row[0], width[0]), width[0]) + field(row[1], width[1]) + field(row[2], width[2]) + row[3]
		fmt.Fprintln(s.out, strings.TrimRight(text, " "))
		if i > 0 && o.Projects[i-1].Reason != "" {
			fmt.Fprint(s.out, hang(field("", width[0]), o.Projects[i-1].Reason))
		}
	}
	var ends []string
	for _, p := range o.Projects {
		if !p.Until.IsZero() && p.State != overview.Ended {
			ends = append(ends, filepath.Base(p.Project)+" "+s.clock(p.Until))
		}
	}
	if len(ends) > 0 {
		fmt.Fprintln(s.out)
		s.line("ends", strings.Join(ends, ", "))
	}
}

// now says what goes on in a project.
func (s status) now(p overview.Project, paused bool) string {
	lasts := span(s.w.Now().Sub(p.Since))
	switch p.State {
	case overview.HandsOver:
		return strings.TrimSpace("hands over to " + p.Tool)
	case overview.Pending:
		return "waits since " + s.clock(p.Since) + ", then " + p.Tool
	case overview.Stuck:
		return "stuck since " + s.clock(p.Since) + ", at " + p.Tool
	case overview.Ended:
		return "ended; " + p.Tool + " is still open"
	}
	if paused {
		return p.Tool + " works for " + lasts + ", then rests"
	}
	return p.Tool + " works for " + lasts
}

func hops(p overview.Project) string {
	if p.Max > 0 {
		return fmt.Sprintf("%d/%d", p.Hop, p.Max)
	}
	return strconv.Itoa(p.Hop)
}

// last lists the chains that are over: the latest, and of neighbours that ended alike the last one.
func (s status) last(all []overview.Past) {
	type group struct {
		overview.Past
		n int
	}
	var groups []group
	for _, p := range all {
		if k := len(groups) - 1; !s.all && k >= 0 && groups[k].Project == p.Project && groups[k].State == p.State && groups[k].Reason == p.Reason {
			groups[k] = group{p, groups[k].n + 1}
			continue
		}
		groups = append(groups, group{p, 1})
	}
	hidden := 0
	for !s.all && len(groups) > chainlog.Shown {
		hidden += groups[0].n
		groups = groups[1:]
	}
	name := "last"
	if hidden > 0 {
		s.line(name, fmt.Sprintf("%d before these (vomgr status --all)", hidden))
		name = ""
	}
	for _, g := range groups {
		s.line(name, s.past(g.Past)+chainlog.More(g.n-1))
		name = ""
	}
}

func (s status) past(p overview.Past) string {
	text := fmt.Sprintf("%s %s, %s - %s, %s", p.Chain, s.w.Tilde(p.Project), s.clock(p.First), s.clock(p.Last), p.State)
	if p.Reason != "" {
		text += ": " + p.Reason
	}
	return text
}

func (s status) hint(o overview.Overview) string {
	for _, a := range o.Assistants {
		if a.Target != "" && a.Path != "" && a.Hook != overview.HookCurrent {
			return "vomgr doctor"
		}
	}
	if o.Paused != nil {
		return "vomgr resume"
	}
	for _, p := range o.Projects {
		if p.State == overview.Pending {
			return "vomgr run -C " + s.w.Tilde(p.Project)
		}
		if p.State == overview.Stuck {
			return "look whether " + p.Tool + " runs there; if not: vomgr run " + p.Tool + " -C " + s.w.Tilde(p.Project)
		}
	}
	for _, p := range o.Projects {
		if p.State == overview.Ended {
			return "vomgr log " + p.Chain + "; " + s.again(p.Project)
		}
	}
	if len(o.Projects) > 0 {
		return "vomgr log " + filepath.Base(o.Projects[0].Project) + "; vomgr pause ends the chains after this answer"
	}
	if n := len(o.Last); n > 0 {
		return "vomgr log " + o.Last[n-1].Chain + "; " + s.again(o.Last[n-1].Project)
	}
	return ""
}

// again says how another chain begins in a project.
func (s status) again(project string) string {
	return "another one: " + chainlog.View{Tilde: s.w.Tilde}.Enter(project) + " && vomgr night"
}

// tail shortens a path from its front: its end tells more.
func tail(path string, most int) string {
	runes := []rune(path)
	if len(runes) <= most {
		return path
	}
	return "..." + string(runes[len(runes)-max(0, most-3):])
}

// clock writes a time of day, with the day where it is more than a day away.
func (s status) clock(t time.Time) string { return clock(t, s.w.Now()) }

func clock(t, now time.Time) string {
	t = t.In(now.Location())
	if d := t.Sub(now); d < -24*time.Hour || d > 24*time.Hour {
		return t.Format("2 Jan 15:04")
	}
	return t.Format("15:04")
}

func (s status) ago(t time.Time) string {
	switch d := s.w.Now().Sub(t); {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	}
	return s.clock(t)
}

// span writes a length of time: 40 s, 12 min, 2 h 5 min.
func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
