package demo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/vexyart/vomgr/install"
	"github.com/vexyart/vomgr/internal/assistant"
)

// both are the assistants of the demo.
var both = []assistant.Name{assistant.Claude, assistant.Codex}

// enable registers the hooks as vomgr enable does. disable takes them out again and says whether both files are as
// before.
func (s *stage) enable(out io.Writer) (disable func(io.Writer) error, err error) {
	report, err := install.Enable(s.w, install.Options{Assistants: both})
	if err != nil {
		return nil, fmt.Errorf("enabling: %w", err)
	}
	label, column := "enable", 0
	for path := range s.before() {
		column = max(column, len(path))
	}
	for _, c := range report.Changes {
		if c.Assistant != "" {
			fmt.Fprintf(out, "%-9s %-*s  %s\n", label, column, c.Path, strings.Join(c.What, ", "))
			label = ""
		}
	}
	return s.disable, failures("enabling", report)
}

func (s *stage) disable(out io.Writer) error {
	report, err := install.Disable(s.w, both, false)
	if err == nil {
		err = failures("disabling", report)
	}
	if err != nil {
		return err
	}
	for path, before := range s.before() {
		now, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !bytes.Equal(now, []byte(before)) {
			return fmt.Errorf("%s is not as it was before", path)
		}
	}
	fmt.Fprint(out, "disable   both files as before, byte for byte\n")
	return nil
}

func failures(doing string, report install.Report) error {
	var all []error
	for _, f := range report.Failures {
		all = append(all, fmt.Errorf("%s: %w", doing, f))
	}
	return errors.Join(all...)
}
