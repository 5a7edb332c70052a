package chain

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/vexyart/vomgr/internal/atomicfile"
)

// Pause says that no assistant is to be started, until Until where that is set.
type Pause struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until,omitzero"`
}

func (s Store) pausePath() string { return filepath.Join(s.Dir, "paused.json") }

// Paused returns the pause in force, or nil. A pause file that cannot be read counts as a pause: fail closed.
func (s Store) Paused() *Pause {
	data, err := atomicfile.ReadFile(s.pausePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var p Pause
	if err != nil || json.Unmarshal(data, &p) != nil {
		return &Pause{}
	}
	if !p.Until.IsZero() && !s.Now().Before(p.Until) {
		return nil
	}
	return &p
}

// Pause begins a pause.
func (s Store) Pause(until time.Time) error {
	data, err := json.Marshal(Pause{Since: s.Now(), Until: until})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return fmt.Errorf("making the state folder: %w", err)
	}
	return atomicfile.Write(s.pausePath(), append(data, '\n'), 0o600)
}

// Resume ends the pause, if there is one.
func (s Store) Resume() error {
	if err := os.Remove(s.pausePath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
