//go:build unix

package install

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/world"
)

// Pipes in the places of our own files: nobody waits for their other end, and what is the person's comes back.
func TestPipesInOurPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		place func(t *testing.T, w world.World) []string
		fails bool // with a clear error
	}{
		"the copy": {place: func(t *testing.T, w world.World) []string {
			return []string{copyPath(w, configPath(t, w, assistant.Claude))}
		}},
		"its record": {place: func(t *testing.T, w world.World) []string {
			return []string{recordPath(w, configPath(t, w, assistant.Claude))}
		}},
		"the folders": {place: func(_ *testing.T, w world.World) []string { return []string{foldersPath(w)} }},
		"the copies":  {place: func(_ *testing.T, w world.World) []string { return []string{filepath.Dir(foldersPath(w))} }, fails: true},
		"the program": {place: func(t *testing.T, w world.World) []string { return []string{get(t, assistant.Claude).HookPath(w)} }},
		"the locks": {place: func(t *testing.T, w world.World) []string {
			all, err := filepath.Glob(filepath.Join(w.StateDir(), "locks", "*"))
			if err != nil || len(all) == 0 {
				t.Fatal(err, all)
			}
			return all
		}, fails: true},
		"the settings": {place: func(_ *testing.T, w world.World) []string { return []string{w.SettingsPath()} }},
	} {
		t.Run(name, func(t *testing.T) {
			w := person(t)
			path := configPath(t, w, assistant.Claude)
			write(t, path, "{\"a\": 1}\n")
			enable(t, w, Options{})
			on := read(t, path)
			for _, p := range c.place(t, w) {
				if err := os.RemoveAll(p); err != nil {
					t.Fatal(err)
				}
				if err := syscall.Mkfifo(p, 0o600); err != nil {
					t.Skip(err)
				}
			}
			before := tree(t, w.Home)
			var r Report
			var err error
			done := make(chan struct{})
			go func() { r, err = Uninstall(w, true); close(done) }()
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Fatal("waits for the pipe's other end")
			}
			if failed := err != nil || len(r.Failures) > 0; failed != c.fails {
				t.Fatal(err, r.Failures)
			}
			if !c.fails {
				if got := read(t, path); got != "{\"a\": 1}\n" {
					t.Error(got)
				}
				return
			}
			if got := read(t, path); got != on {
				t.Error(got)
			}
			if diff := cmp.Diff(before, tree(t, w.Home)); name == "the copies" && diff != "" {
				t.Error(diff)
			}
		})
	}
}
