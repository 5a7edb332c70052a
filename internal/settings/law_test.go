package settings

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"
)

// Law: what is defined twice is found exactly where go-toml's own decoder finds it.
func TestTwiceAsGoTOMLSees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.Custom(func(t *rapid.T) string {
			parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", `"a"`, "c"}), 1, 3).Draw(t, "parts")
			return strings.Join(parts, ".")
		})
		line := rapid.Custom(func(t *rapid.T) string {
			k := key.Draw(t, "key")
			switch rapid.IntRange(0, 4).Draw(t, "form") {
			case 0:
				return "[" + k + "]"
			case 1:
				return "[[" + k + "]]"
			case 2:
				return k + " = { " + key.Draw(t, "in") + " = 1, " + key.Draw(t, "in") + " = { b = 1 } }"
			default:
				return k + " = 1"
			}
		})
		doc := strings.Join(rapid.SliceOfN(line, 1, 6).Draw(t, "lines"), "\n")
		_, _, err := Parse([]byte(doc))
		var any map[string]any
		if want := toml.Unmarshal([]byte(doc), &any); (err == nil) != (want == nil) {
			t.Fatalf("%s\nwe: %v\ngo-toml: %v", doc, err, want)
		}
	})
}

// Law: a wrong value put in place of any value of the fresh file is refused, on its own line.
func TestEveryWrongTypeNamesItsLine(t *testing.T) {
	lines := strings.Split(string(Default), "\n")
	table, tried := "", 0
	for i, l := range lines {
		if strings.HasPrefix(l, "[") {
			table = strings.Trim(l, "[]") + "."
		}
		key, value, ok := strings.Cut(l, " = ")
		if !ok || strings.HasPrefix(l, "#") || strings.HasPrefix(value, `"""`) {
			continue
		}
		tried++
		for _, wrong := range []string{"1.5", "1979-05-27", "[[]]", "[1]", "{}", "{ a = 1 }", "nan", "-1"} {
			doc := append([]string{}, lines...)
			doc[i] = key + " = " + wrong
			_, _, err := Parse([]byte(strings.Join(doc, "\n")))
			var at *Error
			if !errors.As(err, &at) || at.Line != i+1 || at.Col < len(key)-1 && at.Col != 1 || at.Key != strings.TrimSuffix(table, ".")+dot(table)+key {
				t.Errorf("line %d, %q: %v", i+1, doc[i], err)
			}
		}
	}
	if tried < 20 {
		t.Errorf("only %d keys tried", tried)
	}
}

func dot(table string) string {
	if table == "" {
		return ""
	}
	return "."
}

// FuzzParse: no input panics; an error stands on a line the file has; what is accepted stays accepted with a byte order mark.
func FuzzParse(f *testing.F) {
	f.Add(Default)
	f.Add([]byte("[a.b]\nc = { d = [1, { e = 2 }] }\n[[f]]\n"))
	f.Add([]byte("limits = { until = '07:00' } # x\r\nprompts.claude = '''\r\na'''"))
	for i := 0; i < len(Default); i += 97 {
		f.Add(append(bytes.Clone(Default[:i]), Default[i+1:]...))
		f.Add(Default[:i])
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		before := bytes.Clone(doc)
		s, unknown, err := Parse(doc)
		if !bytes.Equal(before, doc) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			wantPlace(t, doc, err)
		} else if s.Scope.Mode == "" || s.Limits.MaxHours < 0 || s.Limits.StopWhenDone == "" {
			t.Fatalf("not possible: %+v", s)
		}
		for _, u := range unknown {
			wantPlace(t, doc, &Error{Line: u.Line, Col: 1, Key: u.Key})
		}
		if bytes.HasPrefix(doc, []byte("\xef\xbb\xbf")) {
			return
		}
		if _, _, again := Parse(append([]byte("\xef\xbb\xbf"), doc...)); (again == nil) != (err == nil) {
			t.Fatalf("with a byte order mark: %v, without: %v", again, err)
		}
	})
}

// Nesting is refused before it costs anything.
func TestDepth(t *testing.T) {
	const n = 9000
	for _, doc := range []string{
		strings.Repeat("a={", n) + strings.Repeat("}", n),
		"a" + strings.Repeat(".a", n) + " = 1",
		"[a" + strings.Repeat(".a", n) + "]",
		"a = " + strings.Repeat("[", 2*n) + strings.Repeat("]", 2*n),
	} {
		if _, _, err := Parse([]byte(doc)); err == nil || !strings.Contains(err.Error(), "nested") {
			t.Errorf("%.20q…: %v", doc, err)
		}
	}
}

// wantPlace checks that err stands on a line that doc has.
func wantPlace(t *testing.T, doc []byte, err error) {
	t.Helper()
	var at *Error
	lines := 1 + bytes.Count(doc, []byte("\n"))
	if !errors.As(err, &at) || at.Line < 1 || at.Line > lines || at.Col < 1 {
		t.Fatalf("%v: the file has %d lines", err, lines)
	}
}

func BenchmarkParseFresh(b *testing.B) {
	for b.Loop() {
		if _, _, err := Parse(Default); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseManyTables(b *testing.B) {
	doc := []byte(strings.Repeat("[[x]]\ny.z = 1\n", 20000))
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, _, err := Parse(doc); err != nil {
			b.Fatal(err)
		}
	}
}
