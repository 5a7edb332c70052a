package edit

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseKey(t *testing.T) {
	for key, want := range map[string][]string{
		"a": {"a"}, "a.b": {"a", "b"}, ` a . "b.c" `: {"a", "b.c"}, "1.2": {"1", "2"}, `''`: {""},
		"": nil, ".": nil, "a.": nil, "a = 1\nb": nil, "[a]": nil, "a b": nil, "# a": nil, "a = 0 #": nil, "\xff": nil,
	} {
		got, err := ParseKey(key)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %q, %v", key, got, err)
		}
	}
}

func TestParseValue(t *testing.T) {
	for text, want := range map[string]any{
		"true": true, "3": int64(3), `"a\tb"`: "a\tb", "'a'": "a",
		"": nil, "a": nil, "1 # one": nil, "1\nb = 2": nil, "[1": nil, " ": nil, "1 ": nil,
	} {
		got, ok := ParseValue(text)
		if got != want || ok != (want != nil) {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
}

// Law: Literal is one line, and ParseValue reads it back.
func TestLiteral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		line := Literal(text)
		if got, ok := ParseValue(line); !ok || got != text || strings.ContainsAny(line, "\r\n") {
			t.Fatalf("%q is written %s, and read %q", text, line, got)
		}
	})
	for want, value := range map[string]any{"true": true, "7": 7, `["a", "\"b\""]`: []string{"a", `"b"`}, "[]": []string{}} {
		if got := Literal(value); got != want {
			t.Errorf("%v: %s", value, got)
		}
	}
}

// Law: of any list, in any spelling, taking one element out leaves the others, and every byte outside the list.
func TestRemoveElementLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gap := rapid.SampledFrom([]string{"", " ", "\n", "\n  ", " # c, ]\n", "\n# 'd'\n\t"})
		n := rapid.IntRange(1, 4).Draw(t, "n")
		var list []string
		text := "[" + gap.Draw(t, "gap")
		for i := range n {
			list = append(list, string(rune('a'+i)))
			text += "'" + list[i] + "'" + gap.Draw(t, "gap")
			if i < n-1 || rapid.Bool().Draw(t, "comma") {
				text += "," + gap.Draw(t, "gap")
			}
		}
		const before, after = "x = 1\n[t]\nl = ", "]\ny = 2\n"
		i := rapid.IntRange(0, n-1).Draw(t, "i")
		out, err := RemoveElement([]byte(before+text+after), []string{"t", "l"}, i)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, _, err := Strings(out, "t", "l")
		if err != nil || !slices.Equal(got, slices.Delete(slices.Clone(list), i, i+1)) {
			t.Fatalf("%s without %d is %s (%v)", text, i, out, err)
		}
		if !strings.HasPrefix(string(out), before) || !strings.HasSuffix(string(out), after[1:]) {
			t.Fatalf("%s: what stands around it changed: %s", text, out)
		}
	})
}
