// Package world holds what one run of vomgr sees of its surroundings: home, environment, folder, arguments, streams and clock.
//
// main builds it once; nothing below main reads the process environment, so every test can state its own world.
package world

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// World is the surroundings of one run.
type World struct {
	Home   string           // absolute path of the person's home folder
	Env    []string         // the environment, as KEY=VALUE
	Dir    string           // the working directory, absolute
	Args   []string         // the argument list, Args[0] as the caller spelled it
	Exe    string           // absolute path of the running program
	Stdin  *os.File         // may be a terminal, a pipe, the null device
	Stdout io.Writer        // nothing is written here by the hook
	Stderr io.Writer        // one line at most from the hook
	Now    func() time.Time // the clock
}

// Getenv returns the value of key, or "" when it is unset; on Windows the case of key does not matter.
// As with a shell the first of several entries counts.
func (w World) Getenv(key string) string {
	for _, kv := range w.Env {
		k, v, ok := strings.Cut(kv, "=")
		if ok && (k == key || runtime.GOOS == "windows" && strings.EqualFold(k, key)) {
			return v
		}
	}
	return ""
}

// StateDir is vomgr's own folder, ~/.vexy-overnight.
func (w World) StateDir() string { return filepath.Join(w.Home, ".vexy-overnight") }

// SettingsPath is the file of the person's preferences.
func (w World) SettingsPath() string { return filepath.Join(w.StateDir(), "settings.toml") }

// Tilde returns path with the home folder written as ~, for messages.
func (w World) Tilde(path string) string {
	if w.Home == "" {
		return path
	}
	if path == w.Home {
		return "~"
	}
	if rest, ok := strings.CutPrefix(path, w.Home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// LookPath returns the absolute path of the program called name on this world's PATH, or "" if there is none.
// A name with a folder in it is looked up as it stands; the current folder is never searched, and entries of PATH
// that are empty or relative are passed over, since what a project folder contains is hostile.
func (w World) LookPath(name string) string {
	if name == "" {
		return ""
	}
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			return ""
		}
		return firstExecutable(name, w.extensions())
	}
	for _, dir := range filepath.SplitList(w.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if p := firstExecutable(filepath.Join(dir, name), w.extensions()); p != "" {
			return p
		}
	}
	return ""
}

// extensions lists what may be appended to a program's name: nothing on Unix, PATHEXT on Windows.
func (w World) extensions() []string {
	if runtime.GOOS != "windows" {
		return []string{""}
	}
	exts := []string{""}
	list := w.Getenv("PATHEXT")
	if list == "" {
		list = ".COM;.EXE;.BAT;.CMD"
	}
	for _, e := range strings.Split(list, ";") {
		if e != "" {
			exts = append(exts, strings.ToLower(e))
		}
	}
	return exts
}

func firstExecutable(path string, exts []string) string {
	for _, e := range exts {
		if e == "" && runtime.GOOS == "windows" && filepath.Ext(path) == "" {
			continue // Windows starts no file without an extension
		}
		fi, err := os.Stat(path + e)
		if err != nil || !fi.Mode().IsRegular() {
			continue
		}
		if runtime.GOOS != "windows" && fi.Mode().Perm()&0o111 == 0 {
			continue
		}
		return path + e
	}
	return ""
}
