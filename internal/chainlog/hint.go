package chainlog

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/vexyart/vomgr/internal/history"
)

// hint writes what to do next about a chain; commands stand whole, so that they can be pasted.
func (v View) hint(b *strings.Builder, c Chain) {
	id := show(c.ID)
	var lines []string
	switch c.State {
	case Broken, Pending:
		lines = append(v.remedy(c), fmt.Sprintf("vomgr log %s %d (its steps)", id, c.Broken.Hop))
	case Running:
		lines = []string{"vomgr log " + id + " --steps; vomgr pause ends it after this answer"}
	case Resting:
		lines = []string{"start it at once: " + v.Enter(c.Project) + " && vomgr run", "vomgr log " + id + " --steps"}
	default:
		lines = []string{fmt.Sprintf("vomgr log %s %d (one hop); vomgr log %s --steps", id, max(1, c.HandOvers), id)}
	}
	lead := "hint: "
	for _, line := range lines {
		b.WriteString(lead + line + "\n")
		lead = strings.Repeat(" ", len(lead))
	}
}

// remedy is how a chain that broke goes on, a line for each thing to do.
func (v View) remedy(c Chain) []string {
	cd := v.Enter(c.Project)
	goOn := "go on here: " + cd + " && vomgr night"
	if c.State == Pending {
		return []string{"start it here: " + cd + " && vomgr run"}
	}
	target := show(c.Broken.Target)
	switch c.Broken.Step {
	case history.Preferences:
		return []string{"vomgr settings check", goOn}
	case history.Command, history.Started:
		return []string{"vomgr doctor tells whether " + target + " can be started", goOn}
	case history.Working, history.Silent:
		return []string{"see what it waits for: " + cd + " && " + target, "then: vomgr night"}
	case history.Exited, history.Crashed:
		return []string{goOn}
	}
	return []string{"mend that; then " + goOn}
}

// Enter is the command that changes into a folder.
func (v View) Enter(path string) string {
	short := v.Tilde(path)
	if short != "" && strings.Trim(short, plain+string(filepath.Separator)) == "" {
		return "cd " + short
	}
	if path == "" || history.Printable(path) != path {
		return "cd into the project" // its name cannot be typed as it is shown
	}
	return "cd '" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// plain lists the characters that no shell reads in its own way.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789~/._-+:@,"
