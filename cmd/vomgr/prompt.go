package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

func newPrompt(w world.World) *cobra.Command {
	c := &cobra.Command{
		Use:   "prompt",
		Short: "Show what the next assistant is told",
		Long: `Show what the next assistant is told. Each assistant has a template of its own, for when it stops; it is changed by
vomgr settings edit, or vomgr settings set prompts.claude - <file.`,
		Example: "  vomgr prompt show claude\n  vomgr prompt preview",
		Args:    wrongSubcommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newPromptShow(w), newPromptPreview(w))
	return c
}

// template is the template of one assistant.
type template struct {
	Source   assistant.Name `json:"source"` // who stopped
	Target   assistant.Name `json:"target"` // who goes on
	Enabled  bool           `json:"enabled"`
	Template string         `json:"template"`
	Line     int            `json:"line,omitempty"`  // of settings.toml; 0 for the default
	Fault    string         `json:"fault,omitempty"` // why it is used exactly as it stands
}

func newPromptShow(w world.World) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "show [TOOL]",
		Short:   "Print the template of an assistant, or of each",
		Long:    `Print the template of TOOL as it stands; without TOOL that of each assistant, with where it comes from.`,
		Example: "  vomgr prompt show\n  vomgr prompt show claude >prompt.txt",
		Args:    wants(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			named, err := tools(args)
			if err != nil {
				return err
			}
			list, err := templates(w, named)
			switch {
			case err != nil:
				return err
			case asJSON:
				return writeJSON(w, list)
			case len(args) > 0:
				_, err := io.WriteString(w.Stdout, ended(list[0].Template))
				return err
			}
			for i, t := range list {
				if i > 0 {
					fmt.Fprintln(w.Stdout)
				}
				t.show(w)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// templates lists the templates of the assistants named, or of all.
func templates(w world.World, named []assistant.Assistant) ([]template, error) {
	set, err := lookSettings(w)
	if err != nil {
		return nil, err
	}
	values, _, err := readSettings(w)
	if err != nil {
		return nil, err
	}
	if len(named) == 0 {
		named = assistant.All()
	}
	var list []template
	for _, a := range named {
		c := set.Continuation(string(a.Name))
		t := template{Source: a.Name, Target: assistant.Target(c.Target).Name, Enabled: c.Enabled, Template: set.Prompt(string(a.Name))}
		t.Fault = hook.PromptFault(t.Template)
		if i := slices.IndexFunc(values, func(v settings.Value) bool { return v.Key == "prompts."+string(a.Name) }); i >= 0 {
			t.Line = values[i].Line
		}
		list = append(list, t)
	}
	return list, nil
}

func (t template) show(w world.World) {
	from := "the default"
	if t.Line > 0 {
		from = fmt.Sprintf("%s:%d", w.Tilde(w.SettingsPath()), t.Line)
	}
	off := ""
	if !t.Enabled {
		off = " (off)"
	}
	fmt.Fprintf(w.Stdout, "%s -> %s%s: %s\n", t.Source, t.Target, off, from)
	if t.Fault != "" {
		fmt.Fprintf(w.Stdout, "warning: used exactly as it stands: %s\n", t.Fault)
	}
	for line := range strings.Lines(ended(t.Template)) {
		fmt.Fprint(w.Stdout, strings.TrimRight("  "+line, " \n")+"\n")
	}
}

// ended is text with a line end.
func ended(text string) string { return strings.TrimSuffix(text, "\n") + "\n" }

func newPromptPreview(w world.World) *cobra.Command {
	var dir, message string
	var asJSON bool
	c := &cobra.Command{
		Use:   "preview [TOOL]",
		Short: "Print the prompt that TOOL would leave here, filled in",
		Long: `Print the prompt that the next assistant would get if TOOL finished an answer in this folder now: made by the hook's
own hand. TOOL is the first whose continuation is on unless you name one. What TOOL said last is only known when it
stops; --message stands for it.`,
		Example: "  vomgr prompt preview\n  vomgr prompt preview codex -C ~/src/api --message \"All tests pass.\"",
		Args:    wants(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			project, err := here(w, dir)
			if err != nil {
				return err
			}
			p, err := preview(w, args, project, message)
			switch {
			case err != nil:
				return err
			case asJSON:
				return writeJSON(w, p)
			}
			notePreview(w, p)
			_, err = io.WriteString(w.Stdout, ended(p.Prompt))
			return err
		},
	}
	c.Flags().StringVarP(&dir, "directory", "C", "", "the project's folder (default: this one)")
	c.Flags().StringVar(&message, "message", "", "what TOOL said last")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func preview(w world.World, args []string, project, message string) (hook.Preview, error) {
	named, err := tools(args)
	if err != nil {
		return hook.Preview{}, err
	}
	set, err := lookSettings(w)
	if err != nil {
		return hook.Preview{}, err
	}
	if len(named) == 0 {
		named = slices.DeleteFunc(assistant.All(), func(a assistant.Assistant) bool { return !set.Continuation(string(a.Name)).Enabled })
	}
	if len(named) == 0 {
		return hook.Preview{}, withHint(errors.New("no assistant hands anything over"), "vomgr prompt preview claude")
	}
	return hook.PreviewPrompt(w, set, named[0], project, message)
}

// notePreview says beside the prompt, which alone is on standard output, what it is.
func notePreview(w world.World, p hook.Preview) {
	fmt.Fprintf(w.Stderr, "%s -> %s, %d bytes\n", p.Source, p.Target, len(p.Prompt))
	if p.Cut {
		fmt.Fprintln(w.Stderr, "warning: cut, for a command line carries no more")
	}
	if p.Fault != "" {
		fmt.Fprintf(w.Stderr, "warning: the template is used exactly as it stands: %s\n", p.Fault)
	}
}
