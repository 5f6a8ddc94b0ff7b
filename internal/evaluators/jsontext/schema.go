// SPDX-License-Identifier: Apache-2.0

// Package jsontext handles JSON that users and models wrote: it decodes it with
// its numbers as they are written, holds it against JSON Schema within bounds of
// time and memory, and compares it.
//
// https://json-schema.org/specification
package jsontext

import (
	"errors"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Bounds of a schema and of a validation against it. Schemas are written by
// users, some of whom share a process with others.
const (
	maxSchema       = 256 << 10
	maxSchemaDepth  = 100
	maxSubschemas   = 3000 // compiling takes time with the square of it
	maxTextDepth    = 1000
	maxNumber       = 128 // characters
	maxExponent10   = 512
	maxValidation   = 100 * time.Millisecond
	stepsPerLook    = 8 // steps until the clock is looked at
	maxCachedSchema = 16 << 10
	cachedSchemas   = 64
)

// Schemas compiles schemas and keeps those in use. Only small ones are kept,
// so that no caller can fill the memory.
type Schemas struct {
	small *lru.Cache[string, *sync.Pool] // of *schema, by text
}

// NewSchemas returns schemas of which none is kept yet.
func NewSchemas() *Schemas {
	small, err := lru.New[string, *sync.Pool](cachedSchemas)
	if err != nil {
		panic(err) // The size is a constant above 0.
	}
	return &Schemas{small: small}
}

// get returns a schema for the text, for the caller alone.
func (s *Schemas) get(text string) (*schema, error) {
	if pool, ok := s.small.Get(text); ok {
		if ready, ok := pool.Get().(*schema); ok {
			return ready, nil
		}
	}
	return compileSchema(text)
}

// put returns a schema back to be used again.
func (s *Schemas) put(text string, ready *schema) {
	if len(text) > maxCachedSchema {
		return
	}
	pool, ok := s.small.Get(text)
	if !ok {
		pool = &sync.Pool{}
		s.small.Add(text, pool)
	}
	pool.Put(ready)
}

// Check refuses a text that is no schema.
func (s *Schemas) Check(text string) error {
	ready, err := s.get(text)
	if err == nil {
		s.put(text, ready)
	}
	return err
}

// Satisfied reports whether text is JSON that satisfies a schema.
func (s *Schemas) Satisfied(schemaText, text string) (bool, error) {
	ready, err := s.get(schemaText)
	if err != nil {
		return false, err
	}
	defer s.put(schemaText, ready)
	value, err := Decode([]byte(text))
	if err != nil {
		return false, nil
	}
	if err := bounded(value, maxTextDepth); err != nil {
		return false, fault.New(fault.Invalid, "input.text %s", err.Error())
	}
	valid, err := ready.validate(value)
	if err != nil {
		return false, fault.New(fault.Invalid, "config.schema_string %s", err.Error())
	}
	return valid, nil
}

// schema is a compiled schema. It is for one goroutine at a time.
type schema struct {
	refusing *jsonschema.Schema
	gauge    *gauge
}

// gauge ends a validation that takes too long. The library has no way to stop,
// and a small schema can ask for years of work, so the gauge unwinds the stack
// and validate catches it.
type gauge struct {
	deadline time.Time
	steps    uint
}

type tooSlow struct{}

// step is called for every subschema that is tried and every value that is compared.
func (g *gauge) step() {
	g.steps++
	if g.steps%stepsPerLook == 0 && !g.deadline.IsZero() && time.Now().After(g.deadline) {
		panic(tooSlow{})
	}
}

var errSlowSchema = errors.New("took too long to validate against")

func (s *schema) validate(value any) (valid bool, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case tooSlow:
			err = errSlowSchema
		default:
			panic(p)
		}
	}()
	s.gauge.deadline = time.Now().Add(maxValidation)
	return s.refusing.Validate(value) != nil, nil
}

// schemaURL is the address of every schema: it is no file, and cannot be registered.
// refusingURL is the address of a schema that all values satisfy but those that satisfy
// the schema of the evaluator.
// Within a "not" the library does not collect what is wrong, which for one value
// can be gigabytes.
const (
	schemaURL   = "https://schema.invalid/schema.json"
	refusingURL = "https://schema.invalid/refusing.json"
)

func compileSchema(text string) (*schema, error) {
	if len(text) > maxSchema {
		return nil, fault.New(fault.Invalid, "config.schema_string is over the limit of %d bytes", maxSchema)
	}
	document, err := Decode([]byte(text))
	if err != nil {
		return nil, fault.New(fault.Invalid, "config.schema_string is not JSON")
	}
	if err := bounded(document, maxSchemaDepth); err != nil {
		return nil, fault.New(fault.Invalid, "config.schema_string %s", err.Error())
	}
	if subschemas(document) > maxSubschemas {
		return nil, fault.New(fault.Invalid, "config.schema_string has more than %d schemas in it", maxSubschemas)
	}
	g := &gauge{}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(g.compilePattern)
	keywords := map[*jsonschema.Schema]map[string]any{}
	c.AssertVocabs()
	c.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: "urn:touchstone:gauge",
		Compile: func(ctx *jsonschema.CompilerContext, members map[string]any) (jsonschema.SchemaExt, error) {
			keywords[ctx.Enqueue(nil)] = members
			return nil, nil
		},
	})
	if err := c.AddResource(schemaURL, document); err != nil {
		return nil, refuseSchema(err)
	}
	if _, err := c.Compile(schemaURL); err != nil {
		return nil, refuseSchema(err)
	}
	if err := c.AddResource(refusingURL, map[string]any{"not": map[string]any{"$ref": schemaURL}}); err != nil {
		return nil, refuseSchema(err)
	}
	refusing, err := c.Compile(refusingURL)
	if err != nil {
		return nil, refuseSchema(err)
	}
	// The check of a format is the one place that is passed for every value and
	// subschema. Formats themselves are not asserted, whatever the draft.
	for s, members := range keywords {
		s.Format = &jsonschema.Format{Name: "gauge", Validate: takeValues(g, s).check}
		holdCounts(s, members)
	}
	return &schema{refusing: refusing, gauge: g}, nil
}

func refuseSchema(err error) error {
	var load *jsonschema.LoadURLError
	if errors.As(err, &load) {
		return fault.New(fault.Invalid, "config.schema_string must not refer to other documents")
	}
	return fault.Wrap(fault.Invalid, err, "config.schema_string is not a valid JSON Schema")
}

// noLoader refuses every document. The library's own opens files.
type noLoader struct{}

func (noLoader) Load(string) (any, error) {
	return nil, errors.New("other documents are not read")
}

// bounded refuses JSON that is nested too deep or has numbers that would be
// costly to compute with.
func bounded(value any, depth int) error {
	if DeeperThan(value, depth) {
		return errors.New("is nested too deep for a schema")
	}
	return boundedNumbers(value)
}
