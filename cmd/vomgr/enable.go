package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/vexyart/vomgr/install"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/doctor"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// enableOptions are the flags of enable.
type enableOptions struct {
	target, via, only string
	armed, everywhere bool
	experimental, dry bool
}

func newEnable(w world.World) *cobra.Command {
	var o enableOptions
	c := &cobra.Command{
		Use:   "enable [TOOL...]",
		Short: "Put the hook into the assistants, and switch hand-overs on",
		Long: `Put the hook into the assistants named (default: claude and codex, as far as they are here), place the programs it
needs, and switch their continuation on in settings.toml. Says what it changed and how to undo it; a second time it
writes nothing.`,
		Example:   "  vomgr enable\n  vomgr enable claude --target gemini\n  vomgr enable --only .\n  vomgr enable --dry-run",
		ValidArgs: []string{"claude", "codex", "gemini"},
		RunE:      func(_ *cobra.Command, args []string) error { return enable(w, args, o) },
	}
	f := c.Flags()
	f.StringVar(&o.target, "target", "", "who goes on: claude, codex or gemini")
	f.BoolVar(&o.armed, "armed", false, "hand over only after vomgr night")
	f.StringVar(&o.only, "only", "", "hand over only in this folder and below")
	f.BoolVar(&o.everywhere, "everywhere", false, "hand over in every folder, always")
	f.StringVar(&o.via, "via", "", `codex: how it calls vomgr, "notify" or "hooks"`)
	f.BoolVar(&o.experimental, "experimental", false, "gemini: register its hook, too")
	f.BoolVar(&o.dry, "dry-run", false, "show the changes, write nothing")
	return c
}

func enable(w world.World, args []string, o enableOptions) error {
	options, err := o.options(w, args)
	if err != nil {
		return err
	}
	found, missing := install.Here(w)
	if o.via != "" && len(args) == 0 && !slices.ContainsFunc(found, func(f install.Found) bool { return f.Name == assistant.Codex }) {
		return withHint(errors.New("--via is how codex calls vomgr, and codex was not found"), "vomgr enable codex --via %s", o.via)
	}
	asked := false
	if len(args) == 0 || options.Scope == "" {
		showFound(w, found, missing)
	}
	if options.Scope == "" && !o.dry && interactive(w) && !enabledAlready(w) {
		if options, err = askScope(w, options); err != nil {
			return err
		}
		asked = true
	}
	r, err := install.Enable(w, options)
	if errors.Is(err, install.ErrNone) {
		return withHint(err, "install one, or name it: vomgr enable claude")
	}
	if err != nil {
		return err
	}
	if !o.dry {
		rememberVersions(w, r.Found)
	}
	if len(r.Already) > 0 && len(r.Changes) == 0 && len(r.Placed) == 0 {
		fmt.Fprintf(w.Stdout, "already enabled: %s\n", enabledLine(r))
	}
	showReport(w, r, o.dry)
	if !o.dry && !asked {
		warnEverywhere(w, r)
	}
	showRunning(w, r)
	if len(r.Changes) > 0 && !o.dry {
		fmt.Fprint(w.Stdout, "next      vomgr doctor     what would stop a night\nundo      vomgr disable    both files as they were, byte for byte\n")
	}
	return failures(w, r, "enable")
}

// options turns flags into what package install takes.
func (o enableOptions) options(w world.World, args []string) (install.Options, error) {
	all, err := tools(args)
	if err != nil {
		return install.Options{}, err
	}
	if o.armed && o.everywhere || o.armed && o.only != "" || o.everywhere && o.only != "" {
		return install.Options{}, usage{withHint(errors.New("--armed, --only and --everywhere exclude each other"), "vomgr enable --armed")}
	}
	options := install.Options{Via: o.via, Gemini: o.experimental, DryRun: o.dry}
	for _, a := range all {
		options.Assistants = append(options.Assistants, a.Name)
	}
	if o.target != "" {
		t, err := tools([]string{o.target})
		if err != nil {
			return install.Options{}, err
		}
		options.Target = t[0].Name
	}
	if err := o.misplaced(args); err != nil {
		return install.Options{}, usage{err}
	}
	switch {
	case o.armed:
		options.Scope = settings.Armed
	case o.everywhere:
		options.Scope = settings.Everywhere
	case o.only != "":
		options.Scope = settings.OnlyFolders
		options.Folder, err = here(w, absolute(w, o.only))
	}
	return options, err
}

// misplaced finds a flag that says nothing to any of the assistants named.
func (o enableOptions) misplaced(named []string) error {
	names := strings.Join(named, " ")
	switch {
	case o.via != "" && o.via != "notify" && o.via != "hooks":
		return withHint(fmt.Errorf("--via %q: want notify or hooks", o.via), "vomgr enable --help")
	case o.via != "" && len(named) > 0 && !slices.Contains(named, "codex"):
		return withHint(fmt.Errorf("--via is how codex calls vomgr, and only %s is to be enabled", names), "vomgr enable codex --via %s", o.via)
	case o.experimental && !slices.Contains(named, "gemini"):
		return withHint(errors.New("--experimental is for gemini, which is not named"), "vomgr enable gemini --experimental")
	}
	return nil
}

func interactive(w world.World) bool {
	out, ok := w.Stdout.(interface{ Fd() uintptr })
	return ok && w.Stdin != nil && term.IsTerminal(int(w.Stdin.Fd())) && term.IsTerminal(int(out.Fd()))
}

// enabledAlready tells whether there is nothing to ask, since a person decided before.
func enabledAlready(w world.World) bool {
	for _, s := range install.Inspect(w) {
		if s.Registered() {
			return true
		}
	}
	return false
}

// askScope asks when hand-overs may happen.
func askScope(w world.World, o install.Options) (install.Options, error) {
	project, err := here(w, "")
	if err != nil {
		return o, err
	}
	fmt.Fprintf(w.Stdout, `
from now on a finished answer of one starts the next, in a new terminal, with
all permission prompts off.

when may that happen?
  1  only after i say so: vomgr night, in one folder, until a given hour
  2  always, in this folder and below: %s
  3  always, in every folder, also while i am working
> `, w.Tilde(project))
	answer, err := bufio.NewReader(w.Stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return o, err
	}
	switch strings.TrimSpace(answer) {
	case "1":
		o.Scope = settings.Armed
	case "2":
		o.Scope, o.Folder = settings.OnlyFolders, project
	case "3":
		o.Scope = settings.Everywhere
	default:
		return o, withHint(errors.New("nothing was chosen, nothing was changed"), "vomgr enable, or vomgr enable --armed")
	}
	fmt.Fprintln(w.Stdout)
	return o, nil
}

// warnEverywhere says what it means that nobody was asked.
func warnEverywhere(w world.World, r install.Report) {
	if len(r.Changes) == 0 || r.Settings.Scope.Mode != settings.Everywhere {
		return
	}
	fmt.Fprint(w.Stdout, "warning   every finished answer, in every folder, now starts the next assistant\n"+
		"          with all permission prompts off, until: vomgr pause, vomgr disable\n")
}

// rememberVersions asks those programs for their version whose files name none.
func rememberVersions(w world.World, found []install.Found) {
	for _, f := range found {
		_, _ = doctor.Ask(w, f.Assistant) // what could not be remembered is asked again
	}
}
