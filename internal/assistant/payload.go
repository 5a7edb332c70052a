package assistant

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Events by which an assistant says that it stopped.
const (
	EventStop        = "Stop"                // Claude Code; Codex through hooks.json
	EventStopFailure = "StopFailure"         // Claude Code 2.1.78 and later, instead of Stop after an API error
	EventTurn        = "agent-turn-complete" // Codex, through notify
	EventAfterAgent  = "AfterAgent"          // Gemini CLI
)

// Stop is what an assistant's payload says of the turn that ended. A field the payload lacks is empty.
type Stop struct {
	Event       string   // one of the events above, or whatever else the payload names
	Session     string   // session or thread id
	Turn        string   // id of the turn; with Session it tells whether a stop was handled already
	Folders     []string // where the project may be, in the order in which to look
	Transcript  string   // the session's file
	LastMessage string   // what the assistant said last
	Failure     string   // Claude's kind of API error, for StopFailure
	Active      bool     // this turn was forced by a stop hook
	Background  int      // background tasks that still run
	Crons       int      // wake-ups the session set for itself
	Agent       string   // id of the sub-agent that stopped, if it was one
	Client      string   // Codex: which front end, codex-tui for a person's terminal
	Inputs      []string // the prompts of the session so far: all for Codex, the last for Gemini
}

// ParseStop reads the payload of a. A payload that is no JSON object gives an empty Stop and ok false:
// the hook then goes by its environment, as with no payload at all.
func (a Assistant) ParseStop(payload []byte) (s Stop, ok bool) {
	payload = []byte(strings.TrimPrefix(string(payload), "\ufeff"))
	if !Sound(payload) {
		return Stop{}, false
	}
	p := gjson.ParseBytes(payload)
	if !p.IsObject() {
		return Stop{}, false
	}
	if a.Name == Codex && p.Get("hook_event_name").String() == "" {
		return codexNotify(p), true
	}
	s = Stop{
		Event:       p.Get("hook_event_name").String(),
		Session:     p.Get("session_id").String(),
		Turn:        first(p.Get("prompt_id").String(), p.Get("turn_id").String(), p.Get("timestamp").String()),
		Transcript:  p.Get("transcript_path").String(),
		LastMessage: first(p.Get("last_assistant_message").String(), p.Get("prompt_response").String()),
		Failure:     p.Get("error").String(),
		Active:      p.Get("stop_hook_active").Bool(),
		Background:  running(p.Get("background_tasks")),
		Crons:       len(p.Get("session_crons").Array()),
		Agent:       p.Get("agent_id").String(),
	}
	s.Folders = nonEmpty(p.Get("project_dir"), p.Get("cwd"))
	if prompt := p.Get("prompt"); prompt.Exists() {
		s.Inputs = []string{prompt.String()}
	}
	return s, true
}

// maxDepth is how deep JSON of others may be nested; gjson looks at it by recursion, and a stack is not endless.
const maxDepth = 1000

// Sound tells whether data is JSON, and not nested so deeply that reading it would be the end of us.
func Sound(data []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			if depth++; depth > maxDepth {
				return false
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return gjson.ValidBytes(data)
}

// codexNotify reads what Codex passes to its notify program. context may be an object, a string with JSON in it, or a plain path.
func codexNotify(p gjson.Result) Stop {
	s := Stop{
		Event:       p.Get("type").String(),
		Session:     p.Get("thread-id").String(),
		Turn:        p.Get("turn-id").String(),
		Client:      p.Get("client").String(),
		LastMessage: p.Get("last-assistant-message").String(),
	}
	context := p.Get("context")
	if context.Type == gjson.String {
		if inner := context.String(); Sound([]byte(inner)) && gjson.Parse(inner).IsObject() {
			context = gjson.Parse(inner)
		} else if inner != "" {
			s.Folders = append(s.Folders, inner)
		}
	}
	if context.IsObject() {
		s.Folders = append(s.Folders, nonEmpty(context.Get("cwd"), context.Get("working_directory"))...)
	}
	s.Folders = append(s.Folders, nonEmpty(p.Get("cwd"))...)
	for _, m := range p.Get("input-messages").Array() {
		s.Inputs = append(s.Inputs, m.String())
	}
	return s
}

// running counts the background tasks that have not ended; a task that names no status counts.
func running(tasks gjson.Result) int {
	n := 0
	for _, t := range tasks.Array() {
		switch t.Get("status").String() {
		case "completed", "failed", "killed", "stopped", "cancelled":
		default:
			n++
		}
	}
	return n
}

func nonEmpty(values ...gjson.Result) []string {
	var out []string
	for _, v := range values {
		if v.Type == gjson.String && v.String() != "" {
			out = append(out, v.String())
		}
	}
	return out
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
