//go:build unix

package platform

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// standIn is a process tree begun for a test: a shell script called claude, codex or gemini.
type standIn struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
	ended chan struct{}
}

// begin runs script by sh under the name given. Whatever it prints is read line by line with next.
// When the test ends its whole session is killed, so that nothing is left over.
func begin(t *testing.T, name, script string, args ...string) *standIn {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", append([]string{path}, args...)...)
	cmd.Stdout = w
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	s := &standIn{cmd: cmd, lines: bufio.NewScanner(r), ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(s.ended)
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-s.ended
		_ = r.SetReadDeadline(time.Now())
		_ = r.Close()
	})
	return s
}

func (s *standIn) pid() int { return s.cmd.Process.Pid }

// next is the next line the tree printed.
func (s *standIn) next(t *testing.T) string {
	t.Helper()
	if !s.lines.Scan() {
		t.Fatalf("the stand-in printed nothing more: %v", s.lines.Err())
	}
	return s.lines.Text()
}

// pids reads the next n lines as process numbers and has them killed when the test ends.
func (s *standIn) pids(t *testing.T, n int) []Identity {
	t.Helper()
	ids := make([]Identity, n)
	for i := range ids {
		pid, err := strconv.Atoi(strings.TrimSpace(s.next(t)))
		if err != nil {
			t.Fatal(err)
		}
		if ids[i], err = Identify(pid); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, id := range ids {
			if Alive(id) {
				_ = syscall.Kill(id.Pid, syscall.SIGKILL)
			}
		}
	})
	return ids
}

// target is the stand-in as vomgr records it.
func (s *standIn) target(t *testing.T) Target {
	t.Helper()
	id, err := Identify(s.pid())
	if err != nil {
		t.Fatal(err)
	}
	return Target{Identity: id, Marks: []string{"claude", "codex", "gemini"}}
}

func (s *standIn) alive() bool {
	select {
	case <-s.ended:
		return false
	default:
		_, err := Identify(s.pid())
		return err == nil
	}
}
