package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/internal/edit"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

func newSettings(w world.World) *cobra.Command {
	c := &cobra.Command{
		Use:   "settings",
		Short: "Show, change and check settings.toml",
		Long: `Show, change and check settings.toml, by which vomgr goes. A change keeps comments and order, and is refused if
vomgr could not read the file afterwards.`,
		Example: "  vomgr settings show\n  vomgr settings set limits.max_handovers 20\n  vomgr settings check",
		Args:    wrongSubcommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(
		newSettingsShow(w), newSettingsGet(w), newSettingsSet(w), newSettingsUnset(w),
		newSettingsEdit(w), newSettingsCheck(w), newSettingsPath(w),
	)
	return c
}

func newSettingsGet(w world.World) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "get KEY",
		Short: "Print one setting",
		Long: `Print one setting as it counts now, also where the file does not have it: a text as it stands, a list as in the
file.`,
		Example:           "  vomgr settings get limits.max_handovers\n  vomgr settings get prompts.claude\n  vomgr settings get scope.folders --json",
		Args:              wants(cobra.ExactArgs(1)),
		ValidArgsFunction: completeKey,
		RunE: func(_ *cobra.Command, args []string) error {
			key, err := settingKey(args[0])
			if err != nil {
				return err
			}
			all, _, err := readSettings(w)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(all, func(v settings.Value) bool { return v.Key == key })
			if asJSON {
				return writeJSON(w, all[i])
			}
			text, isText := all[i].Value.(string)
			if !isText {
				text = edit.Literal(all[i].Value)
			}
			if !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			_, err = io.WriteString(w.Stdout, text)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON, with where it comes from")
	return c
}

func newSettingsSet(w world.World) *cobra.Command {
	c := &cobra.Command{
		Use:   "set KEY VALUE...",
		Short: "Change one setting",
		Long: `Change one setting, and nothing else in the file. VALUE is written as in the file or as a plain word: true, 20,
07:00, "a text", ["a", "list"]. A list may also be given word by word. For a text, - reads it from standard input.`,
		Example: `  vomgr settings set continuations.claude.target gemini
  vomgr settings set limits.until 07:00
  vomgr settings set terminals.defaults.linux kitty sh -c "{command}"
  vomgr settings set prompts.claude - <prompt.txt`,
		Args:                  wants(cobra.MinimumNArgs(2)),
		ValidArgsFunction:     completeSetting,
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			key, err := settingKey(args[0])
			if err != nil {
				return err
			}
			value, err := givenValue(w, key, args[1:])
			if err != nil {
				return err
			}
			return changeSettings(w, key, func(doc []byte) ([]byte, error) { return settings.Set(doc, key, value) })
		},
	}
	c.Flags().SetInterspersed(false) // a value may begin with a dash
	return c
}

// givenValue reads the value from the words of the command line, or a text from standard input.
func givenValue(w world.World, key string, words []string) (any, error) {
	if len(words) == 1 && words[0] == "-" && settings.TakesText(key) {
		text, err := io.ReadAll(io.LimitReader(w.Stdin, 1<<20))
		if err != nil {
			return nil, fmt.Errorf("reading the text from standard input: %w", err)
		}
		return string(text), nil
	}
	value, err := settings.ParseWords(key, words)
	if err != nil {
		return nil, usage{withHint(err, "vomgr settings set --help")}
	}
	return value, nil
}

func newSettingsUnset(w world.World) *cobra.Command {
	return &cobra.Command{
		Use:   "unset KEY",
		Short: "Take one setting out of the file, so that its default counts",
		Long: `Take one setting out of the file, with its line; its default counts then. A key that vomgr does not know can be
taken out, too.`,
		Example:           "  vomgr settings unset limits.until",
		Args:              wants(cobra.ExactArgs(1)),
		ValidArgsFunction: completeKey,
		RunE: func(_ *cobra.Command, args []string) error {
			did, err := unsetSetting(w, args[0])
			if err != nil {
				return refused(err, args[0])
			}
			if did {
				return showChanged(w, args[0], did)
			}
			key, err := settingKey(args[0])
			if err != nil {
				return err
			}
			return showChanged(w, key, did)
		},
	}
}

// unsetSetting takes key out of the file, if there is one.
func unsetSetting(w world.World, key string) (did bool, err error) {
	if _, exists, err := settings.Read(w.SettingsPath()); err != nil || !exists {
		return false, err
	}
	return settings.Change(w.SettingsPath(), func(doc []byte) ([]byte, error) { return settings.Unset(doc, key) })
}

func newSettingsPath(w world.World) *cobra.Command {
	return &cobra.Command{
		Use:     "path",
		Short:   "Print where settings.toml is",
		Example: "  vomgr settings path\n  cp \"$(vomgr settings path)\" ~/settings.backup",
		Args:    wants(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(w.Stdout, w.SettingsPath())
			return err
		},
	}
}

// settingKey is the key a person means.
func settingKey(arg string) (string, error) {
	key, err := settings.FindKey(arg)
	var wrong *settings.KeyError
	switch {
	case err == nil:
		return key, nil
	case !errors.As(err, &wrong), len(wrong.Near)+len(wrong.Below) == 0:
		err = withHint(err, "vomgr settings show")
	case len(wrong.Below) > 0:
		err = withHint(err, "vomgr settings show %s", wrong.Key)
	default:
		err = withHint(err, "did you mean %s?", strings.Join(wrong.Near, " or "))
	}
	return "", usage{err}
}

// changeSettings changes settings.toml at key and says what counts there now.
func changeSettings(w world.World, key string, change func([]byte) ([]byte, error)) error {
	did, err := settings.Change(w.SettingsPath(), change)
	if err != nil {
		return refused(err, key)
	}
	return showChanged(w, key, did)
}

// refused says why settings.toml was not changed at key.
func refused(err error, key string) error {
	said := fmt.Errorf("%w; nothing was written", err)
	var refusal *edit.Refusal
	var at *settings.Error
	switch {
	case errors.As(err, &refusal):
		return withHint(said, "%s", refusal.Remedy)
	case errors.As(err, &at) && at.Key != key:
		return withHint(said, "vomgr settings check lists all that is wrong in the file")
	}
	return said
}

// showChanged says what counts at key now, and what may not be meant there.
func showChanged(w world.World, key string, did bool) error {
	word := "unchanged"
	if did {
		word = "changed"
	}
	all, _, err := readSettings(w)
	if err != nil {
		return err
	}
	what := key
	if i := slices.IndexFunc(all, func(v settings.Value) bool { return v.Key == key }); i >= 0 {
		what = fmt.Sprintf("%s = %s (%s)", key, shortValue(all[i].Value, 50), source(all[i]))
	}
	fmt.Fprintf(w.Stdout, "%-9s %s\n", word, what)
	faults, _ := findFaults(w)
	for _, f := range faults {
		if f.Key == key {
			fmt.Fprintf(w.Stderr, "warning: %s\n", f.Message)
		}
	}
	return nil
}

// readSettings lists what counts now; a missing file is none.
func readSettings(w world.World) (all []settings.Value, exists bool, err error) {
	all, exists, err = settings.List(w.SettingsPath())
	return all, exists, unread(err)
}

// lookSettings reads the settings as they count now, and makes no file.
func lookSettings(w world.World) (settings.Settings, error) {
	set, err := settings.Look(w.SettingsPath())
	return set, unread(err)
}

// unread says what to do about settings that cannot be read.
func unread(err error) error {
	if err == nil {
		return nil
	}
	return withHint(err, "vomgr settings check lists all that is wrong in the file")
}
