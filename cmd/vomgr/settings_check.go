package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/doctor"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

// fault is one thing that is wrong, or odd, in settings.toml.
type fault struct {
	Level   doctor.Level `json:"level"` // error or warning
	Line    int          `json:"line"`  // counted from 1; 0 where it is no single line's
	Column  int          `json:"column,omitempty"`
	Key     string       `json:"key,omitempty"`
	Message string       `json:"message"`
}

func newSettingsCheck(w world.World) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "check",
		Short: "List what is wrong in settings.toml, with the lines",
		Long: `List what is wrong in settings.toml, with the lines. An error is what vomgr cannot read: then no hook starts anything,
and the exit status is 1. A warning is a key that vomgr does not know, or a value that may not do what it seems to.`,
		Example: "  vomgr settings check\n  vomgr settings check --json",
		Args:    wants(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return checkSettings(w, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// checkSettings says what is wrong in the file; the error is a status only.
func checkSettings(w world.World, asJSON bool) error {
	faults, exists := findFaults(w)
	broken := slices.ContainsFunc(faults, func(f fault) bool { return f.Level == doctor.Error })
	switch {
	case asJSON:
		err := writeJSON(w, struct {
			OK     bool    `json:"ok"`
			Path   string  `json:"path"`
			Faults []fault `json:"faults"`
		}{!broken, w.SettingsPath(), faults})
		if err != nil {
			return err
		}
	default:
		showFaults(w, faults, exists)
	}
	if broken {
		return exit(statusError)
	}
	return nil
}

// findFaults lists what is wrong, in the order of the lines.
func findFaults(w world.World) (faults []fault, exists bool) {
	faults = []fault{}
	doc, exists, err := settings.Read(w.SettingsPath())
	if err != nil {
		return []fault{{Level: doctor.Error, Message: err.Error()}}, true
	}
	if !exists {
		return faults, false
	}
	wrong, unknown := settings.Check(doc)
	for _, e := range wrong {
		faults = append(faults, fault{doctor.Error, e.Line, e.Col, e.Key, e.Msg})
	}
	for _, u := range unknown {
		faults = append(faults, fault{doctor.Warning, u.Line, 0, u.Key, "vomgr does not know this key" + meant(u.Key)})
	}
	if len(wrong) == 0 {
		faults = append(faults, oddities(doc)...)
	}
	slices.SortStableFunc(faults, func(a, b fault) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	return faults, true
}

// meant is a guess at what an unknown key was to be, as the end of a message.
func meant(key string) string {
	var wrong *settings.KeyError
	if _, err := settings.FindKey(key); errors.As(err, &wrong) && len(wrong.Near) > 0 {
		return "; did you mean " + strings.Join(wrong.Near, " or ") + "?"
	}
	return ""
}

// oddities lists what vomgr reads, but may not be meant.
func oddities(doc []byte) []fault {
	set, _, err := settings.Parse(doc)
	if err != nil {
		return nil
	}
	all, err := settings.Values(doc, true)
	if err != nil {
		return nil
	}
	lines := map[string]int{}
	for _, v := range all {
		lines[v.Key] = v.Line
	}
	var odd []fault
	note := func(key, format string, args ...any) {
		odd = append(odd, fault{doctor.Warning, lines[key], 0, key, fmt.Sprintf(format, args...)})
	}
	for _, a := range assistant.All() {
		name := string(a.Name)
		if target := set.Continuation(name).Target; string(assistant.Target(target).Name) != target {
			note("continuations."+name+".target", "%q is no assistant; %s is taken", target, assistant.Target(target).Name)
		}
		if why := hook.PromptFault(set.Prompt(name)); why != "" {
			note("prompts."+name, "used exactly as it stands, placeholders and all: %s", why)
		}
	}
	oddTerminals(set, note)
	if set.Scope.Mode == settings.OnlyFolders && len(set.Scope.Folders) == 0 {
		note("scope.mode", `"only", and scope.folders is empty: nothing is handed over anywhere`)
	}
	return odd
}

// oddTerminals notes what is wrong with this system's terminals.
func oddTerminals(set settings.Settings, note func(key, format string, args ...any)) {
	usual := set.Template("", runtime.GOOS)
	if why := platform.TemplateFault(usual); why != "" {
		note("terminals.defaults."+runtime.GOOS, "%s", why)
	}
	for _, a := range assistant.All() {
		own := set.Template(string(a.Name), runtime.GOOS)
		if why := platform.TemplateFault(own); why != "" && !slices.Equal(own, usual) {
			note("terminals.per_tool."+string(a.Name)+"."+runtime.GOOS, "%s", why)
		}
	}
}

func showFaults(w world.World, faults []fault, exists bool) {
	path := w.Tilde(w.SettingsPath())
	switch {
	case !exists:
		fmt.Fprintf(w.Stdout, "%s is not there yet; what a fresh one says counts\n", path)
	case len(faults) == 0:
		fmt.Fprintf(w.Stdout, "%s is fine\n", path)
	}
	for _, f := range faults {
		where := path
		if f.Line > 0 {
			where += fmt.Sprintf(":%d", f.Line)
		}
		text := f.Message
		if f.Key != "" {
			text = f.Key + ": " + text
		}
		if f.Line == 0 {
			fmt.Fprint(w.Stdout, hang(field(string(f.Level), 7), tilde(w, text)))
			continue
		}
		fmt.Fprint(w.Stdout, hang(field(string(f.Level), 7), where+": "+text))
	}
}
