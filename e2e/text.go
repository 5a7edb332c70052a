//go:build e2e

package e2e

import (
	"encoding/json"
	"net/http"
)

// obj is a JSON object about to be written.
type obj = map[string]any

// encode returns v as JSON text; v holds nothing that JSON cannot say.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(encode(v))) // an assistant that went away needs no answer
}

// short cuts s to n bytes for a log line.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}

// last returns the last of texts, or "".
func last(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[len(texts)-1]
}
