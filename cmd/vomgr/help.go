package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// groups are the commands by what a person is about, in the order of the help.
var groups = []struct {
	title string
	names []string
}{
	{"Nights", []string{"night", "run", "next", "attach", "pause", "resume", "stop"}},
	{"Looking", []string{"status", "log", "report", "doctor", "demo"}},
	{"Setting up", []string{"enable", "disable", "settings", "scope", "prompt", "terminal", "install", "uninstall"}},
	{"Besides", []string{"version", "completion", "hook", "help"}},
}

// setHelp gives root, and what is below it, the help of this file.
func setHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Use, c.Short, c.Long = "help [COMMAND]", "Show the help of a command", "Show the help of a command."
			c.Example = "  vomgr help night"
		}
	}
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { showHelp(c.OutOrStdout(), c) })
}

// showHelp writes what a command is for, how it is called, and what it takes.
func showHelp(out io.Writer, c *cobra.Command) {
	c.InitDefaultHelpFlag()
	for i, paragraph := range strings.Split(cmp.Or(c.Long, c.Short+"."), "\n\n") {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if strings.HasPrefix(paragraph, " ") { // an example
			fmt.Fprintln(out, paragraph)
			continue
		}
		fmt.Fprint(out, hang("", paragraph))
	}
	fmt.Fprint(out, "\nUsage:\n")
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(out, "  %s COMMAND\n", c.CommandPath())
	} else {
		fmt.Fprintf(out, "  %s\n", c.UseLine())
	}
	if c.Example != "" {
		fmt.Fprintf(out, "\nExamples:\n%s\n", c.Example)
	}
	showCommands(out, c)
	fmt.Fprintf(out, "\nFlags:\n%s", c.LocalFlags().FlagUsagesWrapped(columns))
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(out, "\n%s COMMAND --help says more about one\n", c.CommandPath())
	}
}

// showCommands lists what stands below c: below the root by groups, else in the order in which it was put there.
func showCommands(out io.Writer, c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	if c.HasParent() {
		fmt.Fprint(out, "\nCommands:\n")
		for _, sub := range c.Commands() {
			showCommand(out, sub)
		}
		return
	}
	for _, g := range groups {
		fmt.Fprintf(out, "\n%s:\n", g.title)
		for _, name := range g.names {
			if sub, _, err := c.Find([]string{name}); err == nil && sub != c {
				showCommand(out, sub)
			}
		}
	}
}

func showCommand(out io.Writer, c *cobra.Command) {
	if c.IsAvailableCommand() || c.Name() == "help" {
		fmt.Fprint(out, hang("  "+field(c.Name(), len("completion")), c.Short))
	}
}
