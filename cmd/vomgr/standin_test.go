package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/vexyart/vomgr/platform"
)

// standIn plays an assistant. It notes how it was called in $STANDIN/<name>.<n>.args (each argument quoted as Go does,
// one a line), .env, .cwd and .pid, then does what $STANDIN/<name>.<n>.do or <name>.do says, one order a line:
//
//	say TEXT   prints TEXT
//	stop TEXT  calls the hook, as the assistant does when it stopped, having said TEXT
//	stubborn   does not end when it is asked to
//	spawn      starts another stand-in, gemini, in a session of its own
//	server     starts a stand-in of Codex's shared server, codex app-server, in a session of its own
//	signal N   ends by signal N
//	stay [N]   waits until $STANDIN/quit exists, at most 30 s or N s
//	exit N     ends with status N
func standIn(name string) int {
	dir := os.Getenv("STANDIN")
	n := note(dir, name)
	orders, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%s.%d.do", name, n)))
	if err != nil {
		orders, _ = os.ReadFile(filepath.Join(dir, name+".do"))
	}
	for s := bufio.NewScanner(strings.NewReader(string(orders))); s.Scan(); {
		order, rest, _ := strings.Cut(s.Text(), " ")
		switch order {
		case "say":
			fmt.Println(rest)
		case "stop":
			callHook(name, n, rest)
		case "stubborn":
			signal.Ignore(syscall.SIGTERM)
		case "spawn":
			_, _ = platform.Detach(platform.Start{Path: filepath.Join(os.Getenv("BIN"), "gemini"), Argv: []string{filepath.Join(os.Getenv("BIN"), "gemini")}})
		case "server":
			codex := filepath.Join(os.Getenv("BIN"), "codex")
			_, _ = platform.Detach(platform.Start{Path: codex, Argv: []string{codex, "app-server", "--listen", "unix://"}})
		case "signal":
			n, _ := strconv.Atoi(rest)
			endBy(n)
		case "stay":
			seconds, err := strconv.Atoi(rest)
			if err != nil {
				seconds = 30
			}
			await(filepath.Join(dir, "quit"), time.Duration(seconds)*time.Second)
		case "exit":
			status, _ := strconv.Atoi(rest)
			return status
		}
	}
	return 0
}

// note writes down how the stand-in was called, and returns the number of the call.
func note(dir, name string) int {
	n := 1
	for ; ; n++ {
		f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%s.%d.pid", name, n)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			os.Exit(99)
		}
		fmt.Fprintln(f, os.Getpid())
		_ = f.Close()
		break
	}
	var args, env strings.Builder
	for _, arg := range os.Args[1:] {
		fmt.Fprintf(&args, "%q\n", arg)
	}
	for _, kv := range os.Environ() {
		fmt.Fprintf(&env, "%q\n", kv)
	}
	cwd, _ := os.Getwd()
	open := ""
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		open = strconv.Itoa(len(fds) - 2) // without the list's own, and the runtime's
	}
	for _, f := range [][2]string{{"fds", open}, {"env", env.String()}, {"cwd", cwd + "\n"}, {"args", args.String()}} { // args says that all is there
		whole := filepath.Join(dir, fmt.Sprintf("%s.%d.%s", name, n, f[0]))
		_ = os.WriteFile(whole+".tmp", []byte(f[1]), 0o600)
		_ = os.Rename(whole+".tmp", whole)
	}
	return n
}

// callHook calls the hook as the assistant name does at the end of its turn.
func callHook(name string, n int, said string) {
	cwd, _ := os.Getwd()
	thread := fmt.Sprintf("thread-of-%s-%d", name, os.Getpid())
	var cmd *exec.Cmd
	if name == "codex" {
		payload, _ := json.Marshal(map[string]any{
			"type": "agent-turn-complete", "thread-id": thread, "turn-id": fmt.Sprint("turn-", n), "cwd": cwd,
			"client": "codex-tui", "input-messages": []string{os.Args[len(os.Args)-1]}, "last-assistant-message": said,
		})
		cmd = exec.Command(filepath.Join(os.Getenv("CODEX"), "voco-go"), string(payload))
		cmd.Env = os.Environ()
	} else {
		payload, _ := json.Marshal(map[string]any{
			"session_id": thread, "cwd": cwd, "prompt_id": fmt.Sprint("prompt-", n), "hook_event_name": "Stop",
			"stop_hook_active": false, "last_assistant_message": said, "background_tasks": []any{}, "session_crons": []any{},
		})
		cmd = exec.Command("/bin/sh", "-c", `"`+filepath.Join(os.Getenv("CLAUDE"), "vocl-go")+`" "$CLAUDE_PROJECT_DIR"`)
		cmd.Env = append(os.Environ(), "CLAUDE_PROJECT_DIR="+cwd, "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1")
		cmd.Stdin = strings.NewReader(string(payload) + "\n")
	}
	if err := cmd.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: the hook: %v\n", name, err)
	}
}

// window plays a terminal: it notes that it lives in $STANDIN/window.pid, and stays until $STANDIN/quit exists.
func window() int {
	dir := os.Getenv("STANDIN")
	_ = os.WriteFile(filepath.Join(dir, "window.tmp"), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600)
	_ = os.Rename(filepath.Join(dir, "window.tmp"), filepath.Join(dir, "window.pid"))
	await(filepath.Join(dir, "quit"), 30*time.Second)
	return 0
}

// await waits until there is a file at path or its folder is gone, and says whether the file came.
func await(path string, limit time.Duration) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if exists(path) {
			return true
		}
		if !exists(filepath.Dir(path)) {
			return false
		}
	}
	return false
}
