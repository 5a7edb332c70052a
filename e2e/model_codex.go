//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// codexDialect is the responses service, as Codex 0.171.0 uses it.
var codexDialect = dialect{tool: Codex, read: readCodex, write: writeCodex, refuse: refuseCodex}

type codexBody struct {
	Input []struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"input"`
	PromptCacheKey string `json:"prompt_cache_key"`
	Tools          []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

// codexTitle begins the only input of the hidden thread in which Codex names a conversation.
const codexTitle = "Generate a concise, single-line task title"

var codexDir = regexp.MustCompile(`<cwd>([^<]+)</cwd>`)

func readCodex(r *Request, body []byte) {
	var b codexBody
	if json.Unmarshal(body, &b) != nil {
		return
	}
	r.Kind = Turn
	for _, in := range b.Input {
		if in.Type == "function_call_output" {
			r.Kind = Step
		}
		if in.Role != "user" {
			continue
		}
		r.Kind = Turn
		for _, bl := range claudeBlocks(in.Content) { // the same shape: a string, or blocks with a text
			if m := codexDir.FindStringSubmatch(bl.Text); m != nil {
				r.Dir = m[1]
			}
			if !strings.HasPrefix(bl.Text, "<") && !strings.HasPrefix(bl.Text, "# AGENTS.md") {
				r.Inputs = append(r.Inputs, bl.Text)
			}
		}
	}
	r.Prompt = last(r.Inputs)
	r.Session = b.PromptCacheKey
	for _, t := range b.Tools {
		r.Offered = append(r.Offered, t.Name)
	}
	if strings.HasPrefix(r.Prompt, codexTitle) {
		r.Kind = Side
	}
}

func writeCodex(w http.ResponseWriter, r Request, reply Reply) {
	id := fmt.Sprintf("resp_%d", r.Seq)
	item := obj{
		"type": "message", "id": fmt.Sprintf("msg_%d", r.Seq), "role": "assistant", "status": "completed",
		"content": []obj{{"type": "output_text", "text": reply.Text, "annotations": []obj{}}},
	}
	usage := obj{
		"input_tokens": 10, "input_tokens_details": nil, "output_tokens": 5, "output_tokens_details": nil, "total_tokens": 15,
	}
	e := startEvents(w)
	e.send("response.created", obj{"type": "response.created", "response": obj{"id": id}})
	e.send("response.output_item.done", obj{"type": "response.output_item.done", "output_index": 0, "item": item})
	e.send("response.completed", obj{"type": "response.completed", "response": obj{"id": id, "usage": usage}})
}

func refuseCodex(w http.ResponseWriter, status int, text string) {
	kind := "server_error"
	if status == http.StatusTooManyRequests {
		kind = "usage_limit_reached"
	}
	writeJSON(w, status, obj{"error": obj{"type": kind, "message": text}})
}
