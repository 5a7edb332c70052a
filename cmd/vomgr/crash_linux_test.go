package main

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var everyCall = flag.Bool("every", false, "kill at every system call of every scenario, as CI does; else only of enable's")

// machine is a home with a built vomgr on PATH, and stand-ins for the assistants, at one path for all trials.
type machine struct {
	*testing.T
	bin, root, home, tracer string
	links                   map[string]string // in the home: what is a symbolic link before vomgr comes
	files                   map[string]string // and what is a file; a mode may follow the name, as in "a@0640"
}

// built is the folder of a vomgr that is built for the test and its parts.
func built(t *testing.T) (bin string) {
	t.Helper()
	bin = t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "vomgr"), ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

func newMachine(t *testing.T, bin string) *machine {
	t.Helper()
	m := &machine{T: t, bin: bin, root: t.TempDir()}
	m.home, m.tracer = filepath.Join(m.root, "home"), filepath.Join(m.root, "tracer")
	self, err := os.Executable()
	m.must(err)
	m.must(os.Symlink(self, m.tracer))
	return m
}

func (m *machine) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// reset gives the home back as it was before vomgr came.
func (m *machine) reset() {
	m.Helper()
	m.must(os.RemoveAll(m.home))
	m.must(os.MkdirAll(filepath.Join(m.home, ".claude"), 0o700))
	m.must(os.MkdirAll(filepath.Join(m.home, ".codex"), 0o700))
	for name, text := range m.files {
		name, mode, _ := strings.Cut(name, "@")
		perm, err := strconv.ParseUint("0"+mode, 8, 32)
		if m.must(err); perm == 0 {
			perm = 0o600
		}
		path := filepath.Join(m.home, name)
		m.must(os.MkdirAll(filepath.Dir(path), 0o700))
		m.must(os.WriteFile(path, []byte(text), fs.FileMode(perm)))
		m.must(os.Chmod(path, fs.FileMode(perm)))
	}
	for name, to := range m.links {
		m.must(os.Symlink(to, filepath.Join(m.home, name)))
	}
}

// command is a program in this home.
func (m *machine) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(m.Context(), name, args...)
	cmd.Env = []string{"HOME=" + m.home, "PATH=" + m.bin, "GORACE=atexit_sleep_ms=0", "FLUSHES=" + os.Getenv("FLUSHES")}
	cmd.Dir = m.root
	return cmd
}

// vomgr runs vomgr, which must succeed.
func (m *machine) vomgr(args ...string) {
	m.Helper()
	if out, err := m.command(filepath.Join(m.bin, "vomgr"), args...).CombinedOutput(); err != nil {
		m.Fatalf("vomgr %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// foreign is what another program does while vomgr runs: it renames a file with this text over another.
type foreign struct {
	at       int // before which system call
	to, text string
}

// killed runs vomgr and kills it at the n-th system call that changes something; ok is false when there are fewer. calls
// are those up to then.
func (m *machine) killed(n int, f foreign, args ...string) (calls []string, ok bool) {
	m.Helper()
	cmd := m.command(m.tracer, append([]string{strconv.Itoa(n), filepath.Join(m.bin, "vomgr")}, args...)...)
	if f.at > 0 {
		from := filepath.Join(m.root, "foreign")
		m.must(os.WriteFile(from, []byte(f.text), 0o600))
		cmd.Env = append(cmd.Env, "FOREIGN_AT="+strconv.Itoa(f.at), "FOREIGN="+from, "FOREIGN_TO="+filepath.Join(m.home, f.to))
	}
	out, err := cmd.Output()
	calls = strings.Fields(string(out))
	var exit *exec.ExitError
	switch {
	case err == nil:
		return calls, true
	case errors.As(err, &exit) && exit.ExitCode() == traceDone && strings.HasSuffix(string(out), "status 0\n"):
		return calls[:len(calls)-2], false
	case errors.As(err, &exit) && len(calls) == 0 && n == 1:
		m.Skipf("processes cannot be traced here: %v, %s", err, exit.Stderr)
	}
	m.Fatalf("tracing: %v, %s", err, out)
	return nil, false
}

// state is everything in the home, but what is of no account: locks, and what the programs said of their versions.
func (m *machine) state() map[string]string {
	m.Helper()
	all := map[string]string{}
	m.must(filepath.WalkDir(m.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(m.home, path)
		if err != nil || strings.HasPrefix(rel, ".vexy-overnight/locks") {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		all[rel] = fi.Mode().String()
		var content []byte
		switch {
		case fi.Mode()&fs.ModeSymlink != 0:
			var to string
			to, err = os.Readlink(path)
			content = []byte(to)
		case fi.Mode().IsRegular():
			content, err = os.ReadFile(path)
		}
		all[rel] += " " + string(content)
		return err
	}))
	return all
}

// theirs are the files that vomgr edits.
var theirs = []string{".claude/settings.json", ".codex/config.toml", ".vexy-overnight/settings.toml"}

// wholeOrOld checks that each file is what it was, or what it is to be, and nothing else; settings that are to go may have
// been changed first.
func (m *machine) wholeOrOld(call string, old, fresh, is map[string]string) {
	m.Helper()
	for name := range is {
		edited := name == theirs[2] && fresh[name] != "" || !strings.Contains(name, "vomgr-") && !strings.HasPrefix(name, ".vexy-overnight")
		if edited && is[name] != old[name] && is[name] != fresh[name] {
			m.Errorf("killed at %s: %s is\n%s\nold\n%s\nnew\n%s", call, name, is[name], old[name], fresh[name])
		}
	}
	for _, name := range theirs {
		if old[name] != "" && fresh[name] != "" && is[name] == "" {
			m.Errorf("killed at %s: %s is gone", call, name)
		}
	}
}

// TestKilledAtEverySystemCall kills vomgr at each system call of it that changes something. Afterwards every file is the
// old one or the new one, whole; the next run heals everything; and taking vomgr out gives back what there was.
func TestKilledAtEverySystemCall(t *testing.T) {
	bin := built(t)
	group := func(command string) string {
		return `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + command + `"}]}]},"a":1}`
	}
	for name, c := range map[string]struct {
		files, links map[string]string
		before, run  []string
		owned        bool // there was something of ours: that stays gone
		all          bool // at every system call, also without -every
	}{
		"fresh": {all: true, run: []string{"enable", "--everywhere", "claude", "codex"}},
		"files of others": {
			all: true, run: []string{"enable", "--everywhere", "claude", "codex"},
			files: map[string]string{
				"dots/claude.json@0640": "{\r\n\t\"a\": 1\r\n}\r\n", ".codex/config.toml@0644": "# mine\nnotify = ['ding'] # c\n[features]\nx = true\n",
			},
			links: map[string]string{".claude/settings.json": "../dots/second.json", "dots/second.json": "claude.json"},
		},
		"an older vomgr": {
			owned: true, run: []string{"enable", "--everywhere", "claude", "codex"},
			files: map[string]string{
				".claude/settings.json": group("/old/vocl-go"), ".codex/config.toml": "notify = [\"~/.codex/voco-go.py\"]\n", ".claude/hooks/vocl-go": "an older copy",
			},
		},
		"disable, of files of others": {
			before: []string{"enable", "--everywhere", "claude", "codex"}, run: []string{"disable"},
			files: map[string]string{".claude/settings.json": "{}", ".codex/config.toml": "notify = [\n  'ding',\n]\n"},
		},
		"disable, where nothing was": {before: []string{"enable", "--everywhere", "claude", "codex"}, run: []string{"disable"}},
		"uninstall": {
			before: []string{"enable", "--everywhere", "claude", "codex"}, run: []string{"uninstall", "--purge"},
			files: map[string]string{".claude/settings.json": "{}"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, bin)
			m.files, m.links = c.files, c.links
			begin := func() {
				m.reset()
				if c.before != nil {
					m.vomgr(c.before...)
				}
			}
			m.reset()
			first := m.state()
			begin()
			old := m.state()
			m.vomgr(c.run...)
			fresh := m.state()
			step := 4
			if *everyCall || c.all {
				step = 1
			}
			var calls []string
			for n := 1; ; n += step {
				begin()
				var ok bool
				if calls, ok = m.killed(n, foreign{}, c.run...); !ok {
					break
				}
				call := calls[n-1]
				m.wholeOrOld(strconv.Itoa(n)+" "+call, old, fresh, m.state())
				m.vomgr(c.run...)
				if diff := cmp.Diff(fresh, m.state()); diff != "" {
					t.Errorf("killed at %d, %s: not healed (-want +got)\n%s", n, call, diff)
				}
				if !c.owned {
					m.vomgr("uninstall", "--purge")
					if diff := cmp.Diff(first, m.state()); diff != "" {
						t.Errorf("killed at %d, %s: not given back (-want +got)\n%s", n, call, diff)
					}
				}
				if t.Failed() {
					break
				}
			}
			t.Logf("%d system calls: %s", len(calls), strings.Join(calls, " "))
			if len(calls) < 10 {
				t.Error("that cannot be all of them")
			}
		})
	}
}

// TestFlushed: what is about to take a file's place is on the disk before it does, and so are the copy of what was there
// before and its record; after it the folder is flushed. That is all that can be seen of a power failure from here.
func TestFlushed(t *testing.T) {
	t.Setenv("FLUSHES", "yes")
	m := newMachine(t, built(t))
	for _, files := range []map[string]string{{}, {claudeFile: "{}", codexFile: "notify = ['ding']\n", ".vexy-overnight/settings.toml": "[scope]\nmode = 'armed'\n"}} {
		m.files = files
		m.reset()
		m.must(os.MkdirAll(m.at(".vexy-overnight"), 0o700))
		m.must(os.Chmod(m.at(".vexy-overnight"), 0o700))
		for _, args := range [][]string{{"enable", "--everywhere", "claude", "codex"}, {"disable"}} {
			calls, _ := m.killed(1<<20, foreign{}, args...)
			flushed, owed, put, whole := true, false, 0, 0
			for i, call := range calls {
				switch {
				case call == "write":
					flushed = false
				case call == "fsync":
					flushed, owed = true, false
				case call == "renameat" && flushed:
					whole++
				case call == "renameat2" && (!flushed || owed):
					t.Errorf("%s: not flushed before call %d of %v", args[0], i, calls)
				case call == "renameat2": // by these alone a file of a person's gets its new content
					owed = true
					put++
				}
			}
			if owed || put < 1 {
				t.Errorf("%s: %d files, and the last folder is owed: %v; %v", args[0], put, owed, calls)
			}
			if args[0] == "enable" && whole < 3+2*2 { // three files; two copies, with their records
				t.Errorf("%s: only %d flushed files got their names: %v", args[0], whole, calls)
			}
		}
	}
}

// TestKilledWhileAnotherWrites lets another program replace settings.json just before each renaming that vomgr does, and
// kills vomgr at each of its next steps. The other's version must never be lost, whatever moment that was.
func TestKilledWhileAnotherWrites(t *testing.T) {
	bin := built(t)
	const theirs = ".claude/settings.json"
	for name, c := range map[string]struct {
		before, run []string
		files       map[string]string
	}{
		"enable":              {run: []string{"enable", "--everywhere", "claude"}, files: map[string]string{theirs: "{\n  \"a\": 1\n}\n"}},
		"enable, new":         {run: []string{"enable", "--everywhere", "claude"}},
		"disable":             {before: []string{"enable", "--everywhere", "claude"}, run: []string{"disable"}, files: map[string]string{theirs: "{\n  \"a\": 1\n}\n"}},
		"disable, as nothing": {before: []string{"enable", "--everywhere", "claude"}, run: []string{"disable"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, bin)
			m.files = c.files
			begin := func() {
				m.reset()
				if c.before != nil {
					m.vomgr(c.before...)
				}
			}
			steps := 4
			if *everyCall {
				steps = 8
			}
			begin()
			all, _ := m.killed(1<<20, foreign{}, c.run...)
			trials := 0
			for at, call := range all {
				if !strings.HasPrefix(call, "rename") {
					continue
				}
				f := foreign{at: at + 1, to: theirs, text: "{\n  \"foreign\": " + strconv.Itoa(at) + "\n}\n"}
				for n := f.at; n < f.at+steps; n++ {
					begin()
					calls, killed := m.killed(n, f, c.run...)
					what := strconv.Itoa(f.at) + ", killed at " + strings.Join(calls[f.at-1:], " ")
					m.vomgr(c.run...)
					m.vomgr("uninstall", "--purge")
					data, err := os.ReadFile(filepath.Join(m.home, theirs))
					if err != nil || string(data) != f.text {
						t.Fatalf("another program wrote before %s: %v, %q", what, err, data)
					}
					left, err := os.ReadDir(filepath.Join(m.home, ".claude"))
					if err != nil || len(left) != 1 {
						t.Fatalf("another program wrote before %s: left are %v, %v", what, left, err)
					}
					if trials++; !killed {
						break
					}
				}
			}
			t.Logf("%d trials", trials)
			if trials < 8 {
				t.Error("that cannot be all of them")
			}
		})
	}
}
