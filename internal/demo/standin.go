package demo

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

// longest is how long a stand-in lives when nobody ends it, should the demo itself be killed.
const longest = time.Minute

// statusTerminated is what the real assistants end with when they are asked to (Claude Code 2.1.332, Codex 0.171.0).
const statusTerminated = 143

// What a stand-in writes down, in a history of its own; Chain is the token of its process there.
const (
	actBegan    = "began"    // the detail is the prompt it got
	actWorking  = "working"  // what it does
	actAnswered = "answered" // how it calls its hook
	actHook     = "hook"     // what the hook answered
	actTitle    = "title"    // not written: the call for the title of the thread, as it is told
	actLeft     = "left"     // it was asked to end
)

// hookFine is what a hook answers when all is well.
const hookFine = "status 0"

func actsPath(home string) string { return filepath.Join(home, "stand-ins.jsonl") }

// actor is an assistant's stand-in.
type actor struct {
	w      world.World
	self   assistant.Assistant
	prompt string
	work   time.Duration
	token  string
}

// StandIn plays claude or codex when this run was called by that name from the demo's folder of programs. called is
// false otherwise.
func StandIn(w world.World) (status int, called bool) {
	home := w.Getenv(markVar)
	if home == "" || len(w.Args) == 0 || filepath.Dir(w.Args[0]) != filepath.Join(home, "bin") {
		return 0, false
	}
	self, ok := assistant.Get(assistant.Name(assistant.Base(w.Args[0])))
	if !ok {
		return 0, false
	}
	a := &actor{w: w, self: self, token: platform.Self().Token()}
	a.work, _ = time.ParseDuration(w.Getenv(workVar))
	if len(w.Args) > 1 {
		a.prompt = w.Args[len(w.Args)-1]
	}
	return a.live(), true
}

// live works on one turn, calls the hook as the assistant does, and then waits to be ended, as an assistant at its
// prompt does.
func (a *actor) live() int {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	a.note(actBegan, a.prompt)
	ended := make(chan int, 1)
	go func() {
		if err := a.turn(); err != nil {
			fmt.Fprintf(a.w.Stderr, "%s: %s\n", a.self.Name, err)
			ended <- 1
		}
	}()
	select {
	case <-asked:
		a.note(actLeft, "")
		return statusTerminated
	case status := <-ended:
		return status
	case <-time.After(longest):
		return 1
	}
}

func (a *actor) turn() error {
	fmt.Fprintf(a.w.Stdout, "> %s\n", strings.ReplaceAll(a.prompt, "\n", "\n> "))
	begin := a.claude
	if a.self.Name == assistant.Codex {
		begin = a.codex
	}
	stop, err := begin()
	if err != nil {
		return err
	}
	said, err := a.do()
	if err != nil {
		return err
	}
	fmt.Fprintln(a.w.Stdout, said)
	return stop(said)
}

var openItem = regexp.MustCompile(`(?m)^- \[ \] (.*)$`)

const plan = "- [ ] First task\n- [ ] Second task\n- [ ] Third task\n"

// do is the work of one turn: the first open item of TODO.md, or the plan when there is none.
func (a *actor) do() (said string, err error) {
	path := filepath.Join(a.w.Dir, "TODO.md")
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		a.note(actWorking, "working; writes TODO.md with 3 open items")
		time.Sleep(a.work)
		return "The plan is in TODO.md.", atomicfile.Write(path, []byte(plan), 0o600)
	}
	if err != nil {
		return "", err
	}
	at := openItem.FindSubmatchIndex(text)
	if at == nil {
		a.note(actWorking, "nothing left to do")
		return "Nothing is left to do.", nil
	}
	item := string(text[at[2]:at[3]])
	a.note(actWorking, fmt.Sprintf("working; ticks %q", item))
	time.Sleep(a.work)
	text[at[0]+len("- [")] = 'x'
	return "Done: " + item + ".", atomicfile.Write(path, text, 0o600)
}

func (a *actor) note(act, detail string) {
	history.Append(actsPath(a.w.Getenv(markVar)), history.Entry{
		Time: a.w.Now(), Chain: a.token, Step: act, Source: string(a.self.Name), Detail: detail,
	})
}

// uuid7 is a UUID that begins with the time, as Codex names its threads.
func uuid7(now time.Time) string {
	b := random16()
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(b[:6], ms[2:])
	return formatUUID(b, 7)
}

// uuid4 is a random UUID, as Claude names its sessions.
func uuid4() string { return formatUUID(random16(), 4) }

func random16() (b [16]byte) {
	_, _ = rand.Read(b[:]) // never fails (Go 1.24)
	return b
}

func formatUUID(b [16]byte, version byte) string {
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
