package demo

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/platform"
)

// names are the base names by which vomgr is called in the demo.
var names = []string{"vomgr", "claude", "codex", "vocl-go", "vocl-new", "voco-go", "voco-new"}

// processes lists those of the demo that live: vomgr under one of its names, with the throw-away home, whose name
// nothing else has, in the argument list.
func (s *stage) processes() []platform.Process {
	all, err := platform.Processes()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(p platform.Process) bool {
		return p.Pid == os.Getpid() || len(p.Args) == 0 || !slices.Contains(names, assistant.Base(p.Args[0])) ||
			!slices.ContainsFunc(p.Args, func(arg string) bool { return strings.Contains(arg, s.w.Home) })
	})
}

const (
	endGrace  = 5 * time.Second // for the others to end once the assistant was, which they wait for
	killGrace = time.Second     // between the request to end and the end by force
)

// end ends the assistants that are alive and waits until nothing of the demo runs. It returns how many assistants there
// were, and what did not end of its own accord, which is ended, too.
func (s *stage) end() (alive int, left []platform.Process) {
	for _, p := range s.processes() {
		if b := assistant.Base(p.Args[0]); b == "claude" || b == "codex" {
			alive++
			endProcess(p)
		}
	}
	for until := time.Now().Add(endGrace); ; time.Sleep(20 * time.Millisecond) {
		if left = s.processes(); len(left) == 0 || time.Now().After(until) {
			break
		}
	}
	s.kill()
	return alive, left
}

// kill ends whatever there is, also what is begun meanwhile.
func (s *stage) kill() {
	for until := time.Now().Add(endGrace); time.Now().Before(until); {
		left := s.processes()
		if len(left) == 0 {
			return
		}
		for _, p := range left {
			endProcess(p)
		}
	}
}

func endProcess(p platform.Process) {
	// What cannot be ended shows as left running.
	_, _ = platform.End(context.Background(), platform.Target{Identity: p.Identity(), Marks: names}, killGrace, nil)
}
