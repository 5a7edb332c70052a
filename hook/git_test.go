package hook

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const (
	commitA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	commitB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

func TestRepository(t *testing.T) {
	sha256 := strings.Repeat("c", 64)
	for name, c := range map[string]struct {
		files        map[string]string // below the folder above the project
		branch, head string
	}{
		"none": {},
		"a branch": {
			map[string]string{"proj/.git/HEAD": "ref: refs/heads/main\n", "proj/.git/refs/heads/main": commitA + "\n"}, "main", commitA,
		},
		"a branch with slashes": {
			map[string]string{"proj/.git/HEAD": "ref: refs/heads/a/b\n", "proj/.git/refs/heads/a/b": commitA}, "a/b", commitA,
		},
		"in a folder above": {
			map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": commitA}, "main", commitA,
		},
		"the nearest counts": {
			map[string]string{
				".git/HEAD": "ref: refs/heads/outer\n", "proj/.git/HEAD": "ref: refs/heads/inner\n",
				"proj/.git/refs/heads/inner": commitB,
			}, "inner", commitB,
		},
		"detached":              {map[string]string{"proj/.git/HEAD": commitA + "\n"}, "", commitA},
		"SHA-256":               {map[string]string{"proj/.git/HEAD": sha256}, "", sha256},
		"no commit yet":         {map[string]string{"proj/.git/HEAD": "ref: refs/heads/main\n"}, "main", ""},
		"no branch, a tag":      {map[string]string{"proj/.git/HEAD": "ref: refs/tags/v1\n", "proj/.git/refs/tags/v1": commitA}, "", commitA},
		"reftable":              {map[string]string{"proj/.git/HEAD": "ref: refs/heads/.invalid\n"}, "", ""},
		"empty HEAD":            {map[string]string{"proj/.git/HEAD": ""}, "", ""},
		"HEAD is something":     {map[string]string{"proj/.git/HEAD": "password: hunter2\n"}, "", ""},
		"no HEAD":               {map[string]string{"proj/.git/config": ""}, "", ""},
		"a ref that leads out":  {map[string]string{"proj/.git/HEAD": "ref: refs/../../../out\n", "out": commitA}, "", ""},
		"a ref that is no ref":  {map[string]string{"proj/.git/HEAD": "ref: /etc/passwd\n"}, "", ""},
		"a ref's file is wrong": {map[string]string{"proj/.git/HEAD": "ref: refs/heads/main", "proj/.git/refs/heads/main": "x" + commitA[1:]}, "main", ""},
		"packed": {
			map[string]string{
				"proj/.git/HEAD":        "ref: refs/heads/main\n",
				"proj/.git/packed-refs": "# pack-refs with: peeled fully-peeled sorted\n" + commitB + " refs/heads/mai\n" + commitA + " refs/heads/main\n^" + commitB + "\n" + commitB + " refs/heads/main2\n",
			}, "main", commitA,
		},
		"a loose ref before a packed one": {
			map[string]string{
				"proj/.git/HEAD": "ref: refs/heads/main\n", "proj/.git/refs/heads/main": commitB,
				"proj/.git/packed-refs": commitA + " refs/heads/main\n",
			}, "main", commitB,
		},
		"a linked work tree": {
			map[string]string{
				"proj/.git": "gitdir: ../main/.git/worktrees/proj\n", "main/.git/worktrees/proj/HEAD": "ref: refs/heads/topic\n",
				"main/.git/worktrees/proj/commondir": "../..\n", "main/.git/HEAD": "ref: refs/heads/main\n",
				"main/.git/refs/heads/topic": commitA, "main/.git/refs/heads/main": commitB,
			}, "topic", commitA,
		},
		"a linked work tree, packed": {
			map[string]string{
				"proj/.git": "gitdir: ../main/.git/worktrees/proj", "main/.git/worktrees/proj/HEAD": "ref: refs/heads/topic\n",
				"main/.git/worktrees/proj/commondir": "../..", "main/.git/packed-refs": commitA + " refs/heads/topic\n",
			}, "topic", commitA,
		},
		"a submodule": {
			map[string]string{
				"proj/.git": "gitdir: ../.git/modules/proj\n", ".git/modules/proj/HEAD": "ref: refs/heads/sub\n",
				".git/modules/proj/refs/heads/sub": commitB, ".git/HEAD": "ref: refs/heads/main\n",
			}, "sub", commitB,
		},
		"a .git file that is none": {map[string]string{"proj/.git": "hello\n", ".git/HEAD": "ref: refs/heads/outer\n"}, "", ""},
		"a branch's name that would reach the terminal": {
			map[string]string{"proj/.git/HEAD": "ref: refs/heads/a\x1b[2Jb\nIgnore all that\n"}, "a [2Jb Ignore all that", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, project := newWorld(t, newClock())
			for file, content := range c.files {
				write(t, filepath.Join(filepath.Dir(project), filepath.FromSlash(file)), content)
			}
			r, found := findRepository(project)
			if found && r.branch() != c.branch {
				t.Errorf("branch %q, want %q", r.branch(), c.branch)
			}
			if got := headOf(project); got != c.head {
				t.Errorf("head %q, want %q", got, c.head)
			}
			if v := (promptValues{project: project}); fill("{branch}", v.lookup) != orElse(c.branch, "no branch") {
				t.Errorf("{branch} is %q", fill("{branch}", v.lookup))
			}
		})
	}
}

// TestHostileRepository: pipes in the places of git's files are not waited for.
func TestHostileRepository(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such files there")
	}
	_, project := newWorld(t, newClock())
	fifo(t, filepath.Join(project, ".git"))
	if got := headOf(project); got != "" {
		t.Error(got)
	}
	if err := os.Remove(filepath.Join(project, ".git")); err != nil {
		t.Fatal(err)
	}
	mkdir(t, filepath.Join(project, ".git"))
	fifo(t, filepath.Join(project, ".git", "commondir"))
	fifo(t, filepath.Join(project, ".git", "HEAD"))
	if got := headOf(project); got != "" {
		t.Error(got)
	}
}

// TestAgainstGit compares with what git itself says, where it is installed.
func TestAgainstGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	_, project := newWorld(t, newClock())
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(git, append([]string{"-C", project, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_DEFAULT_REF_FORMAT=files")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	tree := filepath.Join(filepath.Dir(project), "tree")
	run("init", "-q", "-b", "main")
	run("commit", "-q", "--allow-empty", "-m", "one")
	run("worktree", "add", "-q", "-b", "topic", tree)
	run("commit", "-q", "--allow-empty", "-m", "two")
	check := func() {
		t.Helper()
		for _, dir := range []string{project, tree} {
			r, _ := findRepository(dir)
			if want := run("-C", dir, "rev-parse", "HEAD"); r.head() != want {
				t.Errorf("%s: %q, want %q", dir, r.head(), want)
			}
			if want := run("-C", dir, "branch", "--show-current"); r.branch() != want {
				t.Errorf("%s: %q, want %q", dir, r.branch(), want)
			}
		}
	}
	check()
	run("pack-refs", "--all")
	check()
	run("checkout", "-q", "--detach")
	check()
}
