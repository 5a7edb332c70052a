package assistant

import (
	"slices"
	"strings"
)

// Marks lists the base names by which an assistant's processes are told: npm's codex and gemini run as node with the
// script as an argument, a native claude may show as its version number below …/claude/versions.
func Marks() []string { return []string{string(Claude), string(Codex), string(Gemini)} }

// Runs tells whether a process with this name, program and arguments is one of a.
func (a Assistant) Runs(name, exe string, args []string) bool {
	mark := string(a.Name)
	if marked(name, mark) || marked(exe, mark) || strings.Contains(exe, "/"+mark+"/versions/") {
		return true
	}
	return len(args) > 0 && (marked(args[0], mark) || slices.ContainsFunc(args[1:min(len(args), 6)], func(arg string) bool {
		return strings.ContainsAny(arg, `/\`) && marked(arg, mark)
	}))
}

func marked(path, mark string) bool {
	base := strings.TrimSuffix(Base(path), ".js")
	return base == mark || base == mark+".exe"
}

// Shared tells whether a process is Codex's server, which all its sessions share and which is never ended.
func Shared(args []string) bool { return slices.Contains(args, "app-server") }
