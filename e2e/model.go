//go:build e2e

package e2e

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"
)

// Tool names an assistant, as vomgr's command line does.
type Tool string

// The assistants whose requests the model understands.
const (
	Claude Tool = "claude"
	Codex  Tool = "codex"
	Gemini Tool = "gemini"
)

// Kind tells what a request is to the assistant that sent it.
type Kind string

// The kinds of requests.
const (
	Turn Kind = "turn" // a prompt begins a turn
	Step Kind = "step" // the turn goes on, after a tool's result
	Side Kind = "side" // what assistants ask for themselves: titles, summaries, token counts, model lists
)

// Request is one request an assistant sent to the model.
type Request struct {
	Seq     int       // from 1, in the order of arrival
	Time    time.Time // of arrival
	Tool    Tool
	Kind    Kind
	Path    string   // method and path
	Prompt  string   // the last text of the user's that is not the assistant's own reminder
	Inputs  []string // every such text in the request, oldest first
	Dir     string   // the folder the assistant says it works in, "" if it does not say
	Session string   // its session or thread, "" if it does not say
	Offered []string // names of the tools the assistant offers to the model
	Status  int      // what the model answered, 0 while it has not
	Body    []byte
}

// Reply is what the model answers.
type Reply struct {
	Text   string        // the message; empty means "Done."
	Status int           // an HTTP status other than 0 and 200 is answered as an error
	Delay  time.Duration // waited before the answer
	Call   *Call         // a tool call instead of an end of the turn (claude only)
}

// Call is a tool the model wants used.
type Call struct {
	Name  string
	Input map[string]any
}

// Model stands in for the services of all three assistants. Its methods may be called from any goroutine.
type Model struct {
	URL    string // of the server, on loopback
	answer func(Request) Reply
	server *httptest.Server

	mu   sync.Mutex
	seen []Request
}

// StartModel starts a model that asks answer what to reply to each turn and step; nil means always "Done.".
// answer may change files: it stands for the work the assistant does before it stops.
func StartModel(answer func(Request) Reply) *Model {
	if answer == nil {
		answer = func(Request) Reply { return Reply{} }
	}
	m := &Model{answer: answer}
	m.server = httptest.NewServer(http.HandlerFunc(m.serve))
	m.URL = m.server.URL
	return m
}

// Close stops the server; requests still waiting for a delayed reply end at once.
func (m *Model) Close() {
	m.server.CloseClientConnections()
	m.server.Close()
}

// Requests returns all requests so far, in order.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.seen)
}

// Turns returns the requests that began a turn, in order; with tools given only theirs.
func (m *Model) Turns(tools ...Tool) []Request {
	return slices.DeleteFunc(m.Requests(), func(r Request) bool {
		return r.Kind != Turn || len(tools) > 0 && !slices.Contains(tools, r.Tool)
	})
}

// Log describes every request in one line each.
func (m *Model) Log() string {
	var b strings.Builder
	for _, r := range m.Requests() {
		fmt.Fprintf(&b, "%3d %s %-6s %-4s %d %s dir=%q prompt=%q\n", r.Seq, r.Time.Format("15:04:05.000"), r.Tool, r.Kind, r.Status, r.Path, r.Dir, short(r.Prompt, 160))
	}
	return b.String()
}

// A dialect is how one assistant talks to its service.
type dialect struct {
	tool   Tool
	read   func(*Request, []byte)                    // fills in all but Seq, Time, Tool, Path, Body
	write  func(http.ResponseWriter, Request, Reply) // a whole reply
	refuse func(http.ResponseWriter, int, string)    // an error
}

// dialectOf finds the service a path belongs to; ok is false for a path no assistant needs answered.
func dialectOf(path string) (d dialect, ok bool) {
	switch {
	case strings.HasPrefix(path, "/v1/messages"):
		return claudeDialect, true
	case strings.HasPrefix(path, "/v1/responses"):
		return codexDialect, true
	case strings.Contains(path, ":generateContent"), strings.Contains(path, ":streamGenerateContent"), strings.Contains(path, ":countTokens"):
		return geminiDialect, true
	}
	return dialect{}, false
}

func (m *Model) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the assistant went away
	}
	req := Request{Time: time.Now(), Path: r.Method + " " + r.URL.RequestURI(), Kind: Side, Body: body}
	d, ok := dialectOf(r.URL.Path)
	if ok {
		req.Tool = d.tool
		d.read(&req, body)
		req.Dir = html.UnescapeString(req.Dir) // Codex and Claude Code 2.1.332 write it as XML
	}
	seq := m.record(&req)
	if !ok {
		m.finish(seq, http.StatusNotFound)
		http.NotFound(w, r)
		return
	}
	reply := Reply{Text: "Side answer"}
	if req.Kind != Side {
		reply = m.answer(req)
	}
	select {
	case <-time.After(reply.Delay):
	case <-r.Context().Done():
		return
	}
	if reply.Status == 0 {
		reply.Status = http.StatusOK
	}
	if reply.Text == "" {
		reply.Text = "Done."
	}
	m.finish(seq, reply.Status)
	if reply.Status != http.StatusOK {
		d.refuse(w, reply.Status, reply.Text)
		return
	}
	d.write(w, req, reply)
}

// record keeps r and gives it its number.
func (m *Model) record(r *Request) (seq int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r.Seq = len(m.seen) + 1
	m.seen = append(m.seen, *r)
	return r.Seq
}

func (m *Model) finish(seq, status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen[seq-1].Status = status
}

// events writes server-sent events; data is JSON text, and an empty name leaves the event line out.
type events struct{ w http.ResponseWriter }

func startEvents(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	return events{w}
}

func (e events) send(name string, data any) {
	if name != "" {
		fmt.Fprintf(e.w, "event: %s\n", name)
	}
	fmt.Fprintf(e.w, "data: %s\n\n", encode(data))
	if f, ok := e.w.(http.Flusher); ok {
		f.Flush()
	}
}
