package arch

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/vexyart/vomgr"

// arrows says which of vomgr's own packages each package may import. docs/architecture.md draws it.
var arrows = map[string][]string{
	"cmd/vomgr":              {"hook", "install", "internal/*", "platform"},
	"hook":                   {"internal/assistant", "internal/settings", "internal/chain", "internal/history", "internal/atomicfile", "internal/world", "platform"},
	"install":                {"internal/assistant", "internal/settings", "internal/chain", "internal/atomicfile", "internal/edit", "internal/world", "platform"},
	"internal/doctor":        {"install", "hook", "internal/*", "platform"},
	"internal/overview":      {"install", "hook", "internal/*", "platform"},
	"internal/demo":          {"install", "hook", "internal/*", "platform"},
	"internal/chainlog":      {"internal/history", "internal/assistant"},
	"internal/assistant":     {"internal/edit", "internal/world"},
	"internal/settings":      {"internal/edit", "internal/atomicfile"},
	"internal/chain":         {"internal/atomicfile"},
	"internal/history":       {},
	"internal/edit":          {},
	"internal/edit/edittest": {},
	"internal/atomicfile":    {},
	"internal/world":         {},
	"internal/arch":          {},
	"platform":               {"internal/world", "platform/darwin", "platform/linux", "platform/windows"},
	"platform/darwin":        {},
	"platform/linux":         {},
	"platform/windows":       {},
	"e2e":                    {"internal/*"},
	"e2e/terminals":          {},
	"e2e/wine":               {"internal/atomicfile"},
}

// reserved says which packages alone may import a foreign one, and why.
var reserved = []struct {
	foreign string
	only    []string
	why     string
}{
	{"github.com/spf13/cobra", []string{"cmd/vomgr"}, "only the command line knows cobra; the hook must start fast"},
	{"github.com/shirou/gopsutil", []string{"platform", "platform/windows", "platform/darwin"}, "processes are looked at through package platform"},
	{"github.com/tidwall/gjson", []string{"internal/edit", "internal/assistant", "hook"}, "JSON of others is read where it is edited and where a payload comes in"},
	{"github.com/tidwall/sjson", []string{"internal/edit"}, "it is careless with files that are not strict JSON"},
	{"github.com/pelletier/go-toml", []string{"internal/edit", "internal/settings"}, "TOML is read where it is edited and where the settings are"},
	{"net/http", []string{"e2e"}, "nothing goes online at run time"},
}

type listed struct {
	ImportPath string
	Imports    []string
	Dir        string
	GoFiles    []string
}

func TestArrows(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			for _, p := range list(t, goos) {
				name := strings.TrimPrefix(p.ImportPath, module+"/")
				allowed, known := arrows[name]
				if !known {
					t.Errorf("package %s is not in the drawing; say in arch_test.go what it may import", name)
				}
				for _, imp := range p.Imports {
					if own, ok := strings.CutPrefix(imp, module+"/"); ok && !matches(allowed, own) {
						t.Errorf("%s imports %s: no such arrow", name, own)
					}
					for _, r := range reserved {
						if strings.HasPrefix(imp, r.foreign) && !matches(r.only, name) {
							t.Errorf("%s imports %s: %s", name, imp, r.why)
						}
					}
				}
			}
		})
	}
}

// TestOneSystem keeps platform to exactly one of the packages below it on each system.
func TestOneSystem(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, p := range list(t, goos) {
			if p.ImportPath != module+"/platform" {
				continue
			}
			for _, other := range []string{"linux", "darwin", "windows"} {
				if other != goos && slices.Contains(p.Imports, module+"/platform/"+other) {
					t.Errorf("on %s, platform imports platform/%s", goos, other)
				}
			}
		}
	}
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}

func list(t *testing.T, goos string) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Dir,GoFiles", module+"/...")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		for _, file := range p.GoFiles { // so that go test knows what a result in its cache depends on
			if _, err := os.Stat(filepath.Join(p.Dir, file)); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, p)
	}
}
