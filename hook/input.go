package hook

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

// Limits of the payload on standard input.
const (
	inputWait = 2 * time.Second
	maxInput  = 16 << 20
)

// readAll reads standard input until its end, for at most two seconds and 16 MiB; what had come by then is returned.
func readAll(f *os.File) []byte {
	if f == nil {
		return nil
	}
	chunks := make(chan []byte, 16)
	go func() {
		defer close(chunks)
		for n := 0; n < maxInput; {
			buf := make([]byte, 64<<10)
			k, err := f.Read(buf[:min(len(buf), maxInput-n)])
			n += k
			if k > 0 {
				chunks <- buf[:k]
			}
			if err != nil {
				return
			}
		}
	}()
	var data []byte
	deadline := time.After(inputWait)
	for {
		select {
		case c, ok := <-chunks:
			if !ok {
				return data
			}
			data = append(data, c...)
		case <-deadline:
			return data
		}
	}
}

func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// splitArgs takes apart what follows the program's name. Codex appends its payload as the last argument, behind the
// former notify program that "--then" keeps: that program is started at once, with the same payload, whatever happens
// to our own part.
func splitArgs(w world.World, self assistant.Assistant, args []string) (payload []byte, rest []string) {
	if self.Name != assistant.Codex || len(args) == 0 {
		return nil, args
	}
	last := args[len(args)-1]
	rest = args[:len(args)-1]
	if len(rest) > 0 && rest[0] == "--then" {
		if err := startFormer(w, append(rest[1:len(rest):len(rest)], last)); err != nil {
			fmt.Fprintf(w.Stderr, "vomgr: the former notify program: %s\n", oneLine(err.Error()))
		}
		rest = nil
	}
	if !strings.HasPrefix(strings.TrimSpace(last), "{") {
		return nil, append(rest, last)
	}
	return []byte(last), rest
}

func startFormer(w world.World, argv []string) error {
	if len(argv) < 2 {
		return nil
	}
	path := w.LookPath(argv[0])
	if path == "" {
		path = argv[0] // relative to the folder, as Codex itself takes it
	}
	program, err := platform.Program(w, path)
	if err != nil {
		return fmt.Errorf("%w in Codex's notify", err)
	}
	if program[0] != path {
		path, argv = program[0], append(program, argv[1:]...)
	}
	_, err = platform.Detach(platform.Start{Path: path, Argv: argv, Dir: w.Dir, Env: w.Env})
	return err
}
