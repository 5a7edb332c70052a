package hook

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxProjectFile is the largest TODO.md, PLAN.md or HANDOFF.md that is looked into, in bytes.
const maxProjectFile = 256 << 20

// maxLine is how much of one line is kept, in bytes; the prompt is cut well before.
const maxLine = 32 << 10

// firstDir returns the first of candidates that is a folder, with ~ expanded and links resolved.
func firstDir(home string, candidates ...string) string {
	for _, c := range candidates {
		if c == "" || strings.ContainsRune(c, 0) {
			continue
		}
		if c == "~" || strings.HasPrefix(c, "~/") || strings.HasPrefix(c, `~\`) {
			c = filepath.Join(home, c[1:])
		}
		if !filepath.IsAbs(c) {
			continue
		}
		if dir, ok := ResolveDir(c); ok {
			return dir
		}
	}
	return ""
}

// ResolveDir returns the folder at path with links resolved; ok is false when there is none.
func ResolveDir(path string) (dir string, ok bool) {
	dir, err := filepath.EvalSymlinks(path) //nolint:forbidigo // a project's folder, not a program's path
	if err != nil {
		return "", false
	}
	fi, err := os.Stat(dir)
	return dir, err == nil && fi.IsDir()
}

// projectFiles reads the few files of a project that vomgr looks into. What a project holds is hostile: a file is
// opened below the project's root only, never waited for, and only if it is a regular one.
type projectFiles struct{ dir string }

func (p projectFiles) open(name string) (*os.File, error) {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // read only
	f, err := root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && (!fi.Mode().IsRegular() || fi.Size() > maxProjectFile) {
		err = errors.New("not a regular file of a sensible size")
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// lines calls f with each line of the file that begins with mark and is not blank, trimmed of space and made harmless,
// until f returns false. A file that cannot be read has no lines.
func (p projectFiles) lines(name, mark string, f func(line string) bool) {
	file, err := p.open(name)
	if err != nil {
		return
	}
	defer file.Close() //nolint:errcheck // read only
	r := bufio.NewReaderSize(io.LimitReader(file, maxProjectFile), 64<<10)
	if b, _ := r.Peek(len(bom)); string(b) == bom {
		_, _ = r.Discard(len(bom))
	}
	var line []byte
	for more := true; more; {
		skip(r, mark)
		line, more = readLine(r, line[:0])
		if !bytes.HasPrefix(bytes.TrimLeftFunc(line, isBlank), []byte(mark)) {
			continue
		}
		if text := strings.TrimSpace(harmless(string(line))); text != "" && !f(text) {
			return
		}
	}
}

const bom = "\ufeff"

func isBlank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// skip passes over whole lines that are blank or lack mark, as far as it can tell without looking at each: an assistant
// waits for the hook, and a project can hold 256 MiB of them.
func skip(r *bufio.Reader, mark string) {
	for {
		if _, err := r.Peek(1); err != nil {
			return
		}
		b, _ := r.Peek(r.Buffered())
		n := len(b) - len(bytes.TrimLeft(b, " \t\r\n"))
		if !bytes.Contains(b, []byte(mark)) {
			n = max(n, bytes.LastIndexByte(b, '\n')+1)
		}
		if n == 0 {
			return
		}
		_, _ = r.Discard(n)
	}
}

// readLine appends the next line to line, without its end and cut at maxLine; more is false at the end of the file.
func readLine(r *bufio.Reader, line []byte) (_ []byte, more bool) {
	for {
		part, err := r.ReadSlice('\n')
		if room := maxLine - len(line); room > 0 {
			line = append(line, part[:min(room, len(part))]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return bytes.TrimRight(line, "\r\n"), err == nil
	}
}

// openMark begins an open item.
const openMark = "- [ ]"

// openItems returns the first n open items of TODO.md.
func (p projectFiles) openItems(n int) []string {
	var items []string
	p.lines("TODO.md", openMark, func(line string) bool {
		if strings.HasPrefix(line, openMark) {
			items = append(items, line)
		}
		return len(items) < n
	})
	return items
}

// plan returns the first n lines of PLAN.md that are not empty.
func (p projectFiles) plan(n int) []string {
	var lines []string
	p.lines("PLAN.md", "", func(line string) bool {
		lines = append(lines, line)
		return len(lines) < n
	})
	return lines
}

// notes returns the first n bytes of HANDOFF.md.
func (p projectFiles) notes(n int64) string {
	file, err := p.open("HANDOFF.md")
	if err != nil {
		return ""
	}
	defer file.Close()                                 //nolint:errcheck // read only
	data, err := io.ReadAll(io.LimitReader(file, n+1)) // one more tells where a character begins
	if err != nil {
		return ""
	}
	text := strings.ReplaceAll(strings.TrimPrefix(cut(string(data), int(n)), bom), "\r\n", "\n")
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = harmless(l)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// harmless makes foreign text fit for a command line and a terminal: what is no UTF-8 becomes U+FFFD, control
// characters become spaces (a NUL would make the start fail, an escape sequence would reach the terminal).
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// cut shortens s to at most n bytes, at the beginning of a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
