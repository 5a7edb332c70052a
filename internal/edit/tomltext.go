package edit

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// ParseKey reads a dotted key as a person writes it, like limits.max_hours or projects."a.b".
func ParseKey(key string) (path []string, err error) {
	doc := key + " = 0"
	d, err := parseTOML([]byte(doc))
	if err != nil || len(d.lines) != 1 || d.lines[0].value.start != len(doc)-1 {
		return nil, fmt.Errorf("%q is no key; write it like limits.max_hours", key)
	}
	return d.lines[0].key, nil
}

// ParseValue reads text as one TOML value; ok is false when it is none.
func ParseValue(text string) (v any, ok bool) {
	doc := "v = " + text
	d, err := parseTOML([]byte(doc))
	if err != nil || len(d.lines) != 1 || d.lines[0].value.end != len(doc) {
		return nil, false
	}
	var m map[string]any
	if toml.Unmarshal([]byte(doc), &m) != nil {
		return nil, false
	}
	return m["v"], true
}

// Literal writes value (bool, int, string or []string) as TOML, in one line.
func Literal(value any) string {
	switch v := value.(type) {
	case string:
		return basicString(v)
	case []string:
		parts := make([]string, len(v))
		for i, s := range v {
			parts[i] = basicString(s)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(value)
}
