package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/world"
)

// shells are those a completion script is made for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion(w world.World) *cobra.Command {
	return &cobra.Command{
		Use:   "completion " + strings.Join(shells, "|"),
		Short: "Print the completion script for a shell",
		Long: `Print the completion script for a shell. Packages (Homebrew, Scoop, deb, rpm) bring it along already, where the
shell looks for it.

It completes commands, flags and the names of the assistants.`,
		Example: `  source <(vomgr completion bash)
  vomgr completion zsh > "${fpath[1]}/_vomgr"
  vomgr completion fish > ~/.config/fish/completions/vomgr.fish
  vomgr completion powershell | Out-String | Invoke-Expression`,
		Args:                  wants(cobra.ExactArgs(1)),
		ValidArgs:             shells,
		DisableFlagsInUseLine: true,
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(w.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(w.Stdout)
			case "fish":
				return root.GenFishCompletion(w.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(w.Stdout)
			}
			return usage{withHint(fmt.Errorf("no completion for %q", args[0]), "one of %s", strings.Join(shells, ", "))}
		},
	}
}

// completeTools lets every command that takes TOOL first complete the assistants' names, each once, and no files.
func completeTools(root *cobra.Command) {
	for _, c := range root.Commands() {
		completeTools(c)
		_, takes, _ := strings.Cut(c.Use, " ")
		takes = strings.TrimPrefix(takes, "[")
		if !strings.HasPrefix(takes, "TOOL") || c.ValidArgsFunction != nil {
			continue
		}
		c.ValidArgs = nil // else a name that is given already would be offered again
		several := strings.HasPrefix(takes, "TOOL...")
		c.ValidArgsFunction = func(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
			return unusedTools(given, several), cobra.ShellCompDirectiveNoFileComp
		}
	}
}

// unusedTools are the names that can still be given: one, or as many as there are.
func unusedTools(given []string, several bool) []string {
	if len(given) > 0 && !several {
		return nil
	}
	var names []string
	for _, a := range assistant.All() {
		if !slices.Contains(given, string(a.Name)) {
			names = append(names, string(a.Name))
		}
	}
	return names
}
