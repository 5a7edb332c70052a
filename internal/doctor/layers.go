package doctor

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/edit"
)

// layer is one of an assistant's configuration files.
type layer struct {
	name    string // user, project, local, managed
	path    string
	there   bool
	doc     []byte
	members map[string]any // empty when err is set
	err     error          // why the assistant cannot read it
}

// readJSON reads a configuration file; what is not there has no members.
func readJSON(name, path string, dialect edit.Dialect) layer {
	return readLayer(name, path, dialect.Decode)
}

func readTOML(name, path string) layer { return readLayer(name, path, edit.DecodeTOML) }

func readLayer(name, path string, decode func([]byte) (map[string]any, error)) layer {
	l := layer{name: name, path: path, members: map[string]any{}}
	if l.doc, l.there, l.err = atomicfile.Read(path); l.err != nil || !l.there {
		return l
	}
	if members, err := decode(l.doc); err != nil {
		l.err = err
	} else {
		l.members = members
	}
	return l
}

// fault says where the file is wrong and what mends it.
func (e *exam) fault(l layer) (message, remedy string) {
	var refusal *edit.Refusal
	if errors.As(l.err, &refusal) {
		return fmt.Sprintf("%s:%d:%d: %s", e.w.Tilde(l.path), refusal.Line, refusal.Col, refusal.What), refusal.Remedy
	}
	return fmt.Sprintf("%s: %s", e.w.Tilde(l.path), e.tilde(l.err.Error())), "mend the file"
}

// claudeLayers are the files that Claude Code merges, the strongest first.
func (e *exam) claudeLayers() []layer {
	a, _ := assistant.Get(assistant.Claude)
	managed := e.opts.Managed
	if managed == "" {
		managed = managedSettings(runtime.GOOS)
	}
	return []layer{
		readJSON("managed", managed, edit.JSON),
		readJSON("local", filepath.Join(e.project, ".claude", "settings.local.json"), edit.JSON),
		readJSON("project", filepath.Join(e.project, ".claude", "settings.json"), edit.JSON),
		readJSON("user", a.ConfigPath(e.w), edit.JSON),
	}
}

// managedSettings is where an administrator's settings for Claude Code stand (its documentation).
func managedSettings(goos string) string {
	switch goos {
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		return `C:\Program Files\ClaudeCode\managed-settings.json`
	}
	return "/etc/claude-code/managed-settings.json"
}

// get follows keys through tables; nil where there is nothing.
func get(members map[string]any, keys ...string) any {
	var v any = members
	for _, k := range keys {
		table, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = table[k]
	}
	return v
}

// isTrue tells whether the value at keys is true.
func isTrue(members map[string]any, keys ...string) bool {
	b, ok := get(members, keys...).(bool)
	return ok && b
}

// text is the string at keys, or "".
func text(members map[string]any, keys ...string) string {
	s, _ := get(members, keys...).(string)
	return s
}

// elements is the list at keys, or nil.
func elements(members map[string]any, keys ...string) []any {
	list, _ := get(members, keys...).([]any)
	return list
}

// upwards calls f with dir and the folders above it, until f returns false.
func upwards(dir string, f func(dir string) (more bool)) {
	for f(dir) {
		parent := filepath.Dir(dir)
		if parent == dir {
			return
		}
		dir = parent
	}
}
