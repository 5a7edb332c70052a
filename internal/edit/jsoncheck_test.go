package edit

import (
	"encoding/json"
	"strings"
	"testing"
)

// A splice that does anything else than it says, be it valid JSON, is not done: the tokens are compared, in their order and
// with numbers as they are spelled.
func TestCommitCompares(t *testing.T) {
	const doc = `{"a": 1.0, "b": [1, "x"], "a": null}`
	at := func(text string) int { return strings.Index(doc, text) }
	replace := func(old, fresh string, meant ...json.Token) []change {
		return []change{{splice{at(old), at(old) + len(old), fresh}, meant}}
	}
	insert := func(before, fresh string, meant ...json.Token) []change {
		return []change{{splice{at(before), at(before), fresh}, meant}}
	}
	for name, c := range map[string]struct {
		changes []change
		ok      bool
	}{
		"what is meant":            {insert(`1, "x"`, `"n", `, "n"), true},
		"replaced, as is meant":    {replace(`"x"`, `"y"`, "y"), true},
		"taken out, as is meant":   {replace(`, "x"`, ``), true},
		"another value":            {insert(`1, "x"`, `"m", `, "n"), false},
		"more than is meant":       {insert(`1, "x"`, `"n", 2, `, "n"), false},
		"less than is meant":       {insert(`1, "x"`, `"n", `, "n", "n"), false},
		"nothing, and it is meant": {insert(`1, "x"`, ` `, "n"), false},
		"not meant at all":         {insert(`1, "x"`, `"n", `), false},
		"a number spelled anew":    {replace(`.0`, ``), false},
		"one more at the end":      {replace(`null}`, `null, "c": 1}`), false},
		"the end":                  {replace(`, "a": null`, ``, "a"), false},
		"a list for an object":     {replace(`[1, "x"]`, `{"1": "x"}`), false},
		"no JSON":                  {insert(`1, "x"`, `, `, "n"), false},
	} {
		t.Run(name, func(t *testing.T) {
			parsed, err := JSON.parse([]byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			out, err := JSON.commit(parsed, c.changes)
			if (err == nil) != c.ok {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
