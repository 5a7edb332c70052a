package hook

import (
	"strconv"
	"strings"
)

// Reasons why an assistant stopped, as {reason} and the history give them.
const (
	ReasonFinished = "finished"
	ReasonLimit    = "usage limit"
	ReasonError    = "error"
	ReasonByHand   = "by hand"
)

// promptValues is what the placeholders of a template stand for.
type promptValues struct {
	project     string
	source      string
	target      string
	reason      string
	hop         int
	since       string // the commit at which the turn that ended began
	lastMessage string
}

// lookup returns the value of a placeholder; a value is worked out only when the template names it.
func (v promptValues) lookup(name string) (value func() string, known bool) {
	files := projectFiles{v.project}
	values := map[string]func() string{
		"todo":         func() string { return orElse(strings.Join(files.openItems(5), "\n"), "No open TODO items.") },
		"plan":         func() string { return orElse(strings.Join(files.plan(5), "\n"), "No plan summary available.") },
		"target":       func() string { return v.target },
		"source":       func() string { return v.source },
		"last_message": func() string { return orElse(quoted(v.lastMessage), "No last message.") },
		"reason":       func() string { return v.reason },
		"hop":          func() string { return strconv.Itoa(v.hop) },
		"since":        func() string { return orElse(v.since, "HEAD") },
		"notes":        func() string { return orElse(files.notes(4000), "No hand-over notes.") },
		"branch": func() string {
			if r, ok := findRepository(v.project); ok {
				return orElse(r.branch(), "no branch")
			}
			return "no branch"
		},
	}
	value, known = values[name]
	return value, known
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// fill puts values into a template as Python's str.format does: {{ and }} are single braces, and a template with any
// placeholder that is not known, or braces that str.format rejects, is used exactly as it stands. One pass: a value is
// never looked at again.
func fill(template string, lookup func(name string) (func() string, bool)) string {
	pieces, fault := dissect(template, lookup)
	if fault != "" {
		return template
	}
	var out strings.Builder
	for _, p := range pieces {
		out.WriteString(p())
	}
	return out.String()
}

// dissect takes a template apart. fault says why it is used as it stands.
func dissect(template string, lookup func(name string) (func() string, bool)) (pieces []func() string, fault string) {
	for rest := template; rest != ""; {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			i = len(rest)
		}
		text := rest[:i]
		pieces = append(pieces, func() string { return text })
		rest = rest[i:]
		if rest == "" {
			break
		}
		if len(rest) > 1 && rest[1] == rest[0] {
			brace := rest[:1]
			pieces = append(pieces, func() string { return brace })
			rest = rest[2:]
			continue
		}
		end := strings.IndexByte(rest, '}')
		if rest[0] == '}' || end < 0 {
			return nil, "a brace stands alone"
		}
		value, known := lookup(rest[1:end])
		if !known {
			return nil, "there is no " + harmless(cut(rest[:end+1], 40))
		}
		pieces = append(pieces, value)
		rest = rest[end+1:]
	}
	return pieces, ""
}

// quoted makes a message of an assistant fit for another's prompt: no control characters, at most its first 1,000 and
// last 3,000 bytes, cut at lines, each line marked as somebody's words.
func quoted(message string) string {
	const head, tail = 1000, 3000
	message = strings.ReplaceAll(message, "\r\n", "\n")
	lines := strings.Split(message, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(harmless(l), " ")
	}
	message = strings.TrimSpace(strings.Join(lines, "\n"))
	if message == "" {
		return ""
	}
	if len(message) > head+tail {
		first := cut(message, head)
		if i := strings.LastIndexByte(first, '\n'); i > 0 {
			first = first[:i]
		}
		last := cutFront(message, tail)
		if i := strings.IndexByte(last, '\n'); i >= 0 && i < len(last)-1 {
			last = last[i+1:]
		}
		message = first + "\n[…]\n" + last
	}
	return "> " + strings.ReplaceAll(message, "\n", "\n> ")
}

// cutFront keeps at most the last n bytes of s, from the beginning of a character.
func cutFront(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := len(s) - n
	for i < len(s) && s[i]&0xc0 == 0x80 {
		i++
	}
	return s[i:]
}

// limitPrompt cuts a prompt that a command line could not carry and says whether it did. An empty prompt and one with
// a NUL would make the start fail.
func limitPrompt(prompt string, limit int) (string, bool) {
	prompt = strings.ReplaceAll(prompt, "\x00", " ")
	if len(prompt) <= limit {
		return prompt, false
	}
	return cut(prompt, limit), true
}

// promptLimit is the longest prompt in bytes that every way of starting program carries: Linux takes 128 KiB in one
// argument, a Windows command line 32,767 characters in all, and 8,191 through a .cmd shim.
func promptLimit(goos, program string) int {
	switch {
	case goos != "windows":
		return 32000
	case strings.HasSuffix(strings.ToLower(program), ".cmd"), strings.HasSuffix(strings.ToLower(program), ".bat"):
		return 6000
	default:
		return 16000
	}
}
