package main

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

func newSettingsEdit(w world.World) *cobra.Command {
	return &cobra.Command{
		Use:   "edit",
		Short: "Open settings.toml in your editor, and check it afterwards",
		Long: `Open settings.toml in $VISUAL, else $EDITOR, else vi (Windows: notepad), and check it afterwards. A file that is not
there yet is made. The variable may hold arguments, like "code --wait"; no shell reads it.`,
		Example: "  vomgr settings edit\n  VISUAL=nano vomgr settings edit",
		Args:    wants(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			argv, err := editor(w)
			if err != nil {
				return err
			}
			if err := makeSettings(w); err != nil {
				return err
			}
			cmd := exec.Command(argv[0], append(argv[1:], w.SettingsPath())...) //nolint:noctx // a person ends it
			cmd.Stdin, cmd.Stdout, cmd.Stderr = w.Stdin, w.Stdout, w.Stderr
			cmd.Dir, cmd.Env = w.Dir, w.Env
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s: %w", argv[0], err)
			}
			if err := checkSettings(w, false); err != nil {
				return withHint(errors.New("no hook starts anything while settings.toml has an error"), "vomgr settings edit")
			}
			return nil
		},
	}
}

// editor is the person's editor, with the arguments they gave it.
func editor(w world.World) ([]string, error) {
	usual := "vi"
	if runtime.GOOS == "windows" {
		usual = "notepad"
	}
	given := cmp.Or(w.Getenv("VISUAL"), w.Getenv("EDITOR"), usual)
	if path := w.LookPath(given); path != "" { // also one with spaces in it
		return []string{path}, nil
	}
	argv := words(given)
	if len(argv) > 0 {
		if path := w.LookPath(argv[0]); path != "" {
			return append([]string{path}, argv[1:]...), nil
		}
	}
	return nil, withHint(fmt.Errorf("no editor %q on PATH", given), "VISUAL=nano vomgr settings edit")
}

// words splits a command at its blanks, save between quotes of either kind. Backslashes are no escapes: on Windows they
// stand in paths.
func words(command string) []string {
	var all []string
	var word []rune
	var quote rune
	open := false
	for _, r := range command {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word = append(word, r)
		case r == '"' || r == '\'':
			quote, open = r, true
		case r == ' ' || r == '\t':
			if open || len(word) > 0 {
				all = append(all, string(word))
			}
			word, open = nil, false
		default:
			word = append(word, r)
		}
	}
	if open || len(word) > 0 {
		all = append(all, string(word))
	}
	return all
}

// makeSettings makes the fresh settings.toml if there is none. What is wrong in an old one is what the editor is for.
func makeSettings(w world.World) error {
	_, exists, err := settings.Read(w.SettingsPath())
	if err == nil && !exists {
		_, err = settings.Load(w.SettingsPath())
	}
	return err
}
