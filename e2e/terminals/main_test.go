//go:build e2e

package terminals

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/term"
)

var (
	allTerminals = flag.Bool("all", false, "every terminal of the table, not only those of the CI list")
	needed       = flag.Bool("need", false, "fail for a terminal of the CI list that is not installed")
	allNames     = flag.Bool("names", false, "every hostile name, not five")
	tableFile    = flag.String("table", "", "write the result as a table into this file")
	shots        = flag.String("shots", "", "write a picture of each first window into this folder")
)

// vomgr is the program under test, built once.
var vomgr string

// TestMain lets this program stand in for the assistants when it is called by their names.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "claude", "codex":
		os.Exit(standIn())
	}
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "vt")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	vomgr = filepath.Join(dir, "vomgr")
	if out, err := exec.Command("go", "build", "-o", vomgr, "github.com/vexyart/vomgr/cmd/vomgr").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building vomgr: %v\n%s", err, out)
		return 1
	}
	status := m.Run()
	if err := writeTable(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return status
}

// report is what the stand-in assistant saw.
type report struct {
	Pid     int
	Tty     string
	Terms   [3]bool // standard streams that are terminals
	Columns int
	Dir     []byte // need not be UTF-8
	Env     []string
	Args    []string
}

// standIn writes its report into ~/reports and stays until it is told to end, by a file or a signal. With ~/reports/fail
// it ends at once with status 3; with ~/reports/screen it does with the terminal what full-screen programs do, and
// undoes nothing of it.
func standIn() int {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println("1.0.0")
		return 0
	}
	r := report{Pid: os.Getpid(), Env: os.Environ(), Args: os.Args[1:]}
	dir, _ := os.Getwd()
	r.Dir = []byte(dir)
	r.Tty, _ = os.Readlink("/proc/self/fd/0")
	for i, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		r.Terms[i] = term.IsTerminal(int(f.Fd()))
	}
	for range 200 { // qterminal says its size a moment later, and 2 columns first
		if r.Columns, _, _ = term.GetSize(0); r.Columns >= 20 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	reports := filepath.Join(os.Getenv("HOME"), "reports")
	fmt.Printf("a stand-in for an assistant, in %s, at %s\n", dir, r.Tty)
	text, err := json.Marshal(r)
	path := filepath.Join(reports, strconv.Itoa(r.Pid))
	if err != nil || os.WriteFile(path+".part", text, 0o600) != nil || os.Rename(path+".part", path) != nil {
		return 3
	}
	if exists(filepath.Join(reports, "fail")) {
		fmt.Println("the stand-in fails")
		return 3
	}
	if exists(filepath.Join(reports, "screen")) {
		_, _ = term.MakeRaw(0)
		fmt.Print("\x1b[?1049h\x1b[?1003h\x1b[?1006h\x1b[?25lfull screen")
	}
	for range 6000 {
		if _, err := os.Stat(filepath.Join(reports, "quit")); err == nil {
			return 0
		}
		time.Sleep(10 * time.Millisecond)
	}
	return 4
}
