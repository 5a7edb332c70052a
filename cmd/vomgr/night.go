package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/doctor"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// usualNight is how long a night lasts when nothing says until when.
const usualNight = 12 * time.Hour

// night is one night to be begun.
type night struct {
	w       world.World
	set     settings.Settings
	project string
	tool    assistant.Assistant
	until   time.Time
	max     int
	force   bool
	yes     bool
}

func newNight(w world.World) *cobra.Command {
	n := night{w: w}
	var dir, until string
	c := &cobra.Command{
		Use:   "night [TOOL]",
		Short: "Check this folder, arm it, and start the first assistant here",
		Long: `Check this folder as vomgr doctor does; allow hand-overs in it until an hour; start the first assistant in this
terminal, told what to do by its own template. When it stops, the next one goes on.

TOOL is the first whose continuation is on unless you name one. Without --until the night lasts until limits.until of
the settings, else 12 hours.`,
		Example: "  vomgr night\n  vomgr night codex --until 07:00 --max 20\n  vomgr night -C ~/src/api --yes",
		Args:    wants(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if n.project, err = here(w, dir); err != nil {
				return err
			}
			if n.set, err = settings.Load(w.SettingsPath()); err != nil {
				return withHint(err, "vomgr doctor")
			}
			if n.tool, err = n.first(args); err != nil {
				return err
			}
			if n.until, err = n.end(until); err != nil {
				return err
			}
			if n.max < 0 {
				return usage{withHint(fmt.Errorf("--max %d: want a number of hand-overs", n.max), "vomgr night --max 20")}
			}
			return n.begin()
		},
	}
	c.Flags().StringVar(&until, "until", "", "the hour it ends at, like 07:00")
	c.Flags().IntVar(&n.max, "max", 0, "hand-overs after which it ends (default: limits.max_handovers)")
	c.Flags().StringVarP(&dir, "directory", "C", "", "the project's folder (default: this one)")
	c.Flags().BoolVar(&n.force, "force", false, "begin although something would stop it")
	c.Flags().BoolVarP(&n.yes, "yes", "y", false, "do not ask")
	return c
}

// first is the assistant that begins: the one named, else the first that is installed and whose continuation is on.
func (n night) first(args []string) (assistant.Assistant, error) {
	if len(args) > 0 {
		named, err := tools(args)
		if err != nil {
			return assistant.Assistant{}, err
		}
		return named[0], nil
	}
	var on []assistant.Assistant
	for _, a := range assistant.All() {
		if n.set.Continuation(string(a.Name)).Enabled {
			on = append(on, a)
		}
	}
	for _, a := range on {
		if a.Installed(n.w).Path != "" {
			return a, nil
		}
	}
	if len(on) > 0 {
		return on[0], nil
	}
	return assistant.Assistant{}, withHint(errors.New("no assistant hands anything over"), "vomgr enable")
}

// end works the hour of ending out.
func (n night) end(until string) (time.Time, error) {
	if until == "" {
		until = n.set.Limits.Until
	}
	now := n.w.Now()
	if until == "" {
		return now.Add(usualNight), nil
	}
	at, err := settings.NextClock(until, now)
	if err != nil {
		return at, usage{withHint(fmt.Errorf("--until: %w", err), "vomgr night --until 07:00")}
	}
	return at, nil
}

func (n night) begin() error {
	report := doctor.Run(n.w, n.project, doctor.Options{First: n.tool.Name, Night: true, Root: os.Geteuid() == 0})
	if !report.OK() && !n.force {
		return n.refuse(report)
	}
	n.summary(report)
	if !n.yes && !n.confirmed() {
		fmt.Fprintln(n.w.Stdout, "nothing was started")
		return nil
	}
	if err := n.arm(); err != nil {
		return err
	}
	fmt.Fprintf(n.w.Stdout, "[vomgr] night in %s until %s: %s starts%s\n", n.w.Tilde(n.project), clock(n.until, n.w.Now()), n.tool.Name, n.follows())
	began := n.w.Now()
	status := hook.Run(n.w, n.tool, n.project, nil)
	if status != statusOK {
		n.disarmUnlessStarted(began)
	}
	return status2error(status)
}

// disarmUnlessStarted takes the arming back when nothing was started: what did not begin must not go on by itself later.
func (n night) disarmUnlessStarted(began time.Time) {
	_ = n.change(func(st *chain.State) error { // what failed has said so
		if st.Session == nil || st.Session.Began.Before(began) {
			st.Armed = nil
		}
		return nil
	})
}

// refuse says what would stop the night.
func (n night) refuse(report doctor.Report) error {
	fmt.Fprint(n.w.Stderr, hang("vomgr: ", report.Verdict))
	showChecks(n.w.Stderr, toMend(report), false)
	fmt.Fprintln(n.w.Stderr, "hint: mend the error, or start anyway: vomgr night --force")
	return exit(statusError)
}

// toMend lists the errors, then the warnings.
func toMend(report doctor.Report) []doctor.Check {
	var rows []doctor.Check
	for _, level := range []doctor.Level{doctor.Error, doctor.Warning} {
		for _, c := range report.Checks {
			if c.Level == level {
				rows = append(rows, c)
			}
		}
	}
	return rows
}

// summary says what the night will be.
func (n night) summary(report doctor.Report) {
	out, now := n.w.Stdout, n.w.Now()
	branch, repository := hook.Branch(n.project)
	where := ""
	switch {
	case branch != "":
		where = "branch " + branch
	case !repository:
		where = "no git repository"
	}
	fmt.Fprint(out, hang(n.w.Tilde(n.project)+"   ", where))
	line := func(name, text string) { fmt.Fprint(out, hang(field(name, 10), text)) }
	line("TODO.md", todo(n.project))
	most := n.max
	if most == 0 {
		most = n.set.Limits.MaxHandovers
	}
	end := fmt.Sprintf("%s (in %s)", clock(n.until, now), span(n.until.Sub(now).Round(time.Minute)))
	if most > 0 {
		end += fmt.Sprintf("; at most %d hand-overs", most)
	}
	line("until", end)
	for _, a := range n.turns() {
		line(string(a.Name), cmp.Or(a.Installed(n.w).Version, "version not known"))
	}
	if rows := toMend(report); len(rows) > 0 {
		showChecks(out, rows, false)
	}
}

func todo(project string) string {
	items := hook.OpenItems(project, 1000)
	switch len(items) {
	case 0:
		return "no open item"
	case 1:
		return "1 open item: " + strings.TrimSpace(strings.TrimPrefix(items[0], "- [ ]"))
	}
	return fmt.Sprintf("%d open items; first: %s", len(items), strings.TrimSpace(strings.TrimPrefix(items[0], "- [ ]")))
}

// turns lists who works, each once.
func (n night) turns() []assistant.Assistant {
	var all []assistant.Assistant
	for a, met := n.tool, map[assistant.Name]bool{}; !met[a.Name]; {
		met[a.Name] = true
		all = append(all, a)
		c := n.set.Continuation(string(a.Name))
		if !c.Enabled {
			break
		}
		a = assistant.Target(c.Target)
	}
	return all
}

// follows says who goes on after the first.
func (n night) follows() string {
	if c := n.set.Continuation(string(n.tool.Name)); c.Enabled {
		return ", " + string(assistant.Target(c.Target).Name) + " follows"
	}
	return ""
}

// confirmed asks the person, where there is one.
func (n night) confirmed() bool {
	if !term.IsTerminal(int(n.w.Stdin.Fd())) {
		return true
	}
	fmt.Fprintf(n.w.Stdout, "\nstart %s here, in this terminal? [Y/n] ", n.tool.Name)
	answer := strings.ToLower(strings.TrimSpace(readAnswer(n.w.Stdin)))
	return answer == "" || strings.HasPrefix(answer, "y")
}

// readAnswer reads one line and nothing behind it: the rest is the assistant's. At the end of the input it is "no".
func readAnswer(in *os.File) string {
	var line []byte
	b := make([]byte, 1)
	for {
		n, err := in.Read(b)
		if n == 0 || err != nil {
			return "no"
		}
		if b[0] == '\n' {
			return string(line)
		}
		line = append(line, b[0])
	}
}

// arm allows hand-overs here until the end of the night and lets the next start begin a new chain.
func (n night) arm() error {
	err := n.change(func(st *chain.State) error {
		if st.Underway(n.w.Now()) {
			return withHint(errors.New("a hand-over is under way here"), "wait a minute, or look: vomgr status")
		}
		st.Armed = &chain.Armed{Until: n.until, Max: n.max}
		st.Chain = nil
		return nil
	})
	if err != nil {
		return fmt.Errorf("arming %s: %w", n.w.Tilde(n.project), err)
	}
	return nil
}

// change changes the state of the project under its lock.
func (n night) change(f func(*chain.State) error) error {
	const wait = 10 * time.Second
	return (chain.Store{Dir: n.w.StateDir(), Now: n.w.Now}).Project(n.project).Change(wait, f)
}
