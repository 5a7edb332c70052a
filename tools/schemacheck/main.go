// Command schemacheck says whether a JSON file satisfies a JSON Schema.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: schemacheck SCHEMA FILE")
		os.Exit(2)
	}
	if err := check(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintf(os.Stderr, "schemacheck: %s: %#v\n", os.Args[2], err)
		os.Exit(1)
	}
}

func check(schema, file string) error {
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	s, err := c.Compile(schema)
	if err != nil {
		return fmt.Errorf("reading the schema: %w", err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	var v any
	if err := json.Unmarshal(content, &v); err != nil {
		return fmt.Errorf("reading as JSON: %w", err)
	}
	return s.Validate(v)
}
