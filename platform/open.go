package platform

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Silence is the error of a way that opened, as far as can be seen, and in which nothing started.
func (w Way) Silence(what string) error {
	err := fmt.Errorf("nothing %s within %s", what, w.Wait)
	if w.Doubt != "" {
		err = fmt.Errorf("%w: %s", err, w.Doubt)
	}
	return err
}

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
	if w.command != "" {
		if err := writeProgram(w.command, w.text); err != nil {
			return nil, err
		}
	}
	CloseOnExec()
	said := &head{}
	cmd, err := startDetached(w.line, func() *exec.Cmd {
		cmd := command(Start{Argv: w.Argv, Dir: w.Dir, Env: w.Env})
		if w.returns {
			cmd.Stdout, cmd.Stderr = said, said
			cmd.WaitDelay = time.Second // what it started may hold the streams
		}
		return cmd
	})
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", w.Argv[0], plain(err))
	}
	ended := make(chan error, 1)
	go func() {
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) {
			return
		}
		if strings.Contains(said.text(), leaving) && !w.again {
			w.again = true
			again, err := Open(w)
			if err != nil {
				ended <- err
				return
			}
			ended <- <-again
			return
		}
		ended <- complaint(w, exit, said.text())
	}()
	return ended, nil
}

// leaving is what tmux says to a guest whose server's last session ends just then; the next call begins a new server.
const leaving = "server exited unexpectedly"

// complaint is the error of a way whose program failed.
func complaint(w Way, exit error, said string) error {
	if w.command != "" {
		_ = os.Remove(w.command) // nothing will run it any more
	}
	err := fmt.Errorf("%s ended at once: %w", base(w.Argv[0]), exit)
	if said != "" {
		err = fmt.Errorf("%w: %s", err, said)
	}
	if w.explain == nil {
		return err
	}
	if hint := w.explain(said); hint != "" {
		err = fmt.Errorf("%w; %s", err, hint)
	}
	return err
}

// commandFile is where the .command file of a request is written: a folder nobody else can write to.
func commandFile(r Request) string {
	return filepath.Join(r.World.StateDir(), "windows", session(r.Job)+".command")
}

// commandFileText is a program for sh that takes itself away and becomes the helper.
func commandFileText(r Request) string {
	return "#!/bin/sh\nrm -f \"$0\"\nexec " + posixQuote(r.Helper) + " " + posixQuote(r.Job) + "\n"
}

// writeProgram writes a program that only this user may read and run.
func writeProgram(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making a folder for the terminal's file: %w", err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("replacing the terminal's file: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return fmt.Errorf("writing the terminal's file: %w", err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("writing the terminal's file: %w", err)
	}
	return nil
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

// text is what was kept, on one line.
func (h *head) text() string { return strings.Join(strings.Fields(h.buf.String()), " ") }
