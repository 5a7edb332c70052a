package assistant

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/vexyart/vomgr/internal/edit"
)

const then = "--then" // what follows it is the notify program that was there before

var notifyPath = []string{"notify"}

// codexConfig is config.toml: the top-level list notify, the program Codex starts, with its payload as last argument.
var codexConfig = configKind{
	broken: "codex does not start with this file",
	register: func(doc []byte, r Registration) ([]byte, error) {
		if r.ViaHooks {
			return unnotify(doc, nil)
		}
		return notify(doc, r.Hook)
	},
	unregister: unnotify,
	state: func(doc []byte) (State, error) {
		n, err := readNotify(doc)
		s := State{Kept: n.former}
		switch {
		case err != nil:
			return s, err
		case n.ours > 0:
			s.Entries = []Entry{{Event: "notify", Program: ourProgram(n.argv, n.ours)}}
		case n.wrapped:
			s.Wrapped = n.argv
		case len(n.argv) > 0:
			s.Foreign = n.argv
		}
		return s, nil
	},
}

// notifyState is what stands in notify.
type notifyState struct {
	argv    []string
	ours    int      // how many elements, from the first, are our program
	lead    int      // how many are ours or "--then"
	former  []string // the program behind our "--then"
	wrapped bool     // argv, or former, contains ours somewhere deeper
}

func readNotify(doc []byte) (notifyState, error) {
	argv, _, err := edit.Strings(doc, notifyPath...)
	n := notifyState{argv: argv, former: argv}
	for err == nil { // ours behind ours behind ours counts as one
		part := ourPart(Codex, n.former)
		if part == 0 {
			break
		}
		if n.ours == 0 {
			n.ours = part
		}
		n.lead += part
		n.former = n.former[part:]
		if len(n.former) == 0 || n.former[0] != then {
			n.lead, n.former = len(argv), nil // arguments of another form of ours
			break
		}
		n.lead++
		n.former = n.former[1:]
	}
	n.wrapped = contains(n.former)
	if n.ours == 0 {
		n.former = nil
	}
	return n, err
}

// notify registers hook, and keeps a program that is there already.
func notify(doc []byte, hook string) ([]byte, error) {
	n, err := readNotify(doc)
	if err != nil {
		return nil, err
	}
	want := append([]string{hook, then}, n.former...)
	switch {
	case n.wrapped && n.ours > 0: // a circle: ours calls what calls ours
		return edit.DropElements(doc, notifyPath, n.lead)
	case n.wrapped:
		return doc, nil
	case len(n.argv) > 0 && n.ours == 0:
		return edit.PrependElements(doc, notifyPath, hook, then)
	case len(n.argv) == 1:
		return edit.SetElement(doc, notifyPath, 0, hook)
	case len(n.former) == 0:
		return edit.SetKey(doc, notifyPath, []string{hook})
	case slices.Equal(n.argv, want):
		return doc, nil
	case n.lead == len(want)-len(n.former):
		return edit.SetElement(doc, notifyPath, 0, hook)
	}
	bare, err := edit.DropElements(doc, notifyPath, n.lead)
	if err != nil {
		return nil, err
	}
	return edit.PrependElements(bare, notifyPath, hook, then)
}

// unnotify takes ours out and gives a chained program its place back, or the empty list that was there before. What calls
// ours in its turn is left alone.
func unnotify(doc, before []byte) ([]byte, error) {
	n, err := readNotify(doc)
	switch {
	case err != nil:
		return nil, err
	case n.ours == 0:
		return doc, nil
	case len(n.former) > 0:
		return edit.DropElements(doc, notifyPath, n.lead)
	}
	if list, had, err := edit.Strings(before, notifyPath...); err == nil && had && len(list) == 0 {
		return edit.CopyKey(doc, before, notifyPath...)
	}
	out, err := edit.UnsetKey(doc, notifyPath...)
	if before != nil && len(bytes.TrimPrefix(before, []byte("\xef\xbb\xbf"))) == 0 { // Codex has put an empty line between ours and what it added below
		out = bytes.TrimPrefix(bytes.TrimPrefix(out, []byte("\r")), []byte("\n"))
	}
	return out, err
}

// contains tells whether argv calls our hook, however deep: as a program, in a shell's text, or in JSON, as Codex's desktop
// app packs the former program into --previous-notify.
func contains(argv []string) bool {
	for i, arg := range argv {
		if ourPart(Codex, argv[i:]) > 0 || holdsOurs(arg) {
			return true
		}
	}
	return false
}

func holdsOurs(arg string) bool {
	var packed any
	if strings.ContainsAny(arg, `[{"`) && json.Unmarshal([]byte(arg), &packed) == nil {
		return packedOurs(packed)
	}
	parts := strings.FieldsFunc(arg, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'=;&|()", r) })
	return (len(parts) > 1 || len(parts) == 1 && parts[0] != arg) && contains(parts)
}

func packedOurs(v any) bool {
	switch v := v.(type) {
	case string:
		return contains([]string{v})
	case []any:
		var argv []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				argv = append(argv, s)
			} else if packedOurs(e) {
				return true
			}
		}
		return contains(argv)
	case map[string]any:
		for _, e := range v {
			if packedOurs(e) {
				return true
			}
		}
	}
	return false
}
