//go:build e2e

package terminals

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// inTmux begins a tmux session a person is in; the chain begins in it.
func (h *home) inTmux() error {
	socket := filepath.Join(h.dir, "run", "tmux")
	server := h.command(h.dir, "tmux", "-S", socket, "-f", "/dev/null", "new-session", "-d", "-s", "mine", "sleep", "1000")
	server.Env = append(server.Env, "TOKEN=of the server") // the first counts for some, the last for others
	for i, kv := range server.Env {
		if strings.HasPrefix(kv, "TOKEN=") {
			server.Env[i] = "TOKEN=of the server"
		}
	}
	if out, err := server.CombinedOutput(); err != nil {
		return fmt.Errorf("tmux: %w: %s", err, out)
	}
	out, err := h.command(h.dir, "tmux", "-S", socket, "display-message", "-p", "-t", "mine", "#{pid} #{session_id} #{pane_id}").Output()
	if err != nil {
		return err
	}
	f := strings.Fields(strings.ReplaceAll(string(out), "$", ""))
	if len(f) != 3 {
		return fmt.Errorf("tmux says %q", out)
	}
	h.env = append(h.env, "TMUX="+socket+","+f[0]+","+f[1], "TMUX_PANE="+f[2])
	return nil
}

// inScreen begins a screen session a person is in; the chain begins in it.
func (h *home) inScreen() error {
	if out, err := h.command(h.dir, "screen", "-dmS", "mine", "sleep", "1000").CombinedOutput(); err != nil {
		return fmt.Errorf("screen: %w: %s", err, out)
	}
	h.env = append(h.env, "STY=mine")
	return nil
}

// nssWrapper is the library by which a test gives a program another entry in passwd.
const nssWrapper = "/usr/lib/x86_64-linux-gnu/libnss_wrapper.so"

// ownEntry gives programs an entry in passwd whose home is this one: alacritty 0.11 takes HOME from there.
func (h *home) ownEntry() error {
	passwd := filepath.Join(h.dir, "passwd")
	entry := fmt.Sprintf("e2e:x:%d:%d::%s:/bin/sh\n", os.Getuid(), os.Getgid(), h.dir)
	if err := os.WriteFile(passwd, []byte(entry), 0o600); err != nil {
		return err
	}
	h.env = append(h.env, "LD_PRELOAD="+nssWrapper, "NSS_WRAPPER_PASSWD="+passwd, "NSS_WRAPPER_GROUP=/etc/group")
	return nil
}

// compositor starts a Wayland compositor in an X server. Only Wayland is put into the environment.
func (h *home) compositor(t *testing.T) {
	t.Helper()
	h.xserver(t)
	weston := h.command(h.dir, "weston", "--backend=x11-backend.so", "--use-pixman", "--socket=wayland-9", "--idle-time=0")
	h.start(t, weston)
	socket := filepath.Join(h.dir, "run", "wayland-9")
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(socket); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("weston does not start")
		}
	}
	for i, kv := range h.env {
		if strings.HasPrefix(kv, "DISPLAY=") {
			h.env[i] = "WAYLAND_DISPLAY=wayland-9"
		}
	}
}
