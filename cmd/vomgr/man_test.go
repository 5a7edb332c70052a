package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
)

// page runs a command line and gives what it prints.
func page(t *testing.T, args ...string) string {
	t.Helper()
	var out, complaints bytes.Buffer
	w := world.World{Args: append([]string{"vomgr"}, args...), Stdout: &out, Stderr: &complaints}
	if status := command(w); status != statusOK {
		t.Fatalf("vomgr %s: status %d, %s", strings.Join(args, " "), status, &complaints)
	}
	return out.String()
}

func TestManNamesEveryCommandAndFlag(t *testing.T) {
	text := page(t, "man", "1")
	for _, c := range newRoot(world.World{}).Commands() {
		heading := "\n.SS " + roff("vomgr "+c.Use) + "\n"
		if c.IsAvailableCommand() && c.Name() != "help" && !strings.Contains(text, heading) {
			t.Errorf("vomgr(1) has no section %q", heading)
		}
	}
	for _, want := range []string{`\fB\-\-for\fR \fIduration\fR`, "vomgr pause \\-\\-for 2h\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("vomgr(1) lacks %q", want)
		}
	}
}

func TestManShowsTheSettings(t *testing.T) {
	text := page(t, "man", "5")
	for line := range strings.Lines(string(settings.Default)) {
		if !strings.Contains(text, "\n"+roff(strings.TrimPrefix(strings.TrimRight(line, "\n"), "  "))+"\n") {
			t.Errorf("vomgr-settings(5) lacks the line %q", line)
		}
	}
}

// The requests that the pages use; anything else at the beginning of a line would be text taken for one.
var request = regexp.MustCompile(`^\.(TH|SH|SS|TP|P|nf|fi|RS|RE|B|I|BR|IR)( |$)`)

func TestManHasNoStrayRequest(t *testing.T) {
	for _, section := range []string{"1", "5"} {
		for line := range strings.Lines(page(t, "man", section)) {
			line = strings.TrimRight(line, "\n")
			if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !request.MatchString(line) {
				t.Errorf("section %s: %q would be taken for a request", section, line)
			}
		}
	}
}

func TestRoffIsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`[.'\\a\-~^"]{0,8}`).Draw(t, "line")
		got := roff(line)
		if strings.HasPrefix(got, ".") || strings.HasPrefix(got, "'") {
			t.Fatalf("roff(%q) = %q begins a request", line, got)
		}
		back := strings.NewReplacer(`\&`, ``, `\e`, `\`, `\-`, `-`, `\(ti`, `~`, `\(ha`, `^`, "\\`", "`", `\(aq`, `'`, `\(dq`, `"`).Replace(got)
		if back != line {
			t.Fatalf("roff(%q) = %q reads as %q", line, got, back)
		}
	})
}

func TestCompletion(t *testing.T) {
	for shell, mark := range map[string]string{
		"bash": "__start_vomgr", "zsh": "#compdef vomgr", "fish": "complete -c vomgr", "powershell": "Register-ArgumentCompleter",
	} {
		if !strings.Contains(page(t, "completion", shell), mark) {
			t.Errorf("the %s script lacks %q", shell, mark)
		}
	}
}

func TestCompletionOfTools(t *testing.T) {
	if got, want := page(t, "__complete", "run", ""), "claude\ncodex\ngemini\n:4\n"; got != want {
		t.Errorf("after vomgr run: %q, want %q", got, want)
	}
	if got, want := page(t, "__complete", "run", "claude", ""), ":4\n"; got != want {
		t.Errorf("after vomgr run claude: %q, want %q", got, want)
	}
	if got, want := page(t, "__complete", "enable", "codex", ""), "claude\ngemini\n:4\n"; got != want {
		t.Errorf("after vomgr enable codex: %q, want %q", got, want)
	}
}
