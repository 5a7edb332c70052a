package install

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vexyart/vomgr/internal/assistant"
)

// TestLives is the program that runs while it is replaced; as a test it does nothing.
func TestLives(*testing.T) {
	if os.Getenv("INSTALL_TEST_LIVES") != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

// TestBusyProgram: a helper lives as long as its assistant. A new version takes its place all the same, what ran makes
// room under another name, and goes when it can.
func TestBusyProgram(t *testing.T) {
	w := person(t)
	w.Env = nil
	codex := get(t, assistant.Codex)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	helper := codex.HelperPath(w)
	write(t, helper, string(program))
	cmd := exec.Command(helper, "-test.run=^TestLives$") //nolint:noctx // ended below
	cmd.Env = append(os.Environ(), "INSTALL_TEST_LIVES=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	asides := func() []string {
		found, _ := filepath.Glob(helper + asideMark + "*")
		return found
	}
	placed, failures := PlacePrograms(w, []assistant.Assistant{codex}, false)
	if len(failures) > 0 || len(placed) != 1 || read(t, helper) != read(t, w.Exe) {
		t.Errorf("while it runs: %+v %v", placed, failures)
	}
	if found := asides(); len(found) != 1 {
		t.Errorf("made room: %q", found)
	}
	write(t, w.Exe, "a newer version")
	if placed, failures = PlacePrograms(w, []assistant.Assistant{codex}, false); len(failures) > 0 || len(placed) != 1 || len(asides()) != 1 {
		t.Errorf("once more: %+v %v %q", placed, failures, asides())
	}
	if err := os.Rename(asides()[0], helper); err != nil { // as if it were of the newest version
		t.Fatal(err)
	}
	r, err := Uninstall(w, false)
	if err != nil || len(r.Failures) != 1 || !strings.Contains(r.Failures[0].Error(), "runs just now") || len(asides()) != 1 {
		t.Errorf("uninstalled: %+v %v %q", r, err, asides())
	}
	_ = stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	write(t, w.Exe, "the newest version")
	if _, failures = PlacePrograms(w, []assistant.Assistant{codex}, false); len(failures) > 0 || len(asides()) > 0 {
		t.Errorf("once it has ended: %v %q", failures, asides())
	}
}
