package settings

import (
	"fmt"
	"time"
)

// NextClock returns the first moment after t, in t's zone, at which a wall clock shows the time of day hhmm ("07:00").
func NextClock(hhmm string, t time.Time) (time.Time, error) {
	hour, minute, ok := parseClock(hhmm)
	if !ok {
		return time.Time{}, fmt.Errorf("%q is no time of day; write it like 07:00", hhmm)
	}
	for day := 0; ; day++ {
		at := time.Date(t.Year(), t.Month(), t.Day()+day, hour, minute, 0, 0, t.Location())
		if at.After(t) {
			return at, nil
		}
	}
}

func parseClock(s string) (hour, minute int, ok bool) {
	t, err := time.Parse("15:04", s)
	return t.Hour(), t.Minute(), err == nil
}
