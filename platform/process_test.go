//go:build unix

package platform

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"syscall"
	"testing"
	"time"
)

func TestIdentity(t *testing.T) {
	self := Self()
	if self.Pid != os.Getpid() || self.Start == "" || self.Boot == "" {
		t.Fatalf("identity of this process: %+v", self)
	}
	if !regexp.MustCompile(`^[A-Za-z0-9-]{5,60}$`).MatchString(self.Token()) {
		t.Errorf("token %q", self.Token())
	}
	if !Alive(self) || !TokenAlive(self.Token()) {
		t.Error("this process counts as gone")
	}
	for name, other := range map[string]Identity{
		"number": {Pid: 1 << 22, Start: self.Start, Boot: self.Boot},
		"start":  {Pid: self.Pid, Start: self.Start + "0", Boot: self.Boot},
		"boot":   {Pid: self.Pid, Start: self.Start, Boot: "x" + self.Boot},
	} {
		if Alive(other) || TokenAlive(other.Token()) || other.Token() == self.Token() {
			t.Errorf("another %s makes no difference", name)
		}
	}
	for _, token := range []string{"", "-", "x", "1", "-1-2-3", self.Token() + "x"} {
		if TokenAlive(token) {
			t.Errorf("%q names a living process", token)
		}
	}
}

func TestDescribe(t *testing.T) {
	before := time.Now()
	s := begin(t, "claude", "echo ready; sleep 1000; :", "one", "two words", "")
	s.next(t)
	p, err := Describe(s.pid())
	if err != nil {
		t.Fatal(err)
	}
	if p.Parent != os.Getpid() || p.Session != s.pid() || p.Name == "" || p.Exe == "" {
		t.Errorf("%+v", p)
	}
	if len(p.Args) < 4 || !slices.Equal(p.Args[2:4], []string{"one", "two words"}) || !p.Bears("claude") {
		t.Errorf("arguments %q", p.Args)
	}
	if d := p.Started.Sub(before); d < -time.Second || d > 10*time.Second {
		t.Errorf("began %s after it was started", d)
	}
	if _, err := Describe(1 << 22); !errors.Is(err, ErrNoProcess) {
		t.Errorf("a number that is not used: %v", err)
	}
}

func TestAncestors(t *testing.T) {
	s := begin(t, "claude", "sleep 1000 & echo $!; wait")
	child := s.pids(t, 1)[0]
	line, err := Ancestors(child.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if len(line) < 2 || line[0].Pid != s.pid() || line[1].Pid != os.Getpid() || !line[0].Bears("claude") {
		t.Errorf("%+v", line)
	}
	if last := line[len(line)-1]; last.Parent > 0 && last.Pid != 1 {
		t.Errorf("ends at %+v", last)
	}
}

func TestProcesses(t *testing.T) {
	s := begin(t, "gemini", "echo ready; sleep 1000; :")
	s.next(t)
	list, err := Processes()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(p Process) bool { return p.Pid == s.pid() })
	if i < 0 || !list[i].Bears("gemini") {
		t.Errorf("the stand-in is not among %d processes, or not as it is", len(list))
	}
	if !slices.ContainsFunc(list, func(p Process) bool { return p.Identity() == Self() }) {
		t.Error("this process is not in the list")
	}
}

func TestNoCore(t *testing.T) {
	var before, during syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &before); err != nil {
		t.Fatal(err)
	}
	soft, ok := NoCore()
	defer SetCore(uint64(before.Cur))
	if !ok || soft != uint64(before.Cur) {
		t.Errorf("soft limit of before: %d, %v; it was %d", soft, ok, before.Cur)
	}
	if _ = syscall.Getrlimit(syscall.RLIMIT_CORE, &during); during.Cur != 0 || during.Max != before.Max {
		t.Errorf("limit during: %+v", during)
	}
	if !SetCore(soft) {
		t.Error("not put back")
	}
	if _ = syscall.Getrlimit(syscall.RLIMIT_CORE, &during); during != before {
		t.Errorf("limit after: %+v, before: %+v", during, before)
	}
}
