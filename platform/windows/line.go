package windows

import (
	"strings"
	"unicode/utf16"
)

// Quote makes one argument of text for a program that takes its command line apart as Microsoft's C library does
// (CommandLineToArgvW): backslashes count only before a double quote.
func Quote(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\n\v\"") {
		return text
	}
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0
	for _, c := range []byte(text) {
		switch c {
		case '\\':
			slashes++
		case '"':
			b.WriteString(strings.Repeat(`\`, slashes+1)) // each of them doubled, and one for the quote
			slashes = 0
		default:
			slashes = 0
		}
		b.WriteByte(c)
	}
	b.WriteString(strings.Repeat(`\`, slashes))
	b.WriteByte('"')
	return b.String()
}

// Join makes a command line of arguments; the program comes first and holds no double quote, as no path can.
func Join(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		words[i] = Quote(arg)
		if i == 0 && !strings.HasPrefix(words[0], `"`) {
			words[0] = `"` + arg + `"`
		}
	}
	return strings.Join(words, " ")
}

// HelperLine is the command line with which cmd.exe runs the helper. word is the helper's path quoted for cmd.exe.
// With /s the first and the last quote of what follows /c are taken off and nothing else; /d keeps what the registry
// would run first (AutoRun) out, and /v:off its delayed expansion, by which !NAME! counts between quotes.
func HelperLine(cmd, word, job string) string {
	return `"` + cmd + `" /d /v:off /s /c "` + word + " " + job + `"`
}

// Cmd is the path of cmd.exe below the folder of Windows (%SystemRoot%); a hostile PATH or ComSpec plays no part.
func Cmd(systemRoot string) string {
	if systemRoot == "" {
		systemRoot = `C:\Windows`
	}
	return systemRoot + `\System32\cmd.exe`
}

// TemplateLine is the command line of a terminal from the settings. raw says which arguments hold text that is already
// quoted for the shell that reads it. cmd.exe takes its line as it stands, so there the text does too; wt takes a
// semicolon for the end of a command even between quotes, so each gets a backslash.
func TemplateLine(program string, args []string, raw func(i int) bool) string {
	words := make([]string, 0, len(args)+1)
	words = append(words, `"`+program+`"`)
	name := strings.TrimSuffix(strings.ToLower(program[strings.LastIndexAny(program, `/\`)+1:]), ".exe")
	for i, arg := range args {
		switch {
		case name == "cmd" && (raw(i) || !strings.ContainsAny(arg, " \t")):
			words = append(words, arg)
		case name == "wt" && (raw(i) || arg != ";"):
			words = append(words, Quote(strings.ReplaceAll(arg, ";", `\;`)))
		default:
			words = append(words, Quote(arg))
		}
	}
	return strings.Join(words, " ")
}

// EnvBlock is an environment as CreateProcess takes it: UTF-16, each entry ended by a zero, and one more at the end.
// The later of two entries of one name counts, as for Go's own; the folder of Windows is added where it is missing,
// since programs do not start without it.
func EnvBlock(env []string, systemRoot string) []uint16 {
	last := map[string]int{}
	for i, kv := range env {
		last[variable(kv)] = i
	}
	var block []uint16
	add := func(kv string) { block = append(append(block, utf16.Encode([]rune(kv))...), 0) }
	for i, kv := range env {
		if last[variable(kv)] == i && !strings.ContainsRune(kv, 0) && kv != "" {
			add(kv)
		}
	}
	if _, ok := last["SYSTEMROOT"]; !ok && systemRoot != "" {
		add("SystemRoot=" + systemRoot)
	}
	if len(block) == 0 {
		block = append(block, 0)
	}
	return append(block, 0)
}

// variable is the name in an entry, in upper case; names may begin with an equals sign (=C:).
func variable(kv string) string {
	if i := strings.IndexByte(kv[min(1, len(kv)):], '='); i >= 0 {
		kv = kv[:i+1]
	}
	return strings.ToUpper(kv)
}
