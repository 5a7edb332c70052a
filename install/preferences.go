package install

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/edit"
	"github.com/vexyart/vomgr/internal/settings"
)

// setting is one change of settings.toml.
type setting struct {
	path  []string
	value any
}

// switchOn creates settings.toml if it is missing and switches on what plans register.
func (r *Report) switchOn(e editor, plans []plan, o Options) (settings.Settings, error) {
	return r.set(e, func(s settings.Settings) []setting {
		var all []setting
		for _, p := range plans {
			if !p.register {
				continue
			}
			table := []string{"continuations", string(p.a.Name)}
			all = append(all, setting{append(slices.Clone(table), "enabled"), true})
			if o.Target != "" {
				all = append(all, setting{append(slices.Clone(table), "target"), string(o.Target)})
			}
		}
		if o.Scope != "" {
			all = append(all, setting{[]string{"scope", "mode"}, string(o.Scope)})
		}
		if o.Folder != "" && !covered(e.w.Home, o.Folder, s.Scope.Folders) {
			all = append(all, setting{[]string{"scope", "folders"}, append(slices.Clone(s.Scope.Folders), e.w.Tilde(o.Folder))})
		}
		return all
	})
}

// covered tells whether folder is, or lies below, one of folders.
func covered(home, folder string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		if rest, ok := strings.CutPrefix(f, "~"); ok {
			f = home + rest
		}
		rel, err := filepath.Rel(f, folder)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	})
}

// switchOff switches the continuation of the assistants off, if there is a settings.toml.
func (r *Report) switchOff(e editor, names []assistant.Name) (settings.Settings, error) {
	return r.set(e, func(s settings.Settings) []setting {
		var all []setting
		for _, n := range names {
			if s.Continuation(string(n)).Enabled {
				all = append(all, setting{[]string{"continuations", string(n), "enabled"}, false})
			}
		}
		return all
	})
}

// set edits settings.toml, comments and order kept, and reads it back before it is written.
func (r *Report) set(e editor, wanted func(settings.Settings) []setting) (s settings.Settings, err error) {
	if _, _, err := settings.Read(e.w.SettingsPath()); err != nil {
		return s, err // the hook would not trust it either
	}
	done, err := e.apply(e.w.SettingsPath(), func(old []byte, existed bool) ([]byte, bool, error) {
		doc := old
		if !existed {
			doc = settings.Default
		}
		var parseErr error
		if s, _, parseErr = settings.Parse(doc); parseErr != nil {
			return nil, existed, parseErr
		}
		for _, w := range wanted(s) {
			var err error
			if doc, err = edit.SetKey(doc, w.path, w.value); err != nil {
				return nil, existed, err
			}
		}
		s, _, parseErr = settings.Parse(doc)
		return doc, true, parseErr
	}, nil)
	if err != nil {
		var at *settings.Error
		if errors.As(err, &at) {
			at.Path = e.w.SettingsPath()
		}
		return settings.Settings{}, err
	}
	if done.changed() {
		c := newChange(e.w, e.w.SettingsPath(), done.before, done.after)
		c.Created = !done.existed
		r.Changes = append(r.Changes, c)
	}
	return s, nil
}
