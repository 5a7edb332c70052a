package assistant

import (
	"slices"
	"strings"
)

// Marks lists the names by which an assistant's processes are told from others.
func Marks() []string { return []string{string(Claude), string(Codex), string(Gemini)} }

// Shared tells whether a process with these arguments is Codex's server, which all its sessions share and which is
// never ended: codex app-server, node codex.js app-server, codex-x86_64-… app-server. Another program that has such an argument is none.
func Shared(args []string) bool {
	at := slices.Index(args, "app-server")
	return at > 0 && slices.ContainsFunc(args[:at], func(arg string) bool { return strings.HasPrefix(Base(arg), string(Codex)) })
}
