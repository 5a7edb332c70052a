package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vexyart/vomgr/internal/world"
)

// everyCommand calls f with each command that the help shows, at every level.
func everyCommand(c *cobra.Command, f func(*cobra.Command)) {
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			f(sub)
			everyCommand(sub, f)
		}
	}
}

func TestHelpOfEveryCommand(t *testing.T) {
	root := newRoot(world.World{})
	everyCommand(root, func(c *cobra.Command) {
		var out bytes.Buffer
		showHelp(&out, c)
		for line := range strings.Lines(out.String()) {
			if utf8.RuneCountInString(strings.TrimSpace(line)) > columns && !strings.Contains(c.Example, strings.TrimSpace(line)) && !strings.Contains(line, c.UseLine()) {
				t.Errorf("%s: the help has a line of more than %d columns: %q", c.CommandPath(), columns, line)
			}
		}
		if c.Example == "" || !strings.HasPrefix(c.Example, "  ") {
			t.Errorf("%s: no example, or not indented", c.CommandPath())
		}
		first, _ := utf8.DecodeRuneInString(c.Short)
		if strings.ToUpper(string(first)) != string(first) || strings.HasSuffix(c.Short, ".") || utf8.RuneCountInString(c.Short) > 78 {
			t.Errorf("%s: the short text is to begin like a sentence, without its full stop, and to be short: %q", c.CommandPath(), c.Short)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if text := f.Usage; strings.ToLower(text[:1]) != text[:1] || strings.HasSuffix(text, ".") {
				t.Errorf("%s --%s: the text begins small and has no full stop: %q", c.CommandPath(), f.Name, text)
			}
		})
	})
}

// What an example shows can be typed: the command and its flags exist, and take that many words.
func TestExamplesAreCommands(t *testing.T) {
	tried := 0
	everyCommand(newRoot(world.World{}), func(c *cobra.Command) {
		for example := range strings.Lines(c.Example) {
			line, _, _ := strings.Cut(strings.TrimSpace(example), " >")
			line, _, _ = strings.Cut(line, " <prompt")
			line, _, _ = strings.Cut(line, " |")
			argv := words(line)
			if len(argv) == 0 || argv[0] != "vomgr" {
				continue
			}
			tried++
			meant, rest, err := newRoot(world.World{}).Find(argv[1:])
			if err != nil || meant.CommandPath() != c.CommandPath() && !strings.HasPrefix(meant.CommandPath(), c.CommandPath()+" ") {
				t.Errorf("%s: %q is no example of it (%v)", c.CommandPath(), line, err)
				continue
			}
			if meant.DisableFlagParsing {
				continue
			}
			if err := meant.ParseFlags(rest); err != nil {
				t.Errorf("%q: %v", line, err)
			}
			if err := meant.ValidateArgs(meant.Flags().Args()); err != nil {
				t.Errorf("%q: %v", line, err)
			}
		}
	})
	if tried < 40 {
		t.Errorf("only %d examples tried", tried)
	}
}

func TestHelpShowsEveryCommandOnce(t *testing.T) {
	root := newRoot(world.World{})
	var out bytes.Buffer
	showHelp(&out, root)
	for _, c := range root.Commands() {
		listed := 0
		for _, g := range groups {
			if slices.Contains(g.names, c.Name()) {
				listed++
			}
		}
		want := 1
		if c.Hidden {
			want = 0
		}
		if got := strings.Count(out.String(), "\n  "+field(c.Name(), 10)); got != want || listed != want {
			t.Errorf("%s: shown %d times, in %d groups; want %d", c.Name(), got, listed, want)
		}
	}
	if !strings.HasSuffix(out.String(), "vomgr COMMAND --help says more about one\n") {
		t.Errorf("the help ends with\n%s", out.String())
	}
}
