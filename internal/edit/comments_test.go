package edit

import (
	"strings"
	"testing"
)

// A comment of the person's stays, wherever it stands: when a hook is put in, and when it is taken out by its structure.
func TestCommentsStay(t *testing.T) {
	const ours = `{"type": "command", "command": "'/opt/vomgr/vocl-go'"}`
	for name, doc := range map[string]string{
		"an empty hooks, one line":  `{/* 1 */"hooks": {/* 2 */}/* 3 */}`,
		"an empty list, one line":   `{"hooks": {"Stop": [/* 1 */]/* 2 */}}`,
		"an empty document":         "// 1\n{ /* 2 */ } // 3\n",
		"an empty hooks, two lines": "{\n  \"hooks\": { // 1\n  } // 2\n}\n",
		"ours alone":                "{\n  // 1\n  \"hooks\": {\n    // 2\n    \"Stop\": [ // 3\n      {\"hooks\": [" + ours + "]} // 4\n    ]\n  }\n}\n",
		"ours behind":               "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"a\"} /* 1 */, /* 2 */ " + ours + " /* 3 */]}]}}",
		"ours in front":             "{\"hooks\": {\"Stop\": [{\"hooks\": [/* 1 */ " + ours + " // 2\n, /* 3 */ {\"type\": \"command\", \"command\": \"a\"}]}]}}",
		"ours between":              "{\"a\": 1, // 1\n\"hooks\": {\"Stop\": [{\"hooks\": [" + ours + "]}]} /* 2 */, // 3\n\"b\": 2}",
	} {
		t.Run(name, func(t *testing.T) {
			out, err := JSONComments.SetHooks([]byte(doc), stopHook(), isOurs)
			if err != nil {
				t.Fatal(err)
			}
			back, err := JSONComments.DropHooks(out, nil, isOurs)
			if err != nil {
				t.Fatal(err)
			}
			for n, c := range "123456789" {
				for _, open := range []string{"/* ", "// "} {
					if comment := open + string(c); strings.Contains(doc, comment) && (!strings.Contains(string(out), comment) || !strings.Contains(string(back), comment)) {
						t.Errorf("comment %d is lost: %s became %s and then %s", n+1, doc, out, back)
					}
				}
			}
			if found, err := JSONComments.Hooks(back); err != nil || strings.Contains(string(back), "vocl-go") {
				t.Errorf("%v %v: %s became %s and then %s", found, err, doc, out, back)
			}
		})
	}
}
