package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/platform"
)

// TestMain plays vomgr and the stand-ins where this binary was started by one of their names: on Linux the launcher is
// started from os.Executable, which is this binary, under the name vomgr. It must never run the tests again.
func TestMain(m *testing.M) {
	name := assistant.Base(os.Args[0])
	_, role := assistant.ByProgram(name)
	switch {
	case role != assistant.NoRole, name == "vomgr":
		os.Exit(run())
	case slices.Contains(assistant.Marks(), name):
		os.Exit(standIn(name))
	case name == "node" && len(os.Args) > 1: // runs a script of that name: codex.js
		name, _, _ = strings.Cut(filepath.Base(os.Args[1]), ".")
		os.Args = os.Args[1:]
		os.Exit(standIn(name))
	case name == "window":
		os.Exit(window())
	case name == "terminal":
		os.Exit(terminal())
	case name == "tracer":
		os.Exit(trace())
	}
	status := m.Run()
	if faultyDir != "" {
		_ = os.RemoveAll(faultyDir)
	}
	os.Exit(status)
}

// TestScript runs the scripts of testdata/script: the real program, by its real names, in a home of its own, with
// stand-ins for the assistants.
func TestScript(t *testing.T) {
	if os.PathSeparator == '\\' {
		t.Skip("the scripts start programs by links, which Windows does not give everybody")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", Setup: setup, Cmds: commands(), Condition: condition,
		RequireExplicitExec: true, RequireUniqueNames: true,
	})
}

// setup lays out a house for a script, whose folders are variables there.
func setup(env *testscript.Env) error {
	h, err := furnish(env.WorkDir)
	if err != nil {
		return err
	}
	for _, kv := range h.environ() {
		name, value, _ := strings.Cut(kv, "=")
		env.Setenv(name, value)
	}
	env.Setenv("NOW", time.Now().UTC().Format(time.RFC3339))
	env.Cd = h["P"]
	env.Defer(func() {
		if left := h.endAll(); len(left) > 0 {
			env.T().Log("still running at the end of the script: ", left)
		}
	})
	return nil
}

// house is a home with vomgr in it, a project, and a PATH on which nothing is but the stand-ins and sh, by the names of
// variables: HOME, P (the project), BIN (the only folder on PATH), STANDIN (what the stand-ins are told and what they
// note down), CLAUDE, CODEX, GEMINI (the folders of the programs), STATE (not made), W (all of it).
type house map[string]string

// furnish lays a house out below work.
func furnish(work string) (house, error) {
	work, err := filepath.EvalSymlinks(work)
	if err != nil {
		return nil, err
	}
	home := filepath.Join(work, "home")
	h := house{
		"HOME": home, "P": filepath.Join(work, "proj"), "BIN": filepath.Join(work, "bin"), "STANDIN": filepath.Join(work, "standin"),
		"CLAUDE": filepath.Join(home, ".claude", "hooks"), "CODEX": filepath.Join(home, ".codex"), "GEMINI": filepath.Join(home, ".gemini"),
		"STATE": filepath.Join(home, ".vexy-overnight"), "W": work,
	}
	for name, dir := range h {
		if name == "STATE" {
			continue // a fresh home has none
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	if err := h.place(); err != nil {
		return nil, err
	}
	if err := payloads(work, h["P"]); err != nil {
		return nil, err
	}
	return h, ownOnly(h["STATE"])
}

// environ is the environment of what runs in the house.
func (h house) environ() []string {
	env := []string{"PATH=" + h["BIN"]}
	for name, dir := range h {
		env = append(env, name+"="+dir)
	}
	race := os.Getenv("GORACE")
	if race == "" {
		race = "atexit_sleep_ms=0" // else every process of a race build ends a second late
	}
	return append(env, "GORACE="+race)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// place puts vomgr's programs and the stand-ins where they belong, as links to this binary.
func (h house) place() error {
	self, err := os.Executable()
	if err == nil && runtime.GOOS == "windows" {
		self, err = h.copyOf(self)
	}
	if err != nil {
		return err
	}
	links := map[string]string{}
	for dir, names := range map[string][]string{
		"CLAUDE": {"vocl-go", "vocl-new"}, "CODEX": {"voco-go", "voco-new"}, "GEMINI": {"voge-go", "voge-new"},
		"BIN": {"vomgr", "claude", "codex", "gemini", "window", "terminal"},
	} {
		for _, name := range names {
			links[filepath.Join(h[dir], name)] = self
		}
	}
	link := os.Symlink
	if runtime.GOOS == "windows" { // where symbolic ones need a privilege
		link = func(to, name string) error { return os.Link(to, name+".exe") }
	} else {
		links[filepath.Join(h["BIN"], "sh")] = "/bin/sh"
	}
	for name, to := range links {
		if err := link(to, name); err != nil {
			return err
		}
	}
	return nil
}

// copyOf copies a program, since Windows removes no name of one that runs.
func (h house) copyOf(program string) (string, error) {
	data, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	own := filepath.Join(h["W"], "program.exe")
	return own, os.WriteFile(own, data, 0o700)
}

// payloads copies the recorded payloads to work/payloads, with the project's folder in them.
func payloads(work, project string) error {
	files, err := filepath.Glob("../../internal/assistant/testdata/payloads/*.json")
	if err != nil {
		return err
	}
	dir := filepath.Join(work, "payloads")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	project = strings.ReplaceAll(project, `\`, `\\`)
	inProject := strings.NewReplacer(`"cwd":"/home/user/proj2"`, `"cwd":"`+project+`"`, `"cwd":"/home/user/proj"`, `"cwd":"`+project+`"`)
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		data = []byte(inProject.Replace(string(data)))
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// ownOnly takes from others what the umask of a script's files may have given them.
func ownOnly(dir string) error {
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case os.IsNotExist(err):
			return nil
		case err != nil:
			return err
		case d.IsDir():
			return os.Chmod(path, 0o700)
		}
		return os.Chmod(path, 0o600)
	})
}

// endAll ends what was left running: the stand-ins see quit, the launchers that their jobs are gone. What does not go by
// itself is killed, by its number, and returned.
func (h house) endAll() (left []platform.Process) {
	_ = os.WriteFile(filepath.Join(h["STANDIN"], "quit"), nil, 0o600)
	_ = os.RemoveAll(filepath.Join(h["STATE"], "jobs"))
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if left = running(h["W"]); len(left) == 0 {
			return nil
		}
	}
	for _, p := range left {
		if proc, err := os.FindProcess(p.Pid); err == nil {
			_ = proc.Kill()
		}
	}
	return left
}

// running lists the processes that have a path below work among their arguments.
func running(work string) []platform.Process {
	all, _ := platform.Processes()
	return slices.DeleteFunc(all, func(p platform.Process) bool {
		return p.Pid == os.Getpid() || !slices.ContainsFunc(p.Args, func(arg string) bool { return strings.Contains(arg, work+string(filepath.Separator)) })
	})
}
