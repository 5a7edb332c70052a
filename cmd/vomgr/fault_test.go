package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestFaultIsNeverTwo builds vomgr with faults in its hook and shows that none of them ends with status 2, which every
// assistant answers with another turn of the model (a hook that only panicked made Codex go on 109 times in 25 s), and
// that no core file with the environment in it is left in the project.
func TestFaultIsNeverTwo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is started through sh here")
	}
	program := faultyVomgr(t)
	for _, fault := range []struct {
		name string
		want string // what the shell says the status was: 134 is SIGABRT
		says string
	}{
		{"panic", "1", "vomgr: a fault in the hook: injected; nothing more was done\n"},
		{"goroutine", "134", "panic: injected"},
		{"stack", "134", "stack overflow"},
		{"map", "134", "concurrent map writes"},
	} {
		for part, argv := range map[string][]string{
			"vocl-go": {"vocl-go"}, "voco-go": {"voco-go", `{"type":"agent-turn-complete"}`},
			"words": {"vomgr", "hook", "stop", "gemini"}, "launcher": {"vomgr", "hook", "launch", "nosuchjob1", "/helper"},
		} {
			t.Run(fault.name+"/"+part, func(t *testing.T) {
				t.Parallel()
				status, stdout, stderr := runFault(t, program, fault.name, argv)
				if status != fault.want {
					t.Errorf("status %s, want %s", status, fault.want)
				}
				if stdout != "" {
					t.Errorf("stdout %q", stdout)
				}
				if !strings.Contains(stderr, fault.says) {
					t.Errorf("stderr does not say %q: %.300s", fault.says, stderr)
				}
			})
		}
	}
}

// faultyVomgr builds vomgr with faults, for all tests that want some.
func faultyVomgr(t *testing.T) string {
	t.Helper()
	program, err := buildFaulty()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// faultyDir is where it is, "" when no test wanted it.
var faultyDir string

var buildFaulty = sync.OnceValues(func() (program string, err error) {
	if faultyDir, err = os.MkdirTemp("", "vomgr-fault"); err != nil {
		return "", err
	}
	program = filepath.Join(faultyDir, "vomgr")
	out, err := exec.Command("go", "build", "-tags", "vomgr_fault", "-o", program, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
})

// runFault runs program as argv in a project of its own, with core files allowed, and gives the status that a shell
// sees, as an assistant's does.
func runFault(t *testing.T, program, fault string, argv []string) (status, stdout, stderr string) {
	t.Helper()
	home, project := t.TempDir(), t.TempDir()
	link := filepath.Join(home, argv[0])
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	sh := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", `ulimit -c unlimited 2>/dev/null; "$0" "$@"; echo $? >"$STATUS"`, link}, argv[1:]...)...)
	sh.Dir = project
	statusFile := filepath.Join(home, "status")
	sh.Env = []string{"HOME=" + home, "FAULT=" + fault, "STATUS=" + statusFile, "PATH="}
	var out, errs bytes.Buffer
	sh.Stdout, sh.Stderr = &out, &errs
	if err := sh.Run(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(statusFile)
	if err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(project)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the project: %v %v", left, err)
	}
	return strings.TrimSpace(string(data)), out.String(), errs.String()
}
