package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/world"
)

// Placed is the programs of one assistant that were put into place.
type Placed struct {
	Assistant assistant.Name
	Dir       string
	Names     []string
	Link      string // what they lead to; "" for copies of vomgr
}

// versioned matches a part of a path that the next upgrade replaces.
var versioned = regexp.MustCompile(`^(Cellar|Caskroom|v?\d+(\.\d+)+([-+_].*)?)$`)

// Lasting is the path of vomgr that outlives upgrades: an entry of PATH, or the place where Homebrew and Scoop link what
// they install, that leads to the running program, and no part of which names a version. "" when there is none.
// (os.Executable gives …/Cellar/vomgr/1.0.0/bin/vomgr on Linux, measured; that is gone after the next upgrade.)
func Lasting(w world.World) string {
	self, err := os.Stat(w.Exe)
	if err != nil {
		return ""
	}
	name := "vomgr"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	var candidates []string
	for _, dir := range filepath.SplitList(w.Getenv("PATH")) {
		if filepath.IsAbs(dir) {
			candidates = append(candidates, filepath.Join(dir, name))
		}
	}
	for _, c := range append(candidates, linkedPlaces(w.Exe)...) {
		if fi, err := os.Stat(c); err == nil && os.SameFile(self, fi) && !Versioned(c) {
			return c
		}
	}
	return ""
}

// Versioned tells whether path will be gone after an upgrade.
func Versioned(path string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(path, isSeparator), versioned.MatchString)
}

func isSeparator(r rune) bool { return r == '/' || r == '\\' }

// linkedPlaces guesses where Homebrew and Scoop link the program at exe.
func linkedPlaces(exe string) []string {
	parts := strings.Split(filepath.ToSlash(exe), "/")
	base := parts[len(parts)-1]
	var places []string
	for i, p := range parts {
		before := strings.Join(parts[:i], "/")
		switch {
		case p == "Cellar" || p == "Caskroom":
			places = append(places, filepath.FromSlash(before+"/bin/"+base))
		case p == "apps" && i+3 < len(parts):
			current := slices.Concat(parts[:i+2], []string{"current"}, parts[i+3:])
			places = append(places, filepath.FromSlash(strings.Join(current, "/")))
		}
	}
	return places
}

// PlacePrograms puts the hook and the helper of each assistant into its folder: as links to vomgr's lasting path, or,
// where there is none and on Windows, as copies. What is in place already is not touched, and not reported.
func PlacePrograms(w world.World, assistants []assistant.Assistant, dry bool) ([]Placed, []Failure) {
	if err := usable(w, dry); err != nil {
		return nil, []Failure{{Path: w.StateDir(), Err: err}}
	}
	lasting := Lasting(w)
	if runtime.GOOS == "windows" {
		lasting = "" // a link needs a privilege there
	}
	var placed []Placed
	var failures []Failure
	for _, a := range assistants {
		p := Placed{Assistant: a.Name, Dir: a.ProgramDir(w), Link: lasting}
		if err := p.placeAll(w, a, dry); err != nil {
			failures = append(failures, Failure{a.Name, p.Dir, fmt.Errorf("placing the programs: %w", err)})
		}
		if len(p.Names) > 0 {
			placed = append(placed, p)
		}
	}
	return placed, failures
}

// placeAll places the two programs of a, one vomgr at a time.
func (p *Placed) placeAll(w world.World, a assistant.Assistant, dry bool) error {
	paths := []string{a.HookPath(w), a.HelperPath(w)}
	if !dry {
		unlock, err := lock(w, filepath.Join(p.Dir, "programs"))
		if err != nil {
			return err
		}
		defer unlock()
		for _, path := range paths {
			if err := atomicfile.Sweep(path); err != nil {
				return err
			}
		}
	}
	for _, path := range paths {
		changed, err := place(w, path, p.Link, dry)
		if err != nil {
			return err
		}
		if changed {
			p.Names = append(p.Names, filepath.Base(path))
		}
	}
	return nil
}

// place makes path lead to lasting or, if that is "", a copy of the running program.
func place(w world.World, path, lasting string, dry bool) (changed bool, err error) {
	is, err := programState(w, path, lasting)
	if err != nil || is == ProgramCurrent || dry {
		return err == nil && is != ProgramCurrent, err
	}
	if err := makeFolder(w, filepath.Dir(path)); err != nil {
		return false, err
	}
	if lasting != "" {
		return true, atomicfile.Symlink(lasting, path)
	}
	data, err := os.ReadFile(w.Exe)
	if err != nil {
		return false, err
	}
	return true, placeCopy(path, data)
}

// asideMark stands between a program's name and a number when it had to make room while it ran.
const asideMark = ".old-"

// placeCopy writes data to path. A program that runs on Windows cannot be written over, but it can be renamed.
func placeCopy(path string, data []byte) error {
	removeAside(path)
	if runtime.GOOS != "windows" {
		return atomicfile.Write(path, data, 0o700)
	}
	aside := fmt.Sprintf("%s%s%d", path, asideMark, os.Getpid())
	moved := os.Rename(path, aside) == nil
	err := atomicfile.Write(path, data, 0o700)
	if err != nil && moved {
		return errors.Join(err, os.Rename(aside, path))
	}
	removeAside(path)
	return err
}

// removeAside deletes what made room earlier, as far as it runs no more.
func removeAside(path string) {
	old, err := filepath.Glob(path + asideMark + "*")
	if err != nil {
		return
	}
	for _, o := range old {
		_ = os.Remove(o)
	}
}

// ProgramState says what is at the place of a program.
type ProgramState string

// The states of a program.
const (
	ProgramCurrent  ProgramState = "current"
	ProgramMissing  ProgramState = "missing"
	ProgramDangling ProgramState = "dangling" // a link to nothing
	ProgramOutdated ProgramState = "outdated" // another version, or a link to another place
)

func programState(w world.World, path, lasting string) (ProgramState, error) {
	fi, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ProgramMissing, nil
	case err != nil:
		return "", err
	case fi.IsDir():
		return "", fmt.Errorf("%s is a folder; move it away", path)
	}
	if fi.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if _, err := os.Stat(path); err != nil {
			return ProgramDangling, nil
		}
		if target == lasting || lasting == "" && leadsHere(w, target) {
			return ProgramCurrent, nil
		}
		return ProgramOutdated, nil
	}
	if lasting != "" {
		return ProgramOutdated, nil
	}
	same, err := sameContent(path, w.Exe)
	if err != nil || !same {
		return ProgramOutdated, err
	}
	return ProgramCurrent, nil
}

// leadsHere tells whether a link to target is as good as one to a lasting path, although PATH does not lead there now (a
// shell or a service with a poor one): it leads to the running program and will do so after an upgrade. A copy in its
// place would stay behind. Windows has copies on purpose.
func leadsHere(w world.World, target string) bool {
	if runtime.GOOS == "windows" || !filepath.IsAbs(target) || Versioned(target) {
		return false
	}
	self, err := os.Stat(w.Exe)
	if err != nil {
		return false
	}
	fi, err := os.Stat(target)
	return err == nil && os.SameFile(self, fi)
}

func sameContent(a, b string) (bool, error) {
	fa, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	fb, err := os.Stat(b)
	if err != nil || fa.Size() != fb.Size() {
		return false, err
	}
	da, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	db, err := os.ReadFile(b)
	return err == nil && bytes.Equal(da, db), err
}

// foldersPath lists the folders we made, for Uninstall.
func foldersPath(w world.World) string { return filepath.Join(w.StateDir(), "edits", "folders.json") }

func madeFolders(w world.World) []string {
	var made []string
	data, _, err := atomicfile.Read(foldersPath(w))
	if err != nil || json.Unmarshal(data, &made) != nil {
		return nil
	}
	return made
}

// makeFolder makes dir and what is missing above it, for us alone, and remembers what it made, before it does.
func makeFolder(w world.World, dir string) error {
	if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
		return nil
	}
	unlock, err := lock(w, foldersPath(w))
	if err != nil {
		return err
	}
	defer unlock()
	var missing []string
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		missing = append(missing, at)
	}
	slices.Reverse(missing)
	made := madeFolders(w)
	for _, m := range missing {
		if !slices.Contains(made, m) {
			made = append(made, m)
		}
	}
	data, err := json.Marshal(made)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(foldersPath(w)), 0o700); err != nil {
		return err
	}
	if err := atomicfile.Sweep(foldersPath(w)); err != nil {
		return err
	}
	if err := atomicfile.Write(foldersPath(w), append(data, '\n'), 0o600); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o700)
}
