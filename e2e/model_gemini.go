//go:build e2e

package e2e

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
)

// geminiDialect is Google's generateContent service, as Gemini CLI 0.61.0 uses it.
var geminiDialect = dialect{tool: Gemini, read: readGemini, write: writeGemini, refuse: refuseGemini}

type geminiPart struct {
	Text             string          `json:"text"`
	FunctionResponse json.RawMessage `json:"functionResponse"`
}

type geminiBody struct {
	Contents []struct {
		Role  string       `json:"role"`
		Parts []geminiPart `json:"parts"`
	} `json:"contents"`
	Tools []struct {
		FunctionDeclarations []struct {
			Name string `json:"name"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
}

// geminiRoute answers the request in which Gemini asks which model shall answer a prompt; on anything else than such JSON it asks
// again, five times, for a minute in all, before it sends the prompt.
const geminiRoute = `{"reasoning":"simple","model_choice":"flash","complexity_reasoning":"simple","complexity_score":1}`

var geminiDir = regexp.MustCompile(`Workspace Directories:\*\*\n\s*- (.+)|working in the directory: (.+)`)

func readGemini(r *Request, body []byte) {
	var b geminiBody
	if json.Unmarshal(body, &b) != nil {
		return
	}
	lastIsTool := false
	for _, c := range b.Contents {
		if c.Role != "user" {
			continue
		}
		for _, p := range c.Parts {
			lastIsTool = p.FunctionResponse != nil
			if m := geminiDir.FindStringSubmatch(p.Text); m != nil {
				r.Dir = m[1] + m[2]
			}
			if p.Text != "" && !strings.HasPrefix(p.Text, "<") && !strings.HasPrefix(p.Text, "This is the Gemini CLI") {
				r.Inputs = append(r.Inputs, p.Text)
			}
		}
	}
	r.Prompt = last(r.Inputs)
	for _, t := range b.Tools {
		for _, f := range t.FunctionDeclarations {
			r.Offered = append(r.Offered, f.Name)
		}
	}
	if strings.Contains(r.Path, ":streamGenerateContent") && len(r.Offered) > 0 {
		r.Kind = Turn
		if lastIsTool {
			r.Kind = Step
		}
	}
}

func writeGemini(w http.ResponseWriter, r Request, reply Reply) {
	if strings.Contains(r.Path, ":countTokens") {
		writeJSON(w, http.StatusOK, obj{"totalTokens": 100})
		return
	}
	if r.Kind == Side {
		reply.Text = geminiRoute
	}
	answer := obj{
		"candidates":    []obj{{"content": obj{"role": "model", "parts": []obj{{"text": reply.Text}}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": obj{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
	}
	if !strings.Contains(r.Path, ":streamGenerateContent") {
		writeJSON(w, http.StatusOK, answer)
		return
	}
	startEvents(w).send("", answer)
}

func refuseGemini(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, obj{"error": obj{"code": status, "message": text, "status": "RESOURCE_EXHAUSTED"}})
}
