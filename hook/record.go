package hook

import (
	"path/filepath"
	"time"

	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/world"
)

// record collects the steps of one part of the chain and writes them to the history, in one write where it can.
type record struct {
	w       world.World
	entry   history.Entry // what all steps share
	waiting []history.Entry
}

func newRecord(w world.World, shared history.Entry) *record { return &record{w: w, entry: shared} }

// recordJob returns a record whose steps belong to j.
func recordJob(w world.World, j chain.Job) *record {
	return newRecord(w, history.Entry{Chain: j.Chain, Hop: j.Hop, Source: j.Source, Target: j.Target, Project: j.Project})
}

// step notes a step that was taken.
func (r *record) step(step, detail string) { r.stepAt(r.w.Now(), step, detail, nil) }

// fail notes a step that could not be taken and returns err.
func (r *record) fail(step string, err error) error {
	r.stepAt(r.w.Now(), step, "", err)
	return err
}

// stepAt notes a step that began at a time before now, and its error, if any.
func (r *record) stepAt(at time.Time, step, detail string, err error) {
	e := r.entry
	e.Time, e.Step, e.Detail = at, step, detail
	if err != nil {
		e.Detail, e.Error = "", err.Error()
	}
	r.waiting = append(r.waiting, e)
}

// chain says which hand-over the steps so far, and those to come, belong to.
func (r *record) chain(c *chain.Chain, hop int) {
	if c == nil {
		return
	}
	r.entry.Chain, r.entry.Hop = c.ID, hop
	for i := range r.waiting {
		r.waiting[i].Chain, r.waiting[i].Hop, r.waiting[i].Target = c.ID, hop, r.entry.Target
		r.waiting[i].Project = r.entry.Project
	}
}

// flush writes the steps; a history that cannot be written holds nothing up.
func (r *record) flush() {
	if len(r.waiting) > 0 {
		history.Append(historyPath(r.w), r.waiting...)
	}
	r.waiting = nil
}

// drop forgets the steps that were not written.
func (r *record) drop() { r.waiting = nil }

func historyPath(w world.World) string { return filepath.Join(w.StateDir(), "history.jsonl") }
