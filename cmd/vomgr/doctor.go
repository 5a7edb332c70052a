package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/internal/doctor"
	"github.com/vexyart/vomgr/internal/world"
)

func newDoctor(w world.World) *cobra.Command {
	var dir string
	var all, asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what would stop tonight's chain here, and how to mend it",
		Long: `Look at everything a chain of hand-overs in this folder needs: the programs, the hooks, the settings, the consent
dialogs of the assistants, a terminal. Nothing is changed. The last line says at which step tonight's chain would stop,
or that it would run; the exit status is 1 if it would stop.`,
		Example: "  vomgr doctor\n  vomgr doctor --all\n  vomgr doctor -C ~/src/api --json",
		Args:    wants(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			project, err := here(w, dir)
			if err != nil {
				return err
			}
			r := doctor.Run(w, project, doctor.Options{Root: os.Geteuid() == 0})
			if asJSON {
				err = writeReport(w, r)
			} else {
				showDiagnosis(w.Stdout, r, all)
			}
			if err == nil && !r.OK() {
				err = exit(statusError)
			}
			return err
		},
	}
	c.Flags().BoolVar(&all, "all", false, "also the checks that are ok or do not apply")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	c.Flags().StringVarP(&dir, "directory", "C", "", "the project's folder (default: this one)")
	return c
}

// writeReport writes the whole report for a program.
func writeReport(w world.World, r doctor.Report) error {
	return writeJSON(w, struct {
		OK     bool           `json:"ok"`
		Checks []doctor.Check `json:"checks"`
	}{r.OK(), r.Checks})
}

// order is the order in which the levels are shown.
var order = []doctor.Level{doctor.Error, doctor.Warning, doctor.Info, doctor.Skipped, doctor.OK}

// showDiagnosis writes the checks that are not ok, the worst first, how many are, and the verdict.
func showDiagnosis(out io.Writer, r doctor.Report, all bool) {
	var rows []doctor.Check
	for _, level := range order {
		for _, c := range r.Checks {
			if c.Level == level && (all || level != doctor.OK && level != doctor.Skipped) {
				rows = append(rows, c)
			}
		}
	}
	if len(rows) > 0 {
		showChecks(out, rows, true)
		fmt.Fprintln(out)
	}
	if n := r.Count(doctor.OK); n > 0 && !all {
		fmt.Fprintf(out, "%s ok (vomgr doctor --all)\n\n", more(n, len(rows)))
	}
	fmt.Fprint(out, hang("", r.Verdict+tally(r)))
}

// more counts the checks that are not listed.
func more(n, listed int) string {
	what := "checks are"
	if n == 1 {
		what = "check is"
	}
	if listed > 0 {
		what = "more " + what
	}
	return fmt.Sprintf("%d %s", n, what)
}

// tally counts what is to be mended, as the end of the verdict.
func tally(r doctor.Report) string {
	var parts []string
	for _, level := range order[:2] {
		switch n := r.Count(level); {
		case n == 1:
			parts = append(parts, fmt.Sprintf("1 %s", level))
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", n, level))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	end := "; "
	if !r.OK() {
		end = ". "
	}
	return end + strings.Join(parts, ", ")
}

// showChecks writes a row for each check.
func showChecks(out io.Writer, checks []doctor.Check, heading bool) {
	width := len("CHECK")
	for _, c := range checks {
		width = max(width, utf8.RuneCountInString(c.ID))
	}
	const level = len("warning")
	if heading {
		fmt.Fprint(out, hang(field("RESULT", level)+field("CHECK", width), "MESSAGE"))
	}
	for _, c := range checks {
		fmt.Fprint(out, hang(field(string(c.Level), level)+field(c.ID, width), c.Message))
		if c.Remedy != "" {
			fmt.Fprint(out, hang(field("", level)+field("", width)+"-> ", c.Remedy))
		}
	}
}
