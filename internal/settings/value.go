package settings

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// maxNumber bounds every limit, so that no product of one (hours in nanoseconds, say) overflows.
const maxNumber = 1_000_000

// store puts the value v where find said it belongs, or returns what was expected instead and the node at fault.
func (r *reader) store(dst any, v *unstable.Node) (want string, bad *unstable.Node) {
	switch d := dst.(type) {
	case *bool:
		if v.Kind != unstable.Bool {
			return "true or false", v
		}
		*d = v.Data[0] == 't'
	case *string:
		s, ok := r.text(v)
		if !ok {
			return wantText, v
		}
		*d = s
	case *int:
		n, ok := number(v)
		if !ok {
			return "a whole number from 0 to " + strconv.Itoa(maxNumber), v
		}
		*d = n
	case *[]string:
		return r.storeList(d, v)
	case choice:
		s, _ := r.text(v)
		if !slices.Contains(d.words, s) {
			return `"` + strings.Join(d.words, `" or "`) + `"`, v
		}
		d.store(s)
	case clock:
		s, ok := r.text(v)
		if _, _, valid := parseClock(s); !ok || s != "" && !valid {
			return `a time in quotes, like "07:00", or ""`, v
		}
		*d.dst = s
	case *Done:
		if !r.storeDone(d, v) {
			return `"auto", true or false`, v
		}
	}
	return "", nil
}

const wantText = "a text in quotes, without a NUL"

func (r *reader) storeList(dst *[]string, v *unstable.Node) (want string, bad *unstable.Node) {
	const wantList = "a list of texts"
	if v.Kind != unstable.Array {
		return wantList, v
	}
	list := []string{}
	it := v.Children()
	for it.Next() {
		s, ok := r.text(it.Node())
		if !ok {
			return wantList, it.Node()
		}
		if s == "" && len(list) == 0 {
			return "a first text that is not empty", it.Node()
		}
		list = append(list, s)
	}
	*dst = list
	return "", nil
}

func (r *reader) storeDone(dst *Done, v *unstable.Node) bool {
	s, isText := r.text(v)
	switch {
	case v.Kind == unstable.Bool:
		*dst = Done(v.Data)
	case isText && s == string(DoneAuto):
		*dst = DoneAuto
	default:
		return false
	}
	return true
}

// text decodes a string; line ends are LF, also in a file with CRLF. No argument list can carry a NUL.
func (r *reader) text(v *unstable.Node) (s string, ok bool) {
	if v.Kind != unstable.String {
		return "", false
	}
	s = string(v.Data)
	if bytes.IndexByte(r.p.Raw(v.Raw), '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return s, strings.IndexByte(s, 0) < 0
}

func number(v *unstable.Node) (n int, ok bool) {
	if v.Kind != unstable.Integer {
		return 0, false
	}
	i, err := strconv.ParseInt(strings.ReplaceAll(string(v.Data), "_", ""), 0, 32)
	return int(i), err == nil && i >= 0 && i <= maxNumber
}

// describe names what a value is, for messages.
func describe(v *unstable.Node) string {
	switch v.Kind {
	case unstable.String:
		return strconv.Quote(short(string(v.Data)))
	case unstable.Integer, unstable.Float, unstable.Bool:
		return short(string(v.Data))
	case unstable.Array:
		return "a list"
	case unstable.InlineTable:
		return "a table"
	}
	return "a date or time"
}

// short keeps a foreign text from filling a message.
func short(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
