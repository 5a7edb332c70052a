package edit

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
)

// Dialect is the kind of JSON a program reads.
type Dialect struct {
	comments bool // // and /* */ are blanks
	bom      bool // a byte order mark is accepted
}

// The dialects, as measured: Claude Code 2.1.197 reads strict JSON, with or without a byte order mark; Gemini CLI 0.61.0
// allows comments and ends with status 52 at a byte order mark; both refuse trailing commas.
var (
	JSON         = Dialect{bom: true}
	JSONComments = Dialect{comments: true}
)

// node is a value of a JSON document and, for a member of an object, its key.
type node struct {
	key        string
	from       int // where the key or, for an element, the value begins
	start, end int // the value
}

// document is a strict JSON object (or nothing at all) that may be edited.
type document struct {
	bom  string
	text string // what will be written
	view string // the same length: comments are blanks
}

func (d Dialect) parse(doc []byte) (document, error) {
	bom, body, err := decode(doc)
	if err != nil {
		return document{}, err
	}
	if len(bom) > 0 && !d.bom {
		return document{}, refuse(body, 0, "save it without a byte order mark", "a byte order mark")
	}
	text := string(body)
	view := text
	if d.comments {
		view = blankComments(text)
	}
	parsed := document{string(bom), text, view}
	if parsed.blank() {
		return parsed, nil
	}
	var whole json.RawMessage
	if err := json.Unmarshal([]byte(view), &whole); err != nil {
		return document{}, syntax(d.diagnose(view, err))
	}
	if root := parsed.root(); view[root.start] != '{' {
		return document{}, refuse(text, root.start, "begin the file with {", "%s where an object is expected", kindOf(view, root))
	}
	return parsed, nil
}

func (d document) bytes() []byte { return []byte(d.bom + d.text) }

// blank tells that there is nothing but white space.
func (d document) blank() bool { return strings.Trim(d.view, " \t\r\n") == "" }

func (d document) root() node {
	start := len(d.view) - len(strings.TrimLeft(d.view, " \t\r\n"))
	return node{from: start, start: start, end: len(strings.TrimRight(d.view, " \t\r\n"))}
}

// kids lists what an object or a list holds, in order; nothing for other values.
func (d document) kids(n node) []node {
	if c := d.view[n.start]; c != '{' && c != '[' {
		return nil
	}
	var kids []node
	gjson.Parse(d.view[n.start:n.end]).ForEach(func(key, value gjson.Result) bool {
		start := n.start + value.Index
		kid := node{from: start, start: start, end: start + len(value.Raw)}
		if key.Exists() && d.view[n.start] == '{' {
			kid.from = n.start + key.Index
			kid.key = unquote(key.Raw)
		}
		kids = append(kids, kid)
		return true
	})
	return kids
}

// raw is the value's text.
func (d document) raw(n node) string { return d.view[n.start:n.end] }

// inner is what stands between the brackets of an object or a list.
func (d document) inner(n node) (start, end int) { return n.start + 1, n.end - 1 }

// last returns the last of the members called key, which is the one that counts.
func last(kids []node, key string) (n node, count int) {
	for _, k := range kids {
		if k.key == key {
			n = k
			count++
		}
	}
	return n, count
}

func kindOf(text string, n node) string {
	switch text[n.start] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// unquote decodes a JSON string; "" for any other value.
func unquote(raw string) string {
	if raw[0] == '"' && strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var s string
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		return ""
	}
	return s
}

// quote writes s as a JSON string, without escaping what only HTML needs escaped.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string into memory cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// blankComments replaces comments by blanks of the same length; line ends stay.
func blankComments(text string) string {
	out := []byte(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			i = stringEnd(text, i)
		case strings.HasPrefix(text[i:], "//"):
			end := len(text)
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				end = i + n
			}
			blank(i, end)
			i = end
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return string(out) // the parser will point at the slash
			}
			blank(i, i+2+end+2)
			i += 2 + end + 1
		}
	}
	return string(out)
}

// stringEnd returns the index of the quote that closes the string opened at i, or the text's last index.
func stringEnd(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"', '\n':
			return i
		}
	}
	return len(text) - 1
}

var conflictMark = regexp.MustCompile(`(?m)^(<{7} |={7}\r?$|>{7} |\|{7} )`)

// diagnose turns a syntax error into the place and the words a person can act on.
func (d Dialect) diagnose(text string, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("reading json: %w", err)
	}
	at := max(0, min(int(syntax.Offset)-1, len(text)-1))
	before := strings.TrimRight(text[:at], " \t\r\n")
	switch {
	case conflictMark.MatchString(text):
		return refuse(text, conflictMark.FindStringIndex(text)[0], "resolve the merge conflict", "a merge conflict")
	case strings.HasPrefix(err.Error(), "unexpected end"):
		return refuse(text, len(text), "restore its end", "the file ends in the middle")
	case text[at] == '/' && !d.comments:
		return refuse(text, at, "remove the comment", "a comment, which json does not have")
	case strings.ContainsRune("}]", rune(text[at])) && strings.HasSuffix(before, ","):
		return refuse(text, len(before)-1, "remove that comma", "trailing comma")
	case strings.Contains(err.Error(), "after top-level value"):
		return refuse(text, at, "remove what follows the last }", "text after the end of the object")
	}
	return refuse(text, at, "mend the syntax", "%s", err)
}
