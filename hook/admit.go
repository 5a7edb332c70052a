package hook

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/platform"
)

// admit decides, with the project locked, whether this stop is handed over, and if so begins or continues a chain and
// marks the hand-over as under way.
func (h *stopping) admit() error {
	ancestors, _ := platform.Ancestors(os.Getpid())
	h.open = len(projectFiles{h.project}.openItems(1)) > 0
	err := h.store.Project(h.project).Change(lockWait, func(st *chain.State) error {
		now := h.w.Now()
		h.own = h.isOwn(st, ancestors)
		if reason := h.refuse(st, now); reason != "" {
			h.log.chain(st.Chain, 0)
			h.log.step(history.Guard, reason)
			return errIgnored
		}
		h.enter(st, now, ancestors)
		c := st.Chain
		h.log.chain(c, c.Hops+1)
		if over := h.over(c, now); over != "" {
			c.Ended = over
			h.log.step(history.Guard, over)
			h.log.step(history.Ended, over)
			h.state = *st
			return nil
		}
		h.rests = h.mustRest(st, now)
		st.Handle(h.turnKey())
		h.state.Order = st.NextOrder(now)
		h.job = h.newJob(c, now)
		st.InFlight = &chain.InFlight{Job: h.job.ID, Since: now}
		h.log.step(history.Guard, "")
		h.state = *st
		return nil
	})
	if err == nil && h.state.Chain.Ended != "" {
		return errIgnored // the end had to be written down; nothing is handed over
	}
	return err
}

// turnKey tells one turn from another; a payload without an id of the turn has none.
func (h *stopping) turnKey() string {
	if h.payload.Turn == "" {
		return ""
	}
	return string(h.self.Name) + ":" + h.payload.Session + ":" + h.payload.Turn
}

// isOwn tells whether the recorded session itself stopped: Claude and Gemini run the hook below themselves, Codex's
// shared server runs it, so there the thread counts; the first turn that was given our prompt names it.
func (h *stopping) isOwn(st *chain.State, ancestors []platform.Process) bool {
	s := st.Session
	if s == nil || s.Tool != string(h.self.Name) {
		return false
	}
	if s.Thread != "" && s.Thread == h.payload.Session {
		return true
	}
	if h.self.Name != assistant.Codex {
		return alive(s) && slices.ContainsFunc(ancestors, func(p platform.Process) bool { return p.Pid == s.Pid })
	}
	return s.Thread == "" && (s.Prompt == "" || slices.ContainsFunc(h.payload.Inputs, func(in string) bool { return sameText(in, s.Prompt) }))
}

// sameText compares two prompts without regard to white space, which an assistant may change.
func sameText(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }

// refuse gives the reason for which this stop is ignored in the state st, or "".
func (h *stopping) refuse(st *chain.State, now time.Time) string {
	switch {
	case st.Seen(h.turnKey()):
		return "this turn was handed over already"
	case st.Underway(now):
		return "in-flight: a hand-over of this project is under way (job " + st.InFlight.Job + ")"
	case !h.own && alive(st.Session):
		return fmt.Sprintf("busy: %s, pid %d, works here; only its own stops count", st.Session.Tool, st.Session.Pid)
	case askedByPerson(h.own, st.Session, h.payload):
		return takenOver
	case st.Chain != nil && st.Chain.Ended != "" && (h.own || st.Chain.Belongs(h.payload.Session)):
		return "the chain ended: " + st.Chain.Ended
	case h.set.Scope.Mode == settings.OnlyFolders && !inScope(h.project, h.set.Scope.Folders, h.w.Home):
		return `scope "only": this folder is not listed`
	case h.set.Scope.Mode == settings.Armed && !st.ArmedAt(now):
		return `scope "armed": no night was begun here (vomgr night)`
	}
	return ""
}

// enter notes the stop in the chain it belongs to, or begins one.
func (h *stopping) enter(st *chain.State, now time.Time, ancestors []platform.Process) {
	if h.own {
		s := st.Session
		s.Stops++
		if h.payload.Session != "" {
			s.Thread = h.payload.Session
			if st.Conversations == nil {
				st.Conversations = map[string]string{}
			}
			st.Conversations[s.Tool] = s.Thread
		}
		h.before = s.Head
	}
	c := st.Chain
	if c == nil || c.Ended != "" || !h.own && now.Sub(c.Alive) > chain.Idle {
		c = Begin(st, h.set, now)
		c.First = firstAssistant(h.self, ancestors, h.project, now)
	}
	c.Alive = now
	c.Join(h.payload.Session)
	c.HadOpen = c.HadOpen || h.open
}

// Begin puts a new chain in st. Its hour of ending is worked out once, here.
func Begin(st *chain.State, set settings.Settings, now time.Time) *chain.Chain {
	c := &chain.Chain{ID: chain.NewID("c", 5), Began: now, Alive: now}
	if set.Limits.Until != "" {
		c.Until, _ = settings.NextClock(set.Limits.Until, now) // the text was checked when the settings were read
	}
	if st.ArmedAt(now) {
		c.Until, c.Max = st.Armed.Until, st.Armed.Max
	}
	st.Chain = c
	return c
}

// firstAssistant finds the assistant that a person started, from the hook upwards.
func firstAssistant(self assistant.Assistant, ancestors []platform.Process, project string, now time.Time) *chain.Session {
	for _, p := range ancestors {
		if assistant.Shared(p.Args) {
			return nil
		}
		if p.Bears(string(self.Name)) {
			if id, err := platform.Identify(p.Pid); err == nil {
				return &chain.Session{Tool: string(self.Name), Pid: id.Pid, Start: id.Start, Boot: id.Boot, Cwd: project, Began: now}
			}
		}
	}
	return nil
}

func (h *stopping) newJob(c *chain.Chain, now time.Time) chain.Job {
	j := chain.Job{
		ID: chain.JobID(c.ID, c.Hops+1), Chain: c.ID, Hop: c.Hops + 1,
		Source: string(h.self.Name), Target: string(h.target.Name), Reason: h.reason(),
		Project: h.project, Created: now, Order: h.state.Order,
	}
	if h.own {
		j.Transcript, j.Turn = h.payload.Transcript, h.payload.Turn
	}
	if c.First != nil && !h.own && (h.set.ReplaceFirst == settings.ReplaceAlways ||
		h.set.ReplaceFirst == settings.ReplaceAtLimit && j.Reason == ReasonLimit) {
		j.First = c.First
	}
	return j
}

// alive tells whether the recorded process lives; one recorded without the kernel's own values counts as gone.
func alive(s *chain.Session) bool {
	return s != nil && s.Pid > 0 && s.Start != "" && platform.Alive(identity(s))
}

func identity(s *chain.Session) platform.Identity {
	return platform.Identity{Pid: s.Pid, Start: s.Start, Boot: s.Boot}
}
