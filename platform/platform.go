// Package platform opens terminals and starts, recognises and ends processes on the running system.
package platform

import (
	"fmt"
	"strings"
	"time"

	"github.com/vexyart/vomgr/internal/world"
)

// Request says what a new terminal has to run.
type Request struct {
	Helper   string   // absolute path of the helper program
	Job      string   // the job's id, its only argument
	Project  string   // absolute path of the project; hostile
	Template []string // what the settings say; nil when nothing is configured, ["auto"] for the best at hand
	Place    Place    // where the chain lives
	World    world.World
}

// Way is one way to open a terminal.
type Way struct {
	Name       string        // for the history: tmux window, xterm, kitty (settings)
	Why        string        // why it has its place in the order
	Argv       []string      // Argv[0] is an absolute path
	Env        []string      // the whole environment to start it with
	Dir        string        // the folder to start it in
	Wait       time.Duration // how long the helper's "started" is waited for
	AsksPerson bool          // the system may ask a person first, who may answer much later
	Direct     bool          // no terminal: the helper runs in the hook's own process
	Doubt      string        // why it may open and nothing start in it, "" when nothing is known

	command string // a .command file that Open writes first; "" for none
	text    string // what it holds
	again   bool   // it is tried for the second time
	returns bool   // the program ends by itself once the terminal is open, so its words can be read
	line    string // Windows: the command line as it stands, where quoting it by argument would change it
	console bool   // Windows: the program gets a new console of its own
	err     error  // why this way cannot be tried

	explain func(complaint string) string // what the program's complaint means, "" when that is not known; may be nil
}

// Waits for the helper's "started".
const (
	usualWait = 10 * time.Second
	slowWait  = 20 * time.Second // osascript and cmd.exe
)

// Auto as the only word of a template stands for the best way at hand.
const Auto = "auto"

// Ways lists the ways to open a terminal in the order in which they are to be tried: what the settings say, then the
// system's own way. On Linux with nothing configured it is the one direct way; displays are probed here, at most a
// second each.
func Ways(r Request) []Way {
	var ways []Way
	switch {
	case len(r.Template) == 0:
		if directIfUnset {
			return []Way{{Name: "direct", Direct: true}}
		}
	case !r.isAuto():
		ways = append(ways, templateWay(r))
	}
	return complete(r, append(ways, systemWays(r)...))
}

// complete sets what is the same for all ways.
func complete(r Request, ways []Way) []Way {
	for i := range ways {
		switch w := &ways[i]; {
		case w.Dir != "":
		case len(w.Argv) > 0 && !startsIn(w.Argv[0], r.Project):
			w.Dir = r.World.Home // the helper goes to the project by itself
		default:
			w.Dir = r.Project
		}
		if ways[i].Wait == 0 {
			ways[i].Wait = usualWait
		}
	}
	return ways
}

// order puts the system's own windows before or behind the multiplexer the chain is in; what needs neither a display
// nor a person comes last.
func order(r Request, own []Way, ownFirst bool) []Way {
	first, second := multiplexed(r), own
	if ownFirst {
		first, second = second, first
	}
	return append(append(first, second...), unattended(r)...)
}

// isAuto says that the settings leave the choice to vomgr.
func (r Request) isAuto() bool { return len(r.Template) == 1 && r.Template[0] == Auto }

// templateWay is what the settings say.
func templateWay(r Request) Way {
	w := Way{Name: base(r.Template[0]) + " (settings)", Why: "settings.toml", Env: templateEnv(r), Doubt: TemplateFault(r.Template)}
	argv, err := fill(r, systemShell)
	if err != nil {
		w.err = err
		return w
	}
	program := r.World.LookPath(argv[0])
	if program == "" {
		w.err = &NotFoundError{strings.Replace(r.Template[0], "{helper}", r.Helper, 1)}
		if why := programFault(r.Template[0]); why != "" {
			w.err = fmt.Errorf("%w: %s", w.err, why)
		}
		return w
	}
	w.Argv = append([]string{program}, argv[1:]...)
	return finishTemplate(w, r.Template)
}

// NotFoundError says that a terminal's program is not installed.
type NotFoundError struct{ Program string }

func (e *NotFoundError) Error() string { return e.Program + " is not on PATH" }

// base is the last element of a program's path, slashes of both kinds understood, lower case, without .exe.
func base(program string) string {
	return strings.TrimSuffix(strings.ToLower(program[strings.LastIndexAny(program, `/\`)+1:]), ".exe")
}

// session names the tmux or screen session of a job.
func session(job string) string { return "vomgr-" + job }
