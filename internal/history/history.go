// Package history keeps history.jsonl: one line for each step of each hand-over, appended by whoever takes the step.
package history

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The steps of a hand-over, in their order.
const (
	Called      = "called"      // the assistant stopped and called its hook; the detail is why it stopped
	Project     = "project"     // the project folder was found
	Preferences = "preferences" // settings.toml was read
	Guard       = "guard"       // may this stop be handed over? A detail says why not, and nothing follows
	Prompt      = "prompt"      // the next assistant's prompt was made
	Command     = "command"     // its command line was made
	Job         = "job"         // the job was written
	Terminal    = "terminal"    // a terminal was asked for, in the way the detail names
	Claimed     = "claimed"     // the helper took the job
	Started     = "started"     // the next assistant runs
	Replaced    = "replaced"    // the one before it was ended, or why not
	Recorded    = "recorded"    // session_state.json was written
	Notified    = "notified"    // the person was told
	Working     = "working"     // the next assistant began to work
	Exited      = "exited"      // it is gone; the detail is its status
)

// The steps of a chain of hand-overs.
const (
	Rested    = "rested"     // it waits; the detail says until when and why
	Woke      = "woke"       // it goes on after a rest
	Slept     = "slept"      // the computer slept meanwhile
	Silent    = "silent"     // its assistant gave no sign of work for too long
	Crashed   = "crashed"    // its assistant ended without having stopped
	TakenOver = "taken-over" // a person went on with its assistant
	Ended     = "ended"      // it is over; the detail is why
)

// Entry is one step.
type Entry struct {
	Time    time.Time
	Chain   string // id of the chain; empty for a stop that began none
	Hop     int    // number of the hand-over within its chain, from 1; 0 before the first
	Step    string
	Source  string // the assistant that stopped
	Target  string // the assistant that goes on
	Project string // its folder
	Detail  string
	Error   string // why the step failed
}

// line is an Entry as it stands in the file.
type line struct {
	Time    string `json:"time"`
	Chain   string `json:"chain,omitempty"`
	Hop     int    `json:"hop,omitempty"`
	Step    string `json:"step"`
	Source  string `json:"source,omitempty"`
	Target  string `json:"target,omitempty"`
	Project string `json:"project,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Error   string `json:"error,omitempty"`
}

const stamp = "2006-01-02T15:04:05.000Z07:00"

// A line is bounded, so that one foreign text cannot fill the file. Sizes are in bytes, before JSON's escapes.
const (
	maxText = 2000
	maxPath = 4096
	maxName = 64
)

// MarshalJSON writes the entry as in the file: time in RFC 3339 with milliseconds, empty fields left out, long ones cut.
func (e Entry) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(line{
		Time: e.Time.Format(stamp), Chain: cut(e.Chain, maxName), Hop: e.Hop, Step: cut(e.Step, maxName),
		Source: cut(e.Source, maxName), Target: cut(e.Target, maxName), Project: cut(e.Project, maxPath),
		Detail: cut(e.Detail, maxText), Error: cut(e.Error, maxText),
	})
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Entry) UnmarshalJSON(data []byte) error {
	var l line
	if err := json.Unmarshal(data, &l); err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, l.Time)
	*e = Entry{at, l.Chain, l.Hop, l.Step, l.Source, l.Target, l.Project, l.Detail, l.Error}
	return err
}

// cut shortens s to at most n bytes, at a character, and marks where.
func cut(s string, n int) string {
	const mark = "…"
	if len(s) <= n {
		return s
	}
	end := n - len(mark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}

// Printable returns s with everything escaped that a terminal would not simply show: control characters, invisible ones,
// those that turn the direction of text, bytes that are no UTF-8.
func Printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r == utf8.RuneError || !strconv.IsPrint(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if strconv.IsPrint(r) && (r != utf8.RuneError || n > 1) {
			b.WriteString(s[:n])
		} else {
			q := strconv.Quote(s[:n])
			b.WriteString(q[1 : len(q)-1])
		}
		s = s[n:]
	}
	return b.String()
}
