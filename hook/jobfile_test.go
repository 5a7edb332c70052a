package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestJobFileForm is the form of the documentation, letter by letter.
func TestJobFileForm(t *testing.T) {
	got, err := JobFile{
		Command: []string{"…/bin/codex", "<a href=\"x\">&amp;\u2028\n"}, Cwd: "…/proj", Env: [][2]string{{"B", ""}, {"A", "1"}},
	}.Marshal()
	want := `{
  "command": [
    "…/bin/codex",
    "<a href=\"x\">&amp;\u2028\n"
  ],
  "cwd": "…/proj",
  "env": {
    "B": "",
    "A": "1"
  }
}`
	if string(got) != want || err != nil {
		t.Errorf("%s\n%v", got, err)
	}
}

// TestJobFileRoundTrip: what is written is JSON, and what is read is what was written, variables in their order.
func TestJobFileRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "job.json")
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "\x00", "\"", "\\", "<>&", "\u2028", "a\nb", "ü🚀"}))
	rapid.Check(t, func(t *rapid.T) {
		want := JobFile{
			Command: rapid.SliceOfN(text, 1, 5).Draw(t, "command"),
			Cwd:     "/" + text.Draw(t, "cwd"),
		}
		want.Command[0] = "x" + want.Command[0]
		for _, key := range rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Z_.#@*]{1,8}`), 1, 8, rapid.ID).Draw(t, "keys") {
			want.Env = append(want.Env, [2]string{key, text.Draw(t, "value")})
		}
		if err := want.Write(path); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil || !json.Valid(data) || !utf8.Valid(data) {
			t.Fatalf("%s %v", data, err)
		}
		got, err := ReadJobFile(path)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatal(diff, err)
		}
	})
	if fi, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
		t.Error(fi.Mode(), err)
	}
}

func TestReadJobFileRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "job.json")
	for content, want := range map[string]string{
		"":                                      "not JSON",
		"{":                                     "not JSON",
		"[]":                                    "command and cwd are wanted",
		"{}":                                    "command and cwd are wanted",
		`{"command":[],"cwd":"/"}`:              "command and cwd are wanted",
		`{"command":[""],"cwd":"/"}`:            "command and cwd are wanted",
		`{"command":["x"],"cwd":""}`:            "command and cwd are wanted",
		`{"command":["x"],"cwd":1}`:             "command and cwd are wanted",
		`{"command":"x","cwd":"/"}`:             "command: want an array of strings",
		`{"command":{"0":"x"},"cwd":"/"}`:       "command: want an array of strings",
		`{"command":["x",null],"cwd":"/"}`:      "command: want an array of strings",
		`{"command":["x"],"cwd":"/","env":[]}`:  "env: want an object of strings",
		`{"command":["x"],"cwd":"/","env":"A"}`: "env: want an object of strings",
		`{"command":["x"],"cwd":"/","env":{"A":true}}`:            "env: want an object of strings",
		`{"command":["` + strings.Repeat("x", maxJobFile) + `"]}`: "more than",
	} {
		write(t, path, content)
		if _, err := ReadJobFile(path); err == nil || !strings.Contains(err.Error(), path+": "+want) {
			t.Errorf("%.60s: %v", content, err)
		}
	}
}
