package edit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const stopCommand = `"/opt/vomgr/vocl-go" "$CLAUDE_PROJECT_DIR"`

func isOurs(h Handler) bool { return strings.Contains(h.Command, "vocl-go") }

func stopHook() []Hook { return []Hook{{Event: "Stop", Handler: &Handler{Command: stopCommand}}} }

func noHook() []Hook { return []Hook{{Event: "Stop"}} }

func input(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "config", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Every accepted JSON input of testdata/config gives the expected bytes; doing it again changes nothing; taking it out
// gives the input back, but for the places that were empty before (the copy in edits/ is for those).
func TestHookCases(t *testing.T) {
	cases := map[string]string{ // what taking out leaves, if it is not the input
		"01-two-groups.json": "", "02-tabs-other-events.json": "", "03-four-no-hooks-no-eol.json": "",
		"04-crlf-empty-hooks.json": "{\r\n  \"theme\": \"dark\",\r\n  \"verbose\": false\r\n}\r\n",
		"05-bom-minified.json":     "", "07-dup-hooks-last-wins.json": "", "12-empty.json": "{}\n",
		"13-empty-object-no-eol.json": "", "15-bytes-to-keep.json": "",
	}
	for name, left := range cases {
		t.Run(name, func(t *testing.T) {
			in := input(t, name)
			out, err := JSON.SetHooks(in, stopHook(), isOurs)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(input(t, "expected/"+name)), string(out)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			again, err := JSON.SetHooks(out, stopHook(), isOurs)
			if err != nil || string(again) != string(out) {
				t.Errorf("again: %v\n%s", err, again)
			}
			if left == "" {
				left = string(in)
			}
			back, err := JSON.SetHooks(out, noHook(), isOurs)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(left, string(back)); diff != "" {
				t.Errorf("taken out (-want +got)\n%s", diff)
			}
		})
	}
}

func TestHookCasesAlreadyThere(t *testing.T) {
	in := input(t, "17-already-shared-group.json")
	out, err := JSON.SetHooks(in, stopHook(), isOurs)
	if err != nil || string(out) != string(in) {
		t.Errorf("changed: %v\n%s", err, out)
	}
	out, err = JSON.SetHooks(in, noHook(), isOurs)
	if err != nil {
		t.Fatal(err)
	}
	from := strings.Index(string(in), `,
          {
            "type": "command",
            "command": "\"/opt`)
	to := strings.Index(string(in), `,
          {
            "type": "command",
            "command": "log"`)
	if want := string(in[:from]) + string(in[to:]); string(out) != want {
		t.Errorf("taken out: %s", cmp.Diff(want, string(out)))
	}

	in = input(t, "18-already-old-path.json")
	out, err = JSON.SetHooks(in, stopHook(), isOurs)
	want := strings.Replace(string(in), "/opt/homebrew/Cellar/vomgr/0.9.0/bin/vocl-go", "/opt/vomgr/vocl-go", 1)
	if err != nil || string(out) != want {
		t.Errorf("old path: %v %s", err, cmp.Diff(want, string(out)))
	}
}

func TestHookRefusals(t *testing.T) {
	cases := []struct{ name, doc, want, remedy string }{
		{"08", string(input(t, "08-jsonc-comments.json")), "1:1: a comment, which json does not have", "remove the comment"},
		{"09", string(input(t, "09-trailing-comma.json")), "5:64: trailing comma", "remove that comma"},
		{"10", string(input(t, "10-hooks-is-list.json")), `2:12: "hooks" is a list where an object is expected`, "list per event"},
		{"11", string(input(t, "11-stop-is-object.json")), "3:13: hooks.Stop is an object where a list is expected", "list of objects"},
		{"20", string(input(t, "20-truncated-and-conflict.json")), "3:1: a merge conflict", "resolve"},
		{"truncated", `{"a": [1`, "1:9: the file ends in the middle", "restore"},
		{"more", "{}\n{}", "2:1: text after the end of the object", "remove"},
		{"list", " []", "1:2: a list where an object is expected", "{"},
		{"null", "null", "1:1: null where an object is expected", "{"},
		{"utf16", "\xff\xfe{\x00}\x00", "1:1: UTF-16 text", "UTF-8"},
		{"latin1", "{\"ä\": \"\xe4\"}", "1:8: a byte that is not UTF-8", "UTF-8"},
		{"single quotes", "{\n  'a': 1}", "2:3: invalid character '\\''", "syntax"},
		{"hooks null", `{"hooks": null}`, `1:11: "hooks" is null`, "object"},
		{"stop string", `{"hooks": {"Stop": "x"}}`, "1:20: hooks.Stop is a string", "list"},
		{"deep", strings.Repeat(`{"a":`, 20000), "max depth", "syntax"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, hooks := range [][]Hook{stopHook(), noHook()} {
				out, err := JSON.SetHooks([]byte(c.doc), hooks, isOurs)
				var r *Refusal
				if out != nil || !errors.As(err, &r) || !strings.Contains(err.Error(), c.want) || !strings.Contains(r.Remedy, c.remedy) {
					t.Errorf("%q, %v, %+v", out, err, r)
				}
			}
		})
	}
}

// Of names that stand twice only the last counts; if it went with ours, the earlier one would come to life.
func TestDroppingWakesNothing(t *testing.T) {
	const (
		theirs = `[{"hooks":[{"type":"command","command":"theirs"}]}]`
		mine   = `[{"hooks":[{"type":"command","command":"/x/vocl-go"}]}]`
	)
	for doc, want := range map[string]string{
		`{"hooks":{"Stop":` + theirs + `},"hooks":{"Stop":` + mine + `}}`: `{"hooks":{"Stop":` + theirs + `},"hooks":{}}`,
		`{"hooks":{"Stop":` + theirs + `,"Stop":` + mine + `}}`:           `{"hooks":{"Stop":` + theirs + `,"Stop":[]}}`,
	} {
		out, err := JSON.DropHooks([]byte(doc), nil, isOurs)
		if err != nil || string(out) != want {
			t.Errorf("%s, %v", out, err)
		}
		if found, err := JSON.Hooks(out); err != nil || len(found) > 0 {
			t.Errorf("alive: %v, %v", found, err)
		}
	}
}
