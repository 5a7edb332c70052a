package platform

import (
	"slices"
	"strings"
)

// Bears says that p is called by one of the marks: its name, its program or one of its arguments has the mark as
// base name (claude, claude.exe, codex.js, codex-x86_64-unknown-linux-musl), its program lies in a folder of that
// name (~/.local/share/claude/versions/2.1.37), or an argument lies in an npm package of that name
// (node …/@google/gemini-cli/dist/index.js).
func (p Process) Bears(marks ...string) bool {
	return slices.ContainsFunc(marks, p.bears)
}

func (p Process) bears(mark string) bool {
	if mark == "" {
		return false
	}
	exe := components(p.Exe)
	if named(p.Name, mark) || slices.ContainsFunc(exe, func(c string) bool { return strings.EqualFold(c, mark) }) {
		return true
	}
	if len(exe) > 0 && named(exe[len(exe)-1], mark) {
		return true
	}
	return slices.ContainsFunc(p.Args, func(arg string) bool { return pointsTo(arg, mark) })
}

// pointsTo says that arg is the path of a program called mark, or of one in an npm package of that name.
func pointsTo(arg, mark string) bool {
	parts := components(arg)
	if len(parts) == 0 || strings.HasPrefix(arg, "-") {
		return false
	}
	for i, c := range parts[:len(parts)-1] {
		if strings.HasPrefix(c, "@") && named(parts[i+1], mark) {
			return true
		}
	}
	return strings.EqualFold(stem(parts[len(parts)-1]), mark)
}

// named says that base is mark, or mark with something after a dash.
func named(base, mark string) bool {
	base = stem(base)
	if len(base) > len(mark) && base[len(mark)] == '-' {
		base = base[:len(mark)]
	}
	return strings.EqualFold(base, mark)
}

// stem is base without the endings of programs.
func stem(base string) string {
	for _, ending := range []string{".exe", ".cmd", ".js", ".mjs", ".cjs"} {
		if s, ok := strings.CutSuffix(base, ending); ok {
			return s
		}
	}
	return base
}

func components(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
}
