// Package hook carries a stopped assistant's work to the next one: called by the assistant, it chooses who goes on and opens a terminal, in which it starts the next assistant and ends the old one.
package hook

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

// lockWait is how long the hook waits for another vomgr in the same project; an assistant waits for the hook.
const lockWait = time.Second

// errIgnored leaves a locked change without writing: the stop is not handed over, and the reason is in the history.
var errIgnored = errors.New("ignored")

// stopping is one call of the hook.
type stopping struct {
	w          world.World
	self       assistant.Assistant
	programs   string // the folder of the helper and of the job file
	registered string // the project folder given by the registered command
	store      chain.Store
	set        settings.Settings
	log        *record
	payload    assistant.Stop
	sessions   codexSessions
	project    string
	target     assistant.Assistant
	own        bool // the recorded session itself stopped
	open       bool // TODO.md has an open item
	state      chain.State
	job        chain.Job
	before     string // HEAD when the turn that ended began
	core       uint64 // the limit of core files before the hook set it to 0
	rests      string // why the job waits instead of starting
}

// Stop is called by the assistant self when it stopped. programs is the folder that holds the helper; args is what the
// registered command and the assistant put behind the program's name; core is the limit of core files that the next
// assistant gets back. The result is the exit status, 0 or 1, never
// another: all three assistants answer 2 with another turn of the model.
func Stop(w world.World, self assistant.Assistant, programs string, args []string, core uint64) int {
	h := &stopping{
		w: w, self: self, programs: programs, core: core,
		store:    chain.Store{Dir: w.StateDir(), Now: w.Now},
		sessions: codexSessions{dir: filepath.Join(assistantDir(w, assistant.Codex), "sessions"), now: w.Now()},
	}
	payload, args := splitArgs(w, self, args)
	if payload == nil && isTerminal(w.Stdin) {
		fmt.Fprintf(w.Stderr, "vomgr: this program is called by %s when it stops; there is nothing to do by hand\n", self.Title)
		return 0
	}
	if payload == nil {
		payload = readAll(w.Stdin)
	}
	if self.Name == assistant.Claude && len(args) > 0 {
		h.registered = args[0]
	}
	h.payload, _ = self.ParseStop(payload)
	if err := h.run(); err != nil {
		say(w, err)
		return 1
	}
	return 0
}

// missingHelper is the one message whose words are fixed.
type missingHelper struct{ path string }

func (m missingHelper) Error() string {
	return "Helper script " + m.path + " is missing. Re-run vomgr install."
}

// say writes an error as one line.
func say(w world.World, err error) {
	if missing := (missingHelper{}); errors.As(err, &missing) {
		fmt.Fprintln(w.Stderr, oneLine(missing.Error()))
		return
	}
	fmt.Fprintf(w.Stderr, "vomgr: %s\n", oneLine(err.Error()))
}

func assistantDir(w world.World, name assistant.Name) string {
	a, _ := assistant.Get(name)
	return a.Dir(w)
}

// run takes the steps of the hook and writes them down.
func (h *stopping) run() (err error) {
	if err := checkStateDir(h.w.StateDir()); err != nil {
		return err
	}
	h.log = newRecord(h.w, history.Entry{Source: string(h.self.Name)})
	defer func() { h.log.flush() }()
	h.log.step(history.Called, h.reason())
	h.project = h.findProject()
	if h.project == "" {
		return h.log.fail(history.Project, errors.New("no project folder: neither the payload nor the environment names one that exists"))
	}
	h.log.entry.Project = h.project
	h.log.step(history.Project, h.w.Tilde(h.project))
	if on, err := h.preferences(); err != nil || !on {
		return err
	}
	if reason := h.judge(); reason != "" {
		h.log.step(history.Guard, reason)
		return nil
	}
	if err := h.admit(); err != nil {
		if errors.Is(err, errIgnored) {
			return nil
		}
		return h.log.fail(history.Guard, err)
	}
	crashAt(h.w, "hook admitted")
	if err := h.prepare(); err != nil {
		h.abandon()
		return err
	}
	crashAt(h.w, "hook put")
	if err := h.leave(); err != nil {
		return err
	}
	crashAt(h.w, "hook left")
	return nil
}

// findProject looks for the project's folder in the order of the seed.
func (h *stopping) findProject() string {
	var candidates []string
	if h.self.Name == assistant.Claude {
		candidates = []string{h.registered, h.w.Getenv("CLAUDE_PROJECT_DIR")}
	}
	candidates = append(candidates, h.payload.Folders...)
	if dir := firstDir(h.w.Home, candidates...); dir != "" {
		return dir
	}
	if h.self.Name == assistant.Codex {
		file := h.sessions.file(h.payload.Session)
		if file == "" {
			file = h.sessions.latest()
		}
		if file != "" {
			if dir := firstDir(h.w.Home, sessionFolder(file)); dir != "" {
				return dir
			}
		}
	}
	return firstDir(h.w.Home, h.w.Getenv("PWD"), h.w.Dir)
}

// preferences reads settings.toml; on is false when this assistant hands nothing over.
func (h *stopping) preferences() (on bool, err error) {
	if stateInside(h.w, h.project) {
		return false, h.log.fail(history.Preferences, fmt.Errorf("%s lies inside the project; nothing a project can write decides what is started", h.w.Tilde(h.w.StateDir())))
	}
	h.set, err = settings.Load(h.w.SettingsPath())
	if err != nil {
		return false, h.log.fail(history.Preferences, fmt.Errorf("%w; nothing was started", err))
	}
	c := h.set.Continuation(string(h.self.Name))
	if !c.Enabled {
		h.log.drop()
		_ = os.Remove(h.jobPath())
		h.store.Forget(string(h.self.Name))
		return false, nil
	}
	h.target = assistant.Target(c.Target)
	h.log.entry.Target = string(h.target.Name)
	h.log.step(history.Preferences, string(h.self.Name)+" -> "+string(h.target.Name))
	return true, nil
}

// judge asks the guards that need no lock.
func (h *stopping) judge() string {
	for _, reason := range []func() string{
		func() string { return badPlace(h.w, h.project, h.set.Scope.Folders) },
		func() string { return otherEvent(h.self, h.payload) },
		func() string { return subAgent(h.self, h.payload, h.sessions) },
		func() string { return headless(h.w, h.self, h.payload) },
		func() string { return titleThread(h.self, h.payload, h.sessions) },
		func() string { return forced(h.payload) },
		func() string { return unfinished(h.payload) },
		h.unwantedFailure,
	} {
		if r := reason(); r != "" {
			return r
		}
	}
	return ""
}

func (h *stopping) unwantedFailure() string {
	if h.payload.Event == assistant.EventStopFailure && !h.set.HandoverOnUsageLimit {
		return "handover_on_usage_limit is off"
	}
	return ""
}

// reason is why the assistant stopped, for the prompt and the history.
func (h *stopping) reason() string {
	switch {
	case h.payload.Event != assistant.EventStopFailure:
		return ReasonFinished
	case slices.Contains([]string{"rate_limit", "usage_limit", "billing_error"}, h.payload.Failure):
		return ReasonLimit
	default:
		return ReasonError
	}
}

// prepare makes the prompt, the command and the job.
func (h *stopping) prepare() error {
	order := handover{
		w: h.w, set: h.set, source: h.self, target: h.target, project: h.project,
		values: promptValues{
			project: h.project, source: string(h.self.Name), target: string(h.target.Name), reason: h.reason(),
			hop: h.job.Hop, since: h.before, lastMessage: h.payload.LastMessage,
		},
		session: h.state.Conversations[string(h.target.Name)],
		fresh:   h.mustBeginAnew(),
	}
	if err := order.fill(&h.job, h.log); err != nil {
		return err
	}
	h.job.Rests, h.job.Core = h.rests, h.core
	if err := order.jobFile(h.job).Write(h.jobPath()); err != nil {
		return h.log.fail(history.Job, err)
	}
	if err := h.store.Put(h.job); err != nil {
		return h.log.fail(history.Job, err)
	}
	h.store.Supersede(h.job, platform.TokenAlive)
	h.log.step(history.Job, h.job.ID+", "+h.w.Tilde(h.jobPath()))
	return nil
}

func (h *stopping) jobPath() string { return filepath.Join(h.programs, filepath.Base(h.self.Job)) }

func (h *stopping) helperPath() string {
	return filepath.Join(h.programs, filepath.Base(h.self.HelperPath(h.w)))
}

// mustBeginAnew tells whether the latest conversation of the target in this folder belongs to a process that lives and
// will not be ended: two processes on one conversation would mix their turns.
func (h *stopping) mustBeginAnew() bool {
	tool := string(h.target.Name)
	if s := h.state.Session; s != nil && s.Tool == tool && !h.set.KillOldSessions && alive(s) {
		return true
	}
	first := h.state.Chain.First
	return first != nil && first.Tool == tool && h.job.First == nil && h.state.Conversations[tool] == "" && alive(first)
}

// leave hands the job to a detached launcher, or runs the helper in this process where that is asked for.
func (h *stopping) leave() error {
	if h.rests != "" {
		h.landed()
		h.log.step(history.Rested, h.rests)
		return nil
	}
	if _, err := os.Stat(h.helperPath()); err != nil {
		h.landed()
		return h.log.fail(history.Terminal, missingHelper{h.helperPath()})
	}
	template := h.set.Template(string(h.target.Name), runtime.GOOS)
	if h.w.Getenv("VOMGR_HOOK_FORCE_DIRECT") == "1" || runtime.GOOS != "darwin" && runtime.GOOS != "windows" && template == nil {
		h.log.step(history.Terminal, "none: the helper runs in the hook's own process")
		h.log.flush()
		Resume(h.w, h.self, h.programs, []string{h.job.ID})
		return nil
	}
	_, err := platform.Detach(platform.Start{
		Path: h.w.Exe, Argv: []string{"vomgr", "hook", "launch", h.job.ID, h.helperPath(), platform.Self().Token()},
		Dir: h.project, Env: h.w.Env,
	})
	if err != nil {
		h.landed()
		return h.log.fail(history.Terminal, fmt.Errorf("starting the launcher: %w; start the hand-over by hand: vomgr run", err))
	}
	return nil
}

// abandon takes back what admit promised when the job could not be made.
func (h *stopping) abandon() { h.landed() }

func (h *stopping) landed() {
	_ = h.store.Project(h.project).Change(lockWait, func(st *chain.State) error {
		st.Landed(h.job.ID)
		return nil
	})
}

func oneLine(s string) string {
	return strings.Join(strings.Fields(harmless(strings.ReplaceAll(s, "\n", " "))), " ")
}
