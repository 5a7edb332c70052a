// Package demo plays a whole chain of hand-overs in a throw-away home, with vomgr itself standing in for the assistants.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/world"
)

// handovers is how many there are: claude, which a person starts, to codex, to claude, to codex.
const handovers = 3

// Options says how the demo is played.
type Options struct {
	Keep bool          // leave the throw-away home for a look
	Work time.Duration // how long a stand-in works on its part; 0 is half a second

	env []string // more variables for the demo's processes
}

// Run plays the demo and shows each step on w.Stdout as it is taken. Of the person's world only PATH is used: nothing
// of theirs is read, changed or started, and nothing outlives the demo. The error names the first step that is missing,
// and whatever else is not as it should be.
func Run(ctx context.Context, w world.World, o Options) (err error) {
	s, err := build(w, o)
	if err != nil {
		return fmt.Errorf("making a throw-away home: %w", err)
	}
	defer func() {
		if !o.Keep {
			err = errors.Join(err, s.strike())
		}
	}()
	fmt.Fprint(w.Stdout, "a throw-away home; vomgr itself plays claude and codex; nothing of yours is used\n\n")
	err = s.play(ctx, w.Stdout)
	switch {
	case o.Keep:
		s.files(w.Stdout)
	case err == nil:
		fmt.Fprint(w.Stdout, "\nhint: vomgr demo --keep leaves the folder; the real thing: vomgr enable\n")
	}
	return err
}

// play registers, performs, and takes the registration out again.
func (s *stage) play(ctx context.Context, out io.Writer) error {
	disable, err := s.enable(out)
	if err != nil {
		return err
	}
	err = s.perform(ctx, out)
	if errDisable := disable(out); errDisable != nil {
		return errors.Join(err, errDisable)
	}
	return err
}

// perform lets a person's claude stop, and watches what comes of it.
func (s *stage) perform(ctx context.Context, out io.Writer) error {
	watch := s.watch(out)
	fmt.Fprintf(out, "start     vomgr run claude -- %q\n", s.wish)
	first, err := s.begin()
	if err != nil {
		return err
	}
	err = watch.follow(ctx, first)
	if err == nil {
		err = chainMissing(watch.steps)
	}
	if err != nil {
		s.kill()
		watch.finish()
		return because(err, watch.acts)
	}
	alive, left := s.end()
	watch.finish()
	problems := []error{endMissing(watch.steps), castMissing(watch.acts), s.workDone()}
	if alive != 1 {
		problems = append(problems, fmt.Errorf("%d assistants were alive at the end instead of 1", alive))
	}
	for _, p := range left {
		problems = append(problems, fmt.Errorf("%s, pid %d, was left running", assistant.Base(p.Args[0]), p.Pid))
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d hand-overs, %d steps, none missing; 1 assistant alive at the end, then none\n", handovers, countSteps(watch.steps))
	return nil
}

// countSteps counts the steps of the hand-overs.
func countSteps(steps []history.Entry) int {
	n := 0
	for _, e := range steps {
		if e.Hop >= 1 && e.Hop <= handovers && place(e.Step) > 0 {
			n++
		}
	}
	return n
}
