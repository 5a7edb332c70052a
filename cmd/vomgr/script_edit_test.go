package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/vexyart/vomgr/internal/edit"
)

// editCommands are for the scripts about the assistants' configuration files.
func editCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"inserted": cmdInserted, "age": cmdAge, "aged": cmdAged, "called": cmdCalled, "brew": cmdBrew, "foreign": cmdForeign,
	}
}

// cmdInserted wants that a file is another with one text put in, whatever that is: inserted WAS IS.
func cmdInserted(ts *testscript.TestScript, neg bool, args []string) {
	was, is := ts.ReadFile(args[0]), ts.ReadFile(args[1])
	p, s := 0, 0
	for p < len(was) && p < len(is) && was[p] == is[p] {
		p++
	}
	for s < len(was) && s < len(is) && was[len(was)-1-s] == is[len(is)-1-s] {
		s++
	}
	if ok := len(is) > len(was) && p+s >= len(was); ok == neg {
		ts.Fatalf("was\n%s\nis\n%s", was, is)
	}
}

var longAgo = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// cmdAge gives files a time long ago: age FILE...
func cmdAge(ts *testscript.TestScript, _ bool, args []string) {
	for _, file := range args {
		ts.Check(os.Chtimes(ts.MkAbs(file), longAgo, longAgo))
	}
}

// cmdAged wants that nobody wrote files since then: aged FILE...
func cmdAged(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range args {
		fi, err := os.Stat(ts.MkAbs(file))
		ts.Check(err)
		if fi.ModTime().Equal(longAgo) == neg {
			ts.Fatalf("%s was written %s", file, fi.ModTime())
		}
	}
}

// cmdCalled calls what is registered, as the assistant does at the end of a turn: called claude|codex FILE PAYLOAD
// [KEY=VALUE...]. FILE is the configuration, PAYLOAD what the hook is told; the environment holds what is given and HOME.
// It must end with 0 and print nothing.
func cmdCalled(ts *testscript.TestScript, _ bool, args []string) {
	doc, payload := []byte(ts.ReadFile(args[1])), ts.ReadFile(args[2])
	var cmd *exec.Cmd
	switch args[0] {
	case "claude":
		found, err := edit.JSON.Hooks(doc)
		ts.Check(err)
		if len(found) == 0 {
			ts.Fatalf("nothing is registered: %s", doc)
		}
		cmd = exec.Command("/bin/sh", "-c", found[len(found)-1].Command)
		cmd.Stdin = strings.NewReader(payload)
	default:
		argv, _, err := edit.Strings(doc, "notify")
		ts.Check(err)
		if len(argv) == 0 {
			ts.Fatalf("nothing is registered: %s", doc)
		}
		cmd = exec.Command(argv[0], append(argv[1:], strings.TrimSpace(payload))...)
	}
	cmd.Dir = ts.Getenv("P")
	cmd.Env = append(args[3:], "HOME="+ts.Getenv("HOME"), "STANDIN="+ts.Getenv("STANDIN"), "GORACE="+ts.Getenv("GORACE"))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		ts.Fatalf("%s: %v, %s", cmd, err, out)
	}
}

// cmdBrew installs vomgr as Homebrew does, a version in place of all others: brew VERSION.
func cmdBrew(ts *testscript.TestScript, _ bool, args []string) {
	prefix := filepath.Join(filepath.Dir(ts.Getenv("BIN")), "Cellar", "vomgr")
	ts.Check(os.RemoveAll(prefix))
	program := filepath.Join(prefix, args[0], "bin", "vomgr")
	ts.Check(os.MkdirAll(filepath.Dir(program), 0o700))
	self, err := os.Executable()
	ts.Check(err)
	if os.Link(self, program) != nil { // another file system
		data, err := os.ReadFile(self)
		ts.Check(err)
		ts.Check(os.WriteFile(program, data, 0o700))
	}
	link := filepath.Join(ts.Getenv("BIN"), "vomgr")
	ts.Check(os.Remove(link))
	ts.Check(os.Symlink(program, link))
}

// cmdForeign writes a settings.json with 16 keys and 59 hooks of others: foreign FILE.
func cmdForeign(ts *testscript.TestScript, _ bool, args []string) {
	type object = map[string]any
	var groups []object
	for i := range 59 {
		groups = append(groups, object{"matcher": "", "hooks": []object{{"type": "command", "command": "echo " + strings.Repeat("x", i)}}})
	}
	all := object{"hooks": object{"Stop": groups}}
	for _, key := range strings.Split("abcdefghijklmnop", "") {
		all["key-"+key] = key
	}
	data, err := json.MarshalIndent(all, "", "  ")
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), append(data, '\n'), 0o600))
}
