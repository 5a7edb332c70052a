package hook

import (
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

// Dispatch plays the part of the chain that this run was called for: by the program's name (vocl-go, voco-new, …) or
// by words (vomgr hook stop|launch|resume). called is false when it was called for something else.
func Dispatch(w world.World) (status int, called bool) {
	if len(w.Args) == 0 {
		return 0, false
	}
	if n := len(platform.InterruptWords); len(w.Args) == n+2 && slices.Equal(w.Args[1:n+1], platform.InterruptWords) {
		return platform.Interrupt(w.Args[n+1]), true // under whatever name: it is the helper that calls itself so
	}
	if a, role := assistant.ByProgram(w.Args[0]); role != assistant.NoRole {
		programs := a.ProgramDir(w)
		if filepath.IsAbs(w.Args[0]) {
			programs = filepath.Dir(w.Args[0])
		}
		switch {
		case role == assistant.HelpRole:
			return help(w, a, programs, w.Args[1:]), true
		case a.Name == assistant.Gemini:
			fmt.Fprintln(w.Stdout, "Gemini continuation not yet implemented. Check for updates.")
			return 0, true
		default:
			return guarded(w, func(core uint64) int { return Stop(w, a, programs, w.Args[1:], core) }), true
		}
	}
	if len(w.Args) == 2 && windowForm.MatchString(w.Args[1]) {
		return answerWindow(w, w.Args[1])
	}
	if len(w.Args) < 4 || w.Args[1] != "hook" {
		return 0, false
	}
	return words(w, w.Args[2], w.Args[3], w.Args[4:])
}

// words plays the part called by words. Wrong words are 1, not 2, since an assistant may have said them.
func words(w world.World, part, subject string, rest []string) (status int, called bool) {
	if part == "launch" {
		rest = append(rest, "", "")
		return guarded(w, func(uint64) int { return Launch(w, subject, rest[0], rest[1]) }), true
	}
	a, known := assistant.Get(assistant.Name(subject))
	switch {
	case known && part == "stop":
		return guarded(w, func(core uint64) int { return Stop(w, a, a.ProgramDir(w), rest, core) }), true
	case known && part == "resume":
		return help(w, a, a.ProgramDir(w), rest), true
	}
	return 0, false
}

// help runs the helper. Its descriptors are not the assistant's to keep open.
func help(w world.World, a assistant.Assistant, programs string, args []string) int {
	platform.CloseOnExec()
	return Resume(w, a, programs, args)
}

// guarded runs f so that no fault in it becomes status 2, which every assistant answers with another turn of the model:
// a panic here becomes 1, one that cannot be recovered ends by a signal, and no core file with the environment in it is
// left in the project. f gets the limit of core files that held before.
func guarded(w world.World, f func(core uint64) int) (status int) {
	if status, contained := contain(w); contained {
		return status
	}
	debug.SetTraceback("crash")
	core, _ := platform.NoCore()
	platform.CloseOnExec()
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(w.Stderr, "vomgr: a fault in the hook: %s; nothing more was done\n", oneLine(fmt.Sprint(p)))
			status = 1
		}
	}()
	injectFault(w)
	if status = f(core); status != 0 {
		status = 1
	}
	return status
}
