package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// nobody is a user without any right.
const nobody = 65534

// place is a state of things in which a file cannot be edited: vomgr says why, and changes nothing of it.
type badPlace struct {
	prepare func(m *machine)
	says    string // a regular expression, of what enable says
	user    int    // who runs vomgr
	works   bool   // it can be edited
}

const (
	claudeFile = ".claude/settings.json"
	codexFile  = ".codex/config.toml"
)

func (m *machine) at(name string) string { return filepath.Join(m.home, name) }

func (m *machine) write(name, text string) {
	m.Helper()
	m.must(os.WriteFile(m.at(name), []byte(text), 0o600))
}

// mount mounts something for the time of the test; the test is skipped where that is not allowed.
func (m *machine) mount(source, target, kind string, flags uintptr, data string) {
	m.Helper()
	if err := unix.Mount(source, target, kind, flags, data); err != nil {
		m.Skipf("nothing can be mounted here: %v", err)
	}
	m.Cleanup(func() { m.must(unix.Unmount(target, unix.MNT_DETACH)) })
}

// immutable makes a file or folder immutable for the time of the test.
func (m *machine) immutable(name string) {
	m.Helper()
	f, err := os.Open(m.at(name))
	m.must(err)
	set := func(flags int) error { return unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags) }
	was, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err == nil {
		err = set(was | unix.STATX_ATTR_IMMUTABLE)
	}
	if err != nil {
		m.Skipf("nothing can be made immutable here: %v", err)
	}
	m.Cleanup(func() { m.must(set(was)); m.must(f.Close()) })
}

// fill takes all the room that a file system has left, and returns the file that holds it.
func (m *machine) fill(dir string) string {
	m.Helper()
	name := filepath.Join(dir, "filler")
	f, err := os.Create(name)
	m.must(err)
	for _, size := range []int{1 << 12, 1} {
		chunk := bytes.Repeat([]byte("x"), size)
		for err = nil; err == nil; {
			_, err = f.Write(chunk)
		}
	}
	m.must(f.Close())
	return name
}

// TestBadPlaces: where a file cannot be edited, the message says why, the status is 1, nothing of that assistant is
// changed, and the other one goes on.
func TestBadPlaces(t *testing.T) {
	bin := built(t)
	for name, c := range map[string]badPlace{
		"read-only file":         {func(m *machine) { m.must(os.Chmod(m.at(claudeFile), 0o400)) }, `settings.json is read-only; make it writable first`, 0, false},
		"read-only file, a user": {func(m *machine) { m.must(os.Chmod(m.at(claudeFile), 0o444)) }, `settings.json is read-only; make it writable first`, nobody, false},
		"read-only folder": {func(m *machine) {
			m.must(os.Chmod(m.at(".claude"), 0o500))
		}, `~/.claude/settings.json cannot be written: ~/.claude: permission denied; make that folder writable first`, nobody, false},
		"somebody else's file": {func(m *machine) {
			m.must(os.Chown(m.at(claudeFile), 0, 0))
			m.must(os.Chmod(m.at(claudeFile), 0o644))
		}, `settings.json: permission denied; make it writable first`, nobody, false},
		"somebody else's file, writable": {func(m *machine) {
			m.must(os.Chown(m.at(claudeFile), 0, 0))
			m.must(os.Chmod(m.at(claudeFile), 0o666))
		}, `settings.json belongs to another user, and would become yours`, nobody, false},
		"a group that is not ours": {func(m *machine) {
			m.must(os.Chown(m.at(claudeFile), nobody, 0))
			m.must(os.Chmod(m.at(claudeFile), 0o660))
		}, `settings.json belongs to group 0, which is none of yours, and would lose it; give it a group of yours first`, nobody, false},
		"a group that the folder hands on": {func(m *machine) {
			m.must(os.Chown(m.at(claudeFile), nobody, 0))
			m.must(os.Chown(m.at(".claude"), nobody, 0))
			m.must(os.Chmod(m.at(".claude"), fs.ModeSetgid|0o770))
		}, ``, nobody, true},
		"an unreadable file": {func(m *machine) { m.must(os.Chmod(m.at(claudeFile), 0o200)) }, `settings.json: permission denied`, nobody, false},
		"dangling link": {func(m *machine) {
			m.must(os.Remove(m.at(claudeFile)))
			m.must(os.Symlink("../dots/none.json", m.at(claudeFile)))
		}, `is a symbolic link to .*dots/none.json, which does not exist; create that file or remove the link`, 0, false},
		"links in a circle": {func(m *machine) {
			m.must(os.Remove(m.at(claudeFile)))
			m.must(os.Symlink("b", m.at(claudeFile)))
			m.must(os.Symlink("settings.json", m.at(".claude/b")))
		}, `links in a circle`, 0, false},
		"link to the null device": {func(m *machine) {
			m.must(os.Remove(m.at(claudeFile)))
			m.must(os.Symlink("/dev/null", m.at(claudeFile)))
		}, `~/.claude/settings.json is a symbolic link to /dev/null, not a regular file; remove the link`, 0, false},
		"fifo": {func(m *machine) {
			m.must(os.Remove(m.at(claudeFile)))
			m.must(unix.Mkfifo(m.at(claudeFile), 0o600))
		}, `settings.json is a pipe where a file is expected; move it away`, 0, false},
		"folder": {func(m *machine) {
			m.must(os.Remove(m.at(claudeFile)))
			m.must(os.MkdirAll(m.at(claudeFile+"/x"), 0o700))
		}, `settings.json is a folder where a file is expected; move it away`, 0, false},
		"a file in the folder's place": {func(m *machine) {
			m.must(os.RemoveAll(m.at(".claude")))
			m.write(".claude", "x")
		}, `~/.claude/settings.json: a file stands where its folder is expected; move it away`, 0, false},
		"a dangling link in the folder's place": {func(m *machine) {
			m.must(os.RemoveAll(m.at(".claude")))
			m.must(os.Symlink("nowhere", m.at(".claude")))
		}, `~/.claude/? is a symbolic link to a folder that does not exist; create it or remove the link`, 0, false},
		"hard link": {func(m *machine) {
			m.must(os.Link(m.at(claudeFile), m.at(".claude/other")))
		}, `settings.json is one of 2 names of the same file \(hard links\)`, 0, false},
		"immutable file":   {func(m *machine) { m.immutable(claudeFile) }, `settings.json: operation not permitted; it may be immutable`, 0, false},
		"immutable folder": {func(m *machine) { m.immutable(".claude") }, `~/.claude/settings.json cannot be written: ~/.claude: operation not permitted; it may be immutable .*; make that folder writable first`, 0, false},
		"mounted by itself": {func(m *machine) {
			m.mount(m.at(claudeFile), m.at(claudeFile), "", unix.MS_BIND, "")
		}, `settings.json is mounted by itself and cannot be replaced; mount its folder instead`, 0, false},
		"read-only mount": {func(m *machine) {
			m.mount(m.at(".claude"), m.at(".claude"), "", unix.MS_BIND, "")
			m.must(unix.Mount("", m.at(".claude"), "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
		}, `read-only file system`, 0, false},
		"two-hop link": {func(m *machine) {
			m.must(os.Mkdir(m.at("dots"), 0o700))
			m.must(os.Rename(m.at(claudeFile), m.at("dots/real.json")))
			m.must(os.Symlink("../dots/hop", m.at(claudeFile)))
			m.must(os.Symlink("real.json", m.at("dots/hop")))
		}, ``, 0, true},
		"a user": {func(*machine) {}, ``, nobody, true},
		"on an overlay as in a container": {func(m *machine) {
			m.must(os.MkdirAll(filepath.Join(m.root, "upper"), 0o700))
			m.must(os.MkdirAll(filepath.Join(m.root, "work"), 0o700))
			m.mount("overlay", m.at(".claude"), "overlay", 0, "lowerdir="+m.at(".claude")+",upperdir="+filepath.Join(m.root, "upper")+",workdir="+filepath.Join(m.root, "work"))
		}, ``, 0, true},
		"a folder with quotes and a line break in its name": {func(m *machine) {
			odd := m.at("a \"b\" 'c' $d `e`\n.claude")
			m.must(os.Rename(m.at(".claude"), odd))
			m.must(os.Symlink(odd, m.at(".claude")))
		}, ``, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			if c.user != 0 && os.Geteuid() != 0 {
				t.Skip("only root can become somebody else")
			}
			m := newMachine(t, bin)
			m.files = map[string]string{claudeFile + "@0600": "{\n  \"a\": 1\n}\n", codexFile: "notify = ['ding']\n"}
			m.reset()
			m.give(c.user)
			c.prepare(m)
			m.heldBack(c)
		})
	}
}

// give makes user the owner of everything.
func (m *machine) give(user int) {
	m.Helper()
	if user == 0 {
		return
	}
	m.must(os.Chmod(filepath.Dir(m.root), 0o755))
	m.must(os.Chmod(m.root, 0o755))
	m.must(os.Chmod(filepath.Dir(m.bin), 0o755))
	m.must(os.Chmod(m.bin, 0o755))
	m.must(filepath.WalkDir(m.home, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, user, user)
	}))
}

// run runs vomgr as somebody, and returns its status and what it says.
func (m *machine) run(user int, args ...string) (int, string) {
	m.Helper()
	cmd := m.command(filepath.Join(m.bin, "vomgr"), args...)
	if user != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
	}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		m.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// heldBack runs enable and disable in a bad place.
func (m *machine) heldBack(c badPlace) {
	m.Helper()
	claude := func() map[string]string { return m.below(".claude", "dots", "nowhere") }
	before := claude()
	status, said := m.run(c.user, "enable", "--everywhere", "claude", "codex")
	if c.works {
		if status != 0 || cmp.Equal(before, claude()) {
			m.Errorf("status %d, %s", status, said)
		}
		if status, said = m.run(c.user, "uninstall", "--purge"); status != 0 {
			m.Errorf("status %d, %s", status, said)
		}
		if diff := cmp.Diff(before, claude()); diff != "" {
			m.Error(diff)
		}
		return
	}
	if status != 1 || !regexp.MustCompile(c.says).MatchString(said) || strings.Contains(said, "vomgr-") {
		m.Errorf("status %d, want 1 and %q:\n%s", status, c.says, said)
	}
	if diff := cmp.Diff(before, claude()); diff != "" {
		m.Errorf("changed, and yet:\n%s\n%s", said, diff)
	}
	if data, err := os.ReadFile(m.at(codexFile)); err != nil || !strings.Contains(string(data), "voco-go") {
		m.Errorf("codex was not enabled: %v, %s\n%s", err, data, said)
	}
	if _, said = m.run(c.user, "disable"); strings.Contains(said, "panic") {
		m.Error(said)
	}
	if diff := cmp.Diff(before, claude()); diff != "" {
		m.Errorf("disable changed:\n%s\n%s", said, diff)
	}
}

// below is the state of some folders of the home.
func (m *machine) below(dirs ...string) map[string]string {
	m.Helper()
	all := m.state()
	for name := range all {
		first, _, _ := strings.Cut(name, "/")
		keep := strings.Contains(first, "\n")
		for _, d := range dirs {
			keep = keep || first == d
		}
		if !keep {
			delete(all, name)
		}
	}
	return all
}

// TestWhereNothingIsWritten: no home, or one that is not ours.
func TestWhereNothingIsWritten(t *testing.T) {
	m := newMachine(t, built(t))
	m.reset()
	for _, verb := range []string{"enable", "disable", "uninstall"} {
		for home, says := range map[string]string{"": "no home folder is known", "relative": "no home folder is known"} {
			cmd := m.command(filepath.Join(m.bin, "vomgr"), verb)
			cmd.Env, cmd.Dir = []string{"HOME=" + home, "PATH=" + m.bin}, m.home
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), says) {
				t.Errorf("%s with HOME=%q: %v, %s", verb, home, err, out)
			}
		}
	}
	if os.Geteuid() == 0 {
		m.must(os.Chown(m.home, nobody, nobody))
		if status, said := m.run(0, "enable"); status != 1 || !strings.Contains(said, "run it as that user, without sudo") {
			t.Errorf("%d, %s", status, said)
		}
	}
	if left := m.state(); len(left) != 3 {
		t.Errorf("%v", left)
	}
}

// TestHomeThatIsNotUTF8: such a path cannot stand in a configuration; it would be another one there.
func TestHomeThatIsNotUTF8(t *testing.T) {
	m := newMachine(t, built(t))
	m.home = filepath.Join(m.root, "h\xff")
	m.files = map[string]string{claudeFile: "{}", codexFile: "x = 1\n"}
	m.reset()
	before := m.state()
	status, said := m.run(0, "enable", "--everywhere", "claude", "codex")
	if status != 1 || strings.Count(said, "a path that is not UTF-8 cannot be written into a configuration; move that folder") != 2 {
		t.Errorf("status %d: %s", status, said)
	}
	if diff := cmp.Diff(before, m.state()); diff != "" {
		t.Error(diff)
	}
}

// TestFullDisk: no room for the new file, for the programs, or for the state. What is there stays whole, and with room
// again everything is as if nothing had been.
func TestFullDisk(t *testing.T) {
	bin := built(t)
	for name, full := range map[string]string{"claude's folder": ".claude", "codex's folder": ".codex", "the home": "."} {
		for _, verb := range []string{"enable", "disable"} {
			t.Run(verb+", "+name, func(t *testing.T) {
				m := newMachine(t, bin)
				big := "{\n  \"a\": \"" + strings.Repeat("x", 20_000) + "\"\n}\n"
				m.reset()
				m.mount("tmpfs", m.at(full), "tmpfs", 0, "size=256k,mode=0700")
				m.must(os.MkdirAll(m.at(".claude"), 0o700))
				m.must(os.MkdirAll(m.at(".codex"), 0o700))
				m.write(claudeFile, big)
				m.write(codexFile, "# "+strings.Repeat("x", 20_000)+"\n")
				first := m.state()
				m.fullDisk(full, verb, first)
			})
		}
	}
}

func (m *machine) fullDisk(full, verb string, first map[string]string) {
	m.Helper()
	args := []string{"enable", "--everywhere", "claude", "codex"}
	if verb == "disable" {
		m.vomgr(args...)
		args = []string{"disable"}
	}
	before := m.below(".claude", ".codex")
	filler := m.fill(m.at(full))
	status, said := m.run(0, args...)
	if status != 1 || !strings.Contains(said, "no space left on device") || strings.Contains(said, "vomgr-") {
		m.Errorf("status %d: %s", status, said)
	}
	m.must(os.Remove(filler))
	after := m.below(".claude", ".codex")
	for _, name := range theirs[:2] {
		if strings.HasPrefix(name, full) && before[name] != after[name] {
			m.Errorf("%s was changed: %s", name, after[name])
		}
	}
	m.vomgr(args...)
	if data, err := os.ReadFile(m.at(claudeFile)); err != nil || strings.Contains(string(data), "vocl-go") != (verb == "enable") {
		m.Errorf("with room again: %v, %s", err, data)
	}
	m.vomgr("uninstall", "--purge")
	if diff := cmp.Diff(first, m.state()); diff != "" {
		m.Error(diff)
	}
}
