package chain

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vexyart/vomgr/internal/atomicfile"
)

// An environment holds keys, so it is not part of a job's file, which is kept: it lies beside it as long as a launcher
// waits for a window.

const environmentFile = ".env"

// kept at most: longer than any launcher waits.
const carriedFor = 15 * time.Minute

func (s Store) carried(id string) string { return filepath.Join(s.jobDir(), id+environmentFile) }

// Carry keeps the environment the assistant of job id is to get, until Drop.
func (s Store) Carry(id string, env []string) error {
	if !ValidID(id) {
		return fmt.Errorf("job id %q: want 8 to 64 of a-z, 0-9", id)
	}
	data, err := json.Marshal(env)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(s.carried(id), data, 0o600); err != nil {
		return fmt.Errorf("keeping the environment of job %s: %w", id, err)
	}
	return nil
}

// Carried returns the environment kept for job id; ok is false when there is none.
func (s Store) Carried(id string) (env []string, ok bool) {
	data, err := atomicfile.ReadFile(s.carried(id))
	if err != nil || json.Unmarshal(data, &env) != nil {
		return nil, false
	}
	return env, true
}

// Drop removes the environment kept for job id, and those that launchers left which died.
func (s Store) Drop(id string) {
	_ = os.Remove(s.carried(id))
	entries, _ := os.ReadDir(s.jobDir())
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), environmentFile) {
			continue
		}
		if fi, err := e.Info(); err == nil && s.Now().Sub(fi.ModTime()) > carriedFor {
			_ = os.Remove(filepath.Join(s.jobDir(), e.Name()))
		}
	}
}
