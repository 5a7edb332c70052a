package settings

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vexyart/vomgr/internal/edit"
)

func TestParseWords(t *testing.T) {
	for _, c := range []struct {
		key   string
		words []string
		want  any // nil: refused
	}{
		{"kill_old_sessions", []string{"true"}, true},
		{"kill_old_sessions", []string{"yes"}, "yes"},
		{"limits.max_hours", []string{"1_000"}, 1000},
		{"limits.max_hours", []string{"010"}, 10},
		{"limits.max_hours", []string{"1.5"}, "1.5"},
		{"limits.stop_when_done", []string{"false"}, false},
		{"limits.stop_when_done", []string{"auto"}, "auto"},
		{"limits.until", []string{"07:00"}, "07:00"},
		{"limits.until", []string{`""`}, ""},
		{"scope.mode", []string{`'only'`}, "only"},
		{"notifications.message", []string{"true"}, "true"},
		{"notifications.message", []string{`"a" b`}, `"a" b`},
		{"notifications.message", []string{`"a\tb"`}, "a\tb"},
		{"notifications.message", []string{"\"a\"\nx = \"b\""}, "\"a\"\nx = \"b\""},
		{"notifications.message", []string{`'a' # no comment`}, `'a' # no comment`},
		{"notifications.message", []string{""}, ""},
		{"notifications.message", []string{"two", "words"}, nil},
		{"limits.max_hours", []string{}, nil},
		{"scope.folders", []string{"~/src"}, []string{"~/src"}},
		{"scope.folders", []string{`["~/src", '/a b']`}, []string{"~/src", "/a b"}},
		{"scope.folders", []string{"[]"}, []string{}},
		{"scope.folders", []string{"[1]"}, nil},
		{"scope.folders", []string{"[a]"}, nil},
		{"scope.folders", []string{`["a"] # b`}, nil},
		{"commands.codex", []string{"codex", "[x]", "-m"}, []string{"codex", "[x]", "-m"}},
	} {
		got, err := ParseWords(c.key, c.words)
		if diff := cmp.Diff(c.want, got); diff != "" || (err == nil) != (c.want != nil) {
			t.Errorf("%s %q: %v\n%s", c.key, c.words, err, diff)
		}
	}
}

// Law: what Literal writes of a text or a list, ParseWords reads back.
func TestLiteralIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if got, err := ParseWords("notifications.message", []string{edit.Literal(text)}); err != nil || got != text {
			t.Fatalf("%q became %q (%v)", text, got, err)
		}
		list := rapid.SliceOf(rapid.String()).Draw(t, "list")
		got, err := ParseWords("scope.folders", []string{edit.Literal(list)})
		if back, ok := got.([]string); !ok || !slices.Equal(back, list) {
			t.Fatalf("%q became %q (%v)", list, got, err)
		}
	})
}

func TestFindKey(t *testing.T) {
	for key, want := range map[string]struct {
		found       string
		below, near []string
		bad         bool
	}{
		"limits.max_hours":       {found: "limits.max_hours"},
		`"limits" . 'max_hours'`: {found: "limits.max_hours"},
		"limits.max_hour":        {near: []string{"limits.max_hours"}},
		"max_hours":              {near: []string{"limits.max_hours"}},
		"until":                  {near: []string{"limits.until"}},
		"target":                 {near: []string{"continuations.claude.target", "continuations.codex.target", "continuations.gemini.target"}},
		"nothing.like.it":        {},
		"limits.max_hours.x":     {},
		"terminals.defaults":     {below: []string{"terminals.defaults.linux", "terminals.defaults.darwin", "terminals.defaults.windows"}},
		"":                       {bad: true},
		"a = 1\nb":               {bad: true},
		"[limits]":               {bad: true},
	} {
		got, err := FindKey(key)
		var wrong *KeyError
		isKey := errors.As(err, &wrong)
		if want.bad != (err != nil && !isKey) || got != want.found {
			t.Errorf("%q: %q, %v", key, got, err)
			continue
		}
		if isKey && (!slices.Equal(wrong.Near, want.near) || !slices.Equal(wrong.Below, want.below)) {
			t.Errorf("%q: %+v", key, wrong)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"until", "until", 0}, {"max_hour", "max_hours", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 2}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
