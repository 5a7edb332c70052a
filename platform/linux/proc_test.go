package linux

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseStat(t *testing.T) {
	tail := " S 11 22 33 34816 99 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2 3\n"
	for _, name := range []string{"claude", "a b", "x) R 1 1 1 (", "", "line\nbreak", "((("} {
		got, err := ParseStat([]byte("4711 (" + name + ")" + tail))
		want := Stat{Pid: 4711, Parent: 11, Group: 22, Session: 33, Name: name, State: 'S', Start: 987654}
		if err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("name %q: %v\n%s", name, err, cmp.Diff(want, got))
		}
	}
	for _, text := range []string{"", "4711", "4711 (x", "(x) S 1 1 1", "4711 (x) S 1 2 3", "x (x)" + tail, "1 (x) S a b c" + tail} {
		if s, err := ParseStat([]byte(text)); err == nil {
			t.Errorf("%q was read as %+v", text, s)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("1 (init) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 2 1 2 3\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, err := ParseStat(text); err == nil && s.State == 0 {
			t.Fatalf("%q: read without a state", text)
		}
	})
}
