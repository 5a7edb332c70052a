package edit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// change is a splice together with the tokens that it is meant to put there.
type change struct {
	splice
	tokens []json.Token
}

// tokens lists what a parser must read when it reads v.
func (v value) tokens() []json.Token {
	if v.open == 0 {
		var t any
		d := json.NewDecoder(strings.NewReader(v.scalar))
		d.UseNumber()
		_ = d.Decode(&t) // written by quote or strconv
		return []json.Token{t}
	}
	tokens := []json.Token{json.Delim(v.open)}
	for _, it := range v.items {
		if v.open == '{' {
			tokens = append(tokens, it.key)
		}
		tokens = append(tokens, it.value.tokens()...)
	}
	return append(tokens, json.Delim(v.open+2))
}

func (it item) tokens() []json.Token { return append([]json.Token{it.key}, it.value.tokens()...) }

// commit does the changes and compares, token by token, what a parser reads afterwards with what was meant: the old tokens
// in their order, numbers as they are spelled, but for those in the changes.
func (d Dialect) commit(old document, changes []change) ([]byte, error) {
	if len(changes) == 0 {
		return old.bytes(), nil
	}
	splices := make([]splice, len(changes))
	for i, c := range changes {
		splices[i] = c.splice
	}
	fresh := document{bom: old.bom, text: apply(old.text, splices)}
	parsed, err := d.parse(fresh.bytes())
	if err != nil {
		return nil, fmt.Errorf("the edited text would not be valid: %w", err)
	}
	if err := compare(old.view, parsed.view, changes); err != nil {
		return nil, err
	}
	return parsed.bytes(), nil
}

// compare reads both texts side by side. The changes need not be in order.
func compare(old, fresh string, changes []change) error {
	was, is := reader(old), reader(fresh)
	next := func() (json.Token, error) { return is.Token() }
	meant := func(tokens []json.Token) error {
		for _, want := range tokens {
			if got, err := next(); err != nil || got != want {
				return fmt.Errorf("the edited text would hold %v where %v is meant", got, want)
			}
		}
		return nil
	}
	todo := inOrder(changes)
	for {
		token, err := was.Token()
		end := int(was.InputOffset())
		for len(todo) > 0 && (err != nil || end > todo[0].start) {
			if err == nil && todo[0].start < todo[0].end && end <= todo[0].end {
				break // token is deleted; what stands for it comes after the last of its kind
			}
			if err := meant(todo[0].tokens); err != nil {
				return err
			}
			todo = todo[1:]
		}
		if err == io.EOF { //nolint:errorlint // Token returns it bare
			break
		}
		if err != nil {
			return err
		}
		if len(todo) > 0 && end > todo[0].start {
			continue
		}
		if err := meant([]json.Token{token}); err != nil {
			return err
		}
	}
	if got, err := next(); err != io.EOF { //nolint:errorlint // Token returns it bare
		return fmt.Errorf("the edited text would end with %v", got)
	}
	return nil
}

func reader(text string) *json.Decoder {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d
}

func inOrder(changes []change) []change {
	sorted := slices.Clone(changes)
	slices.SortStableFunc(sorted, func(a, b change) int { return cmp.Compare(a.start, b.start) })
	return sorted
}
