package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/platform"
)

// commands are what the scripts know beyond testscript's own.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	all := map[string]func(*testscript.TestScript, bool, []string){
		"status": cmdStatus, "hook": cmdHook, "same": cmdSame, "await": cmdAwait, "npm": cmdNpm,
		"steps": cmdSteps, "endless": cmdEndless, "owner": cmdOwner, "fifo": cmdFifo, "big": cmdBig, "modes": cmdModes, "fill": cmdFill, "edit": cmdEdit, "alive": cmdAlive,
		"told": cmdTold, "real": cmdReal,
	}
	maps.Copy(all, editCommands())
	return all
}

func condition(name string) (bool, error) {
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "tmux", "screen":
		_, err := exec.LookPath(name)
		return err == nil, nil
	}
	return false, fmt.Errorf("no condition %q", name)
}

// cmdStatus runs a program and wants exactly this exit status: status N program [argument…].
func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program [argument...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := statusOf(ts.Exec(args[1], args[2:]...)); got != want {
		ts.Fatalf("status %d, want %d", got, want)
	}
}

func statusOf(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// cmdHook is status for a hook: whatever it does, nothing comes on stdout, and at most one line on stderr, none with 0.
func cmdHook(ts *testscript.TestScript, neg bool, args []string) {
	cmdStatus(ts, neg, args)
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("the hook wrote to stdout: %q", out)
	}
	said := ts.ReadFile("stderr")
	if args[0] == "0" && said != "" || strings.Count(said, "\n") > 1 {
		ts.Fatalf("status %s, and on stderr: %q", args[0], said)
	}
}

// cmdSame compares a file with another of the script, in which variables are filled in and whose final newline does not
// count: same FILE WANT.
func cmdSame(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same FILE WANT")
	}
	want := os.Expand(strings.TrimSuffix(ts.ReadFile(args[1]), "\n"), func(name string) string {
		if name == "$" {
			return "$"
		}
		return ts.Getenv(name)
	})
	if got := ts.ReadFile(args[0]); got != want {
		ts.Fatalf("%s is\n%s\nwant\n%s", args[0], got, want)
	}
}

// cmdAwait waits until a file is there, at most 10 s, and with a second argument until it has a line that the regular
// expression matches: await FILE [EXPRESSION].
func cmdAwait(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: await FILE [EXPRESSION]")
	}
	path := ts.MkAbs(args[0])
	line := regexp.MustCompile("")
	if len(args) == 2 {
		line = regexp.MustCompile("(?m)" + args[1])
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if data, err := os.ReadFile(path); err == nil && line.Match(data) {
			return
		}
	}
	data, err := os.ReadFile(path)
	ts.Fatalf("%s did not come; now: %v %s", args[0], err, data)
}

// cmdNpm installs a stand-in as npm does, with a package.json that names its version: npm TOOL VERSION.
func cmdNpm(ts *testscript.TestScript, neg bool, args []string) {
	a, ok := assistant.Get(assistant.Name(args[0]))
	if neg || !ok || len(args) != 2 {
		ts.Fatalf("usage: npm TOOL VERSION")
	}
	dir := filepath.Join(filepath.Dir(ts.Getenv("BIN")), "lib", "node_modules", filepath.FromSlash(a.Package))
	program := filepath.Join(dir, "bin", args[0])
	ts.Check(os.MkdirAll(filepath.Dir(program), 0o700))
	self, err := os.Executable()
	ts.Check(err)
	if os.Link(self, program) != nil { // another file system
		data, err := os.ReadFile(self)
		ts.Check(err)
		ts.Check(os.WriteFile(program, data, 0o700))
	}
	text := fmt.Sprintf("{\n  \"name\": %q,\n  \"version\": %q\n}\n", a.Package, args[1])
	ts.Check(os.WriteFile(filepath.Join(dir, "package.json"), []byte(text), 0o600))
	link := filepath.Join(ts.Getenv("BIN"), args[0])
	ts.Check(os.Remove(link))
	ts.Check(os.Symlink(program, link))
}

// cmdSteps wants exactly these steps in the history, a step that failed marked with "!": steps called project …
// Steps of the hook and of the helper may be written in any order between them, as their processes are; so the order
// is that of the times.
func cmdSteps(ts *testscript.TestScript, neg bool, args []string) {
	data, err := os.ReadFile(filepath.Join(ts.Getenv("STATE"), "history.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		ts.Fatalf("%v", err)
	}
	got := []string{}
	for line := range bytes.Lines(data) {
		var e struct{ Step, Error string }
		ts.Check(json.Unmarshal(line, &e))
		if e.Error != "" {
			e.Step += "!"
		}
		got = append(got, e.Step)
	}
	if (strings.Join(got, " ") == strings.Join(args, " ")) == neg {
		ts.Fatalf("the history says %q\n%s", got, data)
	}
}

// cmdEndless runs a hook whose standard input never ends: endless silent|flood N program [argument…]. With silent a
// payload that is not complete comes and then nothing, with flood bytes without end.
func cmdEndless(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: endless silent|flood N program [argument...]")
	}
	r, w, err := os.Pipe()
	ts.Check(err)
	defer r.Close()
	defer w.Close()
	cmd := exec.Command(args[2], args[3:]...)
	cmd.Dir, cmd.Stdin = ts.Getenv("P"), r
	cmd.Env = []string{
		"HOME=" + ts.Getenv("HOME"), "PATH=" + ts.Getenv("PATH"), "STANDIN=" + ts.Getenv("STANDIN"), "GORACE=" + ts.Getenv("GORACE"),
		"VOMGR_HOOK_FORCE_DIRECT=" + ts.Getenv("VOMGR_HOOK_FORCE_DIRECT"),
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	began := time.Now()
	ts.Check(cmd.Start())
	go func() {
		_, err := w.WriteString(`{"hook_event_name":"Stop",`)
		for chunk := bytes.Repeat([]byte("x"), 1<<16); err == nil && args[0] == "flood"; {
			_, err = w.Write(chunk)
		}
	}()
	err = cmd.Wait()
	took := time.Since(began)
	_ = r.Close()
	ts.Logf("took %s; stdout %q, stderr %q", took, &out, &said)
	if got := strconv.Itoa(statusOf(err)); got != args[1] || out.Len() > 0 {
		ts.Fatalf("status %s, want %s; stdout %q, stderr %q", got, args[1], &out, &said)
	}
	if took > 8*time.Second {
		ts.Fatalf("it took %s", took)
	}
}

// cmdOwner gives a file to another user, which only root can: owner UID FILE.
func cmdOwner(ts *testscript.TestScript, neg bool, args []string) {
	uid, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(os.Chown(ts.MkAbs(args[1]), uid, uid))
}

// cmdBig makes a payload of more than N bytes: big N FILE.
func cmdBig(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	text := `{"hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"` + strings.Repeat("x", n) + `"}`
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}

// cmdModes wants these permissions of files and folders: modes 0600 FILE...
func cmdModes(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.ParseUint(args[0], 8, 32)
	ts.Check(err)
	for _, file := range args[1:] {
		fi, err := os.Stat(ts.MkAbs(file))
		ts.Check(err)
		if fi.Mode().Perm() != os.FileMode(want) {
			ts.Fatalf("%s has mode %04o, want %04o", file, fi.Mode().Perm(), want)
		}
	}
}

// cmdFill puts the values of variables into files: fill FILE...
func cmdFill(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range args {
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(os.Expand(ts.ReadFile(file), ts.Getenv)), 0o600))
	}
}

// cmdTold wants the text of FILE, whose final newline does not count, as the last argument that a stand-in noted: told ARGS FILE.
func cmdTold(ts *testscript.TestScript, neg bool, args []string) {
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile(args[0]), "\n"), "\n")
	got, err := strconv.Unquote(lines[len(lines)-1])
	ts.Check(err)
	want := ts.ReadFile(args[1])
	if (strings.TrimSuffix(got, "\n") == strings.TrimSuffix(want, "\n")) == neg {
		ts.Fatalf("told %q, want %q", got, want)
	}
}

// cmdReal puts a program of this machine's on PATH: real PROGRAM.
func cmdReal(ts *testscript.TestScript, neg bool, args []string) {
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	ts.Check(os.Symlink(path, filepath.Join(ts.Getenv("BIN"), args[0])))
}

// cmdEdit replaces what a regular expression matches in a file: edit FILE EXPRESSION NEW.
func cmdEdit(ts *testscript.TestScript, neg bool, args []string) {
	re := regexp.MustCompile(args[1])
	text := ts.ReadFile(args[0])
	if !re.MatchString(text) {
		ts.Fatalf("no match for %s in %s", args[1], text)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(re.ReplaceAllString(text, args[2])), 0o600))
}

// cmdAlive wants stand-ins alive, or with ! gone within 10 s: alive claude.1 codex.2.
func cmdAlive(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(filepath.Join(ts.Getenv("STANDIN"), name+".pid"))))
		ts.Check(err)
		alive := func() bool { _, err := platform.Identify(pid); return err == nil }
		for end := time.Now().Add(10 * time.Second); neg && alive() && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		}
		if alive() == neg {
			ts.Fatalf("%s, pid %d: alive is %v", name, pid, neg)
		}
	}
}
