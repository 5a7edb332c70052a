package settings

import (
	"fmt"
	"slices"
	"strings"
)

var (
	tools   = []string{"claude", "codex", "gemini"}
	systems = []string{"linux", "darwin", "windows"}
)

// Keys lists every key of settings.toml, dotted, table by table.
func Keys() []string {
	all := []string{"kill_old_sessions", "handover_on_usage_limit", "replace_first", "command_style"}
	table := func(name string, keys ...string) {
		for _, k := range keys {
			all = append(all, name+"."+k)
		}
	}
	for _, tool := range tools {
		table("continuations."+tool, "enabled", "target")
	}
	table("prompts", tools...)
	table("commands", tools...)
	table("notifications", "enabled", "message", "sound", "desktop")
	table("terminals", "keep_open")
	table("terminals.defaults", systems...)
	for _, tool := range tools {
		table("terminals.per_tool."+tool, systems...)
	}
	table("scope", "mode", "folders")
	table("limits", "max_handovers", "max_hours", "max_per_hour", "max_quick", "stop_when_stalled", "stop_when_done", "until")
	return all
}

// Source says where a value comes from.
type Source string

// The sources of a value.
const (
	FromFile    Source = "file"
	FromDefault Source = "default"
)

// Value is a setting as it counts.
type Value struct {
	Key     string `json:"key"`
	Value   any    `json:"value"` // bool, int, string or []string
	Source  Source `json:"source"`
	Line    int    `json:"line,omitempty"` // of the file, counted from 1; 0 for a default
	Default any    `json:"default"`        // what counts when the file does not have the key
}

// List tells for each of Keys what counts with the settings.toml at path, which is not made; exists is false when there
// is none.
func List(path string) (all []Value, exists bool, err error) {
	doc, exists, err := Read(path)
	if err == nil {
		all, err = Values(doc, exists)
	}
	return all, exists, located(path, err)
}

// Values tells for each of Keys what counts with the text of a settings.toml. exists false stands for no file: then what
// the fresh one says counts.
func Values(doc []byte, exists bool) ([]Value, error) {
	if !exists {
		doc = Default
	}
	s, _, err := Parse(doc)
	if err != nil {
		return nil, err
	}
	without, _, err := Parse(nil)
	if err != nil {
		return nil, fmt.Errorf("reading the defaults: %w", err)
	}
	lines := map[string]int{}
	if exists {
		r := newReader(doc)
		r.met = func(path []string, offset int) { lines[dotted(path)] = r.lines.of(r.doc, offset) }
		if err := r.read(); err != nil {
			return nil, err
		}
	}
	all := make([]Value, 0, len(lines))
	for _, key := range Keys() {
		v := Value{Key: key, Value: s.value(key), Source: FromDefault, Default: without.value(key)}
		if line, ok := lines[key]; ok {
			v.Source, v.Line = FromFile, line
		}
		all = append(all, v)
	}
	return all, nil
}

// value is what s holds at key, one of Keys: bool, int, string or []string.
func (s *Settings) value(key string) any {
	dst, _ := s.find(strings.Split(key, "."))
	switch d := dst.(type) {
	case *bool:
		return *d
	case *int:
		return *d
	case *string:
		return *d
	case *[]string:
		return slices.Concat([]string{}, *d)
	case choice:
		return d.load()
	case clock:
		return *d.dst
	case *Done:
		if *d == DoneAuto {
			return string(*d)
		}
		return *d == DoneTrue
	}
	return nil
}

// Choices lists the words that key takes, nil where any value of its type will do.
func Choices(key string) []string {
	if strings.HasPrefix(key, "continuations.") && strings.HasSuffix(key, ".target") {
		return tools
	}
	s := fresh()
	dst, _ := s.find(strings.Split(key, "."))
	switch d := dst.(type) {
	case *bool:
		return []string{"true", "false"}
	case choice:
		return d.words
	case *Done:
		return []string{string(DoneAuto), string(DoneTrue), string(DoneFalse)}
	}
	return nil
}
