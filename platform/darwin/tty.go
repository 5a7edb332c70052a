package darwin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// TerminalName is the name of the terminal that f is, like /dev/ttys003: the device of that kind that is the same file.
func TerminalName(f *os.File) (string, error) {
	this, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("looking at the terminal: %w", err)
	}
	names, err := filepath.Glob("/dev/ttys*")
	if err != nil {
		return "", fmt.Errorf("looking for the terminal: %w", err)
	}
	for _, name := range names {
		if other, err := os.Stat(name); err == nil && os.SameFile(this, other) {
			return name, nil
		}
	}
	return "", errors.New("the terminal has no name in /dev")
}
