package platform

import (
	"errors"
	"slices"
	"strings"
)

// shell is a language a template's {command} may have to be written in.
type shell int

const (
	posix      shell = iota // sh, bash, zsh …
	fish                    // single quotes in which a backslash counts
	cmdExe                  // Windows' cmd.exe
	powerShell              // Windows PowerShell 5.1, which has no &&, and later
	appleText               // POSIX sh inside a string of AppleScript
	foreign                 // one whose quotes cannot hold every name: csh ends them at a line break and looks for ! in them
)

var shells = map[string]shell{
	"sh": posix, "bash": posix, "dash": posix, "zsh": posix, "ksh": posix, "ash": posix,
	"mksh": posix, "oksh": posix, "yash": posix, "rbash": posix,
	"fish": fish, "cmd": cmdExe, "powershell": powerShell, "pwsh": powerShell, "osascript": appleText,
	"csh": foreign, "tcsh": foreign, "nu": foreign, "elvish": foreign, "xonsh": foreign, "rc": foreign, "es": foreign, "ion": foreign,
}

// fill puts the request into the settings' template: {command} is "go to the project and run the helper" in the
// language of the shell that reads it, {project}, {helper} and {job} stand as they are. What is put in is not looked
// at again. A template in which somebody would run parts of this project's name is refused.
func fill(r Request, otherwise shell) ([]string, error) {
	if strings.ContainsRune(r.Project+r.Helper+r.Job, 0) {
		return nil, errors.New("a zero byte cannot be part of a command")
	}
	if runByTmux(r) {
		return nil, errors.New("tmux would run a part of this folder's name where {project} stands; use {command}")
	}
	argv := make([]string, len(r.Template))
	for i, arg := range r.Template {
		if !strings.Contains(arg, "{") {
			argv[i] = arg
			continue
		}
		if err := r.unfit(i, otherwise); err != nil {
			return nil, err
		}
		project, helper := r.Project, r.Helper
		if otherwise == cmdExe && r.quotedForCmd(i) {
			project, helper = r.cmdName(i, project), r.cmdName(i, helper)
		}
		argv[i] = strings.NewReplacer(
			"{command}", commandText(r, readBy(r.Template, i, otherwise).shell),
			"{project}", project, "{helper}", helper, "{job}", r.Job,
		).Replace(arg)
	}
	return argv, nil
}

// runByTmux says that tmux is handed the project's name as it stands and would find something to run in it: tmux 3.3a
// does so in the values of several options, not only in its command.
func runByTmux(r Request) bool {
	raw := func(arg string) bool { return strings.Contains(arg, "{project}") }
	tmux := func(arg string) bool { return base(arg) == "tmux" }
	return strings.Contains(r.Project, "#(") && slices.ContainsFunc(r.Template, tmux) && slices.ContainsFunc(r.Template, raw)
}

// commandText is "go to the project and, if that worked, run the helper with the job".
func commandText(r Request, s shell) string {
	switch s {
	case fish:
		return "cd " + fishQuote(r.Project) + "; and " + fishQuote(r.Helper) + " " + fishQuote(r.Job)
	case cmdExe:
		return "cd /d " + cmdQuote(r.Project) + " && " + cmdQuote(r.Helper) + " " + r.Job
	case powerShell:
		return "Set-Location -LiteralPath " + powerShellQuote(r.Project) + "; if ($?) { & " + powerShellQuote(r.Helper) + " " + powerShellQuote(r.Job) + " }"
	case appleText:
		return appleEscape(commandText(r, posix))
	default:
		return "cd " + posixQuote(r.Project) + " && " + posixQuote(r.Helper) + " " + posixQuote(r.Job)
	}
}

// posixQuote makes one word of text for sh: between single quotes nothing is special but the single quote. A folder
// whose name begins with a dash is absolute here, and so begins with a slash. A dollar stands outside them behind a
// backslash: konsole and qterminal put values into their arguments for $NAME, but not where a backslash is before it.
// So does a backslash: where the template names no shell a terminal asks the person's own, which may be fish.
func posixQuote(text string) string {
	return "'" + strings.NewReplacer("'", `'\''`, "$", `'\$'`, `\`, `'\\'`).Replace(text) + "'"
}

// fishQuote makes one word of text for fish, in whose single quotes the backslash is special too.
func fishQuote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "$", `'\$'`).Replace(text) + "'"
}

// powerShellQuote makes one word of text for PowerShell, which takes four typographic quotes for single ones.
func powerShellQuote(text string) string {
	return "'" + strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛").Replace(text) + "'"
}

// cmdQuote makes one word of text for cmd.exe as it reads a command line (not a batch file). Between double quotes,
// which no file name can hold, only the percent sign is special; it stands outside them behind a caret, where the
// name between two of them becomes one that no variable has, and so stays.
func cmdQuote(text string) string {
	return `"` + strings.ReplaceAll(text, "%", `"^%"`) + `"`
}

// cmdName is a name that is one argument of a command line for cmd.exe. Plain ones stay as they are: what is quoted
// behind start is the title of a window, if no title is before it.
func (r Request) cmdName(at int, name string) string {
	switch {
	case harmless(name, cmdExe):
		return name
	case strings.EqualFold(r.Template[at-1], "start"):
		return `"" ` + cmdQuote(name)
	default:
		return cmdQuote(name)
	}
}

// appleEscape makes text fit for between the double quotes of an AppleScript string. A line break may stand there, but
// which one becomes of it depends on who compiles the script.
func appleEscape(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(text)
}
