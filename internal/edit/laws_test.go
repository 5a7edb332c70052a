package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"

	"github.com/vexyart/vomgr/internal/edit/edittest"
)

// The laws of an edit, for any document. They are stated once, and held by generated documents (rapid), by the fuzz targets,
// and by their seeds.

// law fails with the name of the law that doc breaks.
type law func(format string, args ...any)

// isInsertion tells whether b is a with one text put in. An empty pair of brackets may lose the blanks it held.
func isInsertion(a, b string) bool {
	p, s := 0, 0
	for p < len(a) && p < len(b) && a[p] == b[p] {
		p++
	}
	for s < len(a) && s < len(b)-p && a[len(a)-1-s] == b[len(b)-1-s] {
		s++
	}
	return len(b) >= len(a) && p+s >= len(a) || strings.TrimSpace(a[p:max(p, len(a)-s)]) == ""
}

func wantedHook(event string) Hook {
	return Hook{Event: event, Handler: &Handler{Command: stopCommand}}
}

// jsonLaws holds every law of a JSON edit that needs no knowledge of how doc was made.
func jsonLaws(doc []byte, broken law) {
	before, err := JSON.Hooks(doc)
	if err != nil {
		if out, err := JSON.SetHooks(doc, stopHook(), isOurs); out != nil || err == nil {
			broken("3: reading refuses, editing does not: %q", out)
		}
		return
	}
	text := doc
	for _, event := range []string{"Stop", "StopFailure"} {
		out, err := JSON.SetHooks(text, []Hook{wantedHook(event)}, isOurs)
		if err != nil {
			if out != nil {
				broken("3: refused, and yet %q", out)
			}
			return
		}
		if !anyOurs(before, event) && !isInsertion(string(text), string(out)) {
			broken("2: not one insertion: %q", out)
		}
		text = out
	}
	both := []Hook{wantedHook("Stop"), wantedHook("StopFailure")}
	again, err := JSON.SetHooks(text, both, isOurs)
	if err != nil || !bytes.Equal(again, text) {
		broken("idempotence: %v, %q then %q", err, text, again)
	}
	back, err := JSON.SetHooks(text, []Hook{{Event: "Stop"}, {Event: "StopFailure"}}, isOurs)
	if err != nil {
		broken("taking out: %v of %q", err, text)
		return
	}
	jsonOutside(doc, text, back, broken)
	after, err := JSON.Hooks(back)
	if err != nil || anyOurs(after, "Stop") || anyOurs(after, "StopFailure") {
		broken("taking out leaves ours: %v, %q", err, back)
	}
	if !anyOurs(before, "Stop") && !anyOurs(before, "StopFailure") && !emptyPlaces(doc) && !bytes.Equal(back, doc) {
		broken("1: %q came back as %q", doc, back)
	}
}

// jsonOutside holds what may not change outside of the edit: byte order mark, line ends, the last line's end, canonical form.
func jsonOutside(doc, text, back []byte, broken law) {
	bom := []byte("\xef\xbb\xbf")
	if bytes.HasPrefix(doc, bom) != bytes.HasPrefix(text, bom) {
		broken("2: byte order mark")
	}
	body := bytes.TrimPrefix(doc, bom)
	if n := bytes.Count(body, []byte("\n")); n > 0 && n == bytes.Count(body, []byte("\r\n")) && bytes.Count(text, []byte("\n")) != bytes.Count(text, []byte("\r\n")) {
		broken("2: a bare line end in %q", text)
	}
	if len(bytes.TrimSpace(body)) > 0 && bytes.HasSuffix(doc, []byte("\n")) != bytes.HasSuffix(text, []byte("\n")) {
		broken("2: the end of the last line in %q", text)
	}
	if !reflect.DeepEqual(foreign(doc, broken), foreign(text, broken)) || !reflect.DeepEqual(foreign(doc, broken), foreign(back, broken)) {
		broken("4: other values changed: %q, %q, %q", doc, text, back)
	}
	if len(body) > 0 && canonical(body) && !canonical(bytes.TrimPrefix(text, bom)) {
		broken("2: canonical no more: %q", text)
	}
}

// foreign is what doc holds besides ours, read by another parser, without what is empty once ours is gone.
func foreign(doc []byte, broken law) map[string]any {
	m := map[string]any{}
	body := bytes.TrimSpace(bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf")))
	if len(body) == 0 {
		return m
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		broken("8: not valid: %v in %q", err, doc)
	}
	hooks, _ := m["hooks"].(map[string]any)
	for event, v := range hooks {
		groups, ok := v.([]any)
		if !ok || event != "Stop" && event != "StopFailure" {
			continue
		}
		var kept []any
		for _, g := range groups {
			if g = withoutOurs(g); g != nil {
				kept = append(kept, g)
			}
		}
		if hooks[event] = kept; len(kept) == 0 {
			delete(hooks, event)
		}
	}
	if hooks != nil && len(hooks) == 0 {
		delete(m, "hooks")
	}
	return m
}

func withoutOurs(g any) any {
	group, ok := g.(map[string]any)
	if !ok {
		return g
	}
	handlers, ok := group["hooks"].([]any)
	if !ok {
		return g
	}
	var kept []any
	for _, h := range handlers {
		handler, _ := h.(map[string]any)
		if command, _ := handler["command"].(string); handler["type"] == "command" && strings.Contains(command, "vocl-go") {
			continue
		}
		kept = append(kept, h)
	}
	if len(kept) == 0 && len(handlers) > 0 {
		return nil
	}
	group["hooks"] = kept
	return group
}

func anyOurs(found []Found, event string) bool {
	for _, f := range found {
		if f.Event == event && isOurs(f.Handler) {
			return true
		}
	}
	return false
}

// emptyPlaces tells that doc has an empty place which taking out cannot tell from one we made (edits/ can).
func emptyPlaces(doc []byte) bool {
	d, err := JSON.parse(doc)
	if err != nil || d.blank() {
		return true
	}
	f, _ := d.frame()
	ev, _ := f.event("Stop")
	failure, _ := f.event("StopFailure")
	blank := len(ev.rootKids) == 0 && d.raw(ev.root) != "{}"
	return blank || ev.hooksCount > 0 && len(ev.hooksKids) == 0 || ev.eventsCount > 0 && len(ev.elements) == 0 ||
		failure.eventsCount > 0 && len(failure.elements) == 0
}

// canonical tells that doc is as JSON.stringify with some indentation would write it.
func canonical(doc []byte) bool {
	for _, unit := range []string{"  ", "    ", "\t"} {
		var b bytes.Buffer
		if json.Indent(&b, bytes.TrimSpace(doc), "", unit) == nil && bytes.Equal(bytes.TrimRight(doc, "\n"), b.Bytes()) && bytes.Contains(doc, []byte("\n"+unit)) {
			return true
		}
	}
	return false
}

func TestJSONLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jsonLaws(edittest.JSON(t), t.Fatalf)
	})
}

func FuzzJSON(f *testing.F) {
	for _, seed := range seeds(f, "*.json") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		jsonLaws(doc, func(format string, args ...any) { t.Fatalf("law %s\ndocument %q", fmt.Sprintf(format, args...), doc) })
	})
}

func seeds(tb testing.TB, pattern string) [][]byte {
	tb.Helper()
	var all [][]byte
	for _, dir := range []string{"", "expected"} {
		names, err := filepath.Glob(filepath.Join("testdata", "config", dir, pattern))
		if err != nil || len(names) == 0 {
			tb.Fatal(err, names)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				tb.Fatal(err)
			}
			all = append(all, data)
		}
	}
	return all
}

// tomlLaws holds every law of a TOML edit that needs no knowledge of how doc was made.
func tomlLaws(doc []byte, broken law) {
	before, had, err := Strings(doc, "notify")
	strictly(doc, err, broken)
	if err != nil {
		if out, err := PrependElements(doc, []string{"notify"}, "x"); out != nil || err == nil {
			broken("3: reading refuses, editing does not: %q", out)
		}
		return
	}
	out, err := SetKey(doc, []string{"notify"}, notify)
	if err != nil {
		broken("no reason to refuse: %v", err)
		return
	}
	if !had && !isInsertion(string(doc), string(out)) {
		broken("2: not one insertion: %q", out)
	}
	if again, err := SetKey(out, []string{"notify"}, notify); err != nil || !bytes.Equal(again, out) {
		broken("idempotence: %v, %q then %q", err, out, again)
	}
	back, err := UnsetKey(out, "notify")
	if err != nil || !had && len(doc) > 0 && !bytes.Equal(back, doc) {
		broken("1: %q came back as %q, %v", doc, back, err)
	}
	tomlOutside(doc, out, broken)
	if len(before) > 0 {
		chainLaws(doc, before, broken)
	}
	settingLaws(doc, broken)
}

func tomlOutside(doc, out []byte, broken law) {
	if !reflect.DeepEqual(foreignTOML(doc, broken), foreignTOML(out, broken)) {
		broken("4: other values changed: %q", out)
	}
	if n := bytes.Count(doc, []byte("\n")); n > 0 && n == bytes.Count(doc, []byte("\r\n")) && bytes.Count(out, []byte("\n")) != bytes.Count(out, []byte("\r\n")) {
		broken("2: a bare line end in %q", out)
	}
}

// chainLaws: what is chained stays as it is spelled and comes back.
func chainLaws(doc []byte, before []string, broken law) {
	out, err := PrependElements(doc, []string{"notify"}, "/x/voco-go", "--then")
	if err != nil || !isInsertion(string(doc), string(out)) {
		broken("2: chaining: %v, %q", err, out)
		return
	}
	list, _, err := Strings(out, "notify")
	if err != nil || !reflect.DeepEqual(list, append([]string{"/x/voco-go", "--then"}, before...)) {
		broken("chaining: %v, %q", err, list)
	}
	if back, err := DropElements(out, []string{"notify"}, 2); err != nil || !bytes.Equal(back, doc) {
		broken("1: chained %q came back as %q, %v", doc, back, err)
	}
}

// settingLaws: a value below a table goes in and comes out again; a refusal writes nothing.
func settingLaws(doc []byte, broken law) {
	path := []string{"continuations", "claude", "enabled"}
	old, had, err := Key(doc, path...)
	if err != nil {
		return
	}
	out, err := SetKey(doc, path, true)
	if err != nil {
		if out != nil {
			broken("3: refused, and yet %q", out)
		}
		return
	}
	got, ok, err := Key(out, path...)
	if err != nil || !ok || got != true {
		broken("setting: %v, %v, %v in %q", got, ok, err, out)
	}
	if had && old == true && !bytes.Equal(out, doc) {
		broken("setting what is set: %q", out)
	}
	if !had && !isInsertion(string(doc), string(out)) {
		broken("2: not one insertion: %q", out)
	}
}

// strictly compares our own strictness with that of go-toml's Unmarshal.
func strictly(doc []byte, err error, broken law) {
	body := bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))
	var m map[string]any
	theirs := toml.Unmarshal(body, &m)
	if _, ours := parseTOML(doc); (ours == nil) != (theirs == nil) {
		broken("3: we say %v, go-toml says %v", ours, theirs)
	}
	if err == nil && theirs != nil {
		broken("3: accepted what go-toml refuses: %v", theirs)
	}
}

func foreignTOML(doc []byte, broken law) map[string]any {
	m := map[string]any{}
	if err := toml.Unmarshal(bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf")), &m); err != nil {
		broken("8: not valid: %v in %q", err, doc)
	}
	delete(m, "notify")
	return m
}

func TestTOMLLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tomlLaws(edittest.TOML(t), t.Fatalf)
	})
}

func FuzzTOML(f *testing.F) {
	for _, seed := range seeds(f, "*.toml") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		tomlLaws(doc, func(format string, args ...any) { t.Fatalf("law %s\ndocument %q", fmt.Sprintf(format, args...), doc) })
	})
}
