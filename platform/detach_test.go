//go:build unix

package platform

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// CC#24206, #77078: a child that holds the hook's descriptors blocks the assistant for its lifetime.
func TestDetach(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	inherited, err := unix.FcntlInt(w.Fd(), unix.F_DUPFD, 3) // not close-on-exec, as what an assistant hands on
	if err != nil {
		t.Fatal(err)
	}
	h, dir := helper(t, "a b"), t.TempDir()
	pid, err := Detach(Start{Argv: []string{h, "0123abcd", "two words", ""}, Dir: dir, Env: []string{"ONE=1"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Close(inherited); err != nil {
		t.Fatal(err)
	}
	got := answer(t, h)
	if !slices.Equal(got.Args, []string{"0123abcd", "two words", ""}) || string(got.Dir) != dir || !slices.Equal(got.Env, []string{"ONE=1"}) {
		t.Errorf("started with %q in %s, environment %q", got.Args, got.Dir, got.Env)
	}
	if got.Process.Pid != pid || got.Process.Session != pid {
		t.Errorf("process %d is in session %d, started as %d", got.Process.Pid, got.Process.Session, pid)
	}
	for _, fd := range got.Streams {
		number, to, _ := strings.Cut(fd, " ")
		if number <= "2" && len(number) == 1 && to != os.DevNull || strings.HasPrefix(to, "pipe:") {
			t.Errorf("descriptor %s", fd)
		}
	}
}

// The same of a terminal, which lives as long as a person likes: vomgr next may be called by an assistant's shell.
func TestOpenDescriptors(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	inherited, err := unix.FcntlInt(w.Fd(), unix.F_DUPFD, 3)
	if err != nil {
		t.Fatal(err)
	}
	h := helper(t, "x")
	early, err := Open(Way{Argv: []string{h, "0123abcd"}, Env: []string{quickExit}})
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Close(inherited); err != nil {
		t.Fatal(err)
	}
	got, ok := answered(t, h, early)
	if !ok {
		t.Fatal(<-early)
	}
	if got.Process.Session != got.Process.Pid {
		t.Errorf("process %d is in session %d", got.Process.Pid, got.Process.Session)
	}
	for _, fd := range got.Streams {
		if _, to, _ := strings.Cut(fd, " "); strings.HasPrefix(to, "pipe:") {
			t.Errorf("descriptor %s", fd)
		}
	}
}

// Argv[0] need not be the program: it tells a program which of its roles is meant.
func TestDetachRole(t *testing.T) {
	h := helper(t, "x")
	if _, err := Detach(Start{Path: "/bin/sh", Argv: []string{"vocl", "-c", "exec \"$1\" \"$0\"", "0123abcd", h}, Env: []string{}}); err != nil {
		t.Fatal(err)
	}
	if got := answer(t, h); !slices.Equal(got.Args, []string{"0123abcd"}) {
		t.Errorf("%+v", got)
	}
}

func TestDetachFails(t *testing.T) {
	for _, s := range []Start{{}, {Argv: []string{"/nonexistent/vomgr"}}, {Argv: []string{"/bin/sh"}, Dir: "/nonexistent"}} {
		if pid, err := Detach(s); err == nil {
			t.Errorf("%+v was started as %d", s, pid)
		}
	}
}
