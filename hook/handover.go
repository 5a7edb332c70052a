package hook

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// handover is what a job is made of: who hands over to whom, and what the next one is told.
type handover struct {
	w       world.World
	set     settings.Settings
	source  assistant.Assistant
	target  assistant.Assistant
	project string
	values  promptValues
	session string   // the conversation of the target that vomgr's own session had here last
	fresh   bool     // begin a new conversation
	args    []string // instead of the form and its prompt: what a person wants passed on
	passes  bool     // args counts, even when empty
}

// fill puts prompt, command, folder and environment into j.
func (o handover) fill(j *chain.Job, log *record) error {
	installed := o.target.Installed(o.w)
	program := cmp.Or(installed.Path, string(o.target.Name))
	prompt, cutShort := "", false
	if !o.passes {
		prompt, cutShort = o.prompt(program)
		detail := fmt.Sprintf("%d bytes, template %s", len(prompt), o.source.Name)
		if cutShort {
			detail += ", cut"
		}
		log.step(history.Prompt, detail)
	}
	if err := o.command(j, program, installed.Version, prompt); err != nil {
		return log.fail(history.Command, err)
	}
	shown := make([]string, len(j.Command))
	for i, arg := range j.Command {
		shown[i] = strings.Replace(arg, prompt, "PROMPT", 1)
		if prompt == "" {
			shown[i] = arg
		}
	}
	log.step(history.Command, cut(harmless(strings.Join(shown, " ")), 1000))
	j.Cwd = o.project
	j.Head = headOf(o.project)
	j.Env = o.environment(prompt)
	return nil
}

// prompt is what program, the next assistant, is told; cutShort says that it was too long.
func (o handover) prompt(program string) (text string, cutShort bool) {
	return limitPrompt(fill(o.set.Prompt(string(o.source.Name)), o.values.lookup), promptLimit(runtime.GOOS, program))
}

// command chooses the form: the person's own, the documented one, or the one the installed version takes.
func (o handover) command(j *chain.Job, program, version, prompt string) error {
	call := assistant.Call{Prompt: prompt, Project: o.project, Session: o.session, Fresh: o.fresh}
	if own := o.set.Command(string(o.target.Name)); len(own) > 0 && !o.passes {
		for _, arg := range own {
			j.Command = append(j.Command, assistant.Fill(arg, call))
		}
		if j.Command[0] == "" {
			return fmt.Errorf("[commands] %s: the first element names no program", o.target.Name)
		}
		if path := o.w.LookPath(j.Command[0]); path != "" {
			j.Command[0] = path
		}
		return nil
	}
	if o.passes {
		j.Command = append([]string{program}, o.args...)
		return nil
	}
	form := o.target.Form(version)
	if o.set.CommandStyle == settings.StyleDocumented {
		form = o.target.Documented()
	}
	j.Command = form.Argv(program, call)
	if o.target.Name == assistant.Claude && form.GoesOn(call) {
		again := call
		again.Fresh = true
		j.Again = form.Argv(program, again)
	}
	return nil
}

// environment is what the next assistant finds in its environment, in the order of the seed.
func (o handover) environment(prompt string) [][2]string {
	n := o.set.Notifications
	message := fill(n.Message, func(name string) (func() string, bool) {
		value, known := map[string]string{"target": string(o.target.Name), "source": string(o.source.Name)}[name]
		return func() string { return value }, known
	})
	return [][2]string{
		{"VOMGR_TARGET_TOOL", string(o.target.Name)},
		{"VOMGR_SOURCE_TOOL", string(o.source.Name)},
		{"VOMGR_PROMPT", prompt},
		{"VOMGR_PROJECT_DIR", o.project},
		{"VOMGR_NOTIFICATION_ENABLED", flag(n.Enabled)},
		{"VOMGR_NOTIFICATION_MESSAGE", message},
		{"VOMGR_NOTIFICATION_SOUND", n.Sound},
		{"VOMGR_KILL_OLD", flag(o.set.KillOldSessions)},
	}
}

func flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// jobFile is the seed's file for j.
func (o handover) jobFile(j chain.Job) JobFile {
	return JobFile{Command: j.Command, Cwd: j.Cwd, Env: j.Env}
}

// envValue reads one of the job's variables.
func envValue(env [][2]string, key string) string {
	for _, kv := range env {
		if kv[0] == key {
			return kv[1]
		}
	}
	return ""
}

// withPath puts the folder of program on the PATH of env, where it is missing: a terminal opened by a window system
// may know less of PATH than the assistant did.
func withPath(env []string, program string) []string {
	if !filepath.IsAbs(program) {
		return env
	}
	dir := filepath.Dir(program)
	for i, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if name != "PATH" && !(runtime.GOOS == "windows" && strings.EqualFold(name, "PATH")) {
			continue
		}
		for _, d := range filepath.SplitList(value) {
			if d == dir {
				return env
			}
		}
		out := append([]string(nil), env...)
		out[i] = name + "=" + value + string(filepath.ListSeparator) + dir
		return out
	}
	return append(env[:len(env):len(env)], "PATH="+dir)
}
