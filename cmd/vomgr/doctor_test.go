package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/doctor"
)

var diagnosis = doctor.Report{
	Checks: []doctor.Check{
		{ID: "vomgr.path", Level: doctor.OK, Message: "/opt/homebrew/bin/vomgr"},
		{ID: "project.todo", Level: doctor.Info, Message: "TODO.md has 12 open items; {todo} shows the first 5"},
		{ID: "claude.autocontinue", Level: doctor.Warning, Message: "a claude window left open goes on by itself when its usage limit resets, beside codex", Remedy: `start nights with vomgr night, or set "autoContinueAtUsageLimit": false in ~/.claude/settings.json`},
		{ID: "gemini.consent", Level: doctor.Skipped, Message: "gemini takes no part"},
		{ID: "claude.trust", Level: doctor.Error, Message: "claude asks \"is this a project you trust?\" in ~/src/\x1b[31mapi and waits for a key", Remedy: "cd ~/src/api && claude, answer once"},
		{ID: "scope", Level: doctor.OK, Message: "hand-overs may happen in ~/src/api"},
	},
	Step: "working", Verdict: "tonight's chain would stop at: working. claude would be started and wait for an answer of yours",
}

func shownAs(t *testing.T, show func(out *strings.Builder)) string {
	t.Helper()
	var out strings.Builder
	show(&out)
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	return out.String()
}

func TestDiagnosis(t *testing.T) {
	const want = `RESULT   CHECK                MESSAGE
error    claude.trust         claude asks "is this a project you trust?" in
                              ~/src/\x1b[31mapi and waits for a key
                              -> cd ~/src/api && claude, answer once
warning  claude.autocontinue  a claude window left open goes on by itself when
                              its usage limit resets, beside codex
                              -> start nights with vomgr night, or set
                                 "autoContinueAtUsageLimit": false in
                                 ~/.claude/settings.json
info     project.todo         TODO.md has 12 open items; {todo} shows the first
                              5

2 more checks are ok (vomgr doctor --all)

tonight's chain would stop at: working. claude would be started and wait for an
answer of yours. 1 error, 1 warning
`
	got := shownAs(t, func(out *strings.Builder) { showDiagnosis(out, diagnosis, false) })
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	all := shownAs(t, func(out *strings.Builder) { showDiagnosis(out, diagnosis, true) })
	for _, part := range []string{"\nskipped  gemini.consent       gemini takes no part\n", "\nok       scope                hand-overs may happen in ~/src/api\n"} {
		if !strings.Contains(all, part) {
			t.Errorf("--all has no %q:\n%s", part, all)
		}
	}
	if strings.Contains(all, "--all") {
		t.Errorf("--all points to itself:\n%s", all)
	}
}

func TestDiagnosisOfNothing(t *testing.T) {
	well := doctor.Report{Checks: diagnosis.Checks[:1], Verdict: "tonight's chain would run: claude, codex, claude, ..."}
	const want = "1 check is ok (vomgr doctor --all)\n\ntonight's chain would run: claude, codex, claude, ...\n"
	if d := cmp.Diff(want, shownAs(t, func(out *strings.Builder) { showDiagnosis(out, well, false) })); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	well.Checks = diagnosis.Checks[:3]
	if got := tally(well); got != "; 1 warning" {
		t.Errorf("tally %q", got)
	}
}

func TestHang(t *testing.T) {
	word := strings.Repeat("x", 90)
	for _, c := range []struct{ lead, text, want string }{
		{"a  ", "", "a\n"},
		{"a  ", "b   c\n", "a  b c\n"},
		{"a  ", word + " b", "a  " + word + "\n   b\n"},
		{"", strings.Repeat("y", 80) + " z", strings.Repeat("y", 80) + "\nz\n"},
		{strings.Repeat("p", 90) + "  ", "b", strings.Repeat("p", 90) + "  b\n"},
	} {
		if got := hang(c.lead, c.text); got != c.want {
			t.Errorf("hang(%q, %q) = %q, want %q", c.lead, c.text, got, c.want)
		}
	}
}
