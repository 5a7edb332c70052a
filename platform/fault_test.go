package platform

import (
	"runtime"
	"strings"
	"testing"
)

// What people write, and what they are told.
func TestTemplateFault(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the words of other systems")
	}
	for want, templates := range map[string][][]string{
		"": {
			nil, {"auto"}, {"kitty", "sh", "-c", "{command}"}, {"xterm", "-e", "{command}"}, {"/opt/my term/x", "{helper}", "{job}"}, {"{helper}", "{job}"},
			{"sh", "-c", "x=${HOME}; {command}"}, {"bash", "-lc", "{command}; exec bash"}, {"wezterm", "start", "--cwd", "{project}", "--", "{helper}", "{job}"},
			{"osascript", "-e", `tell application "Terminal" to do script "{command}"`},
		},
		"each word is a text of its own":       {{"xterm -e {helper} {job}"}, {"xterm -e", "{command}x"}},
		"the first text is a program":          {{"{command}"}, {"xterm -e {command}"}},
		"a relative path":                      {{"./xterm", "-e", "{command}"}, {"bin/xterm", "{command}"}},
		"~ stands for nothing":                 {{"~/bin/xterm", "{command}"}},
		`"auto" stands alone`:                  {{"Auto"}, {"auto", "{command}"}},
		"it names neither":                     {{"xterm"}, {"xterm", "-e", "{job}"}, {"sh", "-c", "cd {project}"}},
		"{commnad} is no placeholder":          {{"xterm", "-e", "{commnad}"}},
		"{command is no placeholder":           {{"xterm", "-e", "{command"}},
		"{Helper} is no placeholder":           {{"xterm", "{Helper}", "{job}"}},
		"between quotes":                       {{"xterm", "-e", "sh", "-c", "'{command}'"}},
		"behind the words of another command":  {{"sh", "-c", "xterm -e {command}"}},
		"{project} stands as it is in a comma": {{"sh", "-c", "cd {project} && {command}"}},
	} {
		for _, template := range templates {
			if got := TemplateFault(template); want == "" && got != "" || !strings.Contains(got, want) {
				t.Errorf("%q: %q, want %q", template, got, want)
			}
		}
	}
}
