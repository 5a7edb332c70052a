package darwin

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// This is AppleScript as far as the scripts use it, read by the letter: blocks must be closed by their own end, an
// expression is strings, names, items of argv and quoted forms joined by &, and everything else is a syntax error.

// script is a run of one script.
type script struct {
	argv  []string
	names map[string]string
	lines []string // what the terminal was told to run
	err   error
}

// osascript stands in for the real one: the line a terminal would get is run by sh.
func osascript(args []string, stdout, stderr io.Writer) int {
	s := script{names: map[string]string{}}
	var text []string
	for len(args) > 1 && args[0] == "-e" {
		text, args = append(text, args[1]), args[2:]
	}
	s.argv = args
	if err := parseScript(text); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	if err := s.run(text); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	for _, line := range s.lines {
		cmd := exec.Command("/bin/sh", "-c", line) //nolint:noctx // ends by itself
		cmd.Stdout, cmd.Stderr = stdout, stderr
		if err := cmd.Run(); err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
	}
	return 0
}

var blocks = []struct {
	begin *regexp.Regexp
	end   string
}{
	{regexp.MustCompile(`^on run argv$`), "end run"},
	{regexp.MustCompile(`^with timeout of \d+ seconds$`), "end timeout"},
	{regexp.MustCompile(`^tell application (id )?"[A-Za-z0-9. ]+"$`), "end tell"},
	{regexp.MustCompile(`^repeat with \w+ in windows$`), "end repeat"},
	{regexp.MustCompile(`^if \(count of tabs of \w+\) is \d+ then$`), "end if"},
	{regexp.MustCompile(`^try$`), "end try"},
	{regexp.MustCompile(`^if tty of \w+ is \w+ and not \(busy of \w+\) then$`), "end if"},
}

var plainLine = regexp.MustCompile(`^(delay \d+|close \w+|return|set \w+ to .+|do script .+|create window with default profile command .+)$`)

// parseScript says whether every block is closed and every line is one that AppleScript knows.
func parseScript(text []string) error {
	var open []string
	for _, line := range text {
		line = strings.TrimSpace(line)
		if len(open) > 0 && line == open[len(open)-1] {
			open = open[:len(open)-1]
			continue
		}
		if end := opened(line); end != "" {
			open = append(open, end)
			continue
		}
		if !plainLine.MatchString(line) || len(open) == 0 {
			return fmt.Errorf("syntax error: %s (-2741)", line)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("syntax error: expected %q (-2741)", open[len(open)-1])
	}
	return nil
}

func opened(line string) (end string) {
	for _, b := range blocks {
		if b.begin.MatchString(line) {
			return b.end
		}
	}
	return ""
}

func (s *script) run(text []string) error {
	for _, line := range text {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "set "):
			name, expression, _ := strings.Cut(strings.TrimPrefix(line, "set "), " to ")
			s.names[name] = s.value(expression)
		case strings.HasPrefix(line, "do script "):
			s.lines = append(s.lines, s.value(strings.TrimPrefix(line, "do script ")))
		case strings.HasPrefix(line, "create window with default profile command "):
			s.lines = append(s.lines, s.value(strings.TrimPrefix(line, "create window with default profile command ")))
		}
	}
	return s.err
}

var (
	text = regexp.MustCompile(`^"((?:[^"\\]|\\["\\nrt])*)"`)
	item = regexp.MustCompile(`^(quoted form of )?item (\d+) of argv`)
	word = regexp.MustCompile(`^\w+`)
)

// value works out an expression.
func (s *script) value(expression string) string {
	value := ""
	for {
		part, rest := s.term(expression)
		value += part
		if rest == "" || s.err != nil {
			return value
		}
		var joined bool
		if expression, joined = strings.CutPrefix(rest, " & "); !joined {
			s.err = errors.New("syntax error: expected end of line: " + rest)
			return ""
		}
	}
}

func (s *script) term(expression string) (value, rest string) {
	if m := text.FindStringSubmatch(expression); m != nil {
		return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(m[1]), expression[len(m[0]):]
	}
	if m := item.FindStringSubmatch(expression); m != nil {
		n, _ := strconv.Atoi(m[2])
		if n < 1 || n > len(s.argv) {
			s.err = fmt.Errorf("can't get item %d of argv (-1728)", n)
			return "", ""
		}
		value = s.argv[n-1]
		if m[1] != "" {
			value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
		}
		return value, expression[len(m[0]):]
	}
	name := word.FindString(expression)
	value, known := s.names[name]
	if !known {
		s.err = fmt.Errorf("the variable %q is not defined (-2753)", name)
	}
	return value, expression[len(name):]
}
