package hook

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// repository is where git keeps HEAD and the refs of a work tree. git itself is never started by an unattended part:
// its filters and its fsmonitor run programs that the project names.
type repository struct {
	dir    string // HEAD is here
	common string // refs and packed-refs are here; another folder for a linked work tree
}

// findRepository looks for .git in the project and upwards.
func findRepository(project string) (repository, bool) {
	for dir := project; ; dir = filepath.Dir(dir) {
		git := filepath.Join(dir, ".git")
		if fi, err := os.Stat(git); err == nil {
			if !fi.IsDir() {
				to, ok := strings.CutPrefix(readShort(git), "gitdir:")
				if !ok {
					return repository{}, false
				}
				git = within(dir, strings.TrimSpace(to))
			}
			common := git
			if to := readShort(filepath.Join(git, "commondir")); to != "" {
				common = within(git, to)
			}
			return repository{dir: git, common: common}, true
		}
		if parent := filepath.Dir(dir); parent == dir {
			return repository{}, false
		}
	}
}

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// noRef stands in HEAD where the refs are not in files of their own (git's reftable format).
const noRef = ".invalid"

// branch is the name of the branch that is checked out, "" for none and where it cannot be told.
func (r repository) branch() string {
	ref, ok := strings.CutPrefix(readShort(filepath.Join(r.dir, "HEAD")), "ref: refs/heads/")
	if !ok || ref == noRef {
		return ""
	}
	return harmless(ref)
}

// head is the commit that is checked out, "" when it cannot be told.
func (r repository) head() string {
	head := readShort(filepath.Join(r.dir, "HEAD"))
	ref, symbolic := strings.CutPrefix(head, "ref: ")
	if !symbolic {
		return commit(head)
	}
	if !strings.HasPrefix(ref, "refs/") || strings.Contains(ref, "..") {
		return ""
	}
	if c := commit(readShort(filepath.Join(r.common, filepath.FromSlash(ref)))); c != "" {
		return c
	}
	for line := range strings.Lines(readUpTo(filepath.Join(r.common, "packed-refs"), 16<<20)) {
		if id, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == ref {
			return commit(id)
		}
	}
	return ""
}

// commit returns s if it looks like a commit's id.
func commit(s string) string {
	if n := len(s); n != 40 && n != 64 {
		return ""
	}
	if strings.Trim(s, "0123456789abcdef") != "" {
		return ""
	}
	return s
}

// headOf is the commit checked out in the project, "" without git.
func headOf(project string) string {
	if r, ok := findRepository(project); ok {
		return r.head()
	}
	return ""
}

func readShort(path string) string { return strings.TrimSpace(readUpTo(path, 4<<10)) }

// readUpTo reads at most n bytes of a regular file, without waiting; anything else reads as empty.
func readUpTo(path string, n int64) string {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // read only
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	data, _ := io.ReadAll(io.LimitReader(f, n))
	return string(data)
}
