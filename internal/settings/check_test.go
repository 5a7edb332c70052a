package settings

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Every fault is listed with its own line; below a table that is refused nothing is, and a fault of the syntax is the last.
func TestCheck(t *testing.T) {
	doc := `kill_old_sessions = 1
what = 2
[limits]
max_hours = "x"
max_quick = 3
max_quick = 4
[limits]
max_hours = 5
[scope.mode]
x = 1
[prompts]
claude = ["a"]
[continuations]
codex = { enabled = 0, target = "claude" }
[never
`
	faults, unknown := Check([]byte(doc))
	type line struct {
		Line int
		Key  string
	}
	var got []line
	for _, e := range faults {
		got = append(got, line{e.Line, e.Key})
	}
	want := []line{{1, "kill_old_sessions"}, {4, "limits.max_hours"}, {6, "limits.max_quick"}, {7, "limits"}, {9, "scope.mode"}, {12, "prompts.claude"}, {14, "continuations.codex.enabled"}, {15, ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Unknown{{Key: "what", Line: 2}}, unknown); diff != "" {
		t.Error(diff)
	}
}

// Law: Check finds something exactly where Parse does, its first fault is Parse's, and the unknown keys are the same.
func TestCheckAsParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{
			"[limits]", "[scope]", "[[scope]]", "[what]", "[limits.until]", "max_hours = 3", "max_hours = 'x'", "mode = \"only\"", "mode = 1",
			"what = 1", "limits = 1", "limits = { max_hours = 1, max_quick = 'x' }", "limits.max_hours = 2", "a.b = [", "]", "# no", "", "= 1",
			"prompts.claude = \"\"\"", "\"\"\"", "kill_old_sessions = false", "kill_old_sessions = {}",
		})
		doc := ""
		for _, l := range rapid.SliceOfN(line, 0, 8).Draw(t, "lines") {
			doc += l + "\n"
		}
		_, unknown, err := Parse([]byte(doc))
		faults, also := Check([]byte(doc))
		var at *Error
		switch {
		case err == nil && len(faults) > 0:
			t.Fatalf("%s\nParse reads it, Check says %v", doc, faults[0])
		case err == nil:
			if diff := cmp.Diff(unknown, also); diff != "" {
				t.Fatal(diff)
			}
		case !errors.As(err, &at) || len(faults) == 0 || *at != *faults[0]:
			t.Fatalf("%s\nParse says %v, Check %v", doc, err, faults)
		}
	})
}
