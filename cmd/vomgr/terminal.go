package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/install"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

func newTerminal(w world.World) *cobra.Command {
	c := &cobra.Command{
		Use:   "terminal",
		Short: "Show and try how the next assistant's terminal is opened",
		Long: `Show and try how the next assistant's terminal is opened: as settings.toml says (terminals.per_tool, then
terminals.defaults), else, or where "auto" stands there, by the best way at hand.`,
		Example: "  vomgr terminal list\n  vomgr terminal test\n  vomgr terminal test kitty",
		Args:    wrongSubcommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTerminalList(w), newTerminalTest(w))
	return c
}

// terminalView is how a terminal would be opened from here.
type terminalView struct {
	Settings  []string            `json:"settings"`           // the template; none: the system's own way
	Displays  []string            `json:"displays,omitempty"` // Linux
	Ways      []wayView           `json:"ways"`               // in the order in which they are tried
	Terminals []platform.Terminal `json:"terminals"`          // those that are here
}

type wayView struct {
	Name string   `json:"name"`
	Why  string   `json:"why"`
	Argv []string `json:"argv,omitempty"`
}

func newTerminalList(w world.World) *cobra.Command {
	var asJSON bool
	var tool string
	c := &cobra.Command{
		Use:   "list",
		Short: "List the terminals that are here, and which would be taken, and why",
		Long: `List the terminals that are here, and the ways in which a terminal would be opened for an assistant that was started
from this one, in the order in which they are tried, each with the reason for its place.`,
		Example: "  vomgr terminal list\n  vomgr terminal list --for codex\n  vomgr terminal list --json",
		Args:    wants(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			r, err := terminalRequest(w, tool, w.Dir, "job00000")
			if err != nil {
				return err
			}
			v := terminalView{Settings: r.Template, Displays: platform.Displays(r), Ways: []wayView{}, Terminals: platform.Terminals(r)}
			for _, way := range platform.Ways(r) {
				why := way.Why
				if way.Doubt != "" {
					why += ": " + way.Doubt
				}
				v.Ways = append(v.Ways, wayView{plainName(way), why, way.Argv})
			}
			if asJSON {
				return writeJSON(w, v)
			}
			v.show(w)
			return nil
		},
	}
	c.Flags().StringVar(&tool, "for", "", "the assistant that is to run in it (default: any)")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// terminalRequest asks for a terminal in dir in which vomgr itself runs, as settings.toml says for tool.
func terminalRequest(w world.World, tool, dir, job string) (platform.Request, error) {
	if tool != "" {
		if _, err := tools([]string{tool}); err != nil {
			return platform.Request{}, err
		}
	}
	set, err := lookSettings(w)
	if err != nil {
		return platform.Request{}, err
	}
	r := platform.Request{
		Helper: cmp.Or(install.Lasting(w), w.Exe), Job: job, Project: dir, Template: set.Template(tool, runtime.GOOS), Place: platform.PlaceOf(w.Getenv), World: w,
	}
	r.World.Env = assistant.CleanEnv(w.Env)
	return r, nil
}

// plainName is the name of a way whose job is not known yet.
func plainName(way platform.Way) string {
	return strings.ReplaceAll(way.Name, "vomgr-job00000", "vomgr-…")
}

func (v terminalView) show(w world.World) {
	out := w.Stdout
	said := "nothing: the system's own way"
	if len(v.Settings) > 0 {
		said = strings.Join(v.Settings, " ")
	}
	lead := len("settings")
	fmt.Fprint(out, hang(field("settings", lead), said))
	for _, d := range v.Displays {
		fmt.Fprint(out, hang(field("display", lead), d))
	}
	for i, way := range v.Ways {
		head := ""
		if i == 0 {
			head = "taken"
		} else if i == 1 {
			head = "else"
		}
		why := way.Why
		if way.Name == "direct" {
			why = "nothing is configured: the helper runs in the hook of the assistant that stopped"
		}
		fmt.Fprint(out, hang(field(head, lead)+field(way.Name, v.widest()), why))
	}
	if len(v.Ways) == 0 {
		fmt.Fprint(out, hang(field("taken", lead), "none: a hand-over waits for vomgr run"))
	}
	fmt.Fprintln(out)
	v.showTerminals(w, out)
	if len(v.Ways) > 0 {
		fmt.Fprintln(out, "hint: vomgr terminal test opens one")
	} else {
		fmt.Fprintln(out, "hint: install tmux, or begin the night inside tmux or on a desktop")
	}
}

// widest is the width of the names of the ways.
func (v terminalView) widest() int {
	n := 0
	for _, way := range v.Ways {
		n = max(n, utf8.RuneCountInString(way.Name))
	}
	return n
}

func (v terminalView) showTerminals(w world.World, out io.Writer) {
	if len(v.Terminals) == 0 {
		fmt.Fprint(out, hang("", "no terminal that vomgr knows is installed"))
		return
	}
	name, path := len("TERMINAL"), len("PATH")
	for _, t := range v.Terminals {
		name, path = max(name, utf8.RuneCountInString(t.Name)), max(path, utf8.RuneCountInString(w.Tilde(t.Path)))
	}
	fmt.Fprint(out, hang(field("TERMINAL", name)+"PATH", ""))
	for _, t := range v.Terminals {
		fmt.Fprint(out, hang(field(t.Name, name)+field(history.Printable(w.Tilde(t.Path)), path), t.Unfit))
	}
}

// testView is what became of one way.
type testView struct {
	wayView

	Answer *hook.Window `json:"answer,omitempty"`
	Error  string       `json:"error,omitempty"`
}

func newTerminalTest(w world.World) *cobra.Command {
	var asJSON bool
	var dir, tool string
	c := &cobra.Command{
		Use:   "test [NAME]",
		Short: "Open a terminal for real, and wait for its answer",
		Long: `Open a terminal for real, as a hand-over from here would, and wait for the answer of a program in it: at most 10 s, 20
where the system may ask a person first. When it does not come, the next way is tried, as in a night. With NAME (a
terminal of vomgr terminal list, or "settings") only that one.`,
		Example: "  vomgr terminal test\n  vomgr terminal test konsole\n  vomgr terminal test tmux --json",
		Args:    wants(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := here(w, dir)
			if err != nil {
				return err
			}
			id := hook.WindowID()
			r, err := terminalRequest(w, tool, dir, id)
			if err != nil {
				return err
			}
			ways, err := waysToTest(r, args)
			if err != nil {
				return err
			}
			tests := tryWays(w, ways, id, asJSON)
			if asJSON {
				err = writeJSON(w, tests)
			}
			if err == nil && (len(tests) == 0 || tests[len(tests)-1].Answer == nil) {
				err = exit(statusError)
			}
			return err
		},
	}
	c.Flags().StringVar(&tool, "for", "", "the assistant that would run in it (default: any)")
	c.Flags().StringVarP(&dir, "directory", "C", "", "the folder to open it in (default: this one)")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	c.ValidArgsFunction = first(func() []string {
		names := []string{"settings"}
		if r, err := terminalRequest(w, "", w.Dir, "job00000"); err == nil {
			for _, t := range platform.Terminals(r) {
				names = append(names, t.Name)
			}
		}
		return names
	})
	return c
}

// waysToTest lists what is to be tried: all that a hand-over would, or what the name means.
func waysToTest(r platform.Request, args []string) ([]platform.Way, error) {
	var ways []platform.Way
	switch {
	case len(args) == 0:
		if ways = platform.Ways(r); len(ways) > 0 && ways[0].Direct {
			return nil, withHint(errors.New("no terminal is configured: the next assistant would run in the hook of the one before"), "vomgr settings set terminals.defaults.linux auto")
		}
	case args[0] == "settings":
		if len(r.Template) == 0 || r.Template[0] == platform.Auto {
			return nil, withHint(errors.New("settings.toml names no terminal of its own"), "vomgr terminal test")
		}
		ways = platform.Ways(r)[:1]
	default:
		ways = platform.Named(r, args[0])
	}
	if len(ways) > 0 {
		return ways, nil
	}
	if len(args) > 0 {
		return nil, withHint(fmt.Errorf("no terminal %q", args[0]), "vomgr terminal list")
	}
	return nil, withHint(errors.New("no display answers, and neither tmux nor screen is installed: a hand-over would wait for vomgr run"), "install tmux, or begin the night inside tmux or on a desktop")
}

// tryWays opens one after the other until one answers.
func tryWays(w world.World, ways []platform.Way, id string, quiet bool) []testView {
	tests := []testView{}
	for _, way := range ways {
		t := testView{wayView: wayView{way.Name, way.Why, way.Argv}}
		answer, err := hook.TryWindow(w, way, id)
		if err != nil {
			t.Error = err.Error()
		} else {
			t.Answer = &answer
		}
		tests = append(tests, t)
		if !quiet {
			t.show(w)
		}
		if err == nil {
			break
		}
	}
	return tests
}

func (t testView) show(w world.World) {
	if t.Answer == nil {
		said := t.Error
		if !strings.HasPrefix(said, t.Name+" ") {
			said = t.Name + ": " + said
		}
		fmt.Fprint(w.Stdout, hang("failed    ", history.Printable(said)))
		return
	}
	what := "without a terminal"
	if t.Answer.Terminal {
		what = fmt.Sprintf("a terminal of %d columns and %d rows", t.Answer.Columns, t.Answer.Rows)
	}
	fmt.Fprint(w.Stdout, hang("opened    ", fmt.Sprintf("%s answered in %.1f s: %s, in %s", t.Name, t.Answer.Seconds, what, history.Printable(w.Tilde(t.Answer.Dir)))))
}
