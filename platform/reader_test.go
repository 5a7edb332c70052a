package platform

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/vexyart/vomgr/internal/world"
)

// Templates as people write them, right and wrong, each run as it stands by the shells at hand: whatever a folder is
// called, no part of its name is run. What would do that is refused.
func TestTemplatesOfPeople(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sh")
	}
	h := filepath.Join(t.TempDir(), "vocl-new")
	if err := os.WriteFile(h, []byte("#!/bin/sh\nprintf %s \"$PWD\" >\"${0%/*}/seen\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	const right, wrong = false, true
	for script, refused := range map[string]bool{
		"{command}":                                right,
		"{command}; exec true":                     right,
		"true && {command}":                        right,
		"if true; then {command}; fi":              right,
		"{ {command}; }":                           right,
		"echo it\\'s; {command}":                   right,
		"echo \"it's\"; {command}":                 right,
		"sh -c '{command}'":                        wrong,
		"sh -c \"{command}\"":                      wrong,
		"sh -c \"{command}; true\"":                wrong,
		"sh -c 'true; {command}'":                  wrong,
		"sh -c \"true; {command}\"":                wrong,
		"{command}; sh -c \"{command}\"":           wrong,
		"echo `{command}`":                         wrong,
		"echo `true; {command}`":                   wrong,
		"eval {command}":                           wrong,
		"'{command}'":                              wrong,
		"\"{command}\"":                            wrong,
		"cd {project}; {helper} {job}":             wrong,
		"cd {project} && {helper} {job}":           wrong,
		"cd '{project}' && {helper} {job}":         wrong,
		"cd \"{project}\"; \"{helper}\" \"{job}\"": wrong,
		"sh -c {command}":                          wrong,
	} {
		for _, shell := range []string{"sh", "bash", "zsh", "ksh"} {
			if path, err := exec.LookPath(shell); err == nil {
				runTemplate(t, h, path, script, refused)
			}
		}
	}
}

// runTemplate has a shell run the script in folders of several names.
func runTemplate(t *testing.T, helper, shell, script string, refused bool) {
	t.Helper()
	parent, seen := t.TempDir(), filepath.Join(filepath.Dir(helper), "seen")
	for _, name := range []string{"plain", "it's", "$(touch pwned)", "`touch pwned`", "a;touch pwned", "a\n touch pwned\n", "';touch pwned;'", `";touch pwned;"`, `back\slash\`} {
		dir := project(t, parent, name)
		argv, err := fill(Request{Helper: helper, Job: "0123abcd", Project: dir, Template: []string{shell, "-c", script}}, posix)
		switch {
		case refused && err == nil && !harmless(dir, posix):
			t.Errorf("%s -c %s: taken for a folder called %q", shell, script, name)
		case !refused && err != nil:
			t.Errorf("%s -c %s: refused for a folder called %q: %v", shell, script, name, err)
		}
		if err != nil {
			continue
		}
		cmd := exec.Command(shell, argv[1:]...) //nolint:noctx // ends by itself
		cmd.Dir = parent
		out, err := cmd.CombinedOutput()
		if where, _ := os.ReadFile(seen); !refused && (err != nil || string(where) != dir) {
			t.Errorf("%s -c %s: in %q, want %q: %v %s", shell, script, where, dir, err, out)
		}
		_ = os.Remove(seen)
		unharmed(t, parent, dir, filepath.Dir(helper))
	}
}

// csh ends its quotes at a line break and looks for ! in them (tcsh 6.24 ran the second line of a folder's name); other
// shells have quotes of other kinds. A terminal asks the person's own where no shell is named.
func TestForeignShell(t *testing.T) {
	for name, c := range map[string]struct {
		env      string
		template []string
		refused  bool
	}{
		"named":             {"SHELL=/bin/sh", []string{"xterm", "-e", "tcsh", "-c", "{command}"}, true},
		"the person's":      {"SHELL=/bin/tcsh", []string{"xterm", "-e", "{command}"}, true},
		"the person's, nu":  {"SHELL=/usr/bin/nu", []string{"tmux", "new-window", "{command}"}, true},
		"Terminal's":        {"SHELL=/bin/tcsh", []string{"osascript", "-e", `tell application "Terminal" to do script "{command}"`}, true},
		"Terminal's, zsh":   {"SHELL=/bin/zsh", []string{"osascript", "-e", `tell application "Terminal" to do script "{command} #"`}, false},
		"unheard of":        {"SHELL=/opt/mysh", []string{"tmux", "new-window", "{command}"}, true},
		"sh in it":          {"SHELL=/bin/tcsh", []string{"xterm", "-e", "sh", "-c", "{command}"}, false},
		"words":             {"SHELL=/bin/tcsh", []string{"xterm", "-e", "{helper}", "{job}"}, false},
		"the person's bash": {"SHELL=/bin/bash", []string{"xterm", "-e", "{command}"}, false},
		"the person's fish": {"SHELL=/usr/bin/fish", []string{"xterm", "-e", "{command}"}, false},
		"none":              {"", []string{"xterm", "-e", "{command}"}, false},
	} {
		r := Request{Helper: "/h/vocl-new", Job: "0123abcd", Project: "/p/a! touch pwned", Template: c.template, World: world.World{Env: []string{c.env}}}
		if _, err := fill(r, posix); (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
		r.Project = "/p/plain"
		if _, err := fill(r, posix); err != nil {
			t.Errorf("%s, a plain name: %v", name, err)
		}
	}
}

// What is typed into a shell that reads lines obeys control characters: ^U drops the line with its quotes, and what
// follows is one of its own.
func TestTypedKeys(t *testing.T) {
	for name, c := range map[string]struct {
		template []string
		refused  bool
	}{
		"Terminal":     {[]string{"osascript", "-e", `tell application "Terminal" to do script "{command}"`}, true},
		"its data":     {[]string{"osascript", "-e", "on run argv", "-e", "end run", "{command}"}, true},
		"tmux's keys":  {[]string{"tmux", "send-keys", "-t", "x", "{command}", "Enter"}, true},
		"screen":       {[]string{"screen", "-X", "stuff", "{command}\n"}, true},
		"no keys":      {[]string{"tmux", "new-window", "{command}"}, false},
		"only a shell": {[]string{"sh", "-c", "{command}"}, false},
	} {
		r := Request{Helper: "/h/vocl-new", Job: "0123abcd", Project: "/p/a\x15touch pwned\r", Template: c.template}
		if _, err := fill(r, posix); (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
		r.Project = "/p/it's $(touch pwned) “日本”"
		if _, err := fill(r, posix); err != nil {
			t.Errorf("%s, no control characters: %v", name, err)
		}
	}
}

func TestExpandedByWt(t *testing.T) {
	for name, c := range map[string]struct {
		template []string
		refused  bool
	}{
		"PowerShell":         {[]string{"wt", "powershell", "-Command", "{command}"}, true},
		"a folder":           {[]string{"WT.exe", "-d", "{project}", "{helper}", "{job}"}, true},
		"no word of it":      {[]string{"wt", "{helper}", "{job}"}, false},
		"cmd":                {[]string{"wt", "cmd", "/k", "{command}"}, false},
		"PowerShell without": {[]string{"powershell", "-Command", "{command}"}, false},
	} {
		r := Request{Helper: `C:\h.exe`, Job: "0123abcd", Project: `C:\%PATH%`, Template: c.template}
		if _, err := fill(r, cmdExe); (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Which arguments are refused for a folder of a hostile name, and how the others are filled.
func TestUnfit(t *testing.T) {
	for name, c := range map[string]struct {
		template []string
		want     string // of the complaint; "" when there is none
		windows  bool
	}{
		"AppleScript":                  {[]string{"osascript", "-e", `tell application "Terminal" to do script "{command}"`}, "", false},
		"AppleScript, no string":       {[]string{"osascript", "-e", `do script {command}`}, "outside of double quotes", false},
		"AppleScript, a shell's quote": {[]string{"osascript", "-e", `do shell script "sh -c '{command}'"`}, "between quotes", false},
		"AppleScript, a quoted quote":  {[]string{"osascript", "-e", `do shell script "sh -c \"{command}\""`}, "between quotes", false},
		"AppleScript, raw":             {[]string{"osascript", "-e", `do script "cd {project}"`}, "{project} stands as it is", false},
		"AppleScript's data":           {[]string{"osascript", "-e", "on run argv", "-e", "do script item 1 of argv", "-e", "end run", "{project}"}, "", false},
		"fish":                         {[]string{"fish", "-c", `echo \'; {command}`}, "", false},
		"fish, quoted":                 {[]string{"fish", "-c", `fish -c '{command}'`}, "between quotes", false},
		"no shell, quoted":             {[]string{"tmux", "new-window", "sh -c '{command}'"}, "between quotes", false},
		"no shell, raw":                {[]string{"xterm", "-e", "cd {project}; {helper} {job}"}, "{project} stands as it is", false},
		"no shell, raw helper":         {[]string{"xterm", "-e", "'{helper}' {job}"}, "", false},
		"a title":                      {[]string{"kitty", "--title", "work in {project}", "{helper}", "{job}"}, "", false},
		"an option":                    {[]string{"kitty", "--directory={project}", "{helper}", "{job}"}, "", false},
		"an option for a command":      {[]string{"term", "--run={command}"}, "", false},
		"an option, quoted":            {[]string{"term", "--run=sh -c '{command}'"}, "between quotes", false},
		"another language":             {[]string{"emacsclient", "-e", `(shell "{command}")`}, "between quotes", false},
		"sh's data":                    {[]string{"sh", "-c", `cd "$1" && exec "$2" "$3"`, "x", "{project}", "{helper}", "{job}"}, "", false},
		"Windows' console from WSL":    {[]string{"cmd.exe", "/c", "start", "wsl.exe", "--cd", "{project}"}, "{project} stands as it is", false},
		"wt and PowerShell":            {[]string{"wt", "powershell", "-NoExit", "-Command", "{command}"}, "", true},
		"PowerShell":                   {[]string{"powershell", "-NoExit", "{command}"}, "", true},
		"PowerShell, quoted":           {[]string{"powershell", "-Command", "Start-Process powershell -ArgumentList '{command}'"}, "between quotes", true},
		"PowerShell, typographic":      {[]string{"powershell", "-Command", "Start-Process powershell -ArgumentList ‘{command}’"}, "between quotes", true},
		"PowerShell twice":             {[]string{"powershell", "-Command", "powershell", "-Command", "{command}"}, "read by powershell before powershell", true},
		"PowerShell below cmd":         {[]string{"cmd.exe", "/c", "start", "powershell", "-NoExit", "-Command", "{command}"}, "read by cmd before powershell", true},
		"cmd below PowerShell":         {[]string{"powershell", "-Command", "cmd", "/k", "{command}"}, "read by powershell before cmd", true},
		"cmd below cmd":                {[]string{"cmd.exe", "/c", "start", "cmd", "/k", "{command}"}, "", true},
		"cmd":                          {[]string{"cmd.exe", "/d", "/k", `title "x" & {command}`}, "", true},
		"cmd, quoted":                  {[]string{"cmd.exe", "/c", `start "x" cmd /k "{command}"`}, "between quotes", true},
		"cmd, names":                   {[]string{"cmd.exe", "/c", "start", "wt", "-d", "{project}", "{helper}", "{job}"}, "", true},
		"cmd, a part":                  {[]string{"cmd.exe", "/c", "start", "wt", "--dir={project}"}, "{project} stands as it is", true},
		"cmd below wt, names":          {[]string{"wt", "cmd", "/k", "cd", "/d", "{project}"}, "{project} stands as it is", true},
		"wsl":                          {[]string{"wsl.exe", "bash", "-c", "{command}"}, "read by wsl before bash", true},
		"wsl, no shell":                {[]string{"wsl.exe", "{command}"}, "read by wsl", true},
		"wsl below cmd":                {[]string{"cmd", "/c", "start", "wsl", "{command}"}, "read by wsl", true},
	} {
		r := Request{Helper: "/h/vocl-new", Job: "0123abcd", Project: "/p/a b&it's `x`", Template: c.template}
		system := posix
		if c.windows {
			r.Helper, r.Project, system = `C:\h\vocl-new.exe`, `C:\p\a b&it's`, cmdExe
		}
		_, err := fill(r, system)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		r.Project = strings.ReplaceAll(strings.ReplaceAll(r.Project, " b&it's", ""), " `x`", "")
		if _, err := fill(r, system); err != nil {
			t.Errorf("%s: refused for a plain name: %v", name, err)
		}
	}
}

// The shell is the one that was told to read the text, not one that is only named.
func TestReadBy(t *testing.T) {
	for name, c := range map[string]struct {
		template []string
		want     shell
	}{
		"a title":             {[]string{"xterm", "-T", "cmd", "-e", "{command}"}, posix},
		"a profile":           {[]string{"konsole", "--profile", "fish", "-e", "{command}"}, posix},
		"options apart":       {[]string{"fish", "-l", "-c", "{command}"}, fish},
		"options together":    {[]string{"fish", "-lc", "{command}"}, fish},
		"a long option":       {[]string{"fish", "--command", "{command}"}, fish},
		"behind the text":     {[]string{"fish", "-c", "sh -c $argv[1]", "{command}"}, posix},
		"AppleScript's data":  {[]string{"osascript", "-e", "on run argv", "-e", "do script item 1 of argv", "-e", "end run", "{command}"}, posix},
		"AppleScript":         {[]string{"osascript", "-e", `do script "{command}"`}, appleText},
		"cmd":                 {[]string{"CMD.EXE", "/D", "/K", "{command}"}, cmdExe},
		"cmd, flags together": {[]string{"cmd", "/s/c", "title", "x", "&", "{command}"}, cmdExe},
		"cmd, no text":        {[]string{"cmd", "{command}"}, posix},
		"PowerShell":          {[]string{"pwsh", "-NoProfile", "-c", "{command}"}, powerShell},
		"PowerShell, values":  {[]string{"powershell", "-ExecutionPolicy", "Bypass", "-Command", "{command}"}, powerShell},
		"PowerShell, bare":    {[]string{"powershell", "-NoExit", "{command}"}, powerShell},
		"PowerShell, a file":  {[]string{"powershell", "-File", "x.ps1", "{command}"}, posix},
	} {
		if got := readBy(c.template, len(c.template)-1, posix); got.shell != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What is handed to AppleScript as data gets no escapes of AppleScript's: they would end the shell's quotes.
func TestFillAppleData(t *testing.T) {
	r := Request{Helper: "/h", Job: "j", Project: "/p/it's; touch pwned", Template: []string{"osascript", "-e", "on run argv", "-e", "end run", "{command}"}}
	got, err := fill(r, posix)
	if want := commandText(r, posix); err != nil || got[5] != want {
		t.Errorf("%q %v, want %q", got, err, want)
	}
}
