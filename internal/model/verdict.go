// SPDX-License-Identifier: Apache-2.0

package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// compiledSchemas is how many schemas are kept ready.
const compiledSchemas = 256

// shapes compiles the schemas of answers and keeps those in use.
type shapes struct {
	ready *lru.Cache[string, *jsonschema.Schema]
}

func newShapes() *shapes {
	ready, err := lru.New[string, *jsonschema.Schema](compiledSchemas)
	if err != nil {
		panic(err) // The size is a constant above 0.
	}
	return &shapes{ready: ready}
}

// noLoader refuses documents that a schema refers to: the library's own reads
// files.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("other documents are not read") }

func (s *shapes) get(text json.RawMessage) (*jsonschema.Schema, error) {
	if schema, ok := s.ready.Get(string(text)); ok {
		return schema, nil
	}
	const url = "https://schema.invalid/answer.json"
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("the schema of the answer: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource(url, document); err != nil {
		return nil, fmt.Errorf("the schema of the answer: %w", err)
	}
	schema, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("the schema of the answer: %w", err)
	}
	s.ready.Add(string(text), schema)
	return schema, nil
}

// maxProblem is how much of a problem a judge gets to read, in bytes.
const maxProblem = 1000

// readVerdict returns the JSON of an answer that fits the schema. The error says what
// is wrong with it, for the judge: it may quote the answer.
func readVerdict(text string, schema *jsonschema.Schema) (json.RawMessage, error) {
	text = unwrap(text)
	if text == "" {
		return nil, errors.New("the answer is empty")
	}
	value, err := decodeObject(text)
	if err != nil {
		return nil, err
	}
	if err := schema.Validate(value); err != nil {
		return nil, errors.New(textcut.Bytes(err.Error(), maxProblem))
	}
	// Rewritten, so that 3.0 is the integer that the schema takes it for.
	return json.Marshal(value)
}

// unwrap takes off what models put around JSON: thoughts before it and a
// Markdown fence. JSON from the midst of prose is not looked for, since
// that may be a quotation of what is being judged.
func unwrap(text string) string {
	text = strings.TrimSpace(text)
	if thoughts, ok := strings.CutPrefix(text, "<think>"); ok {
		if _, after, ok := strings.Cut(thoughts, "</think>"); ok {
			text = strings.TrimSpace(after)
		}
	}
	inner, opened := strings.CutPrefix(text, "```")
	inner, closed := strings.CutSuffix(inner, "```")
	if !opened || !closed {
		return text
	}
	inner = strings.TrimPrefix(inner, "json")
	return strings.TrimSpace(inner)
}

// decodeObject decodes one JSON object. Numbers become float64, which bounds
// what computing with them costs.
func decodeObject(text string) (map[string]any, error) {
	var value map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&value); err != nil {
		return nil, fmt.Errorf("the answer is not a JSON object: %w", err)
	}
	if value == nil {
		return nil, errors.New("the answer is not a JSON object but null")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON object")
	}
	if err := unambiguous(json.NewDecoder(strings.NewReader(text))); err != nil {
		return nil, err
	}
	return value, nil
}

// unambiguous refuses JSON in which an object has a key twice: of two verdicts
// neither counts.
func unambiguous(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		seen := make(map[string]bool)
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return err
			}
			key, _ := name.(string)
			if seen[key] {
				return fmt.Errorf("the key %q is there twice", key)
			}
			seen[key] = true
			if err := unambiguous(d); err != nil {
				return err
			}
		}
		_, err = d.Token()
	case json.Delim('['):
		for d.More() {
			if err := unambiguous(d); err != nil {
				return err
			}
		}
		_, err = d.Token()
	}
	return err
}
