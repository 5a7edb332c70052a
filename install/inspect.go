package install

import (
	"bytes"
	"os"
	"runtime"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/world"
)

// Status is what is there of one assistant, and of vomgr in it.
type Status struct {
	Found
	Configs  []ConfigStatus // the first is the one that is used by default
	Programs []ProgramStatus
}

// ConfigStatus is what one configuration file says.
type ConfigStatus struct {
	assistant.Config
	assistant.State
	Exists  bool
	Current bool  // Enable would change nothing in it
	Err     error // it cannot be read, or the assistant would reject it; the rest is then empty
}

// ProgramStatus is what is at the place of one program.
type ProgramStatus struct {
	Path  string
	State ProgramState
	Link  string // where it leads, "" for a copy
	Err   error
}

// Registered tells whether the assistant calls vomgr.
func (s Status) Registered() bool {
	for _, c := range s.Configs {
		if c.Registered() {
			return true
		}
	}
	return false
}

// Current tells whether Enable would change nothing.
func (s Status) Current() bool {
	for _, c := range s.Configs {
		if !c.Current {
			return false
		}
	}
	for _, p := range s.Programs {
		if p.State != ProgramCurrent {
			return false
		}
	}
	return true
}

// Inspect looks at every assistant; it changes nothing.
func Inspect(w world.World) []Status {
	lasting := Lasting(w)
	if runtime.GOOS == "windows" {
		lasting = ""
	}
	var all []Status
	for _, a := range assistant.All() {
		s := Status{Found: look(w, a)}
		reg, _ := registration(w, a, Options{}) // a file that is refused tells so below
		for _, c := range a.Configs(w) {
			s.Configs = append(s.Configs, inspectConfig(c, reg))
		}
		for _, path := range []string{a.HookPath(w), a.HelperPath(w)} {
			p := ProgramStatus{Path: path}
			p.State, p.Err = programState(w, path, lasting)
			p.Link, _ = os.Readlink(path)
			s.Programs = append(s.Programs, p)
		}
		all = append(all, s)
	}
	return all
}

func inspectConfig(c assistant.Config, r assistant.Registration) ConfigStatus {
	s := ConfigStatus{Config: c}
	doc, exists, err := atomicfile.Read(c.Path)
	if s.Exists = exists; err != nil {
		s.Err = err
		return s
	}
	if s.State, s.Err = c.State(doc); s.Err != nil {
		return s
	}
	fresh, err := c.Register(doc, r)
	s.Current, s.Err = err == nil && bytes.Equal(fresh, doc), err
	return s
}
