package darwin

import (
	"path/filepath"
	"slices"
	"strings"
)

// Way is one way to open a window on macOS.
type Way struct {
	Name       string
	Argv       []string
	Command    string // path of the .command file that must be there first; "" when none is needed
	AsksPerson bool   // macOS asks a person once whether the application may be controlled
}

// Request says what is to be opened, and with what.
type Request struct {
	App     string                   // the terminal application as a person or TERM_PROGRAM names it; "" is Terminal
	Helper  string                   // absolute path of the program to run
	Job     string                   // its argument
	Command string                   // path a .command file may be written to
	Look    func(name string) string // finds a program on PATH; "" when it is not there
}

// application is a terminal application vomgr knows how to ask.
type application struct {
	name   string
	script string   // AppleScript that opens a window; its arguments are the helper and the job
	lead   []string // or: what the program is started with before the helper and the job
}

// The scripts are fixed texts, the data is handed to them as arguments: nothing is pasted into AppleScript. Terminal
// types the line into a login shell, hence the quoted forms; the space keeps it out of the history of shells that heed
// it, and with exec the window has nothing left to run when the helper ends. None activates its application.
const (
	terminalScript = `on run argv
	set theLine to " exec " & quoted form of item 1 of argv & " " & quoted form of item 2 of argv
	with timeout of 10 seconds
		tell application id "com.apple.Terminal"
			do script theLine
		end tell
	end timeout
end run`
	iTermScript = `on run argv
	set theLine to quoted form of item 1 of argv & " " & quoted form of item 2 of argv
	with timeout of 10 seconds
		tell application id "com.googlecode.iterm2"
			create window with default profile command theLine
		end tell
	end timeout
end run`
	closeScript = `on run argv
	set theTerminal to item 1 of argv
	delay 1
	with timeout of 10 seconds
		tell application id "com.apple.Terminal"
			repeat with theWindow in windows
				try
					if (count of tabs of theWindow) is 1 then
						set theTab to item 1 of tabs of theWindow
						if tty of theTab is theTerminal and not (busy of theTab) then
							close theWindow
							return
						end if
					end if
				end try
			end repeat
		end tell
	end timeout
end run`
)

// terminal is what is asked when nothing else is said.
var terminal = application{name: "Terminal", script: terminalScript}

// applications by the names people and TERM_PROGRAM give them, lower case, without .app. Ghostty has no command line
// for a new window on macOS (ghostty discussion 12136) and Warp only opens files: both get a .command file.
var applications = map[string]application{
	"terminal":       terminal,
	"apple_terminal": terminal,
	"iterm":          {name: "iTerm", script: iTermScript},
	"iterm2":         {name: "iTerm", script: iTermScript},
	"wezterm":        {name: "WezTerm", lead: []string{"start", "--"}},
	"kitty":          {name: "kitty", lead: []string{}},
	"alacritty":      {name: "Alacritty", lead: []string{"-e"}},
	"ghostty":        {name: "Ghostty"},
	"warp":           {name: "Warp"},
	"warpterminal":   {name: "Warp"},
}

// Known says that name is a terminal application vomgr knows how to ask.
func Known(name string) bool {
	_, ok := applications[key(name)]
	return ok
}

// Applications lists the names of the terminal applications vomgr knows how to ask.
func Applications() []string {
	var names []string
	for _, a := range applications {
		if !slices.Contains(names, a.name) {
			names = append(names, a.name)
		}
	}
	slices.Sort(names)
	return names
}

func key(name string) string {
	return strings.TrimSuffix(strings.ToLower(filepath.Base(name)), ".app")
}

// Windows lists the ways to open a window: the application asked for, as it likes to be asked and then by a file,
// then Terminal likewise.
func Windows(r Request) []Way {
	app, known := applications[key(r.App)]
	switch {
	case r.App == "":
		app = terminal
	case !known:
		app = application{name: r.App}
	}
	ways := r.windows(app)
	if app.name != terminal.name {
		ways = append(ways, r.windows(terminal)...)
	}
	return ways
}

func (r Request) windows(app application) []Way {
	var ways []Way
	open, osascript := r.Look("open"), r.Look("osascript")
	if app.script != "" && osascript != "" {
		argv := append(scripted(osascript, app.script), r.Helper, r.Job)
		ways = append(ways, Way{Name: app.name + ", through osascript", Argv: argv, AsksPerson: true})
	}
	if app.lead != nil && open != "" {
		argv := append([]string{open, "-g", "-n", "-a", app.name, "--args"}, app.lead...)
		ways = append(ways, Way{Name: app.name, Argv: append(argv, r.Helper, r.Job)})
	}
	if open != "" {
		argv := []string{open, "-g", "-a", app.name, r.Command} // -g: it stays in the background
		ways = append(ways, Way{Name: app.name + ", through a .command file", Argv: argv, Command: r.Command})
	}
	return ways
}

// scripted is osascript with a script of several lines; what is appended are the script's arguments.
func scripted(osascript, script string) []string {
	argv := []string{osascript}
	for line := range strings.SplitSeq(script, "\n") {
		argv = append(argv, "-e", strings.TrimSpace(line))
	}
	return argv
}

// CloseWindow is the command line that closes Terminal's window on the terminal tty, once nothing runs there any more:
// Terminal keeps the windows of ended programs.
func CloseWindow(osascript, tty string) []string {
	return append(scripted(osascript, closeScript), tty)
}

// Explain says what a complaint of osascript or open means and what to do about it, "" when it is not known.
func Explain(complaint string) string {
	for _, e := range []struct{ mark, meaning string }{
		{"-1743", "macOS does not allow it: System Settings, Privacy & Security, Automation; allow the application the assistant runs in to control the terminal (asked anew after: tccutil reset AppleEvents)"},
		{"-1712", "the terminal did not answer within 10 s; macOS may be waiting for a person to allow it"},
		{"-600", "the application is not running and could not be started"},
		{"-2741", "there is no graphical session (or a sandbox) to run scripts in"},
		{"Connection Invalid", "there is no graphical session (or a sandbox) to run scripts in"},
		{"-10810", "the application could not be started"},
		{"Unable to find application", "there is no application of that name: VOMGR_TERMINAL_APP"},
	} {
		if strings.Contains(complaint, e.mark) {
			return e.meaning
		}
	}
	return ""
}
