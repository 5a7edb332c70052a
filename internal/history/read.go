package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// maxRead bounds what is read of a file that could not be put aside for long, in bytes: its end counts.
const maxRead = 64 << 20

// Read returns the entries of the history at path, the part put aside first, in the order they were written. What is no
// entry is passed over: a line torn by a crash must not hide the others. No file means no entries.
func Read(path string) ([]Entry, error) {
	// The current file first: if it is put aside in between, it is met twice, and not missed.
	now, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer closeAll(now)
	before, err := openRegular(Rotated(path))
	if err != nil {
		return nil, err
	}
	defer closeAll(before)
	var entries []Entry
	for _, f := range []*os.File{before, now} {
		if f == nil || f == now && same(before, now) {
			continue
		}
		data, err := tail(f)
		if err != nil {
			return nil, err
		}
		entries = parse(entries, data)
	}
	return entries, nil
}

// openRegular returns nil when there is no file.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		closeAll(f)
		return nil, fmt.Errorf("%s is not a regular file; move it away", path)
	}
	return f, nil
}

func closeAll(f *os.File) {
	if f != nil {
		_ = f.Close() // read only: nothing can be lost
	}
}

func same(a, b *os.File) bool {
	if a == nil || b == nil {
		return false
	}
	fa, errA := a.Stat()
	fb, errB := b.Stat()
	return errA == nil && errB == nil && os.SameFile(fa, fb)
}

func tail(f *os.File) ([]byte, error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, fi.Size()-maxRead)
	return io.ReadAll(io.NewSectionReader(f, from, maxRead))
}

// parse appends the entries of data, a whole file, to entries.
func parse(entries []Entry, data []byte) []Entry {
	for text := range bytes.Lines(data) {
		var e Entry
		if json.Unmarshal(text, &e) == nil && e.Step != "" {
			entries = append(entries, e)
		}
	}
	return entries
}

// Follower reads what is added to a history.
type Follower struct {
	path string
	at   fs.FileInfo // the file read last
	next int64       // where its next line begins
}

// Follow returns a Follower of the history at path that begins after what is there now.
func Follow(path string) *Follower {
	f := &Follower{path: path}
	if fi, err := os.Stat(path); err == nil {
		f.at, f.next = fi, fi.Size()
	}
	return f
}

// Next returns the entries added since the last call, without waiting for any. A line still being written is left for
// the next call. When the file was put aside in between, its last lines are read there.
func (f *Follower) Next() ([]Entry, error) {
	now, err := openRegular(f.path)
	if err != nil {
		return nil, err
	}
	if now == nil { // put aside, and nothing was written since
		return f.rest(), nil
	}
	defer closeAll(now)
	fi, err := now.Stat()
	if err != nil {
		return nil, err
	}
	var entries []Entry
	if f.at == nil || !os.SameFile(f.at, fi) {
		entries = f.rest()
		f.next = 0
	}
	f.at = fi
	text, err := f.lines(now)
	return parse(entries, text), err
}

// rest reads the end of the file that was put aside.
func (f *Follower) rest() []Entry {
	if f.at == nil {
		return nil
	}
	old, err := openRegular(Rotated(f.path))
	if err != nil || old == nil {
		return nil
	}
	defer closeAll(old)
	if fi, err := old.Stat(); err != nil || !os.SameFile(fi, f.at) {
		return nil
	}
	text, _ := f.lines(old)
	return parse(nil, text)
}

// lines reads the whole lines after f.next, and moves it behind them.
func (f *Follower) lines(from *os.File) ([]byte, error) {
	text, err := io.ReadAll(io.NewSectionReader(from, f.next, maxRead))
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	f.next += int64(len(text))
	return text, err
}
