// Package edit changes JSON and TOML documents surgically: functions from bytes to bytes that touch nothing but what they are asked for.
package edit

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Refusal says why a document is not edited: its place, what is wrong there, and what the person can do.
type Refusal struct {
	Line, Col int // from 1; columns count characters, a byte order mark is none
	What      string
	Remedy    string
	Syntax    bool // no parser can read the document, so that nothing in it counts
}

// Error is LINE:COL: WHAT, so that the caller can put the path before it.
func (r *Refusal) Error() string { return fmt.Sprintf("%d:%d: %s", r.Line, r.Col, r.What) }

// refuse returns the Refusal for the byte at off of body, a document without its byte order mark.
func refuse[T string | []byte](body T, off int, remedy, what string, args ...any) *Refusal {
	before := []byte(body[:min(max(off, 0), len(body))])
	line := 1 + bytes.Count(before, []byte("\n"))
	col := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return &Refusal{Line: line, Col: col, What: fmt.Sprintf(what, args...), Remedy: remedy}
}

// syntax marks a Refusal as one of the whole document.
func syntax(err error) error {
	var r *Refusal
	if errors.As(err, &r) {
		r.Syntax = true
	}
	return err
}

// decode splits doc into its byte order mark, if there is one, and the UTF-8 text after it.
func decode(doc []byte) (bom, body []byte, err error) {
	if bytes.HasPrefix(doc, []byte("\xff\xfe")) || bytes.HasPrefix(doc, []byte("\xfe\xff")) {
		return nil, nil, refuse("", 0, "save it as UTF-8", "UTF-16 text")
	}
	body, found := bytes.CutPrefix(doc, []byte("\xef\xbb\xbf"))
	if found {
		bom = doc[:3]
	}
	for off := 0; off < len(body); {
		r, size := utf8.DecodeRune(body[off:])
		if r == utf8.RuneError && size == 1 {
			return nil, nil, refuse(body, off, "save it as UTF-8", "a byte that is not UTF-8")
		}
		off += size
	}
	return bom, body, nil
}
