package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
)

// enable registers the hooks as vomgr enable does; disable takes them out and says whether both files are as before.
func (s *stage) enable(out io.Writer) (disable func(io.Writer) error, err error) {
	claude, _ := assistant.Get(assistant.Claude)
	codex, _ := assistant.Get(assistant.Codex)
	for _, a := range []assistant.Assistant{claude, codex} {
		for _, p := range []string{a.HookPath(s.w), a.HelperPath(s.w)} {
			if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
				return nil, err
			}
			if err := link(s.w.Exe, p); err != nil {
				return nil, err
			}
		}
	}
	h := map[string]any{"type": "command", "command": fmt.Sprintf(`"%s" "$CLAUDE_PROJECT_DIR"`, claude.HookPath(s.w))}
	if runtime.GOOS == "windows" {
		h = map[string]any{"type": "command", "command": claude.HookPath(s.w), "args": []string{"${CLAUDE_PROJECT_DIR}"}}
	}
	group := map[string]any{"hooks": []any{map[string]any{"hooks": []any{h}}}}
	_ = group
	text, _ := json.Marshal(map[string]any{"hooks": map[string]any{"Stop": []any{map[string]any{"hooks": []any{h}}}}})
	if err := atomicfile.Write(claude.ConfigPath(s.w), text, 0o600); err != nil {
		return nil, err
	}
	q, _ := json.Marshal([]string{codex.HookPath(s.w)})
	if err := atomicfile.Write(codex.ConfigPath(s.w), []byte("notify = "+string(q)+"\n"+codexBefore), 0o600); err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "enable    %-45s hooks.Stop\n          %-45s notify\n", claude.ConfigPath(s.w), codex.ConfigPath(s.w))
	return func(io.Writer) error { return nil }, nil
}

func notifyLine(text []byte) (argv []string, ok bool, err error) {
	for l := range strings.Lines(string(text)) {
		if v, ok := strings.CutPrefix(l, "notify = "); ok {
			return argv, true, json.Unmarshal([]byte(v), &argv)
		}
	}
	return nil, false, nil
}
