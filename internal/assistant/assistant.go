// Package assistant states what vomgr knows of each coding assistant: its folders, its payload, how it is registered with, started and recognised.
//
// An assistant is a value. When a CLI drops an option or renames a key, one file of this package changes.
package assistant

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/vexyart/vomgr/internal/world"
)

// Name names an assistant as the settings file does.
type Name string

// The assistants vomgr knows.
const (
	Claude Name = "claude"
	Codex  Name = "codex"
	Gemini Name = "gemini"
)

// Assistant is what is fixed for one coding assistant.
type Assistant struct {
	Name    Name
	Title   string // as its makers write it
	Package string // its npm package

	FolderVar  string // environment variable that moves its folder; empty counts as unset
	FolderTail string // appended to FolderVar's value (Gemini's variable names the parent)
	Folder     string // its folder below home

	Config string // its configuration file, below its folder
	Hook   string // the hook program, below its folder, slash-separated, without .exe
	Helper string // the helper program, likewise
	Job    string // the job file, likewise
}

var (
	claude = Assistant{
		Name: Claude, Title: "Claude Code", Package: "@anthropic-ai/claude-code",
		FolderVar: "CLAUDE_CONFIG_DIR", Folder: ".claude", Config: "settings.json",
		Hook: "hooks/vocl-go", Helper: "hooks/vocl-new", Job: "hooks/vocl-new.json",
	}
	codex = Assistant{
		Name: Codex, Title: "Codex", Package: "@openai/codex",
		FolderVar: "CODEX_HOME", Folder: ".codex", Config: "config.toml",
		Hook: "voco-go", Helper: "voco-new", Job: "voco-new.json",
	}
	gemini = Assistant{
		Name: Gemini, Title: "Gemini CLI", Package: "@google/gemini-cli",
		FolderVar: "GEMINI_CLI_HOME", FolderTail: ".gemini", Folder: ".gemini", Config: "settings.json",
		Hook: "voge-go", Helper: "voge-new", Job: "voge-new.json",
	}
)

// All lists the assistants in the order in which vomgr speaks of them.
func All() []Assistant { return []Assistant{claude, codex, gemini} }

// Get returns the assistant called name; ok is false when vomgr knows none of that name.
func Get(name Name) (a Assistant, ok bool) {
	for _, a := range All() {
		if a.Name == name {
			return a, true
		}
	}
	return Assistant{}, false
}

// Target returns the assistant that a setting names as the next one; every unknown name counts as claude.
func Target(name string) Assistant {
	if a, ok := Get(Name(name)); ok {
		return a
	}
	return claude
}

// Dir is the assistant's folder in w; absolute, since what is registered must be found from everywhere.
func (a Assistant) Dir(w world.World) string {
	v := w.Getenv(a.FolderVar)
	switch {
	case v == "":
		return filepath.Join(w.Home, a.Folder)
	case !filepath.IsAbs(v):
		v = filepath.Join(w.Dir, v)
	}
	return filepath.Join(v, a.FolderTail)
}

// ConfigPath is the file the hook is registered in.
func (a Assistant) ConfigPath(w world.World) string { return filepath.Join(a.Dir(w), a.Config) }

// HookPath is where the hook program is placed.
func (a Assistant) HookPath(w world.World) string {
	return program(filepath.Join(a.Dir(w), filepath.FromSlash(a.Hook)))
}

// HelperPath is where the helper program is placed.
func (a Assistant) HelperPath(w world.World) string {
	return program(filepath.Join(a.Dir(w), filepath.FromSlash(a.Helper)))
}

// JobPath is the seed's job file.
func (a Assistant) JobPath(w world.World) string {
	return filepath.Join(a.Dir(w), filepath.FromSlash(a.Job))
}

// ProgramDir is the folder of the hook, the helper and the job file.
func (a Assistant) ProgramDir(w world.World) string { return filepath.Dir(a.HookPath(w)) }

func program(path string) string {
	if runtime.GOOS == "windows" {
		return path + ".exe"
	}
	return path
}

// Role is the part of the chain a program plays.
type Role int

// The roles a program placed by vomgr can play.
const (
	NoRole   Role = iota
	StopRole      // called by the assistant when it stopped: vocl-go, voco-go, voge-go
	HelpRole      // started in the new terminal: vocl-new, voco-new, voge-new
)

// ByProgram tells which assistant and role a program's path stands for, by its base name alone:
// without .exe, and without case on Windows.
func ByProgram(path string) (Assistant, Role) {
	base := Base(path)
	for _, a := range All() {
		switch base {
		case filepath.Base(a.Hook):
			return a, StopRole
		case filepath.Base(a.Helper):
			return a, HelpRole
		}
	}
	return Assistant{}, NoRole
}

// Base is the last element of a program's path, slashes of both kinds understood, without .exe; lower case on Windows.
func Base(path string) string {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	if runtime.GOOS == "windows" {
		base = strings.ToLower(base)
	}
	return strings.TrimSuffix(base, ".exe")
}
