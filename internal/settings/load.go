package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vexyart/vomgr/internal/atomicfile"
)

// maxFile is more than any settings.toml has, in bytes.
const maxFile = 1 << 20

// Load reads the settings.toml at path; if there is none it is made, with Default. A file that others may write, or
// that is owned by another user than us and root, is an error, as for ssh: it names programs that are started.
func Load(path string) (Settings, error) {
	doc, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := create(path); err != nil {
			return Settings{}, fmt.Errorf("creating the settings: %w", err)
		}
		doc, err = read(path)
	}
	if err != nil {
		return Settings{}, err
	}
	s, _, err := Parse(doc)
	return s, located(path, err)
}

// Look is Load that makes no file: where there is none, what the fresh one says counts.
func Look(path string) (Settings, error) {
	doc, exists, err := Read(path)
	if err != nil {
		return Settings{}, err
	}
	if !exists {
		doc = Default
	}
	s, _, err := Parse(doc)
	return s, located(path, err)
}

// Read returns the text of the settings.toml at path, unless it is one that Load would not trust; exists is false when
// there is none.
func Read(path string) (doc []byte, exists bool, err error) {
	doc, err = read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return doc, err == nil, err
}

// read returns the content of path once it is known to be ours; errors name the path.
func read(path string) ([]byte, error) {
	f, err := atomicfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := trusted(fi); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if fi.Size() > maxFile {
		return nil, fmt.Errorf("%s: %d bytes are more than the %d vomgr reads", path, fi.Size(), maxFile)
	}
	doc := make([]byte, fi.Size())
	n, err := io.ReadFull(f, doc)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return doc[:n], nil
}

// create makes path with Default, whole at once; a file that appeared meanwhile stays.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	_, err := atomicfile.Update(path, func(old []byte, exists bool) ([]byte, error) {
		if exists {
			return old, nil
		}
		return Default, nil
	})
	return err
}
