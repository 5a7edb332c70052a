package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vexyart/vomgr/install"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

// absolute is path seen from the working directory.
func absolute(w world.World, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.Dir, path)
}

func showFound(w world.World, found, missing []install.Found) {
	for _, f := range found {
		what := strings.TrimSpace(string(f.Name) + " " + f.Version)
		where := w.Tilde(f.Path)
		if f.Path == "" {
			where = w.Tilde(f.Folder) + " (not on PATH)"
		}
		fmt.Fprintf(w.Stdout, "found     %-16s %s\n", what, where)
	}
	for _, f := range missing {
		fmt.Fprintf(w.Stdout, "missing   %-16s looked on PATH and for %s; not needed\n", f.Name, w.Tilde(f.Dir(w)))
	}
}

// showReport says what an enable, disable or uninstall changed.
func showReport(w world.World, r install.Report, dry bool) {
	for _, c := range r.Changes {
		showChange(w, c, dry)
	}
	for _, n := range r.Notify {
		showNotify(w, n)
	}
	for _, p := range r.Placed {
		fmt.Fprintf(w.Stdout, "placed    %s%c: %s\n", w.Tilde(p.Dir), filepath.Separator, strings.Join(p.Names, ", "))
		if p.Link != "" {
			fmt.Fprintf(w.Stdout, "          links to %s, an upgrade keeps them\n", w.Tilde(p.Link))
		} else {
			fmt.Fprint(w.Stdout, "          copies of this vomgr; run vomgr install after an upgrade\n")
		}
	}
	for _, path := range r.Removed {
		fmt.Fprintf(w.Stdout, "removed   %s\n", w.Tilde(path))
	}
	for _, name := range r.Nothing {
		fmt.Fprintf(w.Stdout, "nothing   %s: its hook is not registered; it can be handed over to (--experimental registers it)\n", name)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(w.Stdout, "warning   %s\n", warning.Text)
	}
	if dry {
		fmt.Fprintln(w.Stdout, "dry run: nothing was written")
	}
}

func showChange(w world.World, c install.Change, dry bool) {
	if dry {
		showDiff(w, string(c.Diff))
		return
	}
	word := "changed"
	switch {
	case c.Created:
		word = "created"
	case c.Deleted:
		word = "deleted"
	}
	lines := ""
	if c.Added > 0 {
		lines = "  +" + countLines(c.Added)
	}
	if c.Removed > 0 {
		lines += "  -" + countLines(c.Removed)
	}
	fmt.Fprintf(w.Stdout, "%s   %-26s %s%s\n", word, w.Tilde(c.Path), strings.Join(c.What, ", "), lines)
	if c.Backup != "" && !c.Created && !c.Deleted {
		fmt.Fprintf(w.Stdout, "          as it was: %s\n", w.Tilde(c.Backup))
	}
}

// showDiff prints a diff with home as ~ in its first lines only: what would be written stands as it would be written.
func showDiff(w world.World, diff string) {
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "diff ") {
			line = strings.ReplaceAll(line, w.Home, "~")
		}
		fmt.Fprint(w.Stdout, line)
	}
}

func countLines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

func showNotify(w world.World, n install.Notify) {
	program := history.Printable(w.Tilde(strings.Join(n.Argv[:min(1, len(n.Argv))], "")))
	switch {
	case n.Freed:
		fmt.Fprintf(w.Stdout, "          %s is codex's notify program again\n", program)
	case n.Wrapped:
		fmt.Fprintf(w.Stdout, "          %s calls vomgr in its turn and is left as it is\n", program)
	default:
		fmt.Fprintf(w.Stdout, "          your own notify program is kept and still called: %s\n", program)
	}
}

// enabledLine says who hands over to whom, and where.
func enabledLine(r install.Report) string {
	var parts []string
	for _, a := range assistant.All() {
		if c := r.Settings.Continuation(string(a.Name)); c.Enabled {
			parts = append(parts, string(a.Name)+" -> "+string(assistant.Target(c.Target).Name))
		}
	}
	where := map[string]string{"everywhere": "everywhere", "armed": "only after vomgr night", "only": "in the folders listed"}
	return strings.Join(parts, ", ") + "; " + where[string(r.Settings.Scope.Mode)]
}

// showRunning names sessions that keep the configuration they began with: Codex reads its notify once for each thread.
func showRunning(w world.World, r install.Report) {
	changed := slices.ContainsFunc(r.Changes, func(c install.Change) bool { return c.Assistant == assistant.Codex })
	if !changed {
		return
	}
	all, err := platform.Processes()
	if err != nil {
		return
	}
	for _, p := range all {
		if p.Bears("codex") && !assistant.Shared(p.Args) {
			fmt.Fprint(w.Stdout, "restart   codex sessions that run already: they keep the old notify\n")
			return
		}
	}
}

// failures says what was refused, and gives the status.
func failures(w world.World, r install.Report, again string) error {
	for _, f := range r.Failures {
		fmt.Fprintf(w.Stderr, "vomgr: %s\n", f.Text(w))
		if hint := f.Hint(); hint != "" {
			fmt.Fprintf(w.Stderr, "hint: %s, then run vomgr %s again\n", hint, again)
		}
	}
	if len(r.Failures) > 0 {
		return exit(statusError)
	}
	return nil
}
