package hook

import (
	"bytes"
	"io"
	"os"
	"time"

	"github.com/tidwall/gjson"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/chain"
	"github.com/vexyart/vomgr/internal/history"
)

// takenOver is why a stop is not handed over whose turn a person asked for: closing the window they type in would be
// the last thing they want.
const takenOver = "yours: the last prompt of this session is a person's"

// askedByPerson tells from the payload whether the turn of our own session that ended was asked for by somebody else
// than vomgr: Codex and Gemini name the prompts of a session in it.
func askedByPerson(own bool, s *chain.Session, payload assistant.Stop) bool {
	n := len(payload.Inputs)
	return own && n > 0 && s.Prompt != "" && !sameText(payload.Inputs[n-1], s.Prompt)
}

// maxTranscript is how much of the end of a transcript is searched, in bytes.
const maxTranscript = 8 << 20

// typed tells whether the turn that ended in the project's recorded session was asked for by a person. Claude's payload
// does not hold the prompt: its id leads to the entry of the transcript that began the turn (Claude Code 2.1.332).
func (l *launching) typed() bool {
	st, err := l.store.Project(l.job.Project).Read()
	if err != nil || st.Session == nil || st.Session.Prompt == "" || l.job.Transcript == "" || l.job.Turn == "" {
		return false
	}
	prompt, found := promptOf(l.job.Transcript, l.job.Turn)
	for range transcriptLag / lagStep {
		if found {
			break
		}
		time.Sleep(lagStep)
		prompt, found = promptOf(l.job.Transcript, l.job.Turn)
	}
	return found && !sameText(prompt, st.Session.Prompt)
}

// transcriptLag is how long a turn's beginning may be missing from the transcript after its end: Claude Code 2.1.197
// writes it up to 50 ms after its stop hook is called, measured.
const (
	transcriptLag = 500 * time.Millisecond
	lagStep       = 20 * time.Millisecond
)

// leaveToPerson drops the job and says why.
func (l *launching) leaveToPerson() {
	if j, err := l.store.Find(l.job.ID); err == nil && j.Phase == chain.Pending {
		_, _ = l.store.Move(j, chain.Dropped, "")
	}
	l.log.step(history.TakenOver, takenOver)
}

// promptOf finds the text that began the turn called id in the transcript at path.
func promptOf(path, id string) (text string, found bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return "", false
	}
	defer f.Close() //nolint:errcheck // read only
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return "", false
	}
	if _, err := f.Seek(max(0, fi.Size()-maxTranscript), io.SeekStart); err != nil {
		return "", false
	}
	data, err := io.ReadAll(io.LimitReader(f, maxTranscript))
	if err != nil {
		return "", false
	}
	for line := range bytes.Lines(data) {
		if !bytes.Contains(line, []byte(id)) || !assistant.Sound(line) {
			continue
		}
		entry := gjson.ParseBytes(line)
		if entry.Get("type").String() != "user" || entry.Get("promptId").String() != id {
			continue
		}
		content := entry.Get("message.content")
		if content.Type == gjson.String {
			return content.String(), true
		}
		if t := content.Get(`#(type=="text").text`); t.Exists() {
			return t.String(), true
		}
	}
	return "", false
}
