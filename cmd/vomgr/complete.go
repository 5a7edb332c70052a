package main

import (
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/internal/chainlog"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// What a shell offers as the next word. Nothing is changed, and what cannot be read offers nothing.

// completion is what cobra asks for the words that may stand next.
type completion = func(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective)

// completeKey offers the settings.
func completeKey(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(given) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return settings.Keys(), cobra.ShellCompDirectiveNoFileComp
}

// completeKeyOrTable offers the settings and the tables they stand in.
func completeKeyOrTable(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
	keys, directive := completeKey(c, given, typed)
	var all []string
	for _, k := range keys {
		for i, r := range k {
			if r == '.' && !slices.Contains(all, k[:i]) {
				all = append(all, k[:i])
			}
		}
		all = append(all, k)
	}
	return all, directive
}

// completeSetting offers the settings, then the words that the one given takes.
func completeSetting(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch len(given) {
	case 0:
		return settings.Keys(), cobra.ShellCompDirectiveNoFileComp
	case 1:
		return settings.Choices(given[0]), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// completeFolder offers folders.
func completeFolder(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(given) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeListed offers the folders of scope.folders.
func completeListed(w world.World) completion {
	return first(func() []string {
		set, err := lookSettings(w)
		if err != nil {
			return nil
		}
		return set.Scope.Folders
	})
}

// completeRunning offers the projects in which an assistant of vomgr's runs, by the last part of their paths.
func completeRunning(w world.World) completion {
	return first(func() []string {
		var names []string
		for _, st := range runningSessions(w) {
			names = append(names, filepath.Base(st.Project)+"\t"+st.Session.Tool+" in "+w.Tilde(st.Project))
		}
		return names
	})
}

// completeChain offers chains, the latest first, and projects that have one.
func completeChain(w world.World) completion {
	return first(func() []string {
		entries, err := history.Read(historyPath(w))
		if err != nil {
			return nil
		}
		var chains, projects []string
		for _, c := range slices.Backward(chainlog.Build(entries, w.Now()).Chains) {
			chains = append(chains, c.ID+"\t"+w.Tilde(c.Project)+", "+clock(c.First, w.Now()))
			if name := filepath.Base(c.Project); !slices.Contains(projects, name) {
				projects = append(projects, name)
			}
		}
		return append(chains, projects...)
	})
}

// first offers words for the first argument, and nothing behind it.
func first(words func() []string) completion {
	return func(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(given) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFlags lets the flags of every command below c that take a folder, an assistant or a few words offer those.
func completeFlags(c *cobra.Command) {
	for _, sub := range c.Commands() {
		completeFlags(sub)
	}
	words := map[string][]string{"target": unusedTools(nil, true), "via": {"notify", "hooks"}}
	for name, offered := range words {
		if c.Flags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(offered, cobra.ShellCompDirectiveNoFileComp)) // it exists
		}
	}
	for _, name := range []string{"directory", "only"} {
		if c.Flags().Lookup(name) != nil {
			_ = c.MarkFlagDirname(name) // it exists
		}
	}
}
