package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/edit"
)

// lockWait is how long another vomgr may take to change the file.
const lockWait = 10 * time.Second

// Change gives the text of the settings.toml at path, or of the fresh one when there is no file, to change, and writes
// what that returns: whole, under the file's lock, and only if Parse reads it. What change leaves as it was is not
// written. The error says, with file and line, what is wrong; the file is then as it was.
func Change(path string, change func(doc []byte) ([]byte, error)) (changed bool, err error) {
	if err := CheckFolder(filepath.Dir(path)); err != nil {
		return false, err
	}
	if _, _, err := Read(path); err != nil {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, fmt.Errorf("making the folder of %s: %w", path, err)
	}
	unlock, err := atomicfile.Lock(filepath.Join(filepath.Dir(path), "locks"), path, lockWait)
	if err != nil {
		return false, err
	}
	defer unlock()
	if err := atomicfile.Recover(path); err != nil {
		return false, err
	}
	return atomicfile.Update(path, func(old []byte, exists bool) ([]byte, error) {
		doc := old
		if !exists {
			doc = Default
		}
		changed, err := change(doc)
		if err == nil {
			_, _, err = Parse(changed)
		}
		return changed, located(path, err)
	})
}

// located puts the file's path before a fault of its text.
func located(path string, err error) error {
	var at *Error
	var refusal *edit.Refusal
	switch {
	case errors.As(err, &at):
		at.Path = path
	case errors.As(err, &refusal):
		return fmt.Errorf("%s:%w", path, err)
	}
	return err
}

// Set returns doc with value at the dotted key; comments and order stay.
func Set(doc []byte, key string, value any) ([]byte, error) {
	path, err := edit.ParseKey(key)
	if err != nil {
		return nil, err
	}
	return edit.SetKey(doc, path, value)
}

// Unset returns doc without the dotted key, whose default then counts; doc itself when it has none of that name.
func Unset(doc []byte, key string) ([]byte, error) {
	path, err := edit.ParseKey(key)
	if err != nil {
		return nil, err
	}
	return edit.UnsetKey(doc, path...)
}

// AddFolder returns doc with folder in scope.folders; what the list holds stays as it is spelled.
func AddFolder(doc []byte, folder string) ([]byte, error) {
	path := []string{"scope", "folders"}
	list, _, err := edit.Strings(doc, path...)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return edit.SetKey(doc, path, []string{folder})
	}
	return edit.PrependElements(doc, path, folder)
}

// RemoveFolders returns doc without the elements of scope.folders that are meant; none is no error.
func RemoveFolders(doc []byte, meant func(folder string) bool) ([]byte, error) {
	path := []string{"scope", "folders"}
	list, _, err := edit.Strings(doc, path...)
	for i := len(list) - 1; i >= 0 && err == nil; i-- {
		if meant(list[i]) {
			doc, err = edit.RemoveElement(doc, path, i)
		}
	}
	return doc, err
}
