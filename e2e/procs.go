//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Proc is a process whose HOME is a throw-away home.
type Proc struct {
	PID, PPID int
	Args      []string
	Exe       string // the file it runs, "" when that cannot be read
	Dir       string // its working directory
	Tool      Tool   // the assistant it is a part of, "" if none; Codex's shared server is none
}

// String describes the process in one line.
func (p Proc) String() string {
	return fmt.Sprintf("%d (parent %d) %s in %s: %s", p.PID, p.PPID, p.Tool, p.Dir, short(strings.Join(p.Args, " "), 120))
}

// procsOf lists the living processes that were started with HOME=home, in the order of their numbers. It reads /proc.
func procsOf(home string) []Proc {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var all []Proc
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || !startedIn(pid, home) {
			continue
		}
		if p, ok := readProc(pid); ok {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b Proc) int { return a.PID - b.PID })
	return all
}

// startedIn tells whether the process began with HOME=home.
func startedIn(pid int, home string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && slices.ContainsFunc(bytes.Split(env, []byte{0}), func(kv []byte) bool { return string(kv) == "HOME="+home })
}

// readProc reads one process; ok is false when it is gone or a zombie.
func readProc(pid int) (p Proc, ok bool) {
	dir := fmt.Sprintf("/proc/%d/", pid)
	stat, err := os.ReadFile(dir + "stat")
	if err != nil {
		return Proc{}, false
	}
	_, rest, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')'):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 2 || fields[0] == "Z" || fields[0] == "X" {
		return Proc{}, false
	}
	p.PID = pid
	p.PPID, _ = strconv.Atoi(fields[1])
	args, err := os.ReadFile(dir + "cmdline")
	if err != nil {
		return Proc{}, false
	}
	p.Args = strings.Split(strings.TrimRight(string(args), "\x00"), "\x00")
	p.Exe, _ = os.Readlink(dir + "exe")
	p.Dir, _ = os.Readlink(dir + "cwd")
	p.Tool = toolOf(p.Exe, p.Args)
	return p, true
}

// toolOf names the assistant whose program runs, by the file and, for those in JavaScript, by the script.
func toolOf(exe string, args []string) Tool {
	switch {
	case strings.Contains(exe, "/@anthropic-ai/"):
		return Claude
	case slices.Contains(args, "app-server"):
		return ""
	case strings.Contains(exe, "/@openai/"), strings.Contains(exe, "/.codex/packages/"):
		return Codex
	case filepath.Base(exe) != "node":
		return ""
	}
	for _, arg := range args {
		switch filepath.Base(arg) {
		case "codex", "codex.js":
			return Codex
		case "gemini", "gemini.js":
			return Gemini
		}
	}
	return ""
}

// assistantsOf lists the assistants that live in a home: a wrapper and its child are one, represented by the topmost.
func assistantsOf(home string) []Proc {
	all := procsOf(home)
	byPID := map[int]Proc{}
	for _, p := range all {
		byPID[p.PID] = p
	}
	within := func(p Proc) bool { // is one of p's ancestors the same assistant?
		for up, ok := byPID[p.PPID]; ok; up, ok = byPID[up.PPID] {
			if up.Tool == p.Tool {
				return true
			}
		}
		return false
	}
	return slices.DeleteFunc(all, func(p Proc) bool { return p.Tool == "" || within(p) })
}

// sharedServer tells whether Codex's background server runs in a home.
func sharedServer(home string) bool {
	return slices.ContainsFunc(procsOf(home), func(p Proc) bool { return slices.Contains(p.Args, "--managed-daemon") })
}

// endAll ends every process of a home: terminate, then kill. Nothing outside the home is signalled.
func endAll(home string) error {
	signal := syscall.SIGTERM
	for start := time.Now(); time.Since(start) < 10*time.Second; time.Sleep(100 * time.Millisecond) {
		all := procsOf(home)
		if len(all) == 0 {
			return nil
		}
		if time.Since(start) > 2*time.Second {
			signal = syscall.SIGKILL
		}
		for _, p := range all {
			_ = syscall.Kill(p.PID, signal) // it may have gone by itself
		}
	}
	return fmt.Errorf("still alive in %s: %v", home, procsOf(home))
}
