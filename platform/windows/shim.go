package windows

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Batch says that a program is a batch file, whose arguments cmd.exe reads once more.
func Batch(program string) bool {
	ext := strings.ToLower(filepath.Ext(program))
	return ext == ".cmd" || ext == ".bat"
}

// Program is what to start instead of a .cmd file made by npm: Windows passes arguments to batch files through cmd.exe,
// which runs part of them (golang/go#69939), and ending cmd.exe leaves the program behind it alive (measured in Wine).
// The result is the program with the arguments that come before all others; any other path is returned as it is.
// look finds a program on PATH.
func Program(path string, look func(name string) string) []string {
	if !Batch(path) {
		return []string{path}
	}
	text, err := readHead(path)
	if err != nil {
		return []string{path}
	}
	file, args, byNode, ok := parseShim(text)
	if !ok {
		return []string{path}
	}
	dir := filepath.Dir(path)
	file = filepath.Join(dir, filepath.FromSlash(strings.ReplaceAll(file, `\`, "/")))
	if !byNode {
		return append([]string{file}, args...)
	}
	node := filepath.Join(dir, "node.exe")
	if _, err := os.Stat(node); err != nil {
		node = look("node")
	}
	if node == "" {
		return []string{path}
	}
	return append(append([]string{node}, args...), file)
}

// readHead reads the beginning of a file; a shim has well under a thousand bytes.
func readHead(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(f, 1<<14))
	_ = f.Close()
	return string(text), err
}

// parseShim reads a .cmd file as npm's cmd-shim writes them. Its last line that hands on all arguments (%*) runs a file
// below the shim's own folder, by node with arguments of its own or by itself:
//
//	… & "%_prog%" --no-warnings=DEP0040 "%dp0%\node_modules\@google\gemini-cli\dist\index.js" %*
//	"%dp0%\node_modules\@anthropic-ai\claude-code\bin\claude.exe"   %*
func parseShim(text string) (file string, args []string, byNode, ok bool) {
	line := ""
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); strings.HasSuffix(l, "%*") {
			line = strings.TrimSpace(strings.TrimSuffix(l, "%*"))
		}
	}
	line, ended := strings.CutSuffix(line, `"`)
	quote := strings.LastIndexByte(line, '"')
	if !ended || quote < 0 {
		return "", nil, false, false
	}
	before, file := strings.TrimSpace(line[:quote]), line[quote+1:]
	if file, ok = belowShim(file); !ok {
		return "", nil, false, false
	}
	if before == "" {
		return file, nil, false, strings.HasSuffix(strings.ToLower(file), ".exe")
	}
	if rest, bare := strings.CutPrefix(before, "node "); bare || before == "node" { // older shims, pnpm's
		return file, strings.Fields(strings.TrimPrefix(rest, "node")), true, true
	}
	end := strings.LastIndexByte(before, '"')
	return file, strings.Fields(before[end+1:]), true, end > 0 && strings.Contains(text, `_prog=node"`)
}

// belowShim takes the shim's own folder off a path; ok is false when the path does not begin there, or holds variables.
func belowShim(path string) (rest string, ok bool) {
	for _, dir := range []string{`%dp0%\`, `%~dp0\`, `%~dp0`} {
		if rest, ok = strings.CutPrefix(path, dir); ok {
			break
		}
	}
	return rest, ok && rest != "" && !strings.ContainsAny(rest, `%"`)
}
