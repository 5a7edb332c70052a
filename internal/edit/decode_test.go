package edit

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecode(t *testing.T) {
	got, err := JSON.Decode([]byte("\xef\xbb\xbf{\"a\": 1, \"a\": [true], \"b\": {\"c\": null}}"))
	if d := cmp.Diff(map[string]any{"a": []any{true}, "b": map[string]any{"c": nil}}, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	for _, doc := range []string{"", " \n"} {
		if got, err := JSON.Decode([]byte(doc)); len(got) != 0 || err != nil {
			t.Errorf("%q: %v, %v", doc, got, err)
		}
	}
	const comment = "{ // x\n \"a\": 1}"
	var refusal *Refusal
	if _, err := JSON.Decode([]byte(comment)); !errors.As(err, &refusal) || refusal.Line != 1 {
		t.Errorf("a comment: %v", err)
	}
	if got, err := JSONComments.Decode([]byte(comment)); err != nil || got["a"] != 1.0 {
		t.Errorf("a comment where they are allowed: %v, %v", got, err)
	}
}

func TestDecodeTOML(t *testing.T) {
	got, err := DecodeTOML([]byte("\xef\xbb\xbfa = 1\n[p.\"/x y\"]\nt = \"v\"\n[[l]]\nn = true\n"))
	want := map[string]any{
		"a": int64(1), "p": map[string]any{"/x y": map[string]any{"t": "v"}}, "l": []any{map[string]any{"n": true}},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	var refusal *Refusal
	if _, err := DecodeTOML([]byte("a = 1\na = 2\n")); !errors.As(err, &refusal) || refusal.Line != 2 {
		t.Errorf("a key given twice: %v", err)
	}
	if _, err := DecodeTOML([]byte("a = 1" + strings.Repeat("\n", maxTOML))); err == nil || errors.As(err, &refusal) {
		t.Errorf("a document that is too big: %v", err)
	}
}
