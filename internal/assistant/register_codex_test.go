package assistant

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/vexyart/vomgr/internal/edit"
)

// The rows of the section Codex: each document, and what notify is afterwards.
func TestCodexNotify(t *testing.T) {
	hook := codexReg.Hook
	sky := `"/Sky App/SkyComputerUseClient", "turn-ended"`
	for name, c := range map[string]struct {
		doc  string
		want []string
		back bool
	}{
		"46 code-notify#32 before the first table":   {"[features]\nx = true\n", []string{hook}, true},
		"47 openai/codex#9152 root only":             {"[tui]\nnotify = \"x\"\n", []string{hook}, true},
		"49 Arize-ai#101 chained, not appended":      {"notify = [\"/x\", \"turn-ended\"]\n", []string{hook, "--then", "/x", "turn-ended"}, true},
		"50 OMX#16 always a list":                    {"model = 'm'\n", []string{hook}, true},
		"51 OMX#825 lists of several lines":          {testdata(t, "23-foreign-notify-multiline.toml"), []string{hook, "--then", "/Applications/Helper.app/Contents/MacOS/helper", "turn-ended"}, true},
		"another path":                               {"notify = [\"/old/voco-go\"] # c\n", []string{hook}, false},
		"the Python one":                             {"notify = [\"~/.codex/voco-go.py\"]\n", []string{hook}, false},
		"the Python one with interpreter":            {"notify = ['python3', '/h/.codex/voco-go.py']\n", []string{hook}, false},
		"by words":                                   {"notify = ['/bin/vomgr', 'hook', 'stop', 'codex']\n", []string{hook}, false},
		"with arguments of another form":             {"notify = [\"/opt/vomgr/voco-go\", \"codex\"]\n", []string{hook}, false},
		"chained, another path":                      {"notify = ['/old/voco-go', '--then', 'ding'] # c\n", []string{hook, "--then", "ding"}, false},
		"chained twice":                              {"notify = ['/old/voco-go', '--then', '/opt/vomgr/voco-go', \"--then\", 'ding', '-x']\n", []string{hook, "--then", "ding", "-x"}, false},
		"chained to nothing":                         {"notify = ['/old/voco-go', '--then']\n", []string{hook}, false},
		"a circle is broken":                         {"notify = ['/opt/vomgr/voco-go', '--then', 'a', '--previous-notify', '[\"/opt/vomgr/voco-go\"]']\n", []string{"a", "--previous-notify", `["/opt/vomgr/voco-go"]`}, false},
		"a desktop app that knows nothing of us":     {"notify = [" + sky + "]\n", []string{hook, "--then", "/Sky App/SkyComputerUseClient", "turn-ended"}, true},
		"an empty list, its comment stays":           {testdata(t, "26-empty-array-quoted-key.toml"), []string{hook}, false},
		"vomgr by words behind a foreign one's JSON": {"notify = ['x', '[\"/b/vomgr\",\"hook\",\"stop\",\"codex\"]']\n", []string{"x", `["/b/vomgr","hook","stop","codex"]`}, true},
		"vomgr for claude behind a foreign one's":    {"notify = ['x', '/b/vomgr', 'hook', 'stop', 'claude']\n", []string{hook, "--then", "x", "/b/vomgr", "hook", "stop", "claude"}, true},
		"a program whose name only begins like ours": {"notify = ['/x/voco-gone', 'voco-go.sh']\n", []string{hook, "--then", "/x/voco-gone", "voco-go.sh"}, true},
		"the Python one behind a foreign one's JSON": {"notify = ['x', '{\"next\": [\"y\", \"/h/voco-go.py\"]}']\n", []string{"x", `{"next": ["y", "/h/voco-go.py"]}`}, true},
	} {
		t.Run(name, func(t *testing.T) {
			out := registered(t, codexToml(t), c.doc, codexReg, c.back)
			got, _, err := edit.Strings([]byte(out), "notify")
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%q, %v in %s", got, err, out)
			}
		})
	}
}

// OMX#2254: what contains us already is never chained, at any depth, in whatever form another program keeps the former one.
func TestWrappedAtAnyDepth(t *testing.T) {
	for form, inner := range map[string]string{
		"a list":             `["/opt/vomgr/voco-go"]`,
		"with its own chain": `["/opt/vomgr/voco-go","--then","ding","-x"]`,
		"the Python one":     `["python3","/h/.codex/voco-go.py"]`,
		"by words":           `["/b/vomgr","hook","stop","codex"]`,
		"an object":          `{"notify":{"program":"/opt/vomgr/voco-go","args":[]}}`,
		"a shell's text":     `exec "/opt/vo mgr/voco-go" "$1"`,
		"a shell's words":    `/b/vomgr hook stop codex "$1"`,
	} {
		for depth := range 8 {
			doc := fmt.Sprintf("notify = [\"/Sky/Client\", \"turn-ended\", \"--previous-notify\", %s]\n", quoted(t, inner))
			out := registered(t, codexToml(t), doc, codexReg, true)
			if out != doc {
				t.Errorf("%s, depth %d: %s", form, depth, out)
			}
			s, err := codexToml(t).State([]byte(doc))
			if err != nil || len(s.Wrapped) != 4 || s.Entries != nil || s.Foreign != nil {
				t.Errorf("%s, depth %d: %+v, %v", form, depth, s, err)
			}
			inner = fmt.Sprintf(`["/Sky/Client","--previous-notify",%s]`, quoted(t, inner))
		}
	}
}

// quoted writes s as a string of JSON, which is one of TOML, too.
func quoted(t *testing.T, s string) string {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestCodexState(t *testing.T) {
	state := func(doc string) State {
		s, err := codexToml(t).State([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := state("notify = ['ding', '-x']\n"); s.Registered() || !reflect.DeepEqual(s.Foreign, []string{"ding", "-x"}) {
		t.Errorf("%+v", s)
	}
	if s := state("notify = ['/o/voco-go', '--then', 'ding']\n"); len(s.Entries) != 1 || s.Entries[0].Program != "/o/voco-go" || !reflect.DeepEqual(s.Kept, []string{"ding"}) {
		t.Errorf("%+v", s)
	}
	if s := state("[tui]\nnotify = ['/o/voco-go']\n"); s.Registered() {
		t.Errorf("%+v", s)
	}
}

func TestCodexRefusals(t *testing.T) {
	for doc, want := range map[string]string{
		testdata(t, "28-duplicate-notify.toml"): "3:1: notify is defined twice; codex does not start with this file",
		"notify = \"x\"\n":                      "1:10: notify is not a list of strings",
		"notify = [1]\n":                        "1:10: notify is not a list of strings",
		"x = \"\xe4\"\n":                        "1:6: a byte that is not UTF-8; codex does not start",
	} {
		out, err := codexToml(t).Register([]byte(doc), codexReg)
		var r *Refusal
		if out != nil || !errors.As(err, &r) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v", doc, out, err)
		}
	}
}

// 55 openai/codex#34878: notify dies on long threads; the Stop hook instead, and never both.
func TestCodexViaHooks(t *testing.T) {
	r := codexReg
	r.ViaHooks = true
	hooks := config(t, Codex, "hooks.json")
	out := registered(t, hooks, "", r, false)
	if !strings.Contains(out, `"command": "\"/opt/vomgr/voco-go\""`) || !strings.Contains(out, `"timeout": 30`) {
		t.Error(out)
	}
	toml, err := codexToml(t).Register([]byte("notify = ['/old/voco-go', '--then', 'ding']\n"), r)
	if err != nil || string(toml) != "notify = ['ding']\n" {
		t.Errorf("%s, %v", toml, err)
	}
	back, err := hooks.Register([]byte(out), codexReg)
	if err != nil || string(back) != "{}\n" {
		t.Errorf("%s, %v", back, err)
	}
	if none, err := hooks.Register(nil, codexReg); none != nil || err != nil {
		t.Errorf("%q, %v", none, err)
	}
}

// Codex writes an empty line between what was there and the table it adds.
func TestTheEmptyLineBelowOurs(t *testing.T) {
	doc := []byte("notify = [\"/opt/vomgr/voco-go\"]\n\n[mcp_servers.small]\n")
	for before, want := range map[string]string{"": "[mcp_servers.small]\n", "# c\n": "\n[mcp_servers.small]\n"} {
		if out, err := codexToml(t).Unregister(doc, []byte(before)); err != nil || string(out) != want {
			t.Errorf("%q: %q, %v", before, out, err)
		}
	}
	if out, err := codexToml(t).Unregister(doc, nil); err != nil || string(out) != "\n[mcp_servers.small]\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// What was empty before is empty again, also when the copy from before cannot be put back.
func TestWhatWasEmptyStays(t *testing.T) {
	for _, c := range []struct {
		file      Config
		reg       Registration
		doc, want string
	}{
		{claudeConfig(t), claudeReg, `{"hooks":{}}`, "{\n  \"hooks\": {}\n}\n"},
		{claudeConfig(t), claudeReg, `{"hooks":{"Stop":[]}}`, "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n"},
		{claudeConfig(t), claudeReg, `{}`, "{}\n"},
		{codexToml(t), codexReg, "notify = [ ] # none\n", "notify = [ ] # none\n"},
		{codexToml(t), codexReg, "", ""},
	} {
		out := registered(t, c.file, c.doc, c.reg, false)
		if strings.HasPrefix(out, "{") {
			var b bytes.Buffer
			if err := json.Indent(&b, []byte(out), "", "  "); err != nil {
				t.Fatal(err)
			}
			out = b.String() + "\n"
		}
		back, err := c.file.Unregister([]byte(out), []byte(c.doc))
		if err != nil || string(back) != c.want {
			t.Errorf("%s: %q, want %q, %v", c.doc, back, c.want, err)
		}
	}
}
