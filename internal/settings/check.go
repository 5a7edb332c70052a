package settings

import (
	"errors"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Check reads the text of a settings.toml to its end and lists all that Parse refuses, where Parse stops at the first,
// and the keys that vomgr does not know. Below a table that is refused nothing is looked at; behind a fault of the
// syntax nothing can be.
func Check(doc []byte) (faults []*Error, unknown []Unknown) {
	r := newReader(doc)
	note := func(err error) {
		var at *Error
		if err != nil && !errors.As(err, &at) {
			at = &Error{Line: 1, Col: 1, Msg: err.Error()}
		}
		if at != nil {
			faults = append(faults, at)
		}
	}
	refused := false
	for r.p.NextExpression() {
		n := r.p.Expression()
		pair := n.Kind == unstable.KeyValue
		if pair && refused {
			continue
		}
		err := r.expression(n)
		note(err)
		refused = !pair && err != nil
	}
	if err := r.p.Error(); err != nil {
		note(r.syntax(err))
	}
	return faults, r.unknown
}
