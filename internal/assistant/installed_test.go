package assistant

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/world"
)

// program puts an executable file at path below dir.
func programAt(t *testing.T, dir, path string) string {
	t.Helper()
	path = filepath.Join(dir, filepath.FromSlash(path))
	fileAt(t, path, "#!/bin/sh\n")
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func fileAt(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// onPath makes bin the only folder on PATH, with a link called name in it that leads to target.
func onPath(t *testing.T, dir string, name Name, target string) world.World {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("programs are no links there")
	}
	bin := filepath.Join(dir, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(bin, string(name))); err != nil {
		t.Fatal(err)
	}
	return world.World{Home: filepath.Join(dir, "home"), Env: []string{"PATH=" + bin}, Now: time.Now}
}

func TestInstalled(t *testing.T) {
	const claudePkg, codexPkg, geminiPkg = "@anthropic-ai/claude-code", "@openai/codex", "@google/gemini-cli"
	pkg := func(name, version string) string { return `{"name": "` + name + `", "version": "` + version + `"}` }
	for name, c := range map[string]struct {
		tool    Name
		program string            // where the link leads
		files   map[string]string // beside it
		version string
		source  string
	}{
		"claude of npm": {
			Claude, "lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe",
			map[string]string{"lib/node_modules/@anthropic-ai/claude-code/package.json": pkg(claudePkg, "2.1.332")}, "2.1.332", "package.json",
		},
		"codex of npm": {
			Codex, "lib/node_modules/@openai/codex/bin/codex.js",
			map[string]string{"lib/node_modules/@openai/codex/package.json": pkg(codexPkg, "0.171.0")}, "0.171.0", "package.json",
		},
		"gemini of npm, with another package.json nearer": {
			Gemini, "lib/node_modules/@google/gemini-cli/bundle/gemini.js",
			map[string]string{
				"lib/node_modules/@google/gemini-cli/bundle/package.json": pkg("bundle", "9.9.9"),
				"lib/node_modules/@google/gemini-cli/package.json":        pkg(geminiPkg, "0.61.0"),
			}, "0.61.0", "package.json",
		},
		"gemini of Homebrew": {
			Gemini, "Cellar/gemini-cli/0.61.0/libexec/lib/node_modules/@google/gemini-cli/bundle/gemini.js",
			map[string]string{"Cellar/gemini-cli/0.61.0/libexec/lib/node_modules/@google/gemini-cli/package.json": pkg(geminiPkg, "0.61.0")}, "0.61.0", "package.json",
		},
		"a shim beside node_modules": {
			Codex, "npm/codex",
			map[string]string{"npm/node_modules/@openai/codex/package.json": pkg(codexPkg, "0.171.0")}, "0.171.0", "package.json",
		},
		"claude, native":              {Claude, "share/claude/versions/2.1.332", nil, "2.1.332", "folder"},
		"codex, a cask":               {Codex, "Caskroom/codex/0.171.0/codex-aarch64-apple-darwin", nil, "0.171.0", "folder"},
		"claude, a cask":              {Claude, "Caskroom/claude-code/2.1.332/claude", nil, "2.1.332", "folder"},
		"a package of somebody else":  {Claude, "lib/node_modules/claude/cli.js", map[string]string{"lib/node_modules/claude/package.json": pkg("claude", "3.0.0")}, "", ""},
		"a broken package.json":       {Claude, "p/bin/claude", map[string]string{"p/package.json": `{"name": "@anthropic-ai/claude-code", "vers`}, "", ""},
		"a package without a version": {Claude, "p/bin/claude", map[string]string{"p/package.json": `{"name": "@anthropic-ai/claude-code"}`}, "", ""},
		"a bare program":              {Codex, "opt/codex", nil, "", ""},
		"a Python's folder":           {Claude, "pyenv/versions/3.12.1/bin/claude", nil, "", ""},
		"another cask's folder":       {Codex, "Caskroom/other/9.9.9/codex", nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			program := programAt(t, dir, c.program)
			for file, content := range c.files {
				fileAt(t, filepath.Join(dir, filepath.FromSlash(file)), content)
			}
			w := onPath(t, dir, c.tool, program)
			got := known(t, c.tool).Installed(w)
			if want := (Installed{filepath.Join(dir, "bin", string(c.tool)), c.version, c.source}); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

func TestNotInstalled(t *testing.T) {
	dir := t.TempDir()
	w := onPath(t, dir, Claude, filepath.Join(dir, "gone"))
	for _, a := range All() {
		if got := a.Installed(w); got != (Installed{}) {
			t.Errorf("%+v", got)
		}
	}
	// Never from the current folder, nor what is no program.
	programAt(t, dir, "here/codex")
	fileAt(t, filepath.Join(dir, "bin", "gemini"), "text")
	t.Chdir(filepath.Join(dir, "here"))
	w.Env = []string{"PATH=:.:" + filepath.Join(dir, "bin")}
	for _, a := range All() {
		if got := a.Installed(w); got != (Installed{}) {
			t.Errorf("%+v", got)
		}
	}
}

// TestLinkInARing: links that lead to each other end.
func TestLinkInARing(t *testing.T) {
	dir := t.TempDir()
	w := onPath(t, dir, Claude, "claude")
	if got := known(t, Claude).Installed(w); got != (Installed{}) {
		t.Errorf("%+v", got)
	}
}

// TestAnswer: what a program answered to --version counts until it is asked again; one that changed and names no version
// keeps its last form.
func TestAnswer(t *testing.T) {
	dir := t.TempDir()
	program := programAt(t, dir, "opt/codex")
	w := onPath(t, dir, Codex, program)
	path := filepath.Join(dir, "bin", "codex")
	if Asked(w, path) {
		t.Error("asked before anybody did")
	}
	file, content, err := Answer(w, path, "0.171.0")
	if err != nil {
		t.Fatal(err)
	}
	fileAt(t, file, string(content))
	if got := known(t, Codex).Installed(w); got != (Installed{path, "0.171.0", "asked"}) || !Asked(w, path) {
		t.Errorf("%+v", got)
	}
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(program, past, past); err != nil {
		t.Fatal(err)
	}
	if got := known(t, Codex).Installed(w); got.Version != "0.171.0" || Asked(w, path) {
		t.Errorf("after a change: %+v, asked %v", got, Asked(w, path))
	}
	file, content, err = Answer(w, path, "0.172.0")
	if err != nil {
		t.Fatal(err)
	}
	fileAt(t, file, string(content))
	if got := known(t, Codex).Installed(w); got.Version != "0.172.0" || !Asked(w, path) {
		t.Errorf("after another answer: %+v", got)
	}
	fileAt(t, file, "{broken")
	if got := known(t, Codex).Installed(w); got.Version != "" {
		t.Errorf("from a broken file: %+v", got)
	}
	if _, _, err := Answer(w, filepath.Join(dir, "gone"), "1"); err == nil {
		t.Error("a program that is gone answered")
	}
}
