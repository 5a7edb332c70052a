package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// newMan is for the release build, which packs the pages; a person has them by then.
func newMan(w world.World) *cobra.Command {
	return &cobra.Command{
		Use:       "man 1|5",
		Short:     "Print the man page vomgr(1) or vomgr-settings(5)",
		Example:   "  vomgr man 1 | man -l -",
		Args:      wants(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)),
		ValidArgs: []string{"1", "5"},
		Hidden:    true,
		RunE: func(c *cobra.Command, args []string) error {
			page := settingsPage()
			if args[0] == "1" {
				page = commandPage(c.Root())
			}
			_, err := w.Stdout.Write(page)
			return err
		},
	}
}

// commandPage is vomgr(1), made from the commands' own help.
func commandPage(root *cobra.Command) []byte {
	var p bytes.Buffer
	fmt.Fprintf(&p, ".TH VOMGR 1 \"\" \"vomgr\" \"User Commands\"\n")
	what := strings.TrimPrefix(root.Short, "vomgr ")
	fmt.Fprintf(&p, ".SH NAME\nvomgr \\- %s\n", roff(what))
	fmt.Fprintf(&p, ".SH SYNOPSIS\n.B vomgr\n.I command\n[\\fIargument\\fR ...]\n")
	fmt.Fprintf(&p, ".SH DESCRIPTION\n")
	writeText(&p, root.Long)
	fmt.Fprintf(&p, ".SH COMMANDS\n")
	for _, c := range root.Commands() {
		writeCommand(&p, c)
	}
	p.WriteString(fixedSections)
	return p.Bytes()
}

// fixedSections is what the commands' help does not say.
const fixedSections = `.SH EXIT STATUS
.TP
.B 0
All went well.
.TP
.B 1
Something failed; standard error says what, where and why, and what to do next.
.TP
.B 2
Wrong usage of a command.
.P
What an assistant calls ends with 0 or 1, never with 2: the assistants take 2 for \(lqgo on\(rq.
.B vomgr run
passes on the assistant's status.
.SH FILES
.TP
.I \(ti/.vexy-overnight/settings.toml
What you prefer: see
.BR vomgr-settings (5).
.TP
.I \(ti/.vexy-overnight/history.jsonl
Each step of each hand-over, one JSON object per line; shown by
.BR "vomgr log" .
.TP
.IR \(ti/.claude/hooks " and " \(ti/.codex
The programs the assistants call, links to vomgr (copies on Windows).
.SH ENVIRONMENT
.TP
.B CLAUDE_CONFIG_DIR, CODEX_HOME, GEMINI_CLI_HOME
The folders of the assistants, if not the usual ones.
.TP
.B VOMGR_TERMINAL_APP
On macOS, the application that opens the windows.
.TP
.B NO_COLOR
If set, nothing is coloured.
.SH SEE ALSO
.BR vomgr-settings (5)
`

// settingsPage is vomgr-settings(5): the fresh settings.toml explains itself.
func settingsPage() []byte {
	var p bytes.Buffer
	fmt.Fprintf(&p, ".TH VOMGR-SETTINGS 5 \"\" \"vomgr\" \"File Formats\"\n")
	fmt.Fprintf(&p, ".SH NAME\nvomgr-settings \\- the settings of vomgr\n")
	fmt.Fprintf(&p, ".SH SYNOPSIS\n.I \\(ti/.vexy-overnight/settings.toml\n.SH DESCRIPTION\n")
	fmt.Fprintf(&p, "A TOML file, made by\n.BR \"vomgr enable\" .\nA key that it lacks has the value shown here.\n"+
		"A file that cannot be read, or has a value of the wrong type, stops every hand-over until it is mended.\n.P\nThe file as it is first made:\n")
	writeExample(&p, string(settings.Default))
	fmt.Fprintf(&p, ".SH SEE ALSO\n.BR vomgr (1)\n")
	return p.Bytes()
}

// writeCommand writes one command, and those below it, that a person may give.
func writeCommand(p *bytes.Buffer, c *cobra.Command) {
	if !c.IsAvailableCommand() || c.Name() == "help" {
		return
	}
	fmt.Fprintf(p, ".SS %s\n", roff(strings.TrimSuffix(c.UseLine(), " [flags]")))
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	writeText(p, text)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { writeFlag(p, f) })
	if c.Example != "" {
		p.WriteString(".P\nFor example:\n")
		writeExample(p, c.Example)
	}
	for _, sub := range c.Commands() {
		writeCommand(p, sub)
	}
}

func writeFlag(p *bytes.Buffer, f *pflag.Flag) {
	if f.Hidden || f.Name == "help" {
		return
	}
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	value, usage := pflag.UnquoteUsage(f)
	fmt.Fprintf(p, ".TP\n\\fB%s\\fR", roff(name))
	if value != "" {
		fmt.Fprintf(p, " \\fI%s\\fR", roff(value))
	}
	fmt.Fprintf(p, "\n%s\n", roff(usage))
}

// writeText writes paragraphs; an indented one is an example.
func writeText(p *bytes.Buffer, text string) {
	for i, para := range strings.Split(strings.TrimSpace(text), "\n\n") {
		switch {
		case strings.HasPrefix(para, " "):
			writeExample(p, para)
		case i > 0:
			p.WriteString(".P\n")
			fallthrough
		default:
			for line := range strings.Lines(para) {
				p.WriteString(roff(strings.TrimSuffix(line, "\n")) + "\n")
			}
		}
	}
}

// writeExample writes lines as they stand.
func writeExample(p *bytes.Buffer, text string) {
	p.WriteString(".P\n.nf\n.RS 2\n")
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		p.WriteString(roff(strings.TrimPrefix(strings.TrimRight(line, "\n"), "  ")) + "\n")
	}
	p.WriteString(".RE\n.fi\n")
}

// roff makes text of a line: no character of it is a command, and a hyphen can be copied into a shell.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `~`, `\(ti`, `^`, `\(ha`, "`", "\\`", `'`, `\(aq`, `"`, `\(dq`).Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}
