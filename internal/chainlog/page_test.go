package chainlog

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/vexyart/vomgr/internal/history"
)

// The page shows every chain with its turns and steps, loads nothing, and what the history quotes is text in it.
func TestPage(t *testing.T) {
	const evil = `<script>alert(1)</script> " onload='x' </title>`
	n := good()
	n.add(4, "codex", "claude", history.Terminal, evil, "not found: "+evil)
	log := n.log()
	log.Failed = []Stop{{Time: log.Chains[0].First, Source: evil, Project: "/p/" + evil, Step: history.Guard, Why: evil}}
	var b strings.Builder
	v := View{Now: log.Chains[0].Last.Add(time.Hour), Tilde: func(s string) string { return strings.Replace(s, "/home/ann", "~", 1) }}
	if err := v.Page(&b, log); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"~/src/api", "22:12", "usage limit", "&lt;script&gt;alert(1)", `<a href="#` + log.Chains[0].ID + `">`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the page", want)
		}
	}
	if steps := strings.Count(text, `<td class="n">`); steps < len(n.entries) {
		t.Errorf("%d cells of numbers for %d steps", steps, len(n.entries))
	}
	if found := regexp.MustCompile(`(?i)<script|onload='|(src|href)="?[^"#]|url\(|@import`).FindString(text); found != "" {
		t.Errorf("the page holds %s", found)
	}
}

func TestPageOfNothing(t *testing.T) {
	var b strings.Builder
	if err := (View{Now: time.Unix(0, 0), Tilde: strings.Clone}).Page(&b, Log{}); err != nil || !strings.Contains(b.String(), "No hand-over yet") {
		t.Errorf("%v: %s", err, b.String())
	}
}
