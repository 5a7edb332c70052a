package install

import (
	"bytes"
	"path/filepath"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/world"
)

// lockWait is how long another vomgr may take to change a file.
const lockWait = 30 * time.Second

// lock keeps other vomgr processes from what stands at path.
func lock(w world.World, path string) (unlock func(), err error) {
	return atomicfile.Lock(filepath.Join(w.StateDir(), "locks"), path, lockWait)
}

// editor changes files, or, dry, only tells what would change.
type editor struct {
	w   world.World
	dry bool
}

// edited is one run of a function over one file. before and after are what the last call saw and gave; after is nil where
// there shall be no file.
type edited struct {
	before, after   []byte
	existed, exists bool
}

func (e edited) changed() bool { return e.existed != e.exists || !bytes.Equal(e.before, e.after) }

// apply gives the bytes of the file at path to change and writes what it returns, under the lock of that file; exists
// false means that there shall be no file. If all went well then is called, under the lock still; it may be nil.
func (e editor) apply(path string, change func(old []byte, existed bool) (fresh []byte, exists bool, err error), then func() error) (edited, error) {
	var last edited
	call := func(old []byte, existed bool) ([]byte, error) {
		fresh, exists, err := change(old, existed)
		last = edited{before: old, after: fresh, existed: existed, exists: exists}
		return fresh, err
	}
	if e.dry {
		old, existed, err := atomicfile.Read(path)
		if err != nil {
			return last, err
		}
		_, err = call(old, existed)
		return last, err
	}
	unlock, err := lock(e.w, path)
	if err != nil {
		return last, err
	}
	defer unlock()
	if err := atomicfile.Recover(path); err != nil {
		return last, err
	}
	for {
		_, err = atomicfile.Update(path, func(old []byte, existed bool) ([]byte, error) {
			fresh, err := call(old, existed)
			switch {
			case err != nil:
				return nil, err
			case !last.exists:
				return old, nil // removed below, if it is still the same
			}
			return fresh, makeFolder(e.w, filepath.Dir(path))
		})
		done := last.exists || !last.existed
		if err == nil && !done {
			done, err = atomicfile.RemoveIf(path, last.before)
		}
		if err == nil && done && then != nil {
			err = then()
		}
		if done || err != nil {
			return last, err
		}
	}
}

// register makes vomgr known in the file c; or, where r wants it in another one, unknown.
func (e editor) register(c assistant.Config, r assistant.Registration) (edited, error) {
	withdrawn := false
	return e.apply(c.Path, func(old []byte, existed bool) ([]byte, bool, error) {
		fresh, err := c.Register(old, r)
		if err != nil || bytes.Equal(old, fresh) {
			return old, existed, err
		}
		if s, err := c.State(fresh); err == nil && len(s.Entries) == 0 {
			withdrawn = true
			return e.without(c, old, existed)
		}
		withdrawn = false
		return fresh, true, e.remember(c, old, existed, fresh)
	}, func() error {
		if withdrawn {
			return drop(e.w, c.Path)
		}
		return nil
	})
}

// remember keeps, before fresh is written, what the file was before our first edit: without entries of ours, which stay
// gone. What we wrote earlier has its copy already.
func (e editor) remember(c assistant.Config, old []byte, existed bool, fresh []byte) error {
	if e.dry {
		return nil
	}
	r, before, ok := load(e.w, c.Path)
	if !ok || !r.wrote(old) {
		bare, err := c.Unregister(old, before)
		if err != nil {
			return err
		}
		never := ok && !r.Existed && assistant.Blank(bare) // there was no file, and nothing in this one is anybody else's
		r, before = record{Path: c.Path, Existed: existed && !never}, bare
	}
	r.After = append(r.After, hash(fresh))
	return save(e.w, r, before)
}

// unregister takes vomgr out of the file c.
func (e editor) unregister(c assistant.Config) (edited, error) {
	return e.apply(c.Path, func(old []byte, existed bool) ([]byte, bool, error) {
		return e.without(c, old, existed)
	}, func() error { return drop(e.w, c.Path) })
}

// without is the file c as it shall be without vomgr: the copy from before, if the file is as we left it, else what is
// left when ours is taken out, as when the assistant itself has rewritten it. A file of ours that then says nothing goes.
func (e editor) without(c assistant.Config, old []byte, existed bool) (fresh []byte, exists bool, err error) {
	if !existed {
		return nil, false, nil
	}
	r, before, ok := load(e.w, c.Path)
	if ok && r.wrote(old) {
		return before, r.Existed, nil
	}
	fresh, err = c.Unregister(old, before)
	leave := !ok || r.Existed || !assistant.Blank(fresh) // what others wrote since then stays
	return fresh, leave || bytes.Equal(fresh, old), err
}
