// Package edittest makes up configuration files, whole and damaged, for the tests that state the laws of an edit.
package edittest

import (
	"bytes"

	"pgregory.net/rapid"
)

// junk is what damages a file, or nearly does.
var junk = []string{
	"", " ", "\n", "\r\n", "\r", "\t", ",", ":", "{", "}", "[", "]", "\"", "'", "\\", "#", "=", "//", "/*", "*/", "null", "0", "1e999", "\x00", "\xff", "\xef\xbb\xbf",
	"\"\"\"", "'''", "{}", "[]", "\"hooks\"", "\"Stop\"", "notify", "notify = []\n", "[notify]\n", "[[notify]]\n", "<<<<<<< HEAD\n", "=======\n", "\u2028", "\\u0000", "vocl-go", "voco-go",
}

// Damaged changes doc in a few random places: bytes go, come twice, or junk takes their place, or the end is missing.
func Damaged(t *rapid.T, doc []byte) []byte {
	for range rapid.IntRange(1, 4).Draw(t, "damages") {
		from := rapid.IntRange(0, len(doc)).Draw(t, "from")
		to := rapid.IntRange(from, min(len(doc), from+40)).Draw(t, "to")
		part := bytes.Clone(doc[from:to])
		switch rapid.IntRange(0, 4).Draw(t, "damage") {
		case 0:
			part = nil
		case 1:
			part = append(part, part...)
		case 2:
			part = []byte(rapid.SampledFrom(junk).Draw(t, "junk"))
		case 3:
			part = append(part, rapid.SampledFrom(junk).Draw(t, "junk")...)
		case 4:
			return bytes.Clone(doc[:from])
		}
		doc = bytes.Join([][]byte{doc[:from], part, doc[to:]}, nil)
	}
	return doc
}
