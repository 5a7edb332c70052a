package chain

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCarry(t *testing.T) {
	now := time.Now()
	s := Store{Dir: t.TempDir(), Now: func() time.Time { return now }}
	if err := os.Mkdir(s.jobDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Carried("0123abcd"); ok {
		t.Error("there is an environment nobody kept")
	}
	env := []string{"A=1", "KEY=two\nlines = more", "=C:=x", ""}
	if err := s.Carry("0123abcd", env); err != nil {
		t.Fatal(err)
	}
	if got, ok := s.Carried("0123abcd"); !ok || cmp.Diff(env, got) != "" {
		t.Errorf("%v %q", ok, got)
	}
	fi, err := os.Stat(filepath.Join(s.jobDir(), "0123abcd.env"))
	if err != nil || fi.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("%v %v", fi.Mode(), err)
	}
	if jobs, err := s.Jobs(); err != nil || len(jobs) > 0 {
		t.Errorf("it is taken for a job: %v %v", jobs, err)
	}
	if err := s.Carry("4567abcd", nil); err != nil { // of a launcher that died
		t.Fatal(err)
	}
	s.Drop("0123abcd")
	if _, ok := s.Carried("0123abcd"); ok {
		t.Error("it is still there")
	}
	if _, ok := s.Carried("4567abcd"); !ok {
		t.Error("another launcher's is gone")
	}
	now = now.Add(time.Hour)
	s.Drop("0123abcd")
	if _, ok := s.Carried("4567abcd"); ok {
		t.Error("what a dead launcher left is still there")
	}
	if err := s.Carry("../escape", nil); err == nil {
		t.Error("a path was taken for an id")
	}
}
