//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// desktop gives a home an X server without a screen and a message bus, which end with the test. Without the programs for
// them, and the others named, the test is skipped.
func (h *Home) desktop(t *testing.T, needs ...string) {
	t.Helper()
	for _, p := range append(needs, "Xvfb", "dbus-daemon") {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip(err)
		}
	}
	run := filepath.Join(h.Dir, "run")
	must(t, os.MkdirAll(run, 0o700))
	h.extra = append(h.extra, "XDG_RUNTIME_DIR="+run, "GSETTINGS_BACKEND=memory", "NO_AT_BRIDGE=1")
	display := h.serve(t, "Xvfb", "-displayfd", "3", "-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-noreset")
	h.extra = append(h.extra, "DISPLAY=:"+display)
	h.extra = append(h.extra, "DBUS_SESSION_BUS_ADDRESS="+h.serve(t, "dbus-daemon", "--session", "--nofork", "--print-address=3"))
}

// serve starts a server that ends with the home, and returns the line it writes to descriptor 3 once it serves.
func (h *Home) serve(t *testing.T, name string, args ...string) string {
	t.Helper()
	from, to, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() { _ = from.Close() }) // not before: some write twice
	cmd := h.command(h.Dir, name, args...)
	cmd.ExtraFiles = []*os.File{to}
	must(t, cmd.Start())
	go func() { _ = cmd.Wait() }()
	must(t, to.Close())
	must(t, from.SetReadDeadline(time.Now().Add(20*time.Second)))
	var line []byte
	for b := make([]byte, 1); ; line = append(line, b[0]) {
		if _, err := from.Read(b); err != nil {
			t.Fatalf("%s does not start: %v", name, err)
		}
		if b[0] == '\n' {
			return string(line)
		}
	}
}
