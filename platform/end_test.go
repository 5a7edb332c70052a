//go:build unix

package platform

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const grace = 5 * time.Second

func TestEndTree(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		pids   int
		killed bool
		grace  time.Duration
	}{
		"stopped by ctrl-z alone": {script: "echo $$; kill -STOP $$; :", pids: 1, grace: grace},
		"child":                   {script: "echo $$; sleep 1000 & echo $!; wait", pids: 2, grace: grace},
		"session of its own":      {script: "echo $$; setsid sh -c 'echo $$; sleep 1000 & echo $!; wait' & wait", pids: 3, grace: grace},
		"wrapper ignores":         {script: "trap '' TERM INT; echo $$; sh -c 'trap - TERM; echo $$; exec sleep 1000'", pids: 1, killed: true, grace: 300 * time.Millisecond},
		"all ignore":              {script: "trap '' TERM; echo $$; sleep 1000 & echo $!; wait", pids: 2, killed: true, grace: 100 * time.Millisecond},
		"no time":                 {script: "trap '' TERM; echo $$; sleep 1000 & echo $!; wait", pids: 2, killed: true},
		"begins another":          {script: "echo $$; sh -c 'echo $$; while :; do sleep 1000; done'", pids: 2, grace: grace},
		"orphan in a session":     {script: "echo $$; setsid sh -c 'echo $$; (sleep 1000 & echo $!); exec sleep 1000' & wait", pids: 3, grace: grace},
		"orphan in its session":   {script: "echo $$; (sleep 1000 & echo $!); sleep 1000; :", pids: 2, grace: grace},
		"stopped by ctrl-z":       {script: "echo $$; sleep 1000 & echo $!; kill -STOP $$; wait", pids: 2, grace: grace},
		"stopped child":           {script: "echo $$; sh -c 'echo $$; kill -STOP $$; exec sleep 1000'", pids: 2, grace: grace},
		"ends when its child is":  {script: "trap '' TERM; echo $$; (trap - TERM; sh -c 'echo $PPID'; exec sleep 1000) & wait $!", pids: 2, grace: grace},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := begin(t, "claude", c.script)
			ids := s.pids(t, c.pids)
			if strings.HasPrefix(name, "stopped") {
				awaitStopped(t, ids)
			}
			done, err := End(t.Context(), s.target(t), c.grace, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range ids {
				if Alive(id) {
					t.Errorf("process %d is alive still", id.Pid)
				}
				if !slices.Contains(done.Pids, id.Pid) {
					t.Errorf("%d is missing in %v", id.Pid, done.Pids)
				}
			}
			if done.Killed != c.killed {
				t.Errorf("killed: %v", done.Killed)
			}
			if done.Took > c.grace+killTime {
				t.Errorf("took %s", done.Took)
			}
		})
	}
}

// awaitStopped waits until one of the processes is stopped; it stops itself after it printed its number.
func awaitStopped(t *testing.T, ids []Identity) {
	t.Helper()
	for t.Context().Err() == nil {
		for _, id := range ids {
			if p, err := read(id.Pid); err == nil && p.stopped {
				return
			}
		}
		time.Sleep(time.Millisecond)
	}
}

// Forty processes, among them some that ignore the request, in sessions of their own, and orphans.
func TestEndFortyProcesses(t *testing.T) {
	script := `
echo $$
branch() {
	sh -c 'echo $$; sleep 1000 & echo $!; wait' &
	sh -c 'trap "" TERM; echo $$; sleep 1000 & echo $!; wait' &
	setsid sh -c 'echo $$; (sleep 1000 & echo $!); sleep 1000 & echo $!; wait' &
	sh -c 'trap "" TERM; echo $$; sh -c "trap - TERM; echo \$\$; exec sleep 1000"' &
	wait
}
for i in 1 2 3 4; do branch & echo $!; done
wait`
	s := begin(t, "codex", script)
	ids := s.pids(t, 1+4*(1+2+2+3+2)) // 41
	done, err := End(t.Context(), s.target(t), 500*time.Millisecond, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if Alive(id) {
			t.Errorf("process %d is alive still", id.Pid)
		}
	}
	if len(done.Pids) < len(ids) {
		t.Errorf("%d processes of %d are reported gone", len(done.Pids), len(ids))
	}
}

// Codex's shared server is a child of the TUI while that lives, and serves other sessions (Codex 0.171.0).
func TestEndSpares(t *testing.T) {
	s := begin(t, "codex", `
echo $$
setsid sh -c 'echo $$; sleep 1000 & echo $!; (sleep 1000 & echo $!); wait' app-server &
sleep 1000 & echo $!
wait`)
	ids := s.pids(t, 5)
	var server Process
	spare := func(p Process) bool {
		if slices.Contains(p.Args, "app-server") {
			server = p
		}
		return slices.Contains(p.Args, "app-server")
	}
	if _, err := End(t.Context(), s.target(t), grace, spare); err != nil {
		t.Fatal(err)
	}
	alive := 0
	for _, id := range ids {
		if Alive(id) {
			alive++
		}
	}
	if alive != 3 || !Alive(server.Identity()) {
		t.Errorf("%d processes live, 3 expected: the server and the two below it", alive)
	}
	if s.alive() {
		t.Error("codex itself lives")
	}
}

// gastown#1681, wazuh#38155: the number was used again, and the wrong process was ended.
func TestEndRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Target)
		want   error
	}{
		"another start":             {func(x *Target) { x.Identity.Start += "1" }, ErrNotSame},
		"before a reboot":           {func(x *Target) { x.Identity.Boot = "0" + x.Identity.Boot }, ErrNotSame},
		"another name":              {func(x *Target) { x.Marks = []string{"codex", "gemini"} }, ErrNotSame},
		"no name asked for":         {func(x *Target) { x.Marks = nil }, ErrNotSame},
		"empty name asked for":      {func(x *Target) { x.Marks = []string{""} }, ErrNotSame},
		"nothing recorded":          {func(x *Target) { x.Identity.Start = "" }, ErrUnverifiable},
		"no number":                 {func(x *Target) { x.Identity.Pid = 0 }, ErrUnverifiable},
		"a group's number":          {func(x *Target) { x.Identity.Pid *= -1 }, ErrUnverifiable},
		"seed record, 3 s early":    {func(x *Target) { x.Identity.Start = ""; x.Started = began(t, x).Add(-3 * time.Second) }, ErrNotSame},
		"seed record, 3 s late":     {func(x *Target) { x.Identity.Start = ""; x.Started = began(t, x).Add(3 * time.Second) }, ErrNotSame},
		"seed record, another zone": {func(x *Target) { x.Identity.Start = ""; x.Started = began(t, x).Add(time.Hour) }, ErrNotSame},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, "claude", "echo ready; sleep 1000 & wait")
			s.next(t)
			target := s.target(t)
			c.change(&target)
			done, err := End(t.Context(), target, grace, nil)
			if !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if !s.alive() || len(done.Pids) > 0 {
				t.Errorf("it was ended: %v", done)
			}
		})
	}
}

func began(t *testing.T, x *Target) time.Time {
	t.Helper()
	p, err := Describe(x.Identity.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return p.Started
}

func TestEndSeedRecord(t *testing.T) {
	for _, off := range []time.Duration{0, 1900 * time.Millisecond, -1900 * time.Millisecond} {
		s := begin(t, "gemini", "echo ready; sleep 1000; :")
		s.next(t)
		target := s.target(t)
		target.Started = began(t, &target).Add(off)
		target.Identity = Identity{Pid: target.Identity.Pid}
		if _, err := End(t.Context(), target, grace, nil); err != nil {
			t.Errorf("%s off: %v", off, err)
		}
	}
}

// A program that only has the name is not the one that was recorded.
func TestEndLeavesNamesake(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	program, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(path, program, 0o700); err != nil {
		t.Fatal(err)
	}
	s := begin(t, "x", "echo $$; exec '"+path+"' 1000")
	id := s.pids(t, 1)[0]
	target := Target{Identity: id, Marks: []string{"claude"}}
	target.Identity.Start = "1"
	if _, err := End(t.Context(), target, grace, nil); !errors.Is(err, ErrNotSame) {
		t.Errorf("error %v", err)
	}
	if !s.alive() {
		t.Error("it was ended")
	}
}

func TestEndGone(t *testing.T) {
	s := begin(t, "claude", "echo ready; sleep 1000; :")
	s.next(t)
	target := s.target(t)
	if err := syscall.Kill(s.pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-s.ended
	if _, err := End(t.Context(), target, grace, nil); !errors.Is(err, ErrNoProcess) {
		t.Errorf("error %v", err)
	}
}

// A zombie is gone: its number is held by a parent that has not asked yet.
func TestEndZombie(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "exit 0")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	id := awaitZombie(t, cmd.Process.Pid)
	if Alive(id) {
		t.Error("a zombie counts as alive")
	}
	if _, err := Identify(id.Pid); !errors.Is(err, ErrNoProcess) {
		t.Errorf("identified: %v", err)
	}
	if _, err := End(t.Context(), Target{Identity: id, Marks: []string{"sh"}}, grace, nil); !errors.Is(err, ErrNoProcess) {
		t.Errorf("error %v", err)
	}
}

func awaitZombie(t *testing.T, pid int) Identity {
	t.Helper()
	for t.Context().Err() == nil {
		list, err := table()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			if p.Pid == pid && p.zombie {
				return p.Identity()
			}
		}
		time.Sleep(time.Millisecond)
	}
	return Identity{}
}

func TestEndNeverItself(t *testing.T) {
	parent, err := Describe(os.Getppid())
	if err != nil {
		t.Skip(err)
	}
	for _, p := range []Process{{Pid: os.Getpid(), Start: Self().Start}, parent} {
		target := Target{Identity: p.Identity(), Marks: []string{p.Name, filepath.Base(p.Exe)}}
		if _, err := End(t.Context(), target, grace, nil); !errors.Is(err, ErrAncestor) {
			t.Fatalf("process %d: %v", p.Pid, err)
		}
	}
}

func TestEndStopsWithContext(t *testing.T) {
	s := begin(t, "claude", "trap '' TERM; echo ready; sleep 1000 & wait; wait")
	s.next(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	done, err := End(ctx, s.target(t), time.Minute, nil)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if done.Killed || done.Took > 10*time.Second {
		t.Errorf("%+v", done)
	}
}

// Each of many sessions is ended alone.
func TestEndTouchesNothingElse(t *testing.T) {
	var all []*standIn
	for i := range 6 {
		s := begin(t, []string{"claude", "codex", "gemini"}[i%3], "echo ready; sleep 1000 & wait")
		s.next(t)
		all = append(all, s)
	}
	for i, s := range all {
		if _, err := End(t.Context(), s.target(t), grace, nil); err != nil {
			t.Fatal(err)
		}
		for j, other := range all {
			if other.alive() != (j > i) {
				t.Fatalf("after the end of %d: alive(%d) = %v", i, j, other.alive())
			}
		}
	}
}

func TestBears(t *testing.T) {
	for _, c := range []struct {
		p    Process
		want string
	}{
		{Process{Name: "claude"}, "claude"},
		{Process{Name: "2.1.37", Exe: "/Users/ann/.local/share/claude/versions/2.1.37"}, "claude"},
		{Process{Name: "claude.exe", Exe: `C:\Users\ann\AppData\Roaming\npm\node_modules\@anthropic-ai\claude-code\bin\claude.exe`}, "claude"},
		{Process{Name: "node", Args: []string{"node", "/usr/bin/codex", "--cd=/p"}}, "codex"},
		{Process{Name: "node", Args: []string{"node", `C:\npm\node_modules\@openai\codex\bin\codex.js`}}, "codex"},
		{Process{Name: "codex-x86_64-un", Exe: "/opt/codex-x86_64-unknown-linux-musl"}, "codex"},
		{Process{Name: "node", Args: []string{"node", "--max-old-space-size=8", "/usr/bin/gemini", "-y"}}, "gemini"},
		{Process{Name: "node", Args: []string{"node", "/usr/lib/node_modules/@google/gemini-cli/dist/index.js"}}, "gemini"},
		{Process{Name: "sleep", Exe: "/bin/sleep", Args: []string{"sleep", "1000"}}, ""},
		{Process{Name: "node", Args: []string{"node", "/home/ann/claude/server.js", "--name=/claude"}}, ""},
		{Process{Name: "claudette", Args: []string{"gemini.conf"}}, ""},
		{Process{}, ""},
	} {
		got := ""
		for _, mark := range []string{"claude", "codex", "gemini"} {
			if c.p.Bears(mark) {
				got += mark
			}
		}
		if got != c.want {
			t.Errorf("%+v bears %q, want %q", c.p, got, c.want)
		}
	}
}

func ExampleIdentity_Token() {
	fmt.Println(Identity{Pid: 58811, Start: "13046502"}.Token())
	// Output: 58811-13046502-33niihzj4ux45
}

// Leaves are asked before what started them: Gemini's wrapper goes with its child, and none sees an orphan to start anew.
func TestLeavesFirst(t *testing.T) {
	s := begin(t, "claude", "echo $$; sh -c 'echo $$; sleep 1000 & echo $!; wait' & sleep 1000 & echo $!; wait")
	s.pids(t, 4)
	root, err := verified(s.target(t))
	if err != nil {
		t.Fatal(err)
	}
	tr := newTree(root, nil)
	defer tr.close()
	tr.collect()
	asked := map[int]bool{}
	tr.each(func(m *member) (bool, error) {
		if asked[m.Parent] {
			t.Errorf("%d was asked after its parent %d", m.Pid, m.Parent)
		}
		asked[m.Pid] = true
		return true, nil
	})
	if len(asked) != 4 {
		t.Errorf("asked %v of 4", asked)
	}
}

// vomgr never takes itself for a part of the tree, not even where it is an orphan in a session that the target began.
func TestNeverCollectsItself(t *testing.T) {
	s := begin(t, "claude", "echo $$; sleep 1000; :")
	s.pids(t, 1)
	root, err := verified(s.target(t))
	if err != nil {
		t.Fatal(err)
	}
	tr := newTree(root, nil)
	defer tr.close()
	me, err := read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	me.Parent, me.Session = 1, root.Pid
	if tr.take(me, map[int]Process{me.Pid: me, root.Pid: root.Process}) {
		t.Error("vomgr would end itself")
	}
}
