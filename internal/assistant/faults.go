package assistant

import "github.com/vexyart/vomgr/internal/edit"

// ClaudeFaults lists what in the hooks of a settings.json makes Claude Code pass over the whole file in silence, in the
// order of the file. A *edit.Refusal as error says why the file is no JSON.
func ClaudeFaults(doc []byte) ([]*edit.Refusal, error) {
	return edit.JSON.HookFaults(doc, claudeEvents...)
}
