package settings

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/edit"
)

// leaves counts the fields in which settings.toml can store something.
func leaves(v reflect.Type) int {
	if v.Kind() != reflect.Struct {
		return 1
	}
	n := 0
	for i := range v.NumField() {
		if f := v.Field(i); f.IsExported() {
			n += leaves(f.Type)
		}
	}
	return n
}

// Keys names each field of Settings once, as find does.
func TestKeysAreAll(t *testing.T) {
	s := fresh()
	met := map[any]string{}
	for _, key := range Keys() {
		path := strings.Split(key, ".")
		dst, n := s.find(path)
		if dst == nil || n != len(path) {
			t.Errorf("%s is no key", key)
		}
		if c, ok := dst.(choice); ok {
			dst = reflect.ValueOf(c.words).Pointer()
		}
		if c, ok := dst.(clock); ok {
			dst = c.dst
		}
		if met[dst] != "" {
			t.Errorf("%s and %s are the same", key, met[dst])
		}
		met[dst] = key
	}
	if want := leaves(reflect.TypeFor[Settings]()); len(Keys()) != want {
		t.Errorf("%d keys for %d fields", len(Keys()), want)
	}
}

// Law: what is set counts, with its line; what is unset again has its default; nothing else changes on the way.
func TestSetListUnset(t *testing.T) {
	for _, key := range Keys() {
		values, err := Values(Default, true)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(values, func(v Value) bool { return v.Key == key })
		var fresh any
		switch old := values[i].Value.(type) {
		case bool:
			fresh = !old
		case int:
			fresh = old + 1
		case []string:
			fresh = []string{"a", "b c"}
		case string:
			fresh = "other \"text\"\nof two lines"
			if words := Choices(key); len(words) > 0 {
				fresh = words[len(words)-1]
			} else if key == "limits.until" {
				fresh = "07:00"
			}
			if key == "limits.stop_when_done" {
				fresh = false
			}
		}
		doc, err := Set(Default, key, fresh)
		if err != nil {
			t.Fatal(key, err)
		}
		got, err := Values(doc, true)
		if err != nil {
			t.Fatal(key, err)
		}
		want := values[i]
		want.Value, want.Source, want.Line = fresh, FromFile, got[i].Line
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Errorf("%s\n%s", key, diff)
		}
		if line := strings.Split(string(doc), "\n")[got[i].Line-1]; !strings.HasPrefix(strings.TrimSpace(line), key[strings.LastIndexByte(key, '.')+1:]) {
			t.Errorf("%s: line %d is %q", key, got[i].Line, line)
		}
		doc, err = Unset(doc, key)
		if err != nil {
			t.Fatal(key, err)
		}
		got, err = Values(doc, true)
		want.Value, want.Source, want.Line = want.Default, FromDefault, 0
		if err != nil || cmp.Diff(want, got[i]) != "" {
			t.Errorf("%s: %v\n%s", key, err, cmp.Diff(want, got[i]))
		}
		for j, v := range got {
			if j != i && !reflect.DeepEqual(v.Value, values[j].Value) {
				t.Errorf("%s: %s became %v", key, v.Key, v.Value)
			}
		}
	}
}

// Without a file what the fresh one says counts, and nothing is said to stand in a file.
func TestValuesWithoutFile(t *testing.T) {
	got, err := Values(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Values(Default, true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		want[i].Source, want[i].Line = FromDefault, 0
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Every spelling of a key is found, with its own line.
func TestValuesLines(t *testing.T) {
	doc := "\xef\xbb\xbfcontinuations = { claude = { enabled = false }, codex.target = 'gemini' }\r\n" +
		"limits.\"max_hours\" = 3\r\n[limits.x]\r\nmax_hours = 4\r\n[terminals]\r\nkeep_open = true\r\n"
	got, err := Values([]byte(doc), true)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for _, v := range got {
		if v.Source == FromFile {
			lines[v.Key] = v.Line
		}
	}
	want := map[string]int{"continuations.claude.enabled": 1, "continuations.codex.target": 1, "limits.max_hours": 2, "terminals.keep_open": 6}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

// Choices are exactly the words that Parse accepts, and those of a type's two.
func TestChoices(t *testing.T) {
	some := 0
	for _, key := range Keys() {
		for _, word := range Choices(key) {
			some++
			v, err := ParseWords(key, []string{word})
			if err != nil {
				t.Fatal(key, err)
			}
			doc, err := Set(nil, key, v)
			if err == nil {
				_, _, err = Parse(doc)
			}
			if err != nil {
				t.Errorf("%s = %s: %v", key, edit.Literal(v), err)
			}
		}
	}
	if some < 30 || Choices("limits.max_hours") != nil || Choices("nonsense") != nil {
		t.Errorf("%d words", some)
	}
}
