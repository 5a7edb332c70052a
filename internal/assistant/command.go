package assistant

import (
	"slices"
	"strconv"
	"strings"
)

// Form is one way of starting an assistant for an unattended turn. In Args, {prompt}, {project} and {session} stand
// for their values wherever they occur; {earlier} alone stands for Earlier or Resume.
type Form struct {
	Since   string   // the first version known to need this form; "" for the documented one
	Args    []string // without the program
	Earlier []string // goes on with the latest conversation of the folder
	Resume  []string // goes on with the conversation {session}; nil where there is no such option
}

// forms lists the documented form first, then newer ones in order of their versions.
//
// Sources, measured: Claude Code 2.1.197 and 2.1.332 reject --prompt and, with AskUserQuestion allowed, wait for an
// answer for ever; Gemini CLI 0.61.0 rejects -c; Codex 0.171.0 warns of the model gpt5, which its service does not
// know; all three take a prompt that begins with "-" for an option unless it is set apart as here.
var forms = map[Name][]Form{
	Claude: {
		{
			Args:    []string{"{earlier}", "--dangerously-skip-permissions", "--prompt", "{prompt}"},
			Earlier: []string{"--continue"},
		},
		{
			Since:   "2.0.0",
			Args:    []string{"{earlier}", "--dangerously-skip-permissions", "--disallowedTools", "AskUserQuestion", "--", "{prompt}"},
			Earlier: []string{"--continue"},
			Resume:  []string{"--resume", "{session}"},
		},
	},
	Codex: {
		{Args: []string{"--cd={project}", "-m", "gpt5", "--dangerously-bypass-approvals-and-sandbox", "--sandbox", "danger-full-access", "{prompt}"}},
		{
			Since: "0.100.0",
			Args:  []string{"--cd={project}", "--dangerously-bypass-approvals-and-sandbox", "--sandbox", "danger-full-access", "--", "{prompt}"},
		},
	},
	Gemini: {
		{Args: []string{"{earlier}", "-y", "{prompt}"}, Earlier: []string{"-c"}},
		{
			Since:   "0.20.0",
			Args:    []string{"{earlier}", "-y", "--prompt-interactive={prompt}"},
			Earlier: []string{"-r", "latest"},
		},
	},
}

// Form returns the form that the installed version takes; an unknown version ("") takes the documented one.
func (a Assistant) Form(version string) Form {
	list := forms[a.Name]
	form := list[0]
	for _, f := range list[1:] {
		if version != "" && !Older(version, f.Since) {
			form = f
		}
	}
	return form
}

// Documented returns the form of the documentation.
func (a Assistant) Documented() Form { return forms[a.Name][0] }

// Call is what a command line is made for.
type Call struct {
	Prompt  string
	Project string
	Session string // the conversation to go on with; "" for the latest of the folder
	Fresh   bool   // begin a new conversation
}

// Argv fills the form for c and puts program before it.
func (f Form) Argv(program string, c Call) []string {
	argv := []string{program}
	for _, arg := range f.Args {
		if arg != "{earlier}" {
			argv = append(argv, Fill(arg, c))
			continue
		}
		earlier := f.Earlier
		switch {
		case c.Fresh:
			earlier = nil
		case c.Session != "" && f.Resume != nil:
			earlier = f.Resume
		}
		for _, e := range earlier {
			argv = append(argv, Fill(e, c))
		}
	}
	return argv
}

// GoesOn tells whether the form, filled for c, goes on with an earlier conversation.
func (f Form) GoesOn(c Call) bool {
	return !c.Fresh && (len(f.Earlier) > 0 || c.Session != "" && f.Resume != nil) && slices.Contains(f.Args, "{earlier}")
}

// Fill puts the values of c into one argument, in one pass: values are never looked at again.
func Fill(arg string, c Call) string {
	return strings.NewReplacer("{prompt}", c.Prompt, "{project}", c.Project, "{session}", c.Session).Replace(arg)
}

// Older tells whether version a comes before b; both are numbers with dots, what follows a "-" or "+" does not count.
func Older(a, b string) bool { return slices.Compare(numbers(a), numbers(b)) < 0 }

func numbers(version string) []int {
	version = strings.TrimPrefix(version, "v")
	if i := strings.IndexAny(version, "-+ "); i >= 0 {
		version = version[:i]
	}
	var out []int
	for _, part := range strings.Split(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		out = append(out, n)
	}
	return out
}
