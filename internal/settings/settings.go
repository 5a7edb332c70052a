// Package settings holds the person's preferences: the fresh settings.toml, what its keys mean, and how the file is read.
package settings

import _ "embed"

// Default is the fresh settings.toml, with its comments.
//
//go:embed settings.toml
var Default []byte

// Settings is what settings.toml says; a key the file does not have keeps the value of the fresh file, save that a file
// without terminals has none configured.
type Settings struct {
	KillOldSessions      bool // end the former assistant once the next one runs
	HandoverOnUsageLimit bool // a usage limit or an error hands over, as a finished answer does
	CommandStyle         CommandStyle
	ReplaceFirst         ReplaceFirst
	Continuations        PerTool[Continuation]
	Prompts              PerTool[string]   // the template of the tool that stopped
	Commands             PerTool[[]string] // the whole argument list, with {prompt} and {project}; empty: vomgr's own
	Notifications        Notifications
	Terminals            Terminals
	Scope                Scope
	Limits               Limits
	promptsGiven         PerTool[bool]
}

// PerTool is one value for each assistant.
type PerTool[T any] struct{ Claude, Codex, Gemini T }

// of returns the value of tool, or nil when tool is no assistant.
func (p *PerTool[T]) of(tool string) *T {
	switch tool {
	case "claude":
		return &p.Claude
	case "codex":
		return &p.Codex
	case "gemini":
		return &p.Gemini
	}
	return nil
}

// For returns the value of tool, or the zero value when tool is no assistant.
func (p PerTool[T]) For(tool string) T {
	if v := p.of(tool); v != nil {
		return *v
	}
	var zero T
	return zero
}

// Continuation says whether, and to whom, an assistant hands its work over.
type Continuation struct {
	Enabled bool
	Target  string // as it stands in the file; whoever uses it takes an unknown name for claude
}

// Notifications says what the person is told.
type Notifications struct {
	Enabled bool
	Message string // {source} and {target} are filled in by whoever shows it
	Sound   string
	Desktop Desktop
}

// Terminals holds the templates that open a terminal.
type Terminals struct {
	Defaults PerPlatform
	PerTool  PerTool[PerPlatform]
	KeepOpen bool // a window stays after its assistant was replaced
}

// PerPlatform is one argument list for each system, in which {command} is what the terminal has to run.
type PerPlatform struct{ Darwin, Linux, Windows []string }

func (p *PerPlatform) of(platform string) *[]string {
	switch platform {
	case "darwin":
		return &p.Darwin
	case "linux":
		return &p.Linux
	case "windows":
		return &p.Windows
	}
	return nil
}

// Scope says where hand-overs may happen.
type Scope struct {
	Mode    ScopeMode
	Folders []string // as they stand in the file; ~ is not expanded
}

// Limits says when a chain of hand-overs ends by itself; 0 means no such limit.
type Limits struct {
	MaxHandovers    int // per chain
	MaxHours        int // per chain
	MaxPerHour      int // a chain waits until there is room
	MaxQuick        int // turns in a row under 15 s that changed nothing
	StopWhenStalled int // hand-overs in a row that changed nothing
	StopWhenDone    Done
	Until           string // a local time, "7:00" or "07:00", for NextClock; empty: none
}

// CommandStyle says which form of an assistant's command line is used.
type CommandStyle string

// The values of command_style.
const (
	StyleAuto       CommandStyle = "auto"       // the form the installed version accepts
	StyleDocumented CommandStyle = "documented" // the documented form, whatever is installed
)

// ReplaceFirst says whether the assistant a person started is ended, too, after its first hand-over.
type ReplaceFirst string

// The values of replace_first.
const (
	ReplaceAtLimit ReplaceFirst = "limit" // when it stopped by a usage limit
	ReplaceAlways  ReplaceFirst = "always"
	ReplaceNever   ReplaceFirst = "never"
)

// ScopeMode says where hand-overs may happen.
type ScopeMode string

// The values of scope.mode.
const (
	Everywhere  ScopeMode = "everywhere"
	Armed       ScopeMode = "armed" // only after vomgr night
	OnlyFolders ScopeMode = "only"  // in the folders listed and below
)

// Desktop says which events show a desktop notification.
type Desktop string

// The values of notifications.desktop.
const (
	DesktopEnds  Desktop = "ends"  // ended, broken, rests, waits for you
	DesktopAll   Desktop = "all"   // also each hand-over
	DesktopNever Desktop = "never" // none
)

// Done says whether a chain ends when TODO.md has no open item.
type Done string

// The values of limits.stop_when_done; "true" and "false" are booleans in the file.
const (
	DoneAuto  Done = "auto"  // when it had open items in this chain, and has none now
	DoneTrue  Done = "true"  // when it has none
	DoneFalse Done = "false" // never
)

// fresh is what the fresh file says, save the prompts and the terminals.
func fresh() Settings {
	return Settings{
		KillOldSessions:      true,
		HandoverOnUsageLimit: true,
		CommandStyle:         StyleAuto,
		ReplaceFirst:         ReplaceAtLimit,
		Continuations: PerTool[Continuation]{
			Claude: Continuation{Enabled: true, Target: "codex"},
			Codex:  Continuation{Enabled: true, Target: "claude"},
			Gemini: Continuation{Enabled: false, Target: "claude"},
		},
		Notifications: Notifications{Enabled: true, Message: "Handing over to {target}", Sound: "Glass", Desktop: DesktopEnds},
		Scope:         Scope{Mode: Everywhere},
		Limits: Limits{
			MaxHandovers: 50, MaxHours: 12, MaxPerHour: 20, MaxQuick: 5, StopWhenStalled: 3, StopWhenDone: DoneAuto,
		},
	}
}

// Continuation says whether, and to whom, tool hands its work over; off for a tool vomgr does not know.
func (s Settings) Continuation(tool string) Continuation { return s.Continuations.For(tool) }

// Prompt is the template of the prompt that tool leaves to the next assistant.
func (s Settings) Prompt(tool string) string { return s.Prompts.For(tool) }

// Command is the argument list configured for starting tool, or nil.
func (s Settings) Command(tool string) []string { return s.Commands.For(tool) }

// Template is the argument list that opens a terminal for tool on platform (darwin, linux or windows): its own, else
// the default. Nil means that nothing is configured; ["auto"] stands for the best at hand.
func (s Settings) Template(tool, platform string) []string {
	own := s.Terminals.PerTool.For(tool)
	for _, p := range []*PerPlatform{&own, &s.Terminals.Defaults} {
		if argv := p.of(platform); argv != nil && len(*argv) > 0 {
			return *argv
		}
	}
	return nil
}
