package platform

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Open tries one way: the terminal is started in a session of its own with the null device on its streams, and lives
// on when this process ends. early delivers the reason if the program that opens it ends with another status than 0;
// status 0 says nothing (several terminals answer so when nothing opened, measured), only the helper's own word does.
func Open(w Way) (early <-chan error, err error) {
	if w.err != nil {
		return nil, w.err
	}
	if w.Direct || len(w.Argv) == 0 {
		return nil, errors.New("this way opens no terminal")
	}
	if w.console {
		return openConsole(w)
	}
	CloseOnExec()
	said := &head{}
	cmd, err := startDetached(func() *exec.Cmd {
		cmd := command(Start{Argv: w.Argv, Dir: w.Dir, Env: w.Env})
		if w.returns {
			cmd.Stdout, cmd.Stderr = said, said
			cmd.WaitDelay = time.Second // what it started may hold the streams
		}
		setLine(cmd, w.line)
		return cmd
	})
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", w.Argv[0], plain(err))
	}
	ended := make(chan error, 1)
	go func() {
		var exit *exec.ExitError
		if err := cmd.Wait(); errors.As(err, &exit) {
			ended <- fmt.Errorf("%s ended at once: %w%s", base(w.Argv[0]), exit, said.text())
		}
	}()
	return ended, nil
}

// plain takes the operation and path off err, which the caller names.
func plain(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// head keeps the beginning of what is written to it.
type head struct{ buf bytes.Buffer }

const headSize = 1000 // bytes of a program's complaint that are kept

// Write never fails, so that the program never does for it.
func (h *head) Write(p []byte) (int, error) {
	if room := headSize - h.buf.Len(); room > 0 {
		h.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// text is what was kept, as the end of an error's line.
func (h *head) text() string {
	text := strings.Join(strings.Fields(h.buf.String()), " ")
	if text == "" {
		return ""
	}
	return ": " + text
}
