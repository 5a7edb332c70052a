// Package install puts vomgr into an assistant and takes it out: read, edit, check, keep a copy, write. It prints nothing; it reports.
package install

import (
	"bytes"
	"errors"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/edit"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// Report is what an Enable, Disable or Uninstall did, or, in a dry run, would do.
type Report struct {
	Found    []Found  // the assistants that are here
	Missing  []Found  // those that are not
	Changes  []Change // in the order in which the files were written
	Placed   []Placed
	Removed  []string          // programs and folders taken away
	Already  []assistant.Name  // nothing had to be changed for them
	Nothing  []assistant.Name  // not registered, since that has to be asked for (Gemini)
	Notify   []Notify          // what became of a notify program that is not ours
	Settings settings.Settings // as they are now; the zero value after Uninstall
	Warnings []Warning
	Failures []Failure // the rest went on; the exit status is 1
}

// Found is an assistant and what is installed of it.
type Found struct {
	assistant.Assistant
	assistant.Installed
	Folder string // where it keeps its files; "" when that does not exist
}

// Change is one file that was written.
type Change struct {
	Assistant      assistant.Name // "" for settings.toml
	Path           string
	What           []string // "hooks.Stop", "notify" …
	Added, Removed int      // lines
	Diff           []byte   // unified
	Created        bool     // there was no file
	Deleted        bool     // there is none any more, as before the first edit
	Backup         string   // the copy from before the first edit; "" for settings.toml
}

// Notify is a notify program of somebody else in Codex's configuration.
type Notify struct {
	Argv    []string
	Wrapped bool // it calls ours; else ours calls it
	Freed   bool // it has its place back
}

// Warning is something that does not hinder the edit, but may hinder a night.
type Warning struct {
	ID   string // stable, for tests and for programs
	Text string
}

// Failure is one file that was not changed, and why.
type Failure struct {
	Assistant assistant.Name // "" for settings.toml
	Path      string
	Err       error
}

// Text is PATH:LINE:COL: WHAT; WHAT IT MEANS, or what the system said; home as ~.
func (f Failure) Text(w world.World) string {
	var refusal *edit.Refusal
	if errors.As(f.Err, &refusal) {
		return w.Tilde(f.Path) + ":" + f.Err.Error()
	}
	text := f.Err.Error()
	if w.Home != "" {
		text = strings.ReplaceAll(text, w.Home+"/", "~/")
	}
	return text
}

// Hint is what to do about it; may be empty.
func (f Failure) Hint() string {
	var refusal *edit.Refusal
	if errors.As(f.Err, &refusal) {
		return refusal.Remedy
	}
	return ""
}

// Error is Text with the whole path.
func (f Failure) Error() string { return f.Text(world.World{}) }

// newChange compares what was with what is.
func newChange(w world.World, path string, old, fresh []byte) Change {
	name := w.Tilde(path)
	d := diff.Diff(name, old, name, fresh)
	if _, rest, ok := bytes.Cut(d, []byte("\n")); ok {
		d = rest // "diff NAME NAME" says nothing that the next two lines do not
	}
	c := Change{Path: path, Diff: d}
	for i, line := range bytes.Split(d, []byte("\n")) {
		switch {
		case i < 2 || len(line) == 0: // the names
		case line[0] == '+':
			c.Added++
		case line[0] == '-':
			c.Removed++
		}
	}
	return c
}
