package platform

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFill(t *testing.T) {
	r := Request{Helper: "/h/.claude/hooks/vocl-new", Job: "0123abcd", Project: "/p/it's"}
	for name, c := range map[string]struct {
		template, want []string
	}{
		"sh":         {[]string{"kitty", "sh", "-c", "{command}"}, []string{"kitty", "sh", "-c", `cd '/p/it'\''s' && '/h/.claude/hooks/vocl-new' '0123abcd'`}},
		"inside":     {[]string{"xterm", "-e", "bash", "-lc", "{command}; exec bash"}, []string{"xterm", "-e", "bash", "-lc", `cd '/p/it'\''s' && '/h/.claude/hooks/vocl-new' '0123abcd'; exec bash`}},
		"fish":       {[]string{"/usr/bin/fish", "-c", "{command}"}, []string{"/usr/bin/fish", "-c", `cd '/p/it\'s'; and '/h/.claude/hooks/vocl-new' '0123abcd'`}},
		"no shell":   {[]string{"tmux", "new-window", "{command}"}, []string{"tmux", "new-window", `cd '/p/it'\''s' && '/h/.claude/hooks/vocl-new' '0123abcd'`}},
		"powershell": {[]string{"wt", "powershell.exe", "-NoExit", "-Command", "{command}"}, []string{"wt", "powershell.exe", "-NoExit", "-Command", `Set-Location -LiteralPath '/p/it''s'; if ($?) { & '/h/.claude/hooks/vocl-new' '0123abcd' }`}},
		"cmd":        {[]string{`C:\Windows\System32\CMD.EXE`, "/k", "{command}"}, []string{`C:\Windows\System32\CMD.EXE`, "/k", `cd /d "/p/it's" && "/h/.claude/hooks/vocl-new" 0123abcd`}},
		"osascript":  {[]string{"osascript", "-e", `tell application "Terminal" to do script "{command}"`}, []string{"osascript", "-e", `tell application "Terminal" to do script "cd '/p/it'\\''s' && '/h/.claude/hooks/vocl-new' '0123abcd'"`}},
		"raw":        {[]string{"wezterm", "start", "--cwd", "{project}", "--", "{helper}", "{job}"}, []string{"wezterm", "start", "--cwd", "/p/it's", "--", "/h/.claude/hooks/vocl-new", "0123abcd"}},
		"konsole":    {[]string{"konsole", "-e", "sh", "-c", "{command}"}, []string{"konsole", "-e", "sh", "-c", `cd '/p/it'\''s' && '/h/.claude/hooks/vocl-new' '0123abcd'`}},
		"other":      {[]string{"x", "{other} {", "}{job}{job}"}, []string{"x", "{other} {", "}0123abcd0123abcd"}},
	} {
		r.Template = c.template
		got, err := fill(r, posix)
		if err != nil || cmp.Diff(c.want, got) != "" {
			t.Errorf("%s: %v\n%s", name, err, cmp.Diff(c.want, got))
		}
	}
	r.Project = "/p/#(touch pwned)"
	for name, c := range map[string]struct {
		template []string
		refused  bool
	}{
		"raw":     {[]string{"tmux", "new-window", "-c", "{project}", "{helper} {job}"}, true},
		"path":    {[]string{"xterm", "-e", "/usr/bin/tmux", "new", "-s", "x{project}"}, true},
		"command": {[]string{"tmux", "new-window", "{command}"}, false},
		"other":   {[]string{"kitty", "-d", "{project}", "{helper}", "{job}"}, false},
	} {
		r.Template = c.template
		if _, err := fill(r, posix); (err != nil) != c.refused {
			t.Errorf("%s, a name tmux would run: %v", name, err)
		}
	}
	r.Project += "\x00"
	if argv, err := fill(r, posix); err == nil {
		t.Errorf("a zero byte was taken: %q", argv)
	}
}

// Names in a template for cmd.exe: quoted where they have to be, and then not for a window's title (WSL#2745, open-rs PR#11).
func TestFillCmdNames(t *testing.T) {
	for name, c := range map[string]struct{ helper, want string }{
		"plain":  {`C:\h\vocl-new.exe`, `cmd.exe /c start C:\h\vocl-new.exe 0123abcd`},
		"spaces": {`C:\Ann Lee\vocl-new.exe`, `cmd.exe /c start "" "C:\Ann Lee\vocl-new.exe" 0123abcd`},
		"R&D":    {`C:\R&D%x%\vocl-new.exe`, `cmd.exe /c start "" "C:\R&D"^%"x"^%"\vocl-new.exe" 0123abcd`},
	} {
		r := Request{Helper: c.helper, Job: "0123abcd", Project: `C:\a&b`, Template: []string{"cmd.exe", "/c", "start", "{helper}", "{job}"}}
		if got, err := fill(r, cmdExe); err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q %v", name, got, err)
		}
		r.Template = []string{"cmd.exe", "/c", "start", "x", "/d", "{project}", "{helper}", "{job}"}
		if got, err := fill(r, cmdExe); err != nil || got[5] != `"C:\a&b"` || strings.HasPrefix(got[6], `"" `) {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}

// What is put in is not looked at again.
func TestFillOnce(t *testing.T) {
	r := Request{Helper: "/h/{job}", Job: "j{command}", Project: "/p/{helper}", Template: []string{"x", "{project}", "{helper}", "{job} {job}"}}
	got, err := fill(r, posix)
	if want := []string{"x", "/p/{helper}", "/h/{job}", "j{command} j{command}"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q %v", got, err)
	}
}

// The words, as the shells at hand read them.
func TestQuoteByShells(t *testing.T) {
	for name, quote := range map[string]func(string) string{"sh": posixQuote, "dash": posixQuote, "bash": posixQuote, "zsh": posixQuote, "ksh": posixQuote, "fish": fishQuote, "fish as the person's shell": posixQuote} {
		path, err := exec.LookPath(strings.Fields(name)[0])
		if err != nil || runtime.GOOS == "windows" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			words := append(hostileNames(), "", "'", `\`, `\'`, `'\''`, "\n", "a'b\\'c")
			line := "printf '%s|'"
			for _, w := range words {
				line += " " + quote(w)
			}
			out, err := exec.Command(path, "-c", line).Output() //nolint:noctx // ends by itself
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Join(words, "|")+"|", string(out)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The words, read by parsers that follow the rules of each language and share nothing with the writers.
func TestQuoteLaws(t *testing.T) {
	for name, c := range map[string]struct {
		quote func(string) string
		parse func(string) (string, bool)
	}{
		"sh":          {posixQuote, parsePosix},
		"fish":        {fishQuote, parseFish},
		"PowerShell":  {powerShellQuote, parsePowerShell},
		"cmd.exe":     {cmdQuote, parseCmd},
		"AppleScript": {func(s string) string { return `"` + appleEscape(s) + `"` }, parseApple},
	} {
		toKonsole := name == "sh" || name == "fish"
		t.Run(name, func(t *testing.T) {
			check := func(text string) (string, bool) {
				if name == "cmd.exe" { // a file name on Windows holds none of these
					text = strings.Map(func(r rune) rune {
						if r < ' ' || strings.ContainsRune(`"<>|*?`, r) {
							return '_'
						}
						return r
					}, text)
				}
				got, ok := c.parse(c.quote(text))
				if asFish, whole := parseFish(c.quote(text)); name == "sh" && (!whole || asFish != text) {
					return text, false // the person's own shell may be fish
				}
				return text, ok && got == text && !(toKonsole && expandedByKonsole(c.quote(text)))
			}
			for _, n := range hostileNames() {
				if text, ok := check(n); !ok {
					t.Errorf("%q is read otherwise: %s", text, c.quote(text))
				}
			}
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune(`'"\$%^&;(){}#!`+"`‘’‚‛ \n")))).Draw(t, "text")
				if text, ok := check(strings.ReplaceAll(n, "\x00", "")); !ok {
					t.Fatalf("%q is read otherwise: %s", text, c.quote(text))
				}
			})
		})
	}
}

// parsePosix reads one word of sh: single quotes, and a backslash outside them (XCU 2.2).
func parsePosix(s string) (word string, whole bool) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\'':
			quoted = !quoted
		case quoted:
			word += s[i : i+1]
		case s[i] == '\\' && i+1 < len(s):
			i++
			word += s[i : i+1]
		default:
			return "", false // something special, or the end of the word
		}
	}
	return word, !quoted
}

// parseFish reads one word of fish: in its single quotes \' and \\ stand for the second of them, and a backslash outside
// them takes the meaning from what follows.
func parseFish(s string) (word string, whole bool) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\'':
			quoted = !quoted
		case s[i] == '\\' && i+1 < len(s) && (!quoted || s[i+1] == '\\' || s[i+1] == '\''):
			i++
			word += s[i : i+1]
		case quoted:
			word += s[i : i+1]
		default:
			return "", false
		}
	}
	return word, !quoted
}

// expandedByKonsole says that konsole (22.12, and qterminal 1.2) would put a value into an argument: it does so for a
// dollar with something behind it and no backslash before it.
func expandedByKonsole(arg string) bool {
	for i := range len(arg) - 1 {
		if arg[i] == '$' && (i == 0 || arg[i-1] != '\\') {
			return true
		}
	}
	return false
}

// parsePowerShell reads a verbatim string: any of five single quotes opens and ends it, doubled it stands for itself
// (about_Quoting_Rules; the tokenizer's IsSingleQuote).
func parsePowerShell(s string) (word string, whole bool) {
	single := func(r rune) bool { return r == '\'' || r >= '\u2018' && r <= '\u201b' }
	runes := bytesAsRunes(s)
	if len(runes) == 0 || !single(runes[0].r) {
		return "", false
	}
	for i := 1; i < len(runes); i++ {
		if single(runes[i].r) {
			if i+1 < len(runes) && single(runes[i+1].r) {
				i++
				word += runes[i].text
				continue
			}
			return word, i == len(runes)-1
		}
		word += runes[i].text
	}
	return "", false
}

type piece struct {
	r    rune
	text string
}

// bytesAsRunes splits s without changing what is not UTF-8.
func bytesAsRunes(s string) []piece {
	var list []piece
	for i, r := range s {
		size := len(string(r))
		if r == '\ufffd' && !strings.HasPrefix(s[i:], "\ufffd") {
			size = 1
		}
		list = append(list, piece{r, s[i : i+size]})
	}
	return list
}

// parseCmd reads one word of a cmd.exe command line: first %NAME% is replaced where such a variable is set (any but
// those of our own making is taken as set), then carets and quotes are read, then the quotes are taken off.
func parseCmd(s string) (word string, whole bool) {
	for i := strings.IndexByte(s, '%'); i >= 0; {
		end := strings.IndexByte(s[i+1:], '%')
		if end < 0 {
			break
		}
		if name := s[i+1 : i+1+end]; !strings.ContainsAny(name, `"^`) {
			return "", false // replaced by a value
		}
		i += 1 + end
	}
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case quoted:
			word += s[i : i+1]
		case s[i] == '^' && i+1 < len(s):
			i++
			word += s[i : i+1]
		default:
			return "", false
		}
	}
	return word, !quoted
}

// parseApple reads a string of AppleScript: of \\ and \" the second counts, \n, \r and \t are what they are elsewhere, and
// there are no others (AppleScript Language Guide, text). A line break as such is not taken: compilers change it.
func parseApple(s string) (word string, whole bool) {
	escapes := map[byte]string{'\\': `\`, '"': `"`, 'n': "\n", 'r': "\r", 't': "\t"}
	if !strings.HasPrefix(s, `"`) || strings.ContainsAny(s, "\n\r") {
		return "", false
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return word, i == len(s)-1
		case s[i] == '\\' && i+1 < len(s):
			i++
			meant, known := escapes[s[i]]
			if !known {
				return "", false
			}
			word += meant
		default:
			word += s[i : i+1]
		}
	}
	return "", false
}

// The command itself, as sh runs it: the right folder, or nothing.
func TestCommandText(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sh")
	}
	h, parent := helper(t, "it's $HOME"), t.TempDir()
	for _, name := range hostileNames() {
		dir := project(t, parent, name)
		line := commandText(Request{Helper: h, Job: "0123abcd", Project: dir}, posix)
		apple, whole := parseApple(`"` + commandText(Request{Helper: h, Job: "0123abcd", Project: dir}, appleText) + `"`)
		if !whole || apple != line {
			t.Errorf("%q: what AppleScript hands to the shell is %q, want %q", name, apple, line)
		}
		cmd := exec.Command("/bin/sh", "-c", line) //nolint:noctx // ends by itself
		cmd.Dir, cmd.Env = parent, []string{quickExit}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v %s", name, err, out)
		}
		if r := answer(t, h); string(r.Dir) != dir || !slices.Equal(r.Args, []string{"0123abcd"}) {
			t.Errorf("%q: the helper ran in %q with %q", name, r.Dir, r.Args)
		}
		unharmed(t, parent, dir)
	}
	line := commandText(Request{Helper: h, Job: "0123abcd", Project: filepath.Join(parent, "none")}, posix)
	if err := exec.Command("/bin/sh", "-c", line).Run(); err == nil { //nolint:noctx // ends by itself
		t.Error("the helper ran although the folder is not there")
	}
}
