//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// claudeDialect is Anthropic's messages service, as Claude Code 2.1.197 and 2.1.332 use it.
var claudeDialect = dialect{tool: Claude, read: readClaude, write: writeClaude, refuse: refuseClaude}

type claudeBody struct {
	Model    string          `json:"model"`
	Stream   bool            `json:"stream"`
	System   json.RawMessage `json:"system"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
	Metadata struct {
		UserID string `json:"user_id"`
	} `json:"metadata"`
}

type claudeBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

var claudeDir = regexp.MustCompile(`(?m)^\s*-?\s*(?:Primary w|W)orking directory: (.+)$`)

func readClaude(r *Request, body []byte) {
	var b claudeBody
	if json.Unmarshal(body, &b) != nil {
		return
	}
	lastIsTool := false
	for _, m := range b.Messages {
		if m.Role != "user" {
			continue
		}
		texts, tool := claudeTexts(m.Content)
		r.Inputs = append(r.Inputs, texts...)
		lastIsTool = tool
	}
	r.Prompt = last(r.Inputs)
	for _, t := range b.Tools {
		r.Offered = append(r.Offered, t.Name)
	}
	r.Session = b.Metadata.UserID
	if m := claudeDir.FindStringSubmatch(claudeWhole(b)); m != nil {
		r.Dir = m[1]
	}
	if len(b.Tools) > 0 && !strings.Contains(r.Path, "count_tokens") {
		r.Kind = Turn
		if lastIsTool {
			r.Kind = Step
		}
	}
}

// claudeWhole is all text of a request in which the working directory may stand.
func claudeWhole(b claudeBody) string {
	var all []string
	for _, raw := range append([]json.RawMessage{b.System}, messagesOf(b)...) {
		for _, bl := range claudeBlocks(raw) {
			all = append(all, bl.Text)
		}
	}
	return strings.Join(all, "\n")
}

func messagesOf(b claudeBody) []json.RawMessage {
	var all []json.RawMessage
	for _, m := range b.Messages {
		all = append(all, m.Content)
	}
	return all
}

// claudeBlocks reads content that is either a string or a list of blocks.
func claudeBlocks(raw json.RawMessage) []claudeBlock {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []claudeBlock{{Type: "text", Text: text}}
	}
	var blocks []claudeBlock
	_ = json.Unmarshal(raw, &blocks) // anything else has no text
	return blocks
}

// claudeTexts returns what a user message says, without Claude's own reminders, and whether it brings a tool's result.
func claudeTexts(raw json.RawMessage) (texts []string, tool bool) {
	for _, b := range claudeBlocks(raw) {
		switch {
		case b.Type == "tool_result":
			tool = true
		case b.Type == "text" && !strings.HasPrefix(strings.TrimSpace(b.Text), "<"):
			texts = append(texts, b.Text)
		}
	}
	return texts, tool
}

func writeClaude(w http.ResponseWriter, r Request, reply Reply) {
	if strings.Contains(r.Path, "count_tokens") {
		writeJSON(w, http.StatusOK, obj{"input_tokens": 100})
		return
	}
	var b claudeBody
	_ = json.Unmarshal(r.Body, &b) // read before
	content, stop := claudeContent(r, reply)
	message := obj{
		"id": fmt.Sprintf("msg_%d", r.Seq), "type": "message", "role": "assistant", "model": b.Model,
		"content": []obj{content}, "stop_reason": stop, "stop_sequence": nil,
		"usage": obj{"input_tokens": 10, "output_tokens": 5},
	}
	if !b.Stream {
		writeJSON(w, http.StatusOK, message)
		return
	}
	message["content"], message["stop_reason"] = []obj{}, nil
	start, delta := claudeParts(content)
	e := startEvents(w)
	e.send("message_start", obj{"type": "message_start", "message": message})
	e.send("content_block_start", obj{"type": "content_block_start", "index": 0, "content_block": start})
	e.send("content_block_delta", obj{"type": "content_block_delta", "index": 0, "delta": delta})
	e.send("content_block_stop", obj{"type": "content_block_stop", "index": 0})
	e.send("message_delta", obj{"type": "message_delta", "delta": obj{"stop_reason": stop, "stop_sequence": nil}, "usage": obj{"output_tokens": 5}})
	e.send("message_stop", obj{"type": "message_stop"})
}

func claudeContent(r Request, reply Reply) (content obj, stop string) {
	if reply.Call == nil {
		return obj{"type": "text", "text": reply.Text}, "end_turn"
	}
	return obj{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", r.Seq), "name": reply.Call.Name, "input": reply.Call.Input}, "tool_use"
}

// claudeParts splits a content block into what its start and its delta carry.
func claudeParts(content obj) (start, delta obj) {
	if content["type"] == "text" {
		return obj{"type": "text", "text": ""}, obj{"type": "text_delta", "text": content["text"]}
	}
	start = obj{"type": "tool_use", "id": content["id"], "name": content["name"], "input": obj{}}
	return start, obj{"type": "input_json_delta", "partial_json": encode(content["input"])}
}

func refuseClaude(w http.ResponseWriter, status int, text string) {
	kind := map[int]string{http.StatusTooManyRequests: "rate_limit_error", http.StatusUnauthorized: "authentication_error", http.StatusBadRequest: "invalid_request_error"}[status]
	if kind == "" {
		kind = "api_error"
	}
	// Claude tries a 429 again unless the answer says that there is no use.
	w.Header().Set("X-Should-Retry", "false")
	writeJSON(w, status, obj{"type": "error", "error": obj{"type": kind, "message": text}})
}
