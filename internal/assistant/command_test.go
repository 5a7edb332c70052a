package assistant

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestForms(t *testing.T) {
	const p, d, s = "- [ ] {project} $HOME", "/pro ject", "the-session"
	claudeToday := []string{"--dangerously-skip-permissions", "--disallowedTools", "AskUserQuestion", "--", p}
	codexToday := []string{"--cd=" + d, "--dangerously-bypass-approvals-and-sandbox", "--sandbox", "danger-full-access", "--", p}
	codexOld := []string{"--cd=" + d, "-m", "gpt5", "--dangerously-bypass-approvals-and-sandbox", "--sandbox", "danger-full-access", p}
	for _, c := range []struct {
		name    Name
		version string
		call    Call
		want    []string
	}{
		{Claude, "", Call{}, []string{"--continue", "--dangerously-skip-permissions", "--prompt", p}},
		{Claude, "1.0.130", Call{}, []string{"--continue", "--dangerously-skip-permissions", "--prompt", p}},
		{Claude, "1.0.130", Call{Fresh: true}, []string{"--dangerously-skip-permissions", "--prompt", p}},
		{Claude, "1.0.130", Call{Session: s}, []string{"--continue", "--dangerously-skip-permissions", "--prompt", p}},
		{Claude, "2.1.197", Call{}, append([]string{"--continue"}, claudeToday...)},
		{Claude, "2.1.332", Call{Session: s}, append([]string{"--resume", s}, claudeToday...)},
		{Claude, "2.1.332", Call{Session: s, Fresh: true}, claudeToday},
		{Codex, "", Call{}, codexOld},
		{Codex, "0.99.0", Call{}, codexOld},
		{Codex, "0.171.0", Call{}, codexToday},
		{Codex, "0.171.0", Call{Session: s, Fresh: true}, codexToday},
		{Gemini, "", Call{}, []string{"-c", "-y", p}},
		{Gemini, "0.61.0", Call{}, []string{"-r", "latest", "-y", "--prompt-interactive=" + p}},
		{Gemini, "0.61.0", Call{Fresh: true}, []string{"-y", "--prompt-interactive=" + p}},
		{Gemini, "what", Call{}, []string{"-c", "-y", p}},
	} {
		c.call.Prompt, c.call.Project = p, d
		a := known(t, c.name)
		if diff := cmp.Diff(append([]string{"/bin/x"}, c.want...), a.Form(c.version).Argv("/bin/x", c.call)); diff != "" {
			t.Errorf("%s %q %+v:\n%s", c.name, c.version, c.call, diff)
		}
		if !cmp.Equal(a.Documented(), a.Form("")) {
			t.Errorf("%s: what is not known gets another form than the documented one", c.name)
		}
	}
}

// TestGoesOn: only a form that goes on with an earlier conversation can find none.
func TestGoesOn(t *testing.T) {
	for _, c := range []struct {
		name    Name
		version string
		call    Call
		want    bool
	}{
		{Claude, "", Call{}, true},
		{Claude, "2.1.332", Call{}, true},
		{Claude, "2.1.332", Call{Session: "s"}, true},
		{Claude, "2.1.332", Call{Fresh: true}, false},
		{Codex, "0.171.0", Call{Session: "s"}, false},
		{Gemini, "0.61.0", Call{}, true},
	} {
		if got := known(t, c.name).Form(c.version).GoesOn(c.call); got != c.want {
			t.Errorf("%s %q %+v: %v", c.name, c.version, c.call, got)
		}
	}
}

// TestPromptIsOneArgument: whatever the prompt and the folder hold, each stands once and whole in one argument, in every
// form, and in those of today never where it could be read as an option.
func TestPromptIsOneArgument(t *testing.T) {
	newest := map[Name]string{Claude: "2.1.332", Codex: "0.171.0", Gemini: "0.61.0"}
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(All()).Draw(t, "assistant")
		version := rapid.SampledFrom([]string{"", newest[a.Name]}).Draw(t, "version")
		prompt := rapid.StringMatching(`(- |--help|\{(prompt|project|session|earlier)\}|[a-z\n"'$ ]){1,6}`).Draw(t, "prompt")
		c := Call{Prompt: prompt, Project: "/p{prompt}{session}", Session: rapid.SampledFrom([]string{"", "s{prompt}"}).Draw(t, "session")}
		argv := a.Form(version).Argv("/bin/program", c)
		at := slices.IndexFunc(argv, func(arg string) bool { return arg == prompt || arg == "--prompt-interactive="+prompt })
		if at != len(argv)-1 {
			t.Fatalf("%q", argv)
		}
		if version != "" && argv[at] == prompt && argv[at-1] != "--" {
			t.Fatalf("nothing sets the prompt apart: %q", argv)
		}
		if a.Name == Codex && !slices.Contains(argv, "--cd="+c.Project) {
			t.Fatalf("%q", argv)
		}
	})
}

func TestFillOnePass(t *testing.T) {
	c := Call{Prompt: "{project}", Project: "{session}", Session: "{prompt}"}
	if got := Fill("{prompt}|{project}|{session}|{other}|{", c); got != "{project}|{session}|{prompt}|{other}|{" {
		t.Error(got)
	}
}

func TestOlder(t *testing.T) {
	ascending := []string{"0.9", "0.9.1", "0.10.0", "0.99.9", "0.100.0", "1.0.0", "1.0.130", "2.0.0", "2.1.197", "2.1.332", "10.0.0"}
	for i, a := range ascending {
		for k, b := range ascending {
			if Older(a, b) != (i < k) {
				t.Errorf("Older(%s, %s) = %v", a, b, !(i < k))
			}
		}
	}
	for a, b := range map[string]string{"v2.1.0": "2.1.0", "2.1.0-beta.1": "2.1.0", "2.1.0+build": "2.1.0", "2.1.0 (Claude Code)": "2.1.0"} {
		if Older(a, b) || Older(b, a) {
			t.Errorf("%s and %s differ", a, b)
		}
	}
}

// TestFormsAreInOrder: the table lists the documented form first and newer ones by their versions.
func TestFormsAreInOrder(t *testing.T) {
	for name, list := range forms {
		if list[0].Since != "" {
			t.Errorf("%s: the first form is not the documented one", name)
		}
		for i := 1; i < len(list); i++ {
			if len(numbers(list[i].Since)) < 3 || i > 1 && !Older(list[i-1].Since, list[i].Since) {
				t.Errorf("%s: form %d is since %q", name, i, list[i].Since)
			}
		}
		for _, f := range list {
			if n := strings.Count(strings.Join(f.Args, " "), "{prompt}"); n != 1 {
				t.Errorf("%s: %d prompts in %q", name, n, f.Args)
			}
		}
	}
}
