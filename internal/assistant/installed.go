package assistant

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/vexyart/vomgr/internal/world"
)

// Installed is an assistant's program as found on this computer.
type Installed struct {
	Path    string // as found on PATH, absolute; "" when it is not there
	Version string // "" when nothing names it
	Source  string // what named the version: package.json, folder, asked
}

// Installed looks the assistant's program up on PATH and reads its version from the files beside it, without running
// anything (--help and --version of some CLIs take seconds and leave files behind, measured). Where the files name no
// version, the answer remembered (see Answer) for this very file counts, else the latest one of a former file there.
func (a Assistant) Installed(w world.World) Installed {
	path := w.LookPath(string(a.Name))
	if path == "" {
		return Installed{}
	}
	in := Installed{Path: path}
	target := followLinks(path)
	if v := a.packageVersion(target); v != "" {
		in.Version, in.Source = v, "package.json"
	} else if v := a.folderVersion(target); v != "" {
		in.Version, in.Source = v, "folder"
	} else if v := recall(w, path); v != "" {
		in.Version, in.Source = v, "asked"
	}
	return in
}

// followLinks resolves the links of the file itself, at most 40 of them; folders on the way stay as they are.
func followLinks(path string) string {
	for range 40 {
		to, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

// packageVersion reads the version from the package.json of the assistant's npm package: in a folder above the
// program, or beside an npm shim of Windows.
func (a Assistant) packageVersion(program string) string {
	dir := filepath.Dir(program)
	candidates := []string{filepath.Join(dir, "node_modules", filepath.FromSlash(a.Package), "package.json")}
	for range 6 {
		candidates = append(candidates, filepath.Join(dir, "package.json"))
		dir = filepath.Dir(dir)
	}
	for _, c := range candidates {
		data, err := readSmall(c)
		if err != nil || gjson.GetBytes(data, "name").String() != a.Package {
			continue
		}
		return gjson.GetBytes(data, "version").String()
	}
	return ""
}

// folderVersion finds the version in the path of a native install (…/claude/versions/2.1.332,
// Caskroom/codex/0.171.0/codex). Folders of others count not: a program may lie in a Python's versions/3.12.1.
func (a Assistant) folderVersion(program string) string {
	parts := strings.FieldsFunc(program, func(r rune) bool { return r == '/' || r == '\\' })
	for i, p := range parts {
		at := 0
		switch {
		case p == "versions" && i > 0 && parts[i-1] == string(a.Name):
			at = i + 1
		case (p == "Caskroom" || p == "Cellar") && i+1 < len(parts) && strings.HasPrefix(parts[i+1], string(a.Name)):
			at = i + 2
		}
		if at > 0 && at < len(parts) {
			if v := strings.TrimSuffix(parts[at], ".exe"); len(numbers(v)) >= 2 {
				return v
			}
		}
	}
	return ""
}

func readSmall(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() || fi.Size() > 1<<20 {
		return nil, os.ErrInvalid
	}
	return os.ReadFile(path)
}

// remembered is what a program answered to --version when it was asked last.
type remembered struct {
	Size    int64     `json:"size"`
	Mtime   time.Time `json:"mtime"`
	Version string    `json:"version"`
}

func answersPath(w world.World) string { return filepath.Join(w.StateDir(), "programs.json") }

func answers(w world.World) map[string]remembered {
	all := map[string]remembered{}
	if data, err := readSmall(answersPath(w)); err == nil && json.Unmarshal(data, &all) != nil {
		return map[string]remembered{}
	}
	return all
}

// recall returns what the program at path answered last, also when it has changed since: it then keeps its last form.
func recall(w world.World, path string) string { return answers(w)[path].Version }

// Asked tells whether the program at path was asked for its version since it last changed.
func Asked(w world.World, path string) bool {
	fi, err := os.Stat(path)
	if err != nil {
		return false
	}
	r, ok := answers(w)[path]
	return ok && r.Size == fi.Size() && r.Mtime.Equal(fi.ModTime())
}

// Answer returns the file and the content that remember version as the answer of the program at path.
func Answer(w world.World, path, version string) (file string, content []byte, err error) {
	fi, err := os.Stat(path)
	if err != nil {
		return "", nil, err
	}
	all := answers(w)
	all[path] = remembered{Size: fi.Size(), Mtime: fi.ModTime(), Version: version}
	content, err = json.MarshalIndent(all, "", "  ")
	return answersPath(w), append(content, '\n'), err
}
