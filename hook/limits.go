package hook

import (
	"fmt"
	"time"

	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/settings"
)

// over gives the limit by which the chain ends here, or "".
func (h *stopping) over(c *chain.Chain, now time.Time) string {
	for _, reason := range []string{
		handoversOver(c, h.set.Limits),
		hoursOver(c, h.set.Limits, now),
		hourCame(c, now),
		h.done(c),
	} {
		if reason != "" {
			return reason
		}
	}
	return ""
}

func handoversOver(c *chain.Chain, l settings.Limits) string {
	limit := l.MaxHandovers
	if c.Max > 0 {
		limit = c.Max
	}
	if limit > 0 && c.Hops >= limit {
		return fmt.Sprintf("max_handovers: %d hand-overs", c.Hops)
	}
	return ""
}

func hoursOver(c *chain.Chain, l settings.Limits, now time.Time) string {
	if l.MaxHours > 0 && now.Sub(c.Began) >= time.Duration(l.MaxHours)*time.Hour {
		return fmt.Sprintf("max_hours: %d h", l.MaxHours)
	}
	return ""
}

func hourCame(c *chain.Chain, now time.Time) string {
	if !c.Until.IsZero() && !now.Before(c.Until) {
		return "until " + c.Until.Format("15:04")
	}
	return ""
}

// done ends a chain that has nothing left to do in TODO.md.
func (h *stopping) done(c *chain.Chain) string {
	switch h.set.Limits.StopWhenDone {
	case settings.DoneFalse:
		return ""
	case settings.DoneAuto:
		if !c.HadOpen {
			return ""
		}
	}
	if h.open {
		return ""
	}
	return "stop_when_done: TODO.md has no open item left"
}

// mustRest gives the reason for which the job is made but waits, or "".
func (h *stopping) mustRest(st *chain.State, now time.Time) string {
	if p := h.store.Paused(); p != nil {
		return "paused; vomgr resume, then vomgr run starts it"
	}
	if n := h.set.Limits.MaxPerHour; n > 0 && st.Chain.LastHour(now) >= n {
		return fmt.Sprintf("max_per_hour: %d hand-overs within an hour; vomgr run starts it", n)
	}
	return ""
}
