package edit

import (
	"encoding/json"
	"fmt"

	"github.com/pelletier/go-toml/v2"
)

// Decode reads the JSON object doc; of members of the same name the last one counts, as for the assistants. An empty doc
// has no members. A *Refusal says why doc is no object of this dialect.
func (d Dialect) Decode(doc []byte) (map[string]any, error) {
	parsed, err := d.parse(doc)
	if err != nil {
		return nil, err
	}
	members := map[string]any{}
	if parsed.blank() {
		return members, nil
	}
	return members, json.Unmarshal([]byte(parsed.view), &members)
}

// maxTOML bounds what DecodeTOML reads, in bytes: go-toml takes quadratic time in the number of tables.
const maxTOML = 1 << 20

// DecodeTOML reads the TOML document doc: tables are maps, lists of tables []any of maps. A *Refusal says why it is none.
func DecodeTOML(doc []byte) (map[string]any, error) {
	d, err := parseTOML(doc)
	if err != nil {
		return nil, err
	}
	if len(d.text) > maxTOML {
		return nil, fmt.Errorf("%d bytes of TOML are more than the %d that are read", len(d.text), maxTOML)
	}
	tables := map[string]any{}
	if err := toml.Unmarshal([]byte(d.text), &tables); err != nil {
		return nil, fmt.Errorf("reading TOML: %w", err)
	}
	return tables, nil
}
