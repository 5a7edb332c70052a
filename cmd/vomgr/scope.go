package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

func newScope(w world.World) *cobra.Command {
	c := &cobra.Command{
		Use:   "scope",
		Short: "Choose the folders in which hand-overs may happen",
		Long: `Choose the folders in which hand-overs may happen: those of scope.folders in settings.toml, with what is below them.
They count when scope.mode is "only"; and a folder that is never handed over otherwise (home itself, another user's) is
when it is listed.`,
		Example: "  vomgr scope list\n  vomgr scope add ~/src\n  vomgr scope remove",
		Args:    wrongSubcommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newScopeAdd(w), newScopeRemove(w), newScopeList(w))
	return c
}

func newScopeAdd(w world.World) *cobra.Command {
	return &cobra.Command{
		Use:               "add [DIR]",
		Short:             "List a folder (default: this one)",
		Example:           "  vomgr scope add\n  vomgr scope add ~/src/api",
		Args:              wants(cobra.MaximumNArgs(1)),
		ValidArgsFunction: completeFolder,
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := here(w, strings.Join(args, ""))
			if err != nil {
				return err
			}
			did, err := settings.Change(w.SettingsPath(), func(doc []byte) ([]byte, error) {
				if set, _, err := settings.Parse(doc); err != nil || slices.ContainsFunc(set.Scope.Folders, means(w, dir)) {
					return doc, err
				}
				return settings.AddFolder(doc, w.Tilde(dir))
			})
			if err != nil {
				return refused(err, "scope.folders")
			}
			if !did {
				fmt.Fprintf(w.Stdout, "unchanged %s is listed already\n", w.Tilde(dir))
				return nil
			}
			fmt.Fprintf(w.Stdout, "added     %s\n", w.Tilde(dir))
			return modeHint(w)
		},
	}
}

// modeHint says how the list alone would come to count.
func modeHint(w world.World) error {
	set, err := lookSettings(w)
	if err == nil && set.Scope.Mode != settings.OnlyFolders {
		fmt.Fprintln(w.Stdout, "hint: vomgr settings set scope.mode only keeps hand-overs to the folders listed")
	}
	return err
}

func newScopeRemove(w world.World) *cobra.Command {
	return &cobra.Command{
		Use:               "remove [DIR]",
		Short:             "Take a folder off the list (default: this one)",
		Example:           "  vomgr scope remove\n  vomgr scope remove ~/src/api",
		Args:              wants(cobra.MaximumNArgs(1)),
		ValidArgsFunction: completeListed(w),
		RunE: func(_ *cobra.Command, args []string) error {
			given := strings.Join(args, "")
			dir, err := here(w, given)
			if err != nil { // it may be gone
				dir = absolute(w, given)
			}
			did, err := settings.Change(w.SettingsPath(), func(doc []byte) ([]byte, error) {
				return settings.RemoveFolders(doc, means(w, dir))
			})
			switch {
			case err != nil:
				return refused(err, "scope.folders")
			case !did:
				return withHint(fmt.Errorf("%s is not listed", w.Tilde(dir)), "vomgr scope list")
			}
			fmt.Fprintf(w.Stdout, "removed   %s\n", w.Tilde(dir))
			if set, err := lookSettings(w); err == nil && set.Scope.Mode == settings.OnlyFolders && len(set.Scope.Folders) == 0 {
				fmt.Fprintln(w.Stdout, "warning   no folder is left: nothing is handed over anywhere")
			}
			return nil
		},
	}
}

// means tells whether an element of scope.folders is the folder dir.
func means(w world.World, dir string) func(listed string) bool {
	return func(listed string) bool {
		path := expand(w, listed)
		if real, ok := hook.ResolveDir(path); ok {
			path = real
		}
		return path == dir
	}
}

// expand writes the ~ of a listed folder out.
func expand(w world.World, listed string) string {
	if rest, ok := strings.CutPrefix(listed, "~"); ok && (rest == "" || strings.ContainsAny(rest[:1], `/\`)) {
		return filepath.Join(w.Home, rest)
	}
	return filepath.Clean(listed)
}

// scopeView is where hand-overs may happen.
type scopeView struct {
	Mode    settings.ScopeMode `json:"mode"`
	Folders []listedFolder     `json:"folders"`
	Armed   []armedFolder      `json:"armed"`             // by vomgr night, until an hour to come
	Folder  string             `json:"folder"`            // the one asked about
	Refused string             `json:"refused,omitempty"` // why nothing is handed over in it
}

type listedFolder struct {
	Path string `json:"path"` // as it stands in settings.toml
	Gone bool   `json:"gone,omitempty"`
}

type armedFolder struct {
	Path  string    `json:"path"`
	Until time.Time `json:"until"`
}

func newScopeList(w world.World) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:               "list [DIR]",
		Short:             "Show where hand-overs may happen, and whether in a folder (default: this one)",
		Example:           "  vomgr scope list\n  vomgr scope list ~/src/api --json",
		Args:              wants(cobra.MaximumNArgs(1)),
		ValidArgsFunction: completeFolder,
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := here(w, strings.Join(args, ""))
			if err != nil {
				return err
			}
			view, err := viewScope(w, dir)
			switch {
			case err != nil:
				return err
			case asJSON:
				return writeJSON(w, view)
			}
			view.show(w)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func viewScope(w world.World, dir string) (scopeView, error) {
	set, err := lookSettings(w)
	if err != nil {
		return scopeView{}, err
	}
	v := scopeView{Mode: set.Scope.Mode, Folders: []listedFolder{}, Armed: []armedFolder{}, Folder: dir, Refused: hook.Refuses(w, set, dir)}
	for _, f := range set.Scope.Folders {
		_, ok := hook.ResolveDir(expand(w, f))
		v.Folders = append(v.Folders, listedFolder{f, !ok})
	}
	armed := false
	all, _ := (chain.Store{Dir: w.StateDir(), Now: w.Now}).Projects() // status tells of those that cannot be read
	for _, st := range all {
		if st.ArmedAt(w.Now()) {
			v.Armed = append(v.Armed, armedFolder{st.Project, st.Armed.Until})
			armed = armed || st.Project == dir
		}
	}
	if v.Refused == "" && v.Mode == settings.Armed && !armed {
		v.Refused = `scope.mode is "armed", and no night was begun here`
	}
	return v, nil
}

func (v scopeView) show(w world.World) {
	line := func(name, text string) { fmt.Fprint(w.Stdout, hang(field(name, 8), text)) }
	line("mode", map[settings.ScopeMode]string{
		settings.Everywhere: "everywhere: in every folder", settings.Armed: "armed: only after vomgr night",
		settings.OnlyFolders: "only: in the folders listed, and below",
	}[v.Mode])
	for _, f := range v.Folders {
		gone := ""
		if f.Gone {
			gone = "  (no such folder)"
		}
		line("listed", f.Path+gone)
	}
	for _, a := range v.Armed {
		line("armed", w.Tilde(a.Path)+", until "+clock(a.Until, w.Now()))
	}
	if v.Refused != "" {
		line("no", w.Tilde(v.Folder)+": "+v.Refused)
	} else {
		line("yes", w.Tilde(v.Folder)+": hand-overs may happen here")
	}
}
