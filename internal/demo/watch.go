package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/vexyart/vomgr/internal/history"
)

const (
	look     = 10 * time.Millisecond
	patience = 15 * time.Second // without anything new; a terminal that does not answer is given up after 10 s
	settle   = 2 * time.Second  // likewise, once a failure is in the history: others may still end
	replace  = 8 * time.Second  // likewise, once the chain's end is; an assistant that does not hear is ended after 5 s
)

// watch follows the history of the chain, and the one of the stand-ins.
type watch struct {
	stage       *stage
	chain, cast *history.Follower
	steps, acts []history.Entry // read so far
	show        *show
}

func (s *stage) watch(out io.Writer) *watch {
	return &watch{
		stage: s, chain: history.Follow(s.historyPath()), cast: history.Follow(s.actsPath()),
		show: newShow(out, s),
	}
}

// follow shows what happens until the chain has ended or nothing comes any more. What is missing then is for others to
// say; the error is the first assistant's, or ctx's.
func (v *watch) follow(ctx context.Context, first *start) error {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for last := time.Now(); ; {
		if v.next() {
			last = time.Now()
		}
		v.show.due(time.Now())
		quiet := time.Since(last)
		switch err := v.stage.failed(first); {
		case err != nil && quiet > settle:
			return err
		case v.complete(), quiet > patience, v.broken() && quiet > settle, v.has(history.Ended) && quiet > replace:
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.New("interrupted")
		}
	}
}

// next reads what is new.
func (v *watch) next() bool {
	acts, errActs := v.cast.Next()
	steps, errSteps := v.chain.Next()
	for _, e := range acts {
		v.show.act(e)
	}
	for _, e := range steps {
		v.show.step(e)
	}
	v.acts, v.steps = append(v.acts, acts...), append(v.steps, steps...)
	if err := errors.Join(errActs, errSteps); err != nil {
		fmt.Fprintf(v.show.out, "          !  %v\n", err)
	}
	return len(acts)+len(steps) > 0
}

// finish reads and shows the rest.
func (v *watch) finish() {
	v.next()
	v.show.rest()
}

// complete tells whether the chain has ended and its hand-overs are done.
func (v *watch) complete() bool { return v.has(history.Ended) && chainMissing(v.steps) == nil }

// broken tells whether little can follow.
func (v *watch) broken() bool {
	return slices.ContainsFunc(v.acts, complaint) ||
		slices.ContainsFunc(v.steps, func(e history.Entry) bool { return e.Error != "" })
}

func (v *watch) has(step string) bool {
	return slices.ContainsFunc(v.steps, func(e history.Entry) bool { return e.Step == step })
}
