package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/world"
)

// Messages have one voice: lower case, no full stop, home as ~. A failure is "vomgr: what, where: why", then, where
// there is something to do, "hint:" and a command that can be pasted. Facts stand left, free text right; what went
// well is said once.

// Exit statuses of the commands.
const (
	statusOK    = 0
	statusError = 1
	statusUsage = 2
)

// exit is an error that is only a status: what there was to say has been said.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// hinted is an error with what to do next.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

func withHint(err error, format string, args ...any) error {
	return hinted{err, fmt.Sprintf(format, args...)}
}

// command runs the command line of a person.
func command(w world.World) int {
	root := newRoot(w)
	root.SetArgs(w.Args[1:])
	root.SetOut(w.Stdout)
	root.SetErr(w.Stderr)
	root.SetIn(w.Stdin)
	return report(w, root.ExecuteContext(context.Background()))
}

// report says what went wrong, in one shape, and gives the exit status.
func report(w world.World, err error) int {
	var status exit
	var h hinted
	var u usage
	switch {
	case err == nil:
		return statusOK
	case errors.As(err, &status):
		return int(status)
	}
	fmt.Fprintf(w.Stderr, "vomgr: %s\n", tilde(w, err.Error()))
	if errors.As(err, &h) {
		fmt.Fprintf(w.Stderr, "hint: %s\n", h.hint)
	}
	if errors.As(err, &u) {
		return statusUsage
	}
	return statusError
}

// tilde writes home as ~ in a message, wherever that names a path below it.
func tilde(w world.World, message string) string {
	if w.Home == "" || w.Home == string(filepath.Separator) {
		return message
	}
	return strings.ReplaceAll(message, w.Home+string(filepath.Separator), "~"+string(filepath.Separator))
}

func newRoot(w world.World) *cobra.Command {
	root := &cobra.Command{
		Use:   "vomgr",
		Short: "vomgr lets Claude Code, Codex and Gemini CLI hand a project to each other while nobody is there",
		Long: `vomgr lets Claude Code, Codex and Gemini CLI hand a project to each other while nobody is there.

It puts a hook into an assistant; when the assistant stops, the hook opens a terminal in which the next one goes on.`,
		Args:          wrongCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(*cobra.Command, []string) error { return bare(w) },
	}
	root.SetFlagErrorFunc(wrongFlag)
	root.AddCommand(
		newEnable(w), newDisable(w), newInstall(w), newUninstall(w),
		newNight(w), newRun(w), newNext(w), newPause(w), newResume(w), newStop(w),
		newStatus(w), newLog(w), newReport(w), newDoctor(w), newDemo(w), newVersion(w), newCompletion(w), newMan(w), newHook(),
	)
	root.AddCommand(newSettings(w), newScope(w), newPrompt(w), newAttach(w), newTerminal(w))
	completeTools(root)
	completeFlags(root)
	setHelp(root)
	return root
}

// wrongCommand names the command that was probably meant.
func wrongCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := usage{withHint(fmt.Errorf("no command %q", args[0]), "vomgr --help")}
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		err = usage{withHint(fmt.Errorf("no command %q", args[0]), "did you mean %s?", strings.Join(near, " or "))}
	}
	return err
}

// tools reads names of assistants.
func tools(args []string) ([]assistant.Assistant, error) {
	var all []assistant.Assistant
	for _, arg := range args {
		a, ok := assistant.Get(assistant.Name(arg))
		if !ok {
			return nil, usage{withHint(fmt.Errorf("no assistant %q", arg), "one of claude, codex, gemini")}
		}
		all = append(all, a)
	}
	return all, nil
}

// here is the project at dir, which is seen from the working directory.
func here(w world.World, dir string) (string, error) {
	dir = absolute(w, dir)
	project, ok := hook.ResolveDir(dir)
	if !ok {
		return "", fmt.Errorf("no folder %s", dir)
	}
	return project, nil
}

// wrongSubcommand is wrongCommand for what stands below a command of several.
func wrongSubcommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	what := fmt.Errorf("%s: no command %q", c.Name(), args[0])
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return usage{withHint(what, "did you mean %s %s?", c.CommandPath(), strings.Join(near, " or "))}
	}
	return usage{withHint(what, "%s --help", c.CommandPath())}
}

// newHook shows the parts of the chain in the help. They are played before any command is built; what comes here had
// wrong words, and gets 1: an assistant may have said them, and 2 would make it go on.
func newHook() *cobra.Command {
	return &cobra.Command{
		Use:                "hook stop|resume TOOL, hook launch JOB HELPER",
		Short:              "Play a part of the chain (called by the assistants)",
		Example:            "  vomgr hook stop claude \"$CLAUDE_PROJECT_DIR\"",
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return withHint(errors.New("hook: which part, of which assistant?"), "vomgr hook stop claude; by hand it is vomgr run")
		},
	}
}
