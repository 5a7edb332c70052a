package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/world"
)

// record is what edits/ keeps of one edited file, beside one copy from before our first edit.
type record struct {
	Path    string   `json:"path"`
	Existed bool     `json:"existed"` // else the copy stands for no file at all
	Before  string   `json:"before"`  // hash of the copy
	After   []string `json:"after"`   // hashes of what we wrote since then
}

// wrote tells whether data is what we wrote, so that the copy may take its place.
func (r record) wrote(data []byte) bool { return slices.Contains(r.After, hash(data)) }

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// editDir is where the copy of the file at path and its record are kept.
func editDir(w world.World, path string) string {
	return filepath.Join(w.StateDir(), "edits", filepath.Base(path)+"-"+hash([]byte(path))[:8])
}

func copyPath(w world.World, path string) string { return filepath.Join(editDir(w, path), "before") }

func recordPath(w world.World, path string) string {
	return filepath.Join(editDir(w, path), "edit.json")
}

// load returns the record of the file at path and the copy. What is missing or damaged counts as no record: taking out
// is then done structurally.
func load(w world.World, path string) (r record, before []byte, ok bool) {
	data, _, err := atomicfile.Read(recordPath(w, path))
	if err != nil || json.Unmarshal(data, &r) != nil || r.Path != path {
		return record{}, nil, false
	}
	before, exists, err := atomicfile.Read(copyPath(w, path))
	if err != nil || !exists || hash(before) != r.Before {
		return record{}, nil, false
	}
	return r, before, true
}

// save keeps the copy and the record. It is done before the file itself is written: a record whose hash no file has is
// harmless, an edit without its record would only be taken out structurally. For the same reason it is flushed first.
func save(w world.World, r record, before []byte) error {
	r.Before = hash(before)
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(editDir(w, r.Path), 0o700); err != nil {
		return fmt.Errorf("keeping a copy: %w", err)
	}
	for _, f := range []struct {
		path    string
		content []byte
	}{{copyPath(w, r.Path), before}, {recordPath(w, r.Path), append(data, '\n')}} {
		err := atomicfile.Sweep(f.path)
		if err == nil {
			err = atomicfile.WriteFlushed(f.path, f.content, 0o600)
		}
		if err != nil {
			return fmt.Errorf("keeping a copy: %w", err)
		}
	}
	return nil
}

// drop forgets the file at path.
func drop(w world.World, path string) error { return atomicfile.RemoveTree(editDir(w, path)) }

// gone takes an error of removing what is not there for success.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return err
}
