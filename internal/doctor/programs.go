package doctor

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/settings"
)

// tried names the newest version of each assistant that vomgr's forms were tried with.
var tried = map[assistant.Name]string{assistant.Claude: "2.1.332", assistant.Codex: "0.171.0", assistant.Gemini: "0.61.0"}

// programs looks for each assistant's program, its version, and the command line it would get.
func (e *exam) programs() {
	for _, a := range assistant.All() {
		if own := e.set.Command(string(a.Name)); len(own) > 0 {
			e.ownCommand(a, own)
			continue
		}
		e.program(a)
	}
}

// ownCommand checks what the person put in place of vomgr's command lines.
func (e *exam) ownCommand(a assistant.Assistant, argv []string) {
	id := string(a.Name) + ".program"
	path := e.w.LookPath(argv[0])
	switch {
	case e.plan.index(a.Name) < 0:
		e.skip(id, "%s takes no part", a.Name)
	case path == "":
		e.fail(id, e.notInstalled(a), "correct commands."+string(a.Name)+" in settings.toml",
			"commands.%s starts %s, which is not on PATH", a.Name, argv[0])
	case !strings.Contains(strings.Join(argv[1:], "\x00"), "{prompt}"):
		e.warn(id, "add {prompt} to it", "commands.%s has no {prompt}: %s would not be told what to do", a.Name, a.Name)
	default:
		e.ok(id, "commands.%s: %s", a.Name, strings.Join(argv, " "))
	}
}

func (e *exam) notInstalled(a assistant.Assistant) stop {
	return stop{tool: a.Name, step: history.Started, why: string(a.Name) + " could not be started: it is not on PATH"}
}

func (e *exam) program(a assistant.Assistant) {
	id := string(a.Name) + ".program"
	in := a.Installed(e.w)
	switch {
	case e.plan.index(a.Name) < 0:
		e.skip(id, "%s takes no part", a.Name)
		return
	case in.Path == "":
		e.fail(id, e.notInstalled(a), "install "+a.Title+" (npm install -g "+a.Package+"), or choose another target in settings.toml",
			"%s is not on PATH", a.Name)
		return
	}
	if e.interpreter(a, in.Path) {
		e.ok(id, "%s", e.w.Tilde(in.Path))
	}
	in, err := Ask(e.w, a)
	if err != nil {
		e.info(string(a.Name)+".asked", "vomgr enable", "%s", e.tilde(err.Error()))
	}
	e.form(a, in)
}

// interpreter checks that the program's "#!/usr/bin/env NAME" finds NAME: node of a version manager is often on the
// PATH of some shells only.
func (e *exam) interpreter(a assistant.Assistant, path string) bool {
	name := envScript(path)
	if name == "" || e.w.LookPath(name) != "" {
		return true
	}
	e.fail(string(a.Name)+".program", stop{tool: a.Name, step: history.Started, why: string(a.Name) + " could not be started: it needs " + name},
		"put "+name+" on PATH", "%s needs %s, which is not on PATH", e.w.Tilde(path), name)
	return false
}

// envScript returns the NAME of a script that begins with #!/usr/bin/env NAME, else "".
func envScript(path string) string {
	f, err := atomicfile.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // read only
	head := make([]byte, 128)
	n, err := io.ReadFull(f, head)
	if n == 0 && err != nil {
		return ""
	}
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	rest, ok := strings.CutPrefix(string(line), "#!/usr/bin/env ")
	if !ok {
		return ""
	}
	for _, word := range strings.Fields(rest) {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return word
		}
	}
	return ""
}

// form says which command line the program gets.
func (e *exam) form(a assistant.Assistant, in assistant.Installed) {
	id := string(a.Name) + ".version"
	form := a.Form(in.Version)
	documented := e.set.CommandStyle == settings.StyleDocumented
	switch {
	case documented && form.Since != "" && a.Name != assistant.Codex:
		e.fail(id, stop{tool: a.Name, step: history.Started, why: fmt.Sprintf("%s %s refuses the documented command line", a.Name, in.Version)},
			`command_style = "auto"`, `command_style is "documented", and %s %s refuses part of it: %s`,
			a.Name, in.Version, shown(a.Documented()))
	case documented:
		e.ok(id, "%s %s, the documented form: %s", a.Name, in.Version, shown(a.Documented()))
	case in.Version == "":
		e.warn(id, "run "+string(a.Name)+" --version; if it fails there, mend the installation",
			"%s names no version and gave none when asked; the documented form is used: %s", e.w.Tilde(in.Path), shown(form))
	case assistant.Older(tried[a.Name], in.Version):
		e.info(id, "", "%s %s is newer than the newest vomgr was tried with (%s); its command line: %s", a.Name, in.Version, tried[a.Name], shown(form))
	default:
		e.ok(id, "%s %s (%s): %s", a.Name, in.Version, in.Source, shown(form))
	}
}

// shown is the form as one would read it.
func shown(f assistant.Form) string {
	call := assistant.Call{Prompt: "PROMPT", Project: "FOLDER"}
	return strings.Join(f.Argv("", call)[1:], " ")
}
