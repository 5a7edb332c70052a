//go:build unix

package assistant

import (
	"bytes"
	"flag"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var linearSize = flag.Int("linear", 1<<16, "bytes of the larger of the two documents that TestLinear compares")

// repeat writes item, with a running number in it, until there are size bytes.
func repeat(size int, before, item, between, after string) []byte {
	var b bytes.Buffer
	b.WriteString(before)
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(strings.ReplaceAll(item, "%", fmt.Sprint(i)))
	}
	b.WriteString(after)
	return b.Bytes()
}

const (
	groupOf   = `{"hooks":[{"type":"command","command":"bell %"}]}`
	oursToo   = `{"hooks":[{"type":"command","command":"/old/%/vocl-go"}]}`
	projectOf = "[projects.\"/home/someone/p%\"]\ntrust_level = \"trusted\"\n\n"
)

// TestLinear compares the time that registering and taking out take for a document and for one four times as big. With
// something quadratic in it this is 16 times as much. (16,000 projects in a config.toml are 1 MB.)
func TestLinear(t *testing.T) {
	for name, c := range map[string]struct {
		file Config
		reg  Registration
		make func(size int) []byte
	}{
		"json, members":         {claudeConfig(t), claudeReg, func(n int) []byte { return repeat(n, "{\n", `"k%": {"a": [1, "x"]}`, ",\n", "\n}\n") }},
		"json, one line":        {claudeConfig(t), claudeReg, func(n int) []byte { return repeat(n, "{", `"k%":{"a":[1,"x"]}`, ",", "}") }},
		"json, one text":        {claudeConfig(t), claudeReg, func(n int) []byte { return repeat(n, `{"a":"`, `\n% `, "", `"}`) }},
		"json, groups":          {claudeConfig(t), claudeReg, func(n int) []byte { return repeat(n, `{"hooks":{"Stop":[`, groupOf, ",\n", "]}}") }},
		"json, groups of ours":  {claudeConfig(t), claudeReg, func(n int) []byte { return repeat(n, `{"hooks":{"Stop":[`, oursToo, ",\n", "]}}") }},
		"json, events":          {claudeConfig(t), claudeReg, func(n int) []byte { return repeat(n, `{"hooks":{`, `"E%":[`+groupOf+`]`, ",\n", "}}") }},
		"json, an event often":  {claudeConfig(t), claudeReg, func(n int) []byte { return repeat(n, `{"hooks":{`, `"Stop":[`+groupOf+`]`, ",\n", "}}") }},
		"json, comments":        {config(t, Gemini, "settings.json"), Registration{Vomgr: "/opt/vomgr", Gemini: true}, func(n int) []byte { return repeat(n, "{\n", "// %\n", "", "}\n") }},
		"toml, projects":        {codexToml(t), codexReg, func(n int) []byte { return repeat(n, "model = 'm'\n\n", projectOf, "", "") }},
		"toml, pairs":           {codexToml(t), codexReg, func(n int) []byte { return repeat(n, "", "a.k% = 1\n", "", "") }},
		"toml, lists of tables": {codexToml(t), codexReg, func(n int) []byte { return repeat(n, "", "[[a]]\nk = '%'\n", "", "") }},
		"toml, a long notify":   {codexToml(t), codexReg, func(n int) []byte { return repeat(n, "notify = [\n", "  'a%', # c\n", "", "]\n") }},
		"toml, inline":          {codexToml(t), codexReg, func(n int) []byte { return repeat(n, "x = { ", "a% = 1", ", ", " }\n") }},
		"toml, comments":        {codexToml(t), codexReg, func(n int) []byte { return repeat(n, "", "# %\n", "", "") }},
	} {
		t.Run(name, func(t *testing.T) {
			small, big := cost(t, c.file, c.reg, c.make(*linearSize/4)), cost(t, c.file, c.reg, c.make(*linearSize))
			ratio := big.Seconds() / small.Seconds()
			t.Logf("%.1f times as long for 4 times as much; %.0f ns/byte", ratio, float64(big.Nanoseconds())/float64(*linearSize))
			if ratio > 9 {
				t.Errorf("%s, then %s", small, big)
			}
		})
	}
}

// cost is how much of the processor it takes at best to register in doc, to see that, and to take it out.
func cost(t *testing.T, c Config, r Registration, doc []byte) time.Duration {
	t.Helper()
	var all []time.Duration
	for range 3 {
		start := spent(t)
		out, err := c.Register(doc, r)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := c.State(out); err != nil || !s.Registered() {
			t.Fatal(err)
		}
		if _, err := c.Unregister(out, doc); err != nil {
			t.Fatal(err)
		}
		all = append(all, spent(t)-start)
	}
	return slices.Min(all)
}

// spent is the processor time of this process so far; others on the machine do not count.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
