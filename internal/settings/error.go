package settings

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Error says where settings.toml is wrong, and how.
type Error struct {
	Path string // the file, when it is known; a caller may shorten it
	Line int    // counted from 1
	Col  int    // in bytes, counted from 1
	Key  string // dotted; empty where the file is no TOML
	Msg  string // what was expected, or what is wrong
}

// Error gives the whole message, file and line first.
func (e *Error) Error() string {
	where := fmt.Sprintf("%s:%d:%d: ", e.Path, e.Line, e.Col)
	if e.Path == "" {
		where = fmt.Sprintf("line %d, column %d: ", e.Line, e.Col)
	}
	if e.Key == "" {
		return where + e.Msg
	}
	return where + e.Key + ": " + e.Msg
}

// Unknown is a key vomgr does not know.
type Unknown struct {
	Key  string // dotted
	Line int    // counted from 1
}

// position turns an offset of doc into line and column.
func position(doc []byte, offset int) (line, col int) {
	before := doc[:offset]
	return 1 + bytes.Count(before, []byte{'\n'}), offset - bytes.LastIndexByte(before, '\n')
}

// dotted writes a key as TOML would, parts that need it in quotes.
func dotted(path []string) string {
	parts := make([]string, len(path))
	for i, p := range path {
		parts[i] = p
		if p == "" || strings.IndexFunc(p, notBare) >= 0 {
			parts[i] = strconv.Quote(short(p))
		}
	}
	return strings.Join(parts, ".")
}

func notBare(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}
