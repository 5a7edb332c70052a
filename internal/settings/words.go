package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vexyart/vomgr/internal/edit"
)

// What a person types on a command line, read as keys and values.

// KeyError says that a key is none that has a value.
type KeyError struct {
	Key   string
	Below []string // it is a table, and these are the keys in it
	Near  []string // keys that may have been meant
}

// Error says what is wrong with the key.
func (e *KeyError) Error() string {
	if len(e.Below) > 0 {
		return e.Key + " is a table of settings"
	}
	return "no setting " + strconv.Quote(e.Key)
}

// FindKey returns key as Keys spells it; what has no value is a *KeyError.
func FindKey(key string) (string, error) {
	path, err := edit.ParseKey(key)
	if err != nil {
		return "", err
	}
	s := fresh()
	dst, n := s.find(path)
	key = dotted(path)
	switch {
	case n < len(path):
		return "", &KeyError{Key: key, Near: near(path)}
	case dst == nil:
		return "", &KeyError{Key: key, Below: KeysBelow(key)}
	}
	return key, nil
}

// KeysBelow lists the keys of a table, in the order of Keys.
func KeysBelow(table string) []string {
	return slices.DeleteFunc(Keys(), func(k string) bool { return !strings.HasPrefix(k, table+".") })
}

// near lists keys whose last name is that of path or almost so, the nearest first, at most three.
func near(path []string) []string {
	name := path[len(path)-1]
	far := func(key string) int { return distance(key[strings.LastIndexByte(key, '.')+1:], name) }
	all := slices.DeleteFunc(Keys(), func(k string) bool { return far(k) > 2 })
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(far(a), far(b)) })
	return all[:min(3, len(all))]
}

// distance counts the bytes that must be put in, taken out or changed to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// TakesText tells whether the value of key, one of Keys, is a free text.
func TakesText(key string) bool {
	s := fresh()
	dst, _ := s.find(strings.Split(key, "."))
	_, text := dst.(*string)
	return text
}

// ParseWords reads what a person gave as the value of key, one of Keys: TOML, or plain words. A list is one word of
// TOML, or its elements word by word. A word that is not of the key's type is returned as the text it is: Parse refuses
// it, and says where.
func ParseWords(key string, words []string) (any, error) {
	s := fresh()
	dst, _ := s.find(strings.Split(key, "."))
	if _, list := dst.(*[]string); list {
		return parseList(key, words)
	}
	if len(words) != 1 {
		return nil, fmt.Errorf("%s takes one value, not %d; a text of several words stands in quotes", key, len(words))
	}
	word := words[0]
	switch dst.(type) {
	case *int:
		if n, err := strconv.Atoi(strings.ReplaceAll(word, "_", "")); err == nil {
			return n, nil
		}
	case *bool, *Done:
		if b := word == "true"; b || word == "false" {
			return b, nil
		}
	}
	return unquoted(word), nil
}

// unquoted is the text that a word in quotes of TOML's means; any other is meant as it is.
func unquoted(word string) string {
	if strings.HasPrefix(word, `"`) || strings.HasPrefix(word, `'`) {
		v, _ := edit.ParseValue(word)
		if text, ok := v.(string); ok {
			return text
		}
	}
	return word
}

func parseList(key string, words []string) (any, error) {
	if len(words) != 1 || !strings.HasPrefix(words[0], "[") {
		return words, nil
	}
	v, _ := edit.ParseValue(words[0])
	elements, ok := v.([]any)
	list := make([]string, len(elements))
	for i, e := range elements {
		var text bool
		list[i], text = e.(string)
		ok = ok && text
	}
	if !ok {
		return nil, fmt.Errorf(`%s takes a list of texts, like ["a", "b"]; found %s`, key, words[0])
	}
	return list, nil
}
