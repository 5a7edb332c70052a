package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/vexyart/vomgr/hook"
	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/settings"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

const apiKey = "sk-ant-0123456789-0123456789"

var clock = time.Date(2026, 11, 30, 21, 58, 0, 0, time.Local)

// home is a throw-away home in which a night would run: both assistants installed, registered, logged in and trusted.
type home struct {
	t       *testing.T
	dir     string
	project string
	w       world.World
	opts    Options
}

func newHome(t *testing.T) *home {
	t.Helper()
	dir, ok := hook.ResolveDir(t.TempDir())
	if !ok {
		t.Fatal("no temporary folder")
	}
	h := &home{t: t, dir: dir, project: filepath.Join(dir, "src", "api")}
	h.w = world.World{
		Home: dir, Dir: h.project, Exe: h.path("opt/vomgr" + exe), Env: []string{"HOME=" + dir, "PATH=" + h.path("bin")},
		Now: func() time.Time { return clock },
	}
	h.opts.Managed = h.path("etc/managed-settings.json")
	h.write("opt/vomgr"+exe, "vomgr 1.0.0", 0o700)
	h.link("bin/vomgr"+exe, "opt/vomgr"+exe)
	h.program("term", "")
	for _, a := range assistant.All()[:2] {
		h.program(string(a.Name), tried[a.Name])
		h.link(h.rel(a.HookPath(h.w)), "opt/vomgr"+exe)
		h.link(h.rel(a.HelperPath(h.w)), "opt/vomgr"+exe)
		h.register(a, assistant.Registration{Hook: a.HookPath(h.w), UsageLimit: true, Windows: runtime.GOOS == "windows"})
	}
	h.write(".vexy-overnight/settings.toml", strings.Replace(string(settings.Default), `linux = ["auto"]`, runtime.GOOS+` = ["term", "{command}"]`, 1), 0o600)
	h.answered(map[string]any{"hasCompletedOnboarding": true, "projects": map[string]any{h.project: map[string]any{"hasTrustDialogAccepted": true}}})
	h.edit(".claude/settings.json", func(m map[string]any) { m["skipDangerousModePermissionPrompt"] = true })
	h.write(".codex/auth.json", "{}", 0o600)
	h.codexTrusts(h.project, "trusted")
	h.write("src/api/.git/HEAD", "ref: refs/heads/main\n", 0o600)
	h.write("src/api/TODO.md", "- [ ] Validate webhook signatures\n- [x] Done\n", 0o600)
	return h
}

var exe = map[bool]string{true: ".exe"}[runtime.GOOS == "windows"]

func (h *home) path(name string) string { return filepath.Join(h.dir, filepath.FromSlash(name)) }

func (h *home) rel(path string) string {
	rel, err := filepath.Rel(h.dir, path)
	h.must(err)
	return rel
}

func (h *home) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) write(name, text string, mode os.FileMode) {
	h.t.Helper()
	path := h.path(name)
	h.must(os.MkdirAll(filepath.Dir(path), 0o700))
	_ = os.Remove(path)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	h.must(err)
	_, err = f.WriteString(text)
	h.must(err)
	h.must(f.Close())
	h.must(os.Chmod(path, mode)) // whatever the umask
}

func (h *home) read(name string) string {
	h.t.Helper()
	data, err := os.ReadFile(h.path(name))
	h.must(err)
	return string(data)
}

func (h *home) replace(name, old, with string) {
	h.t.Helper()
	text := h.read(name)
	if !strings.Contains(text, old) {
		h.t.Fatalf("%s has no %q", name, old)
	}
	h.write(name, strings.ReplaceAll(text, old, with), 0o600)
}

func (h *home) remove(names ...string) {
	h.t.Helper()
	for _, name := range names {
		h.must(os.RemoveAll(h.path(name)))
	}
}

// link places a program: a link, or on Windows a second name of the file.
func (h *home) link(name, to string) {
	h.t.Helper()
	h.must(os.MkdirAll(filepath.Dir(h.path(name)), 0o700))
	_ = os.Remove(h.path(name))
	if runtime.GOOS == "windows" {
		h.must(os.Link(h.path(to), h.path(name)))
		return
	}
	h.must(os.Symlink(h.path(to), h.path(name)))
}

// program puts a program on PATH; of an assistant, with the files of its npm package beside it.
func (h *home) program(name, version string) {
	h.t.Helper()
	h.write("bin/"+name+exe, "", 0o700)
	if a, ok := assistant.Get(assistant.Name(name)); ok && version != "" {
		h.write("bin/node_modules/"+a.Package+"/package.json", `{"name": "`+a.Package+`", "version": "`+version+`"}`, 0o600)
	}
}

func (h *home) register(a assistant.Assistant, r assistant.Registration) {
	h.t.Helper()
	c := a.Configs(h.w)[0]
	doc, _ := os.ReadFile(c.Path)
	out, err := c.Register(doc, r)
	h.must(err)
	h.write(h.rel(c.Path), string(out), 0o600)
}

// edit changes a file of JSON.
func (h *home) edit(name string, change func(m map[string]any)) {
	h.t.Helper()
	m := map[string]any{}
	if data, err := os.ReadFile(h.path(name)); err == nil {
		h.must(json.Unmarshal(data, &m))
	}
	change(m)
	data, err := json.Marshal(m)
	h.must(err)
	h.write(name, string(data), 0o600)
}

// answered writes Claude Code's own file.
func (h *home) answered(m map[string]any) {
	h.t.Helper()
	data, err := json.Marshal(m)
	h.must(err)
	h.write(".claude.json", string(data), 0o600)
}

// setting puts a line into settings.toml, before the first table.
func (h *home) setting(line string) {
	h.t.Helper()
	h.write(".vexy-overnight/settings.toml", line+"\n"+h.read(".vexy-overnight/settings.toml"), 0o600)
}

func (h *home) env(kv string) { h.w.Env = append(h.w.Env, kv) }

func (h *home) run() Report {
	h.t.Helper()
	return Run(h.w, h.project, h.opts)
}

func (h *home) store() chain.Store {
	return chain.Store{Dir: h.w.StateDir(), Now: h.w.Now}
}

func (h *home) pending(project string) chain.Job {
	h.t.Helper()
	j := chain.Job{
		ID: "c41x00001", Chain: "c41", Hop: 1, Source: "claude", Target: "codex", Project: project, Created: clock,
		Phase: chain.Pending, Rests: "no terminal could be opened",
	}
	h.must(h.store().Put(j))
	return j
}

// session records this very process as the assistant that works in the project.
func (h *home) session() {
	h.t.Helper()
	me := platform.Self()
	h.must(h.store().Project(h.project).Change(time.Second, func(st *chain.State) error {
		st.Session = &chain.Session{Tool: "claude", Pid: me.Pid, Start: me.Start, Boot: me.Boot, Began: clock}
		return nil
	}))
}

func (h *home) provider() {
	h.t.Helper()
	h.remove(".codex/auth.json")
	h.write(".codex/config.toml", "model_provider = \"mock\"\n"+h.read(".codex/config.toml")+"\n[model_providers.mock]\nenv_key = \"MOCK_KEY\"\n", 0o600)
}

// codexTrusts decides for Codex on a folder, in place of what was decided before.
func (h *home) codexTrusts(dir, level string) {
	h.t.Helper()
	config, _, _ := strings.Cut(h.read(".codex/config.toml"), "\n[projects.")
	h.write(".codex/config.toml", config+"\n[projects.'"+dir+"']\ntrust_level = '"+level+"'\n", 0o600)
}

// codexSays is Codex's configuration, in which the project is trusted.
func (h *home) codexSays(config string) {
	h.t.Helper()
	h.write(".codex/config.toml", config, 0o600)
	h.codexTrusts(h.project, "trusted")
}

func (h *home) foreignHook() {
	h.t.Helper()
	h.write(".codex/hooks.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/opt/ding"}]}]}}`, 0o600)
}

func (h *home) trust(hash string) {
	h.t.Helper()
	h.write(".codex/config.toml", h.read(".codex/config.toml")+"\n[hooks.state.'"+h.path(".codex/hooks.json")+":stop:0:0']\ntrusted_hash = \""+hash+"\"\n", 0o600)
}
