package hook

import (
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/chain"
)

// An assistant that ends before a turn of it did, and soon, had failed to start; soon is more than a busy machine takes.
func TestEndedEarly(t *testing.T) {
	began := time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		after time.Duration
		stops int
		early bool
	}{
		{400 * time.Millisecond, 0, true},
		{20700 * time.Millisecond, 0, true}, // claude --continue without a conversation, on a busy machine
		{59 * time.Second, 0, true},
		{61 * time.Second, 0, false},
		{time.Second, 1, false}, // its turn ended: it had started
	} {
		s := chain.Session{Began: began}
		if early := endedEarly(s, chain.Session{Stops: c.stops}, began.Add(c.after)); early != c.early {
			t.Errorf("after %s and %d turns: early is %v", c.after, c.stops, early)
		}
	}
}
