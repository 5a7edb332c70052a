package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/platform"
)

// TestEndOfFileAtOnce: assistants go on when nobody holds what they gave to the hook any more (CC#24206, #77078; with
// one background child that held it a turn of Claude took 14 s instead of 2). Whoever reads the hook's stdout, stderr
// and a descriptor 3 that leaked into it sees their end while the terminal, the launcher and a former notify program
// live on.
func TestEndOfFileAtOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("descriptors are not inherited there")
	}
	toml := fmt.Sprintf("[terminals.defaults]\n%s = [\"window\", \"{job}\"]\n", runtime.GOOS)
	payload := `{"type":"agent-turn-complete","thread-id":"t","turn-id":"1"}`
	t.Run("claude", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t, toml)
		ended := h.readers(t, exec.Command("/bin/sh", "-c", `"`+filepath.Join(h["CLAUDE"], "vocl-go")+`" "$CLAUDE_PROJECT_DIR"`))
		h.outlives(t, "window", ended)
	})
	t.Run("codex", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t, toml)
		h.tell(t, "gemini.do", "stay")
		ended := h.readers(t, exec.Command(filepath.Join(h["CODEX"], "voco-go"), "--then", filepath.Join(h["BIN"], "gemini"), "--former", payload))
		h.outlives(t, "window", ended)
		h.outlives(t, "gemini.1", ended)
		if got, want := h.read(t, "gemini.1.args"), fmt.Sprintf("%q\n%q\n", "--former", payload); got != want {
			t.Errorf("the former program was called with %s, want %s", got, want)
		}
	})
	t.Run("codex, off", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t, "[continuations.codex]\nenabled = false\n"+toml)
		h.tell(t, "gemini.do", "stay")
		ended := h.readers(t, exec.Command(filepath.Join(h["CODEX"], "voco-go"), "--then", "gemini", payload))
		h.outlives(t, "gemini.1", ended)
		if got, want := h.read(t, "gemini.1.args"), fmt.Sprintf("%q\n", payload); got != want {
			t.Errorf("the former program was called with %s, want %s", got, want)
		}
		if h.history() != "" || exists(filepath.Join(h["CODEX"], "voco-new.json")) {
			t.Error("something else happened")
		}
	})
}

// readers runs the hook with pipes as its stdout, stderr and descriptor 3, waits for the end of file on all three, and
// says when that was.
func (h house) readers(t *testing.T, hook *exec.Cmd) (ended time.Time) {
	t.Helper()
	var reads [3]*os.File
	var writes [3]*os.File
	for i := range reads {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		reads[i], writes[i] = r, w
	}
	hook.Stdout, hook.Stderr, hook.ExtraFiles = writes[0], writes[1], []*os.File{writes[2]}
	hook.Dir, hook.Env = h["P"], append(h.environ(), "CLAUDE_PROJECT_DIR="+h["P"])
	if err := hook.Start(); err != nil {
		t.Fatal(err)
	}
	for _, w := range writes {
		_ = w.Close()
	}
	for i, r := range reads {
		if err := r.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if said, err := io.ReadAll(r); err != nil || len(said) > 0 {
			t.Errorf("stream %d: %q, %v", i+1, said, err)
		}
	}
	ended = time.Now()
	if err := hook.Wait(); err != nil {
		t.Error(err)
	}
	return ended
}

// outlives waits until the stand-in that notes down its number as name runs, and wants it alive after ended, in a
// session of its own, with nothing open that came from the hook.
func (h house) outlives(t *testing.T, name string, ended time.Time) {
	t.Helper()
	pid := 0
	for end := time.Now().Add(10 * time.Second); pid == 0; time.Sleep(5 * time.Millisecond) {
		data, _ := os.ReadFile(filepath.Join(h["STANDIN"], name+".pid"))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		if time.Now().After(end) {
			t.Fatalf("%s did not start\n%s", name, h.history())
		}
	}
	p, err := platform.Describe(pid)
	if err != nil || time.Now().Before(ended) {
		t.Fatalf("%s is gone: %v", name, err)
	}
	if p.Session != pid {
		t.Errorf("%s is in session %d, and its number is %d", name, p.Session, pid)
	}
	if runtime.GOOS != "linux" {
		return
	}
	for fd, want := range map[string]string{"0": os.DevNull, "1": os.DevNull, "2": os.DevNull} {
		if to, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "fd", fd)); err != nil || to != want {
			t.Errorf("%s has %q as descriptor %s, %v", name, to, fd, err)
		}
	}
}

// tell writes what a stand-in has to do.
func (h house) tell(t *testing.T, file, orders string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h["STANDIN"], file), []byte(orders+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// read reads what a stand-in noted down.
func (h house) read(t *testing.T, file string) string {
	t.Helper()
	if path := filepath.Join(h["STANDIN"], file); strings.HasSuffix(file, ".args") && !await(path, 10*time.Second) {
		t.Fatalf("no %s\n%s", path, h.history())
	}
	data, err := atomicfile.ReadFile(filepath.Join(h["STANDIN"], file))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
