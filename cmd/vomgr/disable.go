package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/install"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/world"
)

func newDisable(w world.World) *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use:   "disable [TOOL...]",
		Short: "Take the hook out of the assistants again",
		Long: `Take the hook out of the assistants named (default: all) and switch their continuation off. A file that is still as
enable left it becomes what it was before, byte for byte; from any other only what is vomgr's is taken.`,
		Example:   "  vomgr disable\n  vomgr disable codex --dry-run",
		ValidArgs: []string{"claude", "codex", "gemini"},
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := tools(args)
			if err != nil {
				return err
			}
			var names []assistant.Name
			for _, a := range all {
				names = append(names, a.Name)
			}
			r, err := install.Disable(w, names, dry)
			if err != nil {
				return err
			}
			showReport(w, r, dry)
			if len(r.Changes) == 0 && len(r.Failures) == 0 && !dry {
				fmt.Fprintln(w.Stdout, "nothing to do: the hook is in no file")
			}
			return failures(w, r, "disable")
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "show the changes, write nothing")
	return c
}

func newInstall(w world.World) *cobra.Command {
	return &cobra.Command{
		Use:   "install",
		Short: "Place the programs that the assistants call; register nothing",
		Long: `Place the hook and the helper in the folder of each assistant found, or bring them up to date. enable does that, too;
after an upgrade this is enough where they are copies.`,
		Example: "  vomgr install",
		Args:    wants(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			found, missing := install.Here(w)
			if len(found) == 0 {
				showFound(w, found, missing)
				return withHint(fmt.Errorf("no assistant found"), "install one, then run vomgr enable")
			}
			var all []assistant.Assistant
			for _, f := range found {
				all = append(all, f.Assistant)
			}
			r := install.Report{}
			r.Placed, r.Failures = install.PlacePrograms(w, all, false)
			showReport(w, r, false)
			if len(r.Placed) == 0 && len(r.Failures) == 0 {
				fmt.Fprintln(w.Stdout, "all programs are in place")
			}
			return failures(w, r, "install")
		},
	}
}

func newUninstall(w world.World) *cobra.Command {
	var purge bool
	c := &cobra.Command{
		Use:     "uninstall",
		Short:   "Disable everything, and remove the programs and folders vomgr made",
		Example: "  vomgr uninstall\n  vomgr uninstall --purge",
		Args:    wants(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			r, err := install.Uninstall(w, purge)
			if err != nil {
				return err
			}
			showReport(w, r, false)
			if len(r.Changes)+len(r.Removed)+len(r.Failures) == 0 {
				fmt.Fprintln(w.Stdout, "nothing to do: nothing of vomgr's is here")
			}
			if _, err := os.Lstat(w.StateDir()); err == nil && !purge {
				fmt.Fprintf(w.Stdout, "kept      %s: settings and history (--purge removes them)\n", w.Tilde(w.StateDir()))
			}
			return failures(w, r, "uninstall")
		},
	}
	c.Flags().BoolVar(&purge, "purge", false, "remove settings, history and copies, too")
	return c
}
