package platform

import (
	"slices"
	"strings"
)

// multiplexers are terminals that need no display.
var multiplexers = []string{"tmux", "screen"}

// Terminal is a terminal that is here.
type Terminal struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Unfit string `json:"unfit,omitempty"` // why it cannot be opened here and now
}

// Terminals lists the terminals that are here, of those vomgr knows, multiplexers too.
func Terminals(r Request) []Terminal {
	list := systemTerminals(r)
	for _, name := range multiplexers {
		if path := r.World.LookPath(name); path != "" {
			list = append(list, Terminal{Name: name, Path: path})
		}
	}
	return list
}

// Displays says, for each display of the place, whether it answers; nothing where there is only one kind of windows.
func Displays(r Request) []string { return displays(r) }

// Named lists the ways that open the terminal called name: of those auto would take, whatever its order, the ones of
// that name; else what the system knows by it. None: the name says nothing here.
func Named(r Request, name string) []Way {
	r.Template = []string{Auto}
	var ways []Way
	for _, w := range Ways(r) {
		if first, _, _ := strings.Cut(w.Name, " "); strings.EqualFold(first, name) || strings.EqualFold(w.Name, name) {
			ways = append(ways, w)
		}
	}
	if len(ways) == 0 {
		ways = complete(r, systemNamed(r, name))
	}
	if len(ways) == 0 && slices.Contains(multiplexers, strings.ToLower(name)) {
		ways = complete(r, []Way{{Name: name, Why: "by name", err: &NotFoundError{name}}})
	}
	return ways
}
