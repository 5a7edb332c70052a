package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/edit"
)

// rival is another program that owns a file: it replaces it by renaming, never looking what is there, and each time makes
// sure that its version has come through.
type rival struct {
	path, form string
	valid      func([]byte) error
	version    int
}

func (r *rival) text() string { return fmt.Sprintf(r.form, r.version) }

// write puts the next version in place and waits until it is there, as it was written or with what vomgr adds.
func (r *rival) write(t *testing.T, scratch string) {
	r.version++
	if err := os.WriteFile(scratch, []byte(r.text()), 0o600); err != nil {
		t.Error(err)
		return
	}
	if err := os.Rename(scratch, r.path); err != nil {
		t.Error(err)
		return
	}
	mark := fmt.Sprintf("version-%d-", r.version)
	var data []byte
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Microsecond) {
		data, _ = os.ReadFile(r.path)
		if strings.Contains(string(data), mark) {
			return
		}
	}
	t.Errorf("%s is lost from %s: %s", mark, r.path, data)
}

// watch reads the file as fast as it can; it must be valid at every moment.
func (r *rival) watch(t *testing.T, done <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-done:
			t.Logf("%s: read %d times", filepath.Base(r.path), n)
			return
		default:
		}
		data, err := os.ReadFile(r.path)
		if err == nil {
			err = r.valid(data)
		}
		if err != nil {
			t.Errorf("%v: %s", err, data)
			return
		}
	}
}

// TestFiftyAtOnce runs 50 vomgr at once that enable and disable both assistants, while another program keeps replacing
// both files. Neither is ever invalid, no version of the other's is lost, and at the end vomgr can be put in and taken out
// as ever.
func TestFiftyAtOnce(t *testing.T) {
	m := newMachine(t, built(t))
	m.files = map[string]string{claudeFile: "{\"mine\": \"version-0-\"}\n", codexFile: "mine = 'version-0-'\nnotify = ['ding']\n"}
	m.reset()
	valid := func(doc []byte) error {
		if !json.Valid(doc) {
			return fmt.Errorf("not valid")
		}
		return nil
	}
	rivals := []*rival{
		{path: m.at(claudeFile), valid: valid, form: "{\n  \"mine\": \"version-%d-\",\n  \"hooks\": {}\n}\n"},
		{path: m.at(codexFile), valid: func(doc []byte) error { _, _, err := edit.Strings(doc, "notify"); return err }, form: "mine = 'version-%d-'\nnotify = ['ding']\n"},
	}
	done := make(chan struct{})
	var others, vomgrs sync.WaitGroup
	for i, r := range rivals {
		scratch := filepath.Join(m.root, fmt.Sprint("scratch", i))
		others.Go(func() { r.watch(t, done) })
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					r.write(t, scratch)
				}
			}
		})
	}
	for i := range 50 {
		vomgrs.Go(func() {
			args := []string{"enable", "--everywhere", "claude", "codex"}
			if i%2 == 1 {
				args = []string{"disable"}
			}
			if status, said := m.run(0, args...); status != 0 {
				t.Errorf("%s: status %d, %s", args[0], status, said)
			}
		})
	}
	vomgrs.Wait()
	close(done)
	others.Wait()
	t.Logf("%d and %d foreign versions", rivals[0].version, rivals[1].version)
	m.vomgr("enable", "--everywhere", "claude", "codex")
	for _, r := range rivals {
		if data, err := os.ReadFile(r.path); err != nil || !strings.Contains(string(data), "-go") || r.valid(data) != nil {
			t.Errorf("%v, %s", err, data)
		}
	}
	m.vomgr("uninstall", "--purge")
	for _, r := range rivals {
		if data, err := os.ReadFile(r.path); err != nil || string(data) != r.text() {
			t.Errorf("%v, %s, want %s", err, data, r.text())
		}
		if left, err := os.ReadDir(filepath.Dir(r.path)); err != nil || len(left) != 1 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
}
