//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	claudeKey  = "sk-ant-e2e-0123456789-0123456789"
	homePrefix = "h"
)

// Home is a throw-away home folder in which the assistants are installed, logged in at the model, and have their consent dialogs
// answered. It is removed when the test ends, with all processes that were started in it.
type Home struct {
	Dir   string
	model *Model
	path  []string // the folders on PATH
	trust []string // the project folders
	extra []string // more of the environment, as KEY=VALUE
}

// NewHome makes a home for the programs. vomgr, if not "", is the folder of a vomgr to be put on PATH.
func NewHome(t *testing.T, model *Model, vomgr string, programs ...Program) *Home {
	t.Helper()
	cache, err := CacheDir()
	must(t, err)
	homes := filepath.Join(cache, "homes")
	must(t, os.MkdirAll(homes, 0o700))
	// The owner's number in the name lets a later run remove what an interrupted one left.
	dir, err := os.MkdirTemp(homes, fmt.Sprintf("%s%d-", homePrefix, os.Getpid()))
	must(t, err)
	t.Cleanup(func() { removeHome(t, dir) })
	h := &Home{Dir: dir, model: model}
	if vomgr != "" {
		h.path = append(h.path, vomgr)
	}
	for _, p := range programs {
		bin, err := p.Install()
		must(t, err)
		h.path = append(h.path, bin)
	}
	h.path = append(h.path, systemPath(t)...)
	h.Write(t, ".gitconfig", "[user]\n\tname = e2e\n\temail = e2e@localhost\n[init]\n\tdefaultBranch = main\n")
	must(t, os.Mkdir(filepath.Join(dir, "tmp"), 0o700))
	h.configure(t)
	return h
}

// systemPath returns the folders of node and of the system's own programs.
func systemPath(t *testing.T) []string {
	t.Helper()
	node, err := exec.LookPath("node")
	must(t, err)
	return []string{filepath.Dir(node), "/usr/local/bin", "/usr/bin", "/bin"}
}

// Env is the exact environment of everything that is started in the home.
func (h *Home) Env() []string {
	return append([]string{
		"HOME=" + h.Dir,
		"PATH=" + strings.Join(h.path, string(os.PathListSeparator)),
		"TMPDIR=" + filepath.Join(h.Dir, "tmp"),
		"USER=e2e", "LANG=C.UTF-8", "TERM=xterm-256color", "SHELL=/bin/sh", "PS1=$ ",
		"IS_SANDBOX=1", // exactly 1, or Claude does not run as root
		"ANTHROPIC_BASE_URL=" + h.model.URL, "ANTHROPIC_API_KEY=" + claudeKey,
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"MOCK_KEY=x",
		"GOOGLE_GEMINI_BASE_URL=" + h.model.URL, "GEMINI_API_KEY=x",
	}, h.extra...)
}

// Write writes a file below the home, with its folders.
func (h *Home) Write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(h.Dir, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// Project makes a folder with a TODO.md, a git repository whose first commit holds it, and the assistants' trust.
// Make every project before the first assistant starts: the assistants rewrite their own files.
func (h *Home) Project(t *testing.T, name, todo string) string {
	t.Helper()
	dir := filepath.Join(h.Dir, "src", name)
	must(t, os.MkdirAll(dir, 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "TODO.md"), []byte(todo), 0o600))
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "Begin"}} {
		h.run(t, dir, "git", args...)
	}
	h.trust = append(h.trust, dir)
	h.configure(t)
	return dir
}

// run runs a program in the home and returns its output, both streams.
func (h *Home) run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := h.command(dir, name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// command prepares a program, looked up on the home's PATH.
func (h *Home) command(dir, name string, args ...string) *exec.Cmd {
	for _, p := range h.path {
		if _, err := os.Stat(filepath.Join(p, name)); err == nil {
			name = filepath.Join(p, name)
			break
		}
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, h.Env()
	return cmd
}

// configure writes the assistants' own files so that no first-run dialog stands in a chain's way (measured with Claude Code
// 2.1.197 and 2.1.332, Codex 0.171.0, Gemini CLI 0.61.0).
func (h *Home) configure(t *testing.T) {
	t.Helper()
	claude, gemini := obj{}, obj{}
	var codex strings.Builder
	fmt.Fprintf(&codex, "model = \"gpt-5.1-codex\"\nmodel_provider = \"mock\"\ncheck_for_update_on_startup = false\n\n"+
		"[model_providers.mock]\nname = \"mock\"\nbase_url = %q\nwire_api = \"responses\"\nenv_key = \"MOCK_KEY\"\n"+
		"request_max_retries = 0\nstream_max_retries = 0\n", h.model.URL+"/v1")
	for _, dir := range h.trust {
		claude[dir] = obj{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}
		gemini[dir] = "TRUST_FOLDER"
		fmt.Fprintf(&codex, "\n[projects.%s]\ntrust_level = \"trusted\"\n", strconv.Quote(dir))
	}
	h.Write(t, ".claude.json", encode(obj{
		"hasCompletedOnboarding": true, "projects": claude,
		"customApiKeyResponses": obj{"approved": []string{claudeKey[len(claudeKey)-20:]}, "rejected": []string{}},
	}))
	h.Write(t, ".claude/settings.json", "{\n  \"skipDangerousModePermissionPrompt\": true\n}\n")
	h.Write(t, ".codex/config.toml", codex.String())
	h.Write(t, ".gemini/settings.json", encode(obj{
		"security": obj{"auth": obj{"selectedType": "gemini-api-key"}},
		"general":  obj{"enableAutoUpdate": false, "disableAutoUpdate": true},
		"privacy":  obj{"usageStatisticsEnabled": false},
	}))
	h.Write(t, ".gemini/trustedFolders.json", encode(gemini))
}

// keepHomes tells whether the files are to be kept to be looked at, until the next run removes them.
func keepHomes() bool { return os.Getenv("VOMGR_E2E_KEEP") == "1" }

// removeHome ends what still runs in a home and removes it; Codex alone keeps 400 MB there.
func removeHome(t *testing.T, dir string) {
	t.Helper()
	if err := endAll(dir); err != nil {
		t.Error(err)
	}
	if keepHomes() {
		t.Logf("kept %s", dir)
		return
	}
	var err error
	for range 20 { // a process that was just killed may still have files written
		if err = os.RemoveAll(dir); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error(err)
}

// sweepHomes removes the homes of test runs that no longer exist.
func sweepHomes() error {
	cache, err := CacheDir()
	if err != nil {
		return err
	}
	left, err := filepath.Glob(filepath.Join(cache, "homes", homePrefix+"*-*"))
	if err != nil {
		return err
	}
	for _, dir := range left {
		owner, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), homePrefix), "-")
		if _, statErr := os.Stat("/proc/" + owner); statErr == nil {
			continue
		}
		err = errors.Join(err, endAll(dir), os.RemoveAll(dir))
	}
	return err
}

// must ends the test if err is not nil.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// removeOwnHomes removes what is left of this very run: the homes, when it is interrupted, and the built vomgr.
func removeOwnHomes() {
	cache, err := CacheDir()
	if err != nil || keepHomes() {
		return
	}
	own, _ := filepath.Glob(filepath.Join(cache, "homes", fmt.Sprintf("%s%d-*", homePrefix, os.Getpid())))
	for _, dir := range own {
		_ = endAll(dir) // what cannot be ended or removed is left to the next run
		_ = os.RemoveAll(dir)
	}
}
