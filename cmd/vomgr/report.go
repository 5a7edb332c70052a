package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/chainlog"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/internal/world"
	"github.com/vexyart/vomgr/platform"
)

func newReport(w world.World) *cobra.Command {
	var open bool
	c := &cobra.Command{
		Use:   "report [FILE]",
		Short: "Write what became of each chain as a page for a browser",
		Long: `Write one HTML page with every chain, its turns and its steps. The page needs nothing besides and loads nothing.

FILE is where to (- is standard output), else report.html in vomgr's own folder.`,
		Example: "  vomgr report --open\n  vomgr report - | less",
		Args:    wants(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			path := filepath.Join(w.StateDir(), "report.html")
			if len(args) == 1 {
				path = args[0]
			} else if err := os.Mkdir(w.StateDir(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			return writeReportPage(w, path, open)
		},
	}
	c.Flags().BoolVar(&open, "open", false, "show it in the browser")
	return c
}

func writeReportPage(w world.World, path string, open bool) error {
	entries, err := history.Read(historyPath(w))
	if err != nil {
		return fmt.Errorf("reading the history: %w", err)
	}
	view := chainlog.View{Now: w.Now(), Tilde: w.Tilde, All: true}
	var page bytes.Buffer
	if err := view.Page(&page, chainlog.Build(entries, w.Now())); err != nil {
		return fmt.Errorf("making the page: %w", err)
	}
	if path == "-" {
		if open {
			return usage{withHint(fmt.Errorf("what goes to standard output cannot be opened"), "vomgr report --open")}
		}
		_, err := w.Stdout.Write(page.Bytes())
		return err
	}
	path = absolute(w, path)
	if err := atomicfile.Write(path, page.Bytes(), 0o600); err != nil {
		return err
	}
	fmt.Fprintf(w.Stdout, "wrote %s\n", w.Tilde(path))
	if open {
		return browse(w, path)
	}
	return nil
}

// browse opens the file at path with the person's browser.
func browse(w world.World, path string) error {
	argv := []string{"xdg-open", path}
	switch runtime.GOOS {
	case "darwin":
		argv = []string{"/usr/bin/open", path}
	case "windows":
		argv = []string{"rundll32.exe", "url.dll,FileProtocolHandler", path}
	}
	program := w.LookPath(argv[0])
	if program == "" {
		return withHint(fmt.Errorf("opening the page: no %s on PATH", argv[0]), "open %s in a browser", w.Tilde(path))
	}
	argv[0] = program
	if _, err := platform.Detach(platform.Start{Argv: argv, Env: w.Env}); err != nil {
		return fmt.Errorf("opening the page: %w", err)
	}
	return nil
}
