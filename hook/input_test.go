package hook

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
)

// pipe is standard input into which f writes before it ends.
func pipe(t *testing.T, f func(w *os.File)) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer w.Close()
		f(w)
	}()
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func TestReadAll(t *testing.T) {
	if got := readAll(nil); got != nil {
		t.Errorf("%q", got)
	}
	if got := readAll(pipe(t, func(*os.File) {})); len(got) != 0 {
		t.Errorf("%q", got)
	}
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MiB
	if got := readAll(pipe(t, func(w *os.File) { _, _ = w.Write(big) })); !bytes.Equal(got, big) {
		t.Errorf("%d bytes of %d", len(got), len(big))
	}
	// One more than the limit: exactly the limit is read.
	long, err := os.Create(filepath.Join(t.TempDir(), "long"))
	if err != nil {
		t.Fatal(err)
	}
	defer long.Close() //nolint:errcheck // read only
	if err := long.Truncate(maxInput + 1); err != nil {
		t.Fatal(err)
	}
	if got := readAll(long); len(got) != maxInput {
		t.Errorf("%d bytes, want %d", len(got), maxInput)
	}
	// Without end: no more than the limit, and the writer is not waited for.
	flood := pipe(t, func(w *os.File) {
		for {
			if _, err := w.Write(big); err != nil {
				return
			}
		}
	})
	if got := readAll(flood); len(got) > maxInput || !bytes.HasPrefix(got, big) {
		t.Errorf("%d bytes, want at most %d", len(got), maxInput)
	}
}

func TestReadAllGivesUp(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	began := time.Now()
	got := readAll(pipe(t, func(w *os.File) { _, _ = w.WriteString("what came"); <-hold }))
	if took := time.Since(began); string(got) != "what came" || took < inputWait || took > inputWait+5*time.Second {
		t.Errorf("%q after %s", got, took)
	}
}

// TestSplitArgs: Codex puts its payload last, behind the program that --then keeps.
func TestSplitArgs(t *testing.T) {
	const p = `{"type":"x"}`
	for _, c := range []struct {
		name    assistant.Name
		args    []string
		payload string
		rest    []string
	}{
		{assistant.Claude, nil, "", nil},
		{assistant.Claude, []string{"/p"}, "", []string{"/p"}},
		{assistant.Claude, []string{"/p", p}, "", []string{"/p", p}},
		{assistant.Codex, nil, "", nil},
		{assistant.Codex, []string{p}, p, nil},
		{assistant.Codex, []string{" \n" + p}, " \n" + p, nil},
		{assistant.Codex, []string{"x", p}, p, []string{"x"}},
		{assistant.Codex, []string{"text"}, "", []string{"text"}},
		{assistant.Codex, []string{"--then"}, "", []string{"--then"}},
		{assistant.Codex, []string{"--then", p}, p, nil},
		{assistant.Codex, []string{"--then", "/no/such/program", "--then", p}, p, nil},
		{assistant.Codex, []string{"--then", "/no/such/program", "text"}, "", []string{"text"}},
		{assistant.Gemini, []string{p}, "", []string{p}},
	} {
		w, _ := newWorld(t, newClock())
		var said strings.Builder
		w.Stderr = &said
		before := slices.Clone(c.args)
		payload, rest := splitArgs(w, get(c.name), c.args)
		if string(payload) != c.payload || !slices.Equal(rest, c.rest) {
			t.Errorf("%s %q: %q %q", c.name, c.args, payload, rest)
		}
		if fails := slices.Contains(c.args, "/no/such/program"); fails != strings.HasPrefix(said.String(), "vomgr: the former notify program: ") {
			t.Errorf("%q: said %q", c.args, said.String())
		}
		if !slices.Equal(before, c.args) {
			t.Errorf("the arguments were changed: %q", c.args)
		}
	}
}
