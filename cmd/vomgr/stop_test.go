package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/world"
)

// Which assistant is ended, or joined, is never a guess: a folder means itself, also when it is gone; the last part of a
// path only where one project has it.
func TestChooseOne(t *testing.T) {
	root := t.TempDir()
	w := world.World{Home: filepath.Join(root, "none"), Dir: root}
	running := func(paths ...string) (list []chain.State) {
		for _, p := range paths {
			list = append(list, chain.State{Project: filepath.Join(root, p), Session: &chain.Session{Tool: "claude"}})
		}
		return list
	}
	twice := running(filepath.Join("src", "api"), filepath.Join("old", "api"), "web")
	for _, c := range []struct {
		among  []chain.State
		arg    string
		chosen string // below root
		fault  string
	}{
		{running("web"), "", "web", ""},
		{nil, "", "", "no assistant of vomgr's runs"},
		{twice, "", "", "3 assistants run"},
		{twice, "web", "web", ""},
		{twice, "api", "", "2 assistants run"},
		{twice, filepath.Join("old", "api"), filepath.Join("old", "api"), ""}, // a folder that is not there any more
		{twice, filepath.Join(root, "src", "api"), filepath.Join("src", "api"), ""},
		{twice, "nope", "", "no assistant of vomgr's runs in nope"},
	} {
		var args []string
		if c.arg != "" {
			args = []string{c.arg}
		}
		st, err := chooseOne(w, c.among, args, "vomgr stop")
		switch {
		case c.fault == "" && (err != nil || st.Project != filepath.Join(root, c.chosen)):
			t.Errorf("%q: %s, %v; want %s", c.arg, st.Project, err, c.chosen)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%q: %s, %v; want %s", c.arg, st.Project, err, c.fault)
		}
	}
	var several severalRun
	if _, err := chooseOne(w, twice, nil, "vomgr stop"); !errors.As(err, &several) || several.hints != "vomgr stop "+twice[0].Project+", vomgr stop "+twice[1].Project+", vomgr stop web" {
		t.Errorf("%v: %s", err, several.hints)
	}
}
