package history

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// maxFile is the size in bytes at which the file is put aside; a night of fifty hand-overs writes some 200 kB.
const maxFile = 8 << 20

// Append adds entries to the history at path, whole lines in one write, so that writers do not mix. It fails silently
// and waits for nobody: no hand-over may depend on it.
func Append(path string, entries ...Entry) { appendTo(path, maxFile, entries) }

func appendTo(path string, limit int64, entries []Entry) {
	var b bytes.Buffer
	for _, e := range entries {
		data, err := e.MarshalJSON()
		if err != nil {
			return
		}
		b.Write(data)
		b.WriteByte('\n')
	}
	if b.Len() == 0 {
		return
	}
	size, err := write(path, b.Bytes())
	if errors.Is(err, fs.ErrNotExist) {
		_ = os.Mkdir(filepath.Dir(path), 0o700) // but not the home above it
		size, err = write(path, b.Bytes())
	}
	if err == nil && size > limit {
		rotate(path, limit)
	}
}

// write returns the size of the file afterwards.
func write(path string, lines []byte) (size int64, err error) {
	f, err := openAppend(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return 0, err
	}
	if torn(f) {
		lines = append([]byte{'\n'}, lines...)
	}
	n, err := f.Write(lines)
	return fi.Size() + int64(n), err
}

// torn tells whether the last line is unfinished, as a full disk or a crash leaves it. One that another process is just
// writing looks the same for a moment.
func torn(f *os.File) bool {
	for try := range 4 {
		if try > 0 {
			time.Sleep(time.Millisecond)
		}
		fi, err := f.Stat()
		if err != nil || fi.Size() == 0 {
			return false
		}
		var last [1]byte
		if _, err := f.ReadAt(last[:], fi.Size()-1); err != nil || last[0] == '\n' {
			return false
		}
	}
	return true
}

// rotate puts the file at path aside, over the one put aside before. Whoever still has it open writes into the one put
// aside, so nothing is lost; the lock keeps a second vomgr, late by a moment, from putting the new, short file over it.
func rotate(path string, limit int64) {
	lock := flock.New(path+".lock", flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK), flock.SetPermissions(0o600))
	if got, err := lock.TryLock(); err != nil || !got {
		return
	}
	defer func() { _ = lock.Unlock() }()
	if fi, err := os.Stat(path); err == nil && fi.Size() > limit {
		_ = os.Rename(path, Rotated(path))
	}
}

// Rotated is where the history at path is put aside: history.1.jsonl beside history.jsonl.
func Rotated(path string) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + ".1" + ext
}
