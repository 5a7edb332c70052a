package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"golang.org/x/term"

	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

// Window is what a window says that was opened to see whether windows open.
type Window struct {
	Pid      int     `json:"pid"`
	Terminal bool    `json:"terminal"` // its standard streams are a terminal
	Columns  int     `json:"columns"`
	Rows     int     `json:"rows"`
	Term     string  `json:"term"`    // TERM
	Dir      string  `json:"dir"`     // where it was started
	Seconds  float64 `json:"seconds"` // until it answered
}

// windowForm is what such a window is called by: vomgr with this as its only word.
var windowForm = regexp.MustCompile(`^window[a-z0-9]{8}$`)

// WindowID makes the word by which a window is asked to answer.
func WindowID() string { return chain.NewID("window", 8) }

// windowFile is where the window called id answers; the question lies there first, as an empty file.
func windowFile(w world.World, id string) string {
	return filepath.Join(w.StateDir(), "windows", id+".json")
}

// TryWindow opens a terminal by way, which was made with vomgr itself as helper and id as job, and waits for its answer.
func TryWindow(w world.World, way platform.Way, id string) (Window, error) {
	path := windowFile(w, id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return Window{}, fmt.Errorf("making a folder for the window's answer: %w", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return Window{}, fmt.Errorf("asking the window: %w", err)
	}
	defer os.Remove(path) //nolint:errcheck // a window that comes late finds no question
	began := time.Now()
	early, err := platform.Open(way)
	if err != nil {
		return Window{}, err
	}
	deadline := time.After(way.Wait)
	for {
		select {
		case err := <-early:
			if answer, ok := readWindow(path); ok {
				return answered(answer, began), nil
			}
			return Window{}, err
		case <-deadline:
			return Window{}, way.Silence("answered")
		case <-time.After(10 * time.Millisecond):
		}
		if answer, ok := readWindow(path); ok {
			return answered(answer, began), nil
		}
	}
}

func answered(a Window, began time.Time) Window {
	a.Seconds = time.Since(began).Seconds()
	return a
}

func readWindow(path string) (a Window, ok bool) {
	data, err := atomicfile.ReadFile(path)
	return a, err == nil && len(data) > 0 && json.Unmarshal(data, &a) == nil
}

// answerWindow plays the window of TryWindow; called is false when nobody asked.
func answerWindow(w world.World, id string) (status int, called bool) {
	path := windowFile(w, id)
	if fi, err := os.Stat(path); err != nil || fi.Size() > 0 {
		return 0, false
	}
	in, out := int(os.Stdin.Fd()), int(os.Stdout.Fd())
	a := Window{Pid: os.Getpid(), Terminal: term.IsTerminal(in) && term.IsTerminal(out), Term: w.Getenv("TERM"), Dir: w.Dir}
	a.Columns, a.Rows, _ = term.GetSize(out)
	fmt.Fprintf(w.Stdout, "[vomgr] this window answers vomgr terminal test, and closes by itself\n")
	data, err := json.Marshal(a)
	if err == nil {
		err = atomicfile.Write(path, data, 0o600)
	}
	if err != nil {
		say(w, errors.Join(errors.New("the answer cannot be written"), err))
		return 1, true
	}
	time.Sleep(time.Second) // to be seen
	_ = platform.CloseWindow(w, os.Stdin)
	return 0, true
}
