package platform

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// reader is a shell that reads an argument of a template as its text.
type reader struct {
	shell shell
	name  string // "" when none is named
	at    int    // its place in the template
}

// readBy tells which shell reads the argument argv[at]: the nearest one before it that was told to, by -c and the like,
// else otherwise. What comes behind the text of sh or osascript is not read by them.
func readBy(argv []string, at int, otherwise shell) reader {
	for i := at - 1; i >= 0; i-- {
		if s, ok := shells[base(argv[i])]; ok && s.takes(argv[i+1:at]) {
			return reader{s, base(argv[i]), i}
		}
	}
	return reader{shell: otherwise}
}

// takes says that a shell reads as its text the word that follows these.
func (s shell) takes(options []string) bool {
	option := func(long string, letters string) func(string) bool {
		return func(word string) bool {
			word = strings.ToLower(word)
			return word == long || strings.HasPrefix(word, letters[:1]) && !strings.HasPrefix(word, "--") && strings.ContainsAny(word, letters[1:])
		}
	}
	other := func(word string) bool { return !strings.HasPrefix(word, "-") }
	switch s {
	case cmdExe: // and all that follows
		return slices.ContainsFunc(options, option("/c", "/ck"))
	case powerShell: // and all that follows
		encoded := func(word string) bool { return strings.HasPrefix(strings.ToLower(word), "-e") && !execution(word) }
		command := func(word string) bool { return len(word) > 1 && strings.HasPrefix("-command", strings.ToLower(word)) }
		return slices.ContainsFunc(options, command) || !slices.ContainsFunc(options, other) && !slices.ContainsFunc(options, encoded)
	case appleText:
		return len(options) > 0 && options[len(options)-1] == "-e"
	default:
		return slices.ContainsFunc(options, option("--command", "-c")) && !slices.ContainsFunc(options, other)
	}
}

// execution says that word is PowerShell's -ExecutionPolicy, which may be cut short.
func execution(word string) bool { return strings.HasPrefix(strings.ToLower(word), "-ex") }

// readAgain names a program that reads argv[at] before by does and would find an end of its own quotes in it, "" when
// there is none: PowerShell, cmd.exe and wsl.exe make one text of all that follows. What is quoted for cmd.exe stands
// another one.
func readAgain(argv []string, at int, by reader) string {
	for i := range at {
		name := base(argv[i])
		if name == "wsl" {
			return name
		}
		if s, ok := shells[name]; ok && i < by.at && s.takes(argv[i+1:at]) && (s == powerShell || s == cmdExe && by.shell != cmdExe) {
			return name
		}
	}
	return ""
}

// unfit says why the project's or the helper's name must not be put into template[at]: somebody would take parts of it
// for commands. Plain names may be put anywhere.
func (r Request) unfit(at int, otherwise shell) error {
	arg, by := r.Template[at], readBy(r.Template, at, otherwise)
	who := cmp.Or(by.name, "a shell")
	if r.expandedByWt(arg, by) {
		return errors.New("Windows Terminal puts values in for %NAME%, which is in this folder's name")
	}
	if !harmless(r.Project+r.Helper, otherwise) {
		if err := r.unfitCommand(at, by, who); err != nil {
			return err
		}
	}
	for _, v := range [][2]string{{"{project}", r.Project}, {"{helper}", r.Helper}} {
		if !strings.Contains(arg, v[0]) || harmless(v[1], otherwise) || otherwise == cmdExe && r.quotedForCmd(at) {
			continue
		}
		if by.name != "" || isText(arg) {
			return fmt.Errorf("%s stands as it is in a command, where %s would run parts of the name; use {command}", v[0], who)
		}
	}
	return nil
}

// unfitCommand is unfit for {command}.
func (r Request) unfitCommand(at int, by reader, who string) error {
	parts := strings.Split(r.Template[at], "{command}")
	if name := r.foreign(by); len(parts) > 1 && name != "" {
		return fmt.Errorf("{command} is read by %s, for which this folder's name cannot be quoted; use sh -c, or {helper} {job}", name)
	}
	if len(parts) > 1 && r.typed(by) && strings.ContainsFunc(r.Project+r.Helper, unicode.IsControl) {
		return errors.New("{command} is typed into a shell, for which control characters in this folder's name are keys")
	}
	if again := readAgain(r.Template, at, by); len(parts) > 1 && again != "" {
		return fmt.Errorf("{command} is read by %s before %s, which would run parts of the folder's name; begin with %[2]s, or use {helper} {job}", again, who)
	}
	for n := range parts[1:] {
		if why := by.shell.misplaced(strings.Join(parts[:n+1], "x")); why != "" {
			return fmt.Errorf("{command} stands %s, where %s would run parts of the folder's name", why, who)
		}
	}
	return nil
}

// foreign names the shell that reads {command} and has quotes of another kind, "" when there is none: where the template
// names no shell the terminal may ask the person's own, as macOS' Terminal does.
func (r Request) foreign(by reader) string {
	name := by.name
	if name == "" && by.shell == posix || by.shell == appleText {
		name = base(r.World.Getenv("SHELL"))
	}
	if s, known := shells[name]; name == "" || known && s != foreign {
		return ""
	}
	return name
}

// typed says that a shell gets {command} as if a person had typed it: what AppleScript hands to a terminal, and what
// multiplexers send to a window.
func (r Request) typed(by reader) bool {
	sends := []string{"send-keys", "send", "stuff", "send-text", "paste", "osascript"}
	return by.shell != cmdExe && slices.ContainsFunc(r.Template, func(arg string) bool { return slices.Contains(sends, base(arg)) })
}

// expandedByWt says that Windows Terminal would put values of variables into arg: it does so in the whole command line of
// what it starts, and knows no quotes for the percent sign (ConptyConnection; none is named what cmdQuote makes of one).
func (r Request) expandedByWt(arg string, by reader) bool {
	if base(r.Template[0]) != "wt" || !strings.Contains(r.Project+r.Helper, "%") {
		return false
	}
	raw := strings.Contains(arg, "{project}") && strings.Contains(r.Project, "%") || strings.Contains(arg, "{helper}") && strings.Contains(r.Helper, "%")
	return raw || strings.Contains(arg, "{command}") && by.shell != cmdExe
}

// quotedForCmd says that template[at] is nothing but a name, which is quoted when cmd.exe, started as the terminal on
// Windows, reads it.
func (r Request) quotedForCmd(at int) bool {
	return base(r.Template[0]) == "cmd" && (r.Template[at] == "{project}" || r.Template[at] == "{helper}") &&
		readBy(r.Template, at, posix).shell == cmdExe
}

// isText says that an argument holds a command of several words, whoever reads it.
func isText(arg string) bool {
	return strings.ContainsAny(arg, " \t\n") && (strings.Contains(arg, "{helper}") || strings.ContainsAny(arg, ";&|\n"))
}

// harmless says that no shell takes any part of a name for anything but itself, be it quoted or not.
func harmless(name string, system shell) bool {
	others := "/._-"
	if system == cmdExe {
		others += `:\`
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(others, r)
	})
}

// misplaced says why {command} cannot stand behind that text, which the shell reads; "" when it can.
func (s shell) misplaced(before string) string {
	const quoted = "between quotes, and has its own"
	switch s {
	case cmdExe:
		if strings.Count(before, `"`)%2 == 1 {
			return quoted
		}
	case appleText:
		inside, ok := openString(before)
		if !ok {
			return "outside of double quotes"
		}
		return posix.misplaced(inside)
	default:
		if s.open(before) {
			return quoted
		}
		if end := strings.TrimRight(before, " \t"); s != powerShell && end != "" && !begins(end) {
			return "behind the words of another command"
		}
	}
	return ""
}

// begins says that a command may begin behind that text of a shell's.
func begins(before string) bool {
	if strings.ContainsAny(before[len(before)-1:], ";&|({\n") {
		return true
	}
	if strings.HasPrefix(before, "-") && strings.HasSuffix(before, "=") && !strings.ContainsAny(before, " \t") {
		return true // an option of a terminal's
	}
	words := strings.Fields(before)
	return slices.Contains([]string{"then", "do", "else", "and", "or", "begin"}, words[len(words)-1])
}

// open says that text ends between quotes; backquotes count, in which a shell reads its text once more.
func (s shell) open(text string) bool {
	quote := rune(0)
	escaped := false
	for _, c := range text {
		if s == powerShell {
			c = straight(c)
		}
		switch {
		case escaped:
			escaped = false
		case c == '\\' && s == posix && quote != '\'', c == '\\' && s == fish, c == '`' && s == powerShell && quote != '\'':
			escaped = true
		case quote == 0 && (c == '\'' || c == '"' || c == '`' && s == posix):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return quote != 0
}

// straight makes the quotes that PowerShell takes for straight ones straight.
func straight(c rune) rune {
	switch c {
	case '‘', '’', '‚', '‛':
		return '\''
	case '“', '”', '„':
		return '"'
	}
	return c
}

// openString is what AppleScript has read of the string in which text ends; ok is false when it ends in none.
func openString(text string) (inside string, ok bool) {
	var b strings.Builder
	escaped := false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
			b.WriteRune(c)
		case c == '\\' && ok:
			escaped = true
		case c == '"':
			ok = !ok
			b.Reset()
		case ok:
			b.WriteRune(c)
		}
	}
	return b.String(), ok
}
