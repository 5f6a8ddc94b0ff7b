// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// MaxText is the size in bytes up to which a text is judged: 1 MiB.
const MaxText = 1 << 20

// ErrMissingInput says that a span lacks an input the evaluator requires: the
// evaluator does not apply to the span, which is no failure.
var ErrMissingInput = errors.New("the span lacks a required input")

// Source returns the parts of one span that evaluators read, and whether the
// span has them. One that is there and empty is "", true. Texts that are lists
// or objects are JSON.
type Source interface {
	Part(name span.Part) (string, bool)
}

// Evaluator is a named judgement. It is immutable and safe for concurrent use;
// its slices are shared and not to be changed.
type Evaluator struct {
	Slug string
	Doc  string
	// Backend is what judges without models, or else the model it needs.
	Backend Backend
	// Version is that of the prompts a judge is asked with, "" if none is.
	Version string
	// Languages are those that it can judge without a model, in ISO 639-1; nil
	// is any.
	Languages []string
	// Input, Config and Output are the schema, in the order of the definition.
	Input    []Field
	Config   []Field
	Output   []Field
	Examples []Example
	// JudgeExamples are those that a judge answers.
	JudgeExamples []Example
	// Custom is what its user defined, nil of a prebuilt evaluator.
	Custom *CustomEvaluator

	typed typed
	// models returns what this evaluator may use; nil stands for no models.
	models func(slug string) Models
	// anyLanguage says that languages are not asked about.
	anyLanguage bool
}

// typed is a definition behind an interface without type parameters.
type typed interface {
	fromJSON(ctx context.Context, m Models, input, config json.RawMessage, anyLanguage bool) (Result, error)
	prepare(config json.RawMessage) (judging, error)
	checkConfig(config json.RawMessage) error
	plan(m Models, config json.RawMessage) (Plan, error)
	chosen(m Models, wanted string) (Plan, error)
	backends() []Backend
}

// judging judges inputs with a configuration that was read before.
type judging func(ctx context.Context, m Models, get func(f *Field) (string, bool), anyLanguage bool) (Result, error)

// FromJSON judges the input of a request. Absent input and config may be nil
// or null. A refusal is a fault, of kind Invalid or TooLarge, that names the
// field; it is of kind NotConfigured when a model is needed that is not
// configured, and Unavailable when one does not answer. Of a text in a language that the
// evaluator does not know the result is uncertain.
func (e *Evaluator) FromJSON(ctx context.Context, input, config json.RawMessage) (Result, error) {
	return e.typed.fromJSON(ctx, e.usable(), input, config, e.anyLanguage)
}

// Prepared is an evaluator with a configuration, which is read once for all spans
// that it judges. It is immutable and safe for concurrent use.
type Prepared struct {
	of    *Evaluator
	judge judging
}

// Prepare reads a configuration. The error is that of CheckConfig, as far as it follows
// from the types alone.
func (e *Evaluator) Prepare(config json.RawMessage) (*Prepared, error) {
	judge, err := e.typed.prepare(config)
	if err != nil {
		return nil, err
	}
	return &Prepared{e, judge}, nil
}

// FromInputs judges inputs that the caller looks up, such as parts of a span: get is
// asked for each field of Input, in their order. A text over MaxText is cut, which the
// result says. The error is ErrMissingInput when the evaluator does not apply, and a
// fault of kind Invalid or TooLarge when an input cannot be judged, or NotConfigured or
// Unavailable as with FromJSON.
func (p *Prepared) FromInputs(ctx context.Context, get func(f *Field) (text string, ok bool)) (Result, error) {
	return p.judge(ctx, p.of.usable(), get, p.of.anyLanguage)
}

// CheckConfig refuses, with a fault of kind Invalid or TooLarge, a
// configuration that every call would refuse.
func (e *Evaluator) CheckConfig(config json.RawMessage) error {
	return e.typed.checkConfig(config)
}

// Backends are all that may judge, the best first: what a caller may choose
// from, besides auto.
func (e *Evaluator) Backends() []Backend { return e.typed.backends() }

// Unmapped returns the first required input that no part of a span fills and
// that is not mapped either: with it, the evaluator never applies to a span.
func (e *Evaluator) Unmapped(mapped func(input string) bool) *Field {
	for i := range e.Input {
		if f := &e.Input[i]; f.Required && f.Part == "" && !mapped(f.Name) {
			return f
		}
	}
	return nil
}
