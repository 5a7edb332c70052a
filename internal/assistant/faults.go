package assistant

import (
	"cmp"
	"slices"

	"github.com/vexyart/vomgr/internal/edit"
)

// claudeKinds are members of the wrong type for which Claude Code 2.1.197 and 2.1.332 pass over the whole file. There are
// more (measured: language, outputStyle, sandbox …); these are the ones that people write by hand, and that will stay.
var claudeKinds = map[string]string{
	"model": "a string", "permissions": "an object", "env": "an object", "disableAllHooks": "true or false", "statusLine": "an object",
}

// ClaudeFaults lists what makes Claude Code pass over a whole settings.json in silence though it is JSON, in the order of
// the file. A *edit.Refusal as error says why it is no JSON.
func ClaudeFaults(doc []byte) ([]*edit.Refusal, error) {
	faults, err := claudeFaults(doc)
	bare := make([]*edit.Refusal, len(faults))
	for i, f := range faults {
		bare[i] = f.Refusal
	}
	return bare, err
}

// claudeFaults are the faults with what they mean; that differs between versions for the shape of a hook.
func claudeFaults(doc []byte) ([]*Refusal, error) {
	types, err := edit.JSON.TypeFaults(doc, claudeKinds)
	if err != nil {
		return nil, err
	}
	shapes, err := edit.JSON.HookFaults(doc, claudeEvents...)
	if err != nil {
		return nil, err
	}
	var faults []*Refusal
	for _, f := range types {
		faults = append(faults, &Refusal{f, claudeDrops})
	}
	for _, f := range shapes {
		faults = append(faults, &Refusal{f, claudeDropped})
	}
	slices.SortStableFunc(faults, func(a, b *Refusal) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return faults, nil
}
