// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Schema is the schema of a body, compiled.
type Schema struct {
	compiled *jsonschema.Schema
	root     *node
	nodes    map[string]*node // by location
}

// node is a schema within another one.
type node struct {
	*jsonschema.Schema
	// want is what a value must be, in the words of the document's member
	// x-must-be; "" where the schema's keywords say it well enough.
	want string
	// anyCase says that the case of a listed value does not matter, by the
	// document's member x-any-case.
	anyCase bool
	// lower is the names of properties by their lower case.
	lower map[string]string
	// all is the node with those that it holds for the same value.
	all []*node
	// properties, more and items are the nodes of members and elements, nil for
	// none.
	properties  map[string]*node
	more, items *node
	null        bool // whether null is a value that is wanted
}

// Members of schemas that are the document's own: mustBe says in words what a
// value must be, anyCase that one of an enumeration may be in any case.
const (
	mustBe  = "x-must-be"
	anyCase = "x-any-case"
)

func newSchema(compiled *jsonschema.Schema, document any) *Schema {
	s := &Schema{compiled: compiled, nodes: map[string]*node{}}
	s.root = s.add(compiled, document)
	return s
}

// add notes a schema and those within it, of which none holds itself.
func (s *Schema) add(c *jsonschema.Schema, document any) *node {
	if c == nil {
		return nil
	}
	if known := s.nodes[c.Location]; known != nil {
		return known
	}
	n := &node{Schema: c, lower: map[string]string{}, properties: map[string]*node{}}
	n.all = []*node{n}
	s.nodes[c.Location] = n
	n.want, _ = find(document, append(pointer(c.Location), mustBe)).(string)
	n.anyCase, _ = find(document, append(pointer(c.Location), anyCase)).(bool)
	if c.Types != nil {
		n.null = slices.Contains(c.Types.ToStrings(), "null")
	} else {
		n.null = len(parts(c)) == 0
	}
	for _, part := range parts(c) {
		within := s.add(part, document)
		n.all = append(n.all, within.all...)
		n.null = n.null || c.Types == nil && within.null
	}
	for name, p := range c.Properties {
		n.lower[strings.ToLower(name)] = name
		n.properties[name] = s.add(p, document)
	}
	if more, ok := c.AdditionalProperties.(*jsonschema.Schema); ok {
		n.more = s.add(more, document)
	}
	n.items = s.add(c.Items2020, document)
	return n
}

// pointer returns the names that lead to a schema within its document.
func pointer(location string) []string {
	_, text, _ := strings.Cut(location, "#/")
	at := strings.Split(text, "/")
	for i := range at {
		if plain, err := url.PathUnescape(at[i]); err == nil {
			at[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(plain)
		}
	}
	return at
}

// find returns what stands in a document under a pointer, nil if nothing does.
func find(v any, at []string) any {
	for _, name := range at {
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			i, ok := index(name, len(in))
			if !ok {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// parts are the schemas that a schema holds for the same value.
func parts(c *jsonschema.Schema) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	if c.Ref != nil {
		all = append(all, c.Ref)
	}
	all = append(all, c.AllOf...)
	all = append(all, c.AnyOf...)
	return append(all, c.OneOf...)
}

// Check reads a JSON object and notes what the schema refuses of it. The error
// says that the text is no JSON, or holds more than a body may.
func (s *Schema) Check(data []byte) (*Body, error) {
	if err := checkSize(data); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, fault.New(fault.Invalid, "request body is not valid JSON")
	}
	value = tidy(value, []*node{s.root})
	body := &Body{value: value}
	err := s.compiled.Validate(value)
	if err == nil {
		return body, nil
	}
	var refused *jsonschema.ValidationError
	if !errors.As(err, &refused) {
		return nil, fmt.Errorf("check the body by its schema: %w", err)
	}
	body.violations = s.violations(refused)
	return body, nil
}
