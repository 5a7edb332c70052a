package platform

import (
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// pty opens a terminal nobody looks at.
func pty(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = master.Close() })
	raw, err := master.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	err = raw.Control(func(fd uintptr) {
		if err := unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err != nil {
			t.Error(err)
		}
		number, _ = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
	})
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = slave.Close() })
	return master, slave
}

// Codex leaves the alternate screen, the mouse and raw modes behind, however it is ended.
func TestSaveTerminal(t *testing.T) {
	master, slave := pty(t)
	fd := int(slave.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		t.Fatal(err)
	}
	restore, changed := SaveTerminal(slave)
	if changed() {
		t.Error("other modes from the first")
	}
	if _, err := term.MakeRaw(fd); err != nil {
		t.Fatal(err)
	}
	if _, err := slave.WriteString("\x1b[?1049h\x1b[?1003h"); err != nil {
		t.Fatal(err)
	}
	if _, err := master.WriteString("\x1b[<35;10;10M"); err != nil { // the mouse moved over what is dead
		t.Fatal(err)
	}
	if !changed() {
		t.Error("the modes are not seen to be other")
	}
	restore()
	after, err := term.GetState(fd)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(before, after) {
		t.Errorf("modes %+v, before %+v", after, before)
	}
	if n, err := unix.IoctlGetInt(fd, unix.TIOCINQ); err != nil || n != 0 {
		t.Errorf("%d bytes of input are left: %v", n, err)
	}
	seen := make([]byte, 4096)
	_ = master.SetReadDeadline(time.Now().Add(time.Second))
	n, _ := master.Read(seen)
	for _, off := range []string{"?1049l", "?25h", "?1000l", "?1002l", "?1003l", "?1006l", "?2004l", "?1004l", "<u", ">4;0m", "?1l"} {
		if !strings.Contains(string(seen[:n]), "\x1b["+off) {
			t.Errorf("%s is missing in %q", off, seen[:n])
		}
	}
}

func TestSaveNoTerminal(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	restore, changed := SaveTerminal(f)
	restore()
	if changed() {
		t.Error("no terminal has other modes")
	}
	if fi, err := f.Stat(); err != nil || fi.Size() != 0 {
		t.Errorf("a file was written to: %v %v", fi.Size(), err)
	}
}
