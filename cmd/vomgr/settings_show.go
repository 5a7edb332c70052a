package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/internal/edit"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

func newSettingsShow(w world.World) *cobra.Command {
	var asJSON, every bool
	c := &cobra.Command{
		Use:   "show [KEY | TABLE]",
		Short: "Show the settings as they count now, and where each comes from",
		Long: `Show the settings as they count now: each with its value, and the line of settings.toml it stands on, or that it is
the default. Lists that nobody has set are left out.`,
		Example:           "  vomgr settings show\n  vomgr settings show limits\n  vomgr settings show --json",
		Args:              wants(cobra.MaximumNArgs(1)),
		ValidArgsFunction: completeKeyOrTable,
		RunE: func(_ *cobra.Command, args []string) error {
			all, exists, err := readSettings(w)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				if all, err = within(all, args[0]); err != nil {
					return err
				}
			}
			if asJSON {
				return writeJSON(w, all)
			}
			if !exists {
				fmt.Fprintf(w.Stdout, "%s is not there yet; what a fresh one says counts\n\n", w.Tilde(w.SettingsPath()))
			}
			showSettings(w, all, every || len(args) > 0)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON, with the defaults")
	c.Flags().BoolVar(&every, "all", false, "also the lists that nobody has set")
	return c
}

// within keeps what arg means: one setting, or those of a table.
func within(all []settings.Value, arg string) ([]settings.Value, error) {
	below := settings.KeysBelow(arg)
	if len(below) == 0 {
		key, err := settingKey(arg)
		if err != nil {
			return nil, err
		}
		below = []string{key}
	}
	return slices.DeleteFunc(all, func(v settings.Value) bool { return !slices.Contains(below, v.Key) }), nil
}

// showSettings writes a row for each setting.
func showSettings(w world.World, all []settings.Value, every bool) {
	rows := [][3]string{{"SETTING", "VALUE", "FROM"}}
	for _, v := range all {
		if list, ok := v.Value.([]string); ok && len(list) == 0 && v.Source == settings.FromDefault && !every {
			continue
		}
		rows = append(rows, [3]string{v.Key, shortValue(v.Value, 34), source(v)})
	}
	var width [2]int
	for _, row := range rows {
		for i := range width {
			width[i] = max(width[i], utf8.RuneCountInString(row[i]))
		}
	}
	for _, row := range rows {
		fmt.Fprintln(w.Stdout, field(row[0], width[0])+field(row[1], width[1])+row[2])
	}
}

// source says where a value comes from.
func source(v settings.Value) string {
	if v.Source == settings.FromFile {
		return fmt.Sprintf("line %d", v.Line)
	}
	return string(v.Source)
}

// shortValue is a value as TOML, of a text of several lines or a long one its beginning, in about most columns.
func shortValue(value any, most int) string {
	text, isText := value.(string)
	more := ""
	if lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1; isText && lines > 1 {
		text, _, _ = strings.Cut(text, "\n")
		value, more = text, fmt.Sprintf(" (%d lines)", lines)
	}
	shown := edit.Literal(value)
	if runes := []rune(shown); len(runes)+len(more) > most {
		shown = string(runes[:most-len(more)-3]) + "..."
	}
	return shown + more
}
