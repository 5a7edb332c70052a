package assistant

import "slices"

// Marks lists the names by which an assistant's processes are told from others.
func Marks() []string { return []string{string(Claude), string(Codex), string(Gemini)} }

// Shared tells whether a process with these arguments is Codex's server, which all its sessions share and which is
// never ended.
func Shared(args []string) bool { return slices.Contains(args, "app-server") }
