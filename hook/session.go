package hook

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/world"
)

// isoMicro is how session_state.json writes a start time: local, with microseconds, without a zone.
const isoMicro = "2006-01-02T15:04:05.000000"

// sessionState is session_state.json: the assistant started last, in whatever project.
type sessionState struct {
	Tool      string `json:"tool"`
	Pid       int    `json:"pid"`
	StartTime string `json:"start_time"`
	Cwd       string `json:"cwd"`
}

func sessionStatePath(w world.World) string { return filepath.Join(w.StateDir(), "session_state.json") }

func writeSessionState(w world.World, s chain.Session) error {
	data, err := json.MarshalIndent(sessionState{Tool: s.Tool, Pid: s.Pid, StartTime: s.StartTime, Cwd: s.Cwd}, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(sessionStatePath(w), append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("writing session_state.json: %w", err)
	}
	return nil
}

// readSessionState returns the recorded session; a file that is missing or no record gives none.
func readSessionState(w world.World) (sessionState, bool) {
	data, err := atomicfile.ReadFile(sessionStatePath(w))
	if err != nil {
		return sessionState{}, false
	}
	var s sessionState
	if json.Unmarshal(data, &s) != nil || s.Pid <= 1 {
		return sessionState{}, false
	}
	return s, true
}

// started reads the record's start time, which has no zone, as local time.
func (s sessionState) started() (time.Time, bool) {
	for _, layout := range []string{isoMicro, "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, s.StartTime, time.Local); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
