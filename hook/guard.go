package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/world"
)

// The guards of this file judge a stop by itself: what the payload, the environment and the folder say. Each returns
// why the stop is not handed over, or "".

// badPlace refuses folders in which nobody wants an unattended assistant: the root, home itself or above it, and a
// folder of another user. A folder that the person listed under [scope] is taken at their word.
func badPlace(w world.World, project string, listed []string) string {
	if !utf8.ValidString(project) {
		return "the folder's name is not UTF-8, which no job file can carry; rename it"
	}
	if inScope(project, listed, w.Home) {
		return ""
	}
	home := homeOf(w)
	if filepath.Dir(project) == project || project == home || contains(project, home) {
		return "a hand-over in " + w.Tilde(project) + " could reach everything below it; list the folder under [scope] to allow it"
	}
	if fi, err := os.Stat(project); err != nil || foreignOwner(fi) {
		return "the folder belongs to another user; list it under [scope] to allow it"
	}
	return ""
}

// contains tells whether inner is below outer, compared by path components.
func contains(outer, inner string) bool {
	rel, err := filepath.Rel(outer, inner)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// inScope tells whether project is one of folders or below one.
func inScope(project string, folders []string, home string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		dir := firstDir(home, f)
		return dir != "" && contains(dir, project)
	})
}

// otherEvent refuses payloads that tell of something else than a turn that ended, or of another assistant's.
func otherEvent(a assistant.Assistant, s assistant.Stop) string {
	want := map[assistant.Name][]string{
		assistant.Claude: {assistant.EventStop, assistant.EventStopFailure},
		assistant.Codex:  {assistant.EventTurn, assistant.EventStop},
		assistant.Gemini: {assistant.EventAfterAgent},
	}[a.Name]
	if s.Event == "" || slices.Contains(want, s.Event) {
		return ""
	}
	return "event " + harmless(cut(s.Event, 60)) + " is no end of a turn of " + string(a.Name)
}

// subAgent refuses the end of a sub-agent: Claude names it in the payload, Codex in the session file of its thread.
func subAgent(a assistant.Assistant, s assistant.Stop, sessions codexSessions) string {
	if s.Agent != "" || a.Name == assistant.Codex && sessions.ofSubAgent(s.Session) {
		return "a sub-agent stopped"
	}
	return ""
}

// headless refuses runs that no person watches and that end by themselves: claude -p, the SDKs, IDE extensions,
// codex exec. Claude names its front end in CLAUDE_CODE_ENTRYPOINT, Codex in the payload.
func headless(w world.World, a assistant.Assistant, s assistant.Stop) string {
	switch entry := w.Getenv("CLAUDE_CODE_ENTRYPOINT"); {
	case a.Name == assistant.Claude && entry != "" && entry != "cli":
		return "not a terminal session (" + harmless(cut(entry, 40)) + ")"
	case a.Name == assistant.Codex && s.Client != "" && s.Client != "codex-tui":
		return "not a terminal session (" + harmless(cut(s.Client, 40)) + ")"
	}
	return ""
}

// titlePrompt begins the only prompt of the thread in which Codex finds a title for a new one (Codex 0.171.0).
const titlePrompt = "Generate a concise, single-line task title"

// titleThread refuses Codex's hidden title thread: told by its prompt, or by having no session file where others of
// today have one.
func titleThread(a assistant.Assistant, s assistant.Stop, sessions codexSessions) string {
	if a.Name != assistant.Codex || s.Event != assistant.EventTurn {
		return ""
	}
	if len(s.Inputs) == 1 && strings.HasPrefix(s.Inputs[0], titlePrompt) {
		return "codex's thread for the title"
	}
	if s.Session != "" && sessions.lacks(s.Session) {
		return "codex's thread for the title (it has no session file)"
	}
	return ""
}

// forced refuses a turn that a stop hook forced.
func forced(s assistant.Stop) string {
	if s.Active {
		return "stop_hook_active: another stop hook made the assistant go on"
	}
	return ""
}

// unfinished refuses a stop while the session waits for something of its own; it stops again when that has come.
func unfinished(s assistant.Stop) string {
	switch {
	case s.Background > 0:
		return "background tasks run"
	case s.Crons > 0:
		return "the session has set itself a wake-up"
	}
	return ""
}

// codexSessions looks into Codex's folder of session files: sessions/YYYY/MM/DD/rollout-…-<thread id>.jsonl.
type codexSessions struct {
	dir string
	now time.Time
}

// lacks tells whether thread has no session file although other threads of its day have one.
func (c codexSessions) lacks(thread string) bool {
	began, ok := uuidTime(thread)
	if !ok {
		return false
	}
	others := false
	for _, day := range []time.Time{began, began.AddDate(0, 0, -1), began.AddDate(0, 0, 1)} {
		entries, _ := os.ReadDir(filepath.Join(c.dir, day.Format("2006"), day.Format("01"), day.Format("02")))
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), "-"+thread+".jsonl") {
				return false
			}
			others = others || strings.HasPrefix(e.Name(), "rollout-")
		}
	}
	return others
}

// file returns the session file of thread, or "".
func (c codexSessions) file(thread string) string {
	began, ok := uuidTime(thread)
	if !ok {
		return ""
	}
	for _, day := range []time.Time{began, began.AddDate(0, 0, -1), began.AddDate(0, 0, 1)} {
		dir := filepath.Join(c.dir, day.Format("2006"), day.Format("01"), day.Format("02"))
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), "-"+thread+".jsonl") {
				return filepath.Join(dir, e.Name())
			}
		}
	}
	return ""
}
