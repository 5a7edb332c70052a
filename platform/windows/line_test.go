package windows

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var hostile = []string{
	"", "plain", "two words", `C:\Program Files\x`, `trailing\`, `trailing \\`, `"`, `\"`, `a"b`, `a\\"b`, "it's", "%PATH%", "^caret^",
	"a&b", "a|b", "a;b", "(x)", "!", "日本 🚀", "tab\tx", "-dash", "#(x)", "$(x)", "`x`",
}

// split takes a command line apart by the rules that Microsoft documents for the C library's argv ("Parsing C
// command-line arguments"), written anew for the test.
func split(line string) []string {
	var argv []string
	i := 0
	for {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		if i == len(line) {
			return argv
		}
		arg, quoted := "", false
		for i < len(line) && (quoted || line[i] != ' ' && line[i] != '\t') {
			slashes := 0
			for i < len(line) && line[i] == '\\' {
				slashes++
				i++
			}
			if i < len(line) && line[i] == '"' {
				arg += strings.Repeat(`\`, slashes/2)
				if slashes%2 == 1 {
					arg += `"`
				} else {
					quoted = !quoted
				}
				i++
				continue
			}
			arg += strings.Repeat(`\`, slashes)
			if slashes == 0 {
				arg += line[i : i+1]
				i++
			}
		}
		argv = append(argv, arg)
	}
}

func TestQuote(t *testing.T) {
	for _, text := range hostile {
		if got := split(`x.exe ` + Quote(text) + ` end`); !slices.Equal(got, []string{"x.exe", text, "end"}) {
			t.Errorf("%q is quoted as %s and read as %q", text, Quote(text), got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOf(rapid.StringOf(rapid.RuneFrom([]rune("ab \t\\\"'%^&;")))).Draw(t, "arguments")
		argv := append([]string{`C:\Program Files\x.exe`}, args...)
		if got := split(Join(argv)); !slices.Equal(got, argv) {
			t.Fatalf("%q is joined to %s and read as %q", argv, Join(argv), got)
		}
	})
}

// open-rs PR#11, drakvuf#1160 and others: what stands quoted first is not taken for a title, and paths with spaces,
// ampersands and percent signs stay whole.
func TestHelperLine(t *testing.T) {
	got := HelperLine(Cmd(`C:\Windows`), `"C:\Users\R&D\.claude\hooks\vocl-new.exe"`, "0123abcd")
	if want := `"C:\Windows\System32\cmd.exe" /d /v:off /s /c ""C:\Users\R&D\.claude\hooks\vocl-new.exe" 0123abcd"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := Cmd(""); got != `C:\Windows\System32\cmd.exe` {
		t.Error(got)
	}
}

// microsoft/terminal#13264, #4570, MicrosoftDocs/terminal#763: wt splits at semicolons, even between quotes.
func TestTemplateLine(t *testing.T) {
	last := func(n int) func(int) bool { return func(i int) bool { return i == n } }
	for _, c := range []struct {
		program string
		args    []string
		raw     int
		want    string
	}{
		{`C:\Windows\System32\cmd.exe`, []string{"/k", `cd /d "C:\a b" && "C:\h.exe" 0123abcd`}, 1, `"C:\Windows\System32\cmd.exe" /k cd /d "C:\a b" && "C:\h.exe" 0123abcd`},
		{`C:\Windows\System32\CMD.EXE`, []string{"/c", "start", "my title", "/wait", "{x}"}, -1, `"C:\Windows\System32\CMD.EXE" /c start "my title" /wait {x}`},
		{`C:\WindowsApps\wt.exe`, []string{"-w", "new", "powershell", "-Command", `Set-Location -LiteralPath 'C:\a;b'; if ($?) { & 'C:\h.exe' '0123abcd' }`}, 4, `"C:\WindowsApps\wt.exe" -w new powershell -Command "Set-Location -LiteralPath 'C:\a\;b'\; if ($?) { & 'C:\h.exe' '0123abcd' }"`},
		{`C:\WindowsApps\wt.exe`, []string{"new-tab", ";", "focus-tab"}, -1, `"C:\WindowsApps\wt.exe" new-tab ; focus-tab`},
		{`C:\Program Files\PowerShell\7\pwsh.exe`, []string{"-NoExit", "-Command", `& 'C:\a "b"\h.exe'`}, 2, `"C:\Program Files\PowerShell\7\pwsh.exe" -NoExit -Command "& 'C:\a \"b\"\h.exe'"`},
	} {
		if got := TemplateLine(c.program, c.args, last(c.raw)); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// wt is what Windows Terminal makes of its command line, in the stages of its source (AppCommandlineArgs, Commandline):
// arguments are split at semicolons with no backslash before them, then \; becomes ;, then they are joined again, in quotes
// where they hold a space, and nothing is escaped. The result is the command lines it starts.
func wt(line string) []string {
	delimiter := regexp.MustCompile(`^;|[^\\];`)
	var lines []string
	words := []string{}
	end := func() {
		lines = append(lines, strings.Join(words, " "))
		words = words[:0]
	}
	add := func(word string) {
		word = strings.ReplaceAll(word, `\;`, ";")
		if strings.Contains(word, " ") {
			word = `"` + word + `"`
		}
		words = append(words, word)
	}
	for _, arg := range split(line)[1:] {
		for at := delimiter.FindStringIndex(arg); at != nil; at = delimiter.FindStringIndex(arg) {
			if before := arg[:at[1]-1]; before != "" {
				add(before)
			}
			end()
			arg = strings.TrimLeft(arg[at[1]:], " ")
		}
		if arg != "" {
			add(arg)
		}
	}
	end()
	return lines
}

// What PowerShell below Windows Terminal reads is what was written, as one command, whatever a name holds.
func TestThroughWindowsTerminal(t *testing.T) {
	check := func(name string) (got []string, ok bool) {
		text := "Set-Location -LiteralPath '" + name + "'; if ($?) { & 'C:\\h.exe' '0123abcd' }"
		want := []string{"powershell", "-NoExit", "-Command", text}
		lines := wt(TemplateLine(`C:\wt.exe`, want, func(i int) bool { return i == 3 }))
		return lines, len(lines) == 1 && slices.Equal(split(lines[0]), want)
	}
	for _, name := range append(hostile, ";", ";;", `\;`, `\\;`, `a\;calc;`, "a;b;") {
		if strings.Contains(name, `"`) {
			continue // no file's name on Windows
		}
		if got, ok := check(name); !ok {
			t.Errorf("%q: %q", name, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOf(rapid.RuneFrom([]rune(`ab \;'%^&`))).Draw(t, "name")
		if got, ok := check(name); !ok {
			t.Fatalf("%q: %q", name, got)
		}
	})
	if got := wt(`"wt.exe" a "b;c d"`); !slices.Equal(got, []string{"a b", `"c d"`}) {
		t.Errorf("the model splits nothing: %q", got)
	}
}

func TestEnvBlock(t *testing.T) {
	decode := func(block []uint16) []string {
		if len(block) < 2 || block[len(block)-1] != 0 || block[len(block)-2] != 0 {
			t.Fatalf("the block does not end with two zeros: %v", block)
		}
		text := string(utf16.Decode(block[:len(block)-2]))
		return strings.Split(text, "\x00")
	}
	for _, c := range []struct{ env, want []string }{
		{nil, []string{`SystemRoot=C:\Windows`}},
		{[]string{"A=1", "b=ü🚀", "=C:=C:\\x", "SYSTEMROOT=D:\\"}, []string{"A=1", "b=ü🚀", "=C:=C:\\x", "SYSTEMROOT=D:\\"}},
		{[]string{"Path=1", "PATH=2", "", "bad=\x00", "systemroot=E:\\"}, []string{"PATH=2", "systemroot=E:\\"}},
	} {
		if diff := cmp.Diff(c.want, decode(EnvBlock(c.env, `C:\Windows`))); diff != "" {
			t.Error(diff)
		}
	}
	if got := EnvBlock(nil, ""); !slices.Equal(got, []uint16{0, 0}) {
		t.Errorf("%v", got)
	}
}

// folder is a temporary folder. t.TempDir cannot take it away again under Wine 8, rmdir can.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vt") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if os.RemoveAll(dir) != nil && runtime.GOOS == "windows" {
			_ = exec.Command("cmd", "/c", "rmdir", "/s", "/q", dir).Run() //nolint:noctx // ends by itself
		}
	})
	return dir
}

const head = "@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n"

func byNode(args, file string) string {
	return head + "\r\nIF EXIST \"%dp0%\\node.exe\" (\r\n  SET \"_prog=%dp0%\\node.exe\"\r\n) ELSE (\r\n  SET \"_prog=node\"\r\n  SET PATHEXT=%PATHEXT:;.JS;=;%\r\n)\r\n\r\n" +
		`endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%" ` + args + ` "%dp0%\` + file + "\" %*\r\n"
}

// The shims of the three assistants, as npm's cmd-shim 7 writes them, and older forms.
func TestProgram(t *testing.T) {
	slash := func(p string) string { return strings.ReplaceAll(p, `\`, string(filepath.Separator)) }
	const (
		claude = `node_modules\@anthropic-ai\claude-code\bin\claude.exe`
		codex  = `node_modules\@openai\codex\bin\codex.js`
		gemini = `node_modules\@google\gemini-cli\dist\index.js`
	)
	for name, c := range map[string]struct {
		text string
		want []string // DIR stands for the shim's folder; nil: the shim itself
	}{
		"claude":     {head + `"%dp0%\` + claude + `"   %*` + "\r\n", []string{"DIR/" + claude}},
		"codex":      {byNode("", codex), []string{"/bin/node", "DIR/" + codex}},
		"gemini":     {byNode("--no-warnings=DEP0040", gemini), []string{"/bin/node", "--no-warnings=DEP0040", "DIR/" + gemini}},
		"old":        {"@IF EXIST \"%~dp0\\node.exe\" (\r\n  \"%~dp0\\node.exe\"  \"%~dp0\\" + codex + "\" %*\r\n) ELSE (\r\n  @SETLOCAL\r\n  @SET PATHEXT=%PATHEXT:;.JS;=;%\r\n  node  \"%~dp0\\" + codex + "\" %*\r\n)", []string{"/bin/node", "DIR/" + codex}},
		"not ours":   {"@echo off\r\nstart x %*\r\n", nil},
		"variables":  {head + `"%dp0%\%EVIL%.exe" %*`, nil},
		"elsewhere":  {head + `"C:\x\claude.exe" %*`, nil},
		"python":     {strings.ReplaceAll(strings.ReplaceAll(byNode("", codex), "=node\"", "=python\""), "node.exe", "python.exe"), nil},
		"a script":   {head + `"%dp0%\claude" %*`, nil},
		"empty":      {"", nil},
		"no command": {"%*", nil},
	} {
		dir := folder(t)
		shim := filepath.Join(dir, name+".cmd")
		if err := os.WriteFile(shim, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		want := []string{shim}
		if c.want != nil {
			want = nil
			for _, w := range c.want {
				if file, ok := strings.CutPrefix(w, "DIR/"); ok {
					w = filepath.Join(dir, slash(file))
				}
				want = append(want, w)
			}
		}
		got := Program(shim, func(string) string { return "/bin/node" })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
		if c.want != nil && len(want) > 1 {
			if got := Program(shim, func(string) string { return "" }); !slices.Equal(got, []string{shim}) {
				t.Errorf("%s without node: %q", name, got)
			}
		}
	}
	for _, path := range []string{`/bin/claude`, `C:\x\claude.exe`, filepath.Join(folder(t), "none.cmd")} {
		if got := Program(path, nil); !slices.Equal(got, []string{path}) {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// node beside the shim comes before the one on PATH.
func TestProgramNodeBeside(t *testing.T) {
	dir := folder(t)
	shim, node := filepath.Join(dir, "codex.CMD"), filepath.Join(dir, "node.exe")
	for path, text := range map[string]string{shim: byNode("", `x\codex.js`), node: ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := Program(shim, nil); !slices.Equal(got, []string{node, filepath.Join(dir, "x", "codex.js")}) {
		t.Errorf("%q", got)
	}
}

func FuzzShim(f *testing.F) {
	f.Add(byNode("--x", `a\b.js`))
	f.Add(head + `"%dp0%\a.exe" %*`)
	f.Fuzz(func(t *testing.T, text string) {
		if file, _, _, ok := parseShim(text); ok && (file == "" || strings.ContainsAny(file, `%"`)) {
			t.Errorf("%q", file)
		}
	})
}
