// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// customParts are the parts of a span that fill inputs of these names. Other
// inputs have to be mapped.
var customParts = map[string]span.Part{
	"text": span.PartOutput, "completion": span.PartOutput, "answer": span.PartOutput, "response": span.PartOutput, "numerator_text": span.PartOutput,
	"question": span.PartQuestion, "query": span.PartQuestion, "prompt": span.PartQuestion, "denominator_text": span.PartQuestion,
	"instructions":           span.PartInstructions,
	"context":                span.PartContext,
	"reference":              span.AttributePart + "reference",
	"ground_truth":           span.AttributePart + "ground_truth",
	"reference_topics":       span.AttributePart + "reference_topics",
	"expected_tool_calls":    span.AttributePart + "expected_tool_calls",
	"prompts":                span.PartPrompts,
	"trajectory_prompts":     span.PartPrompts,
	"completions":            span.PartCompletions,
	"trajectory_completions": span.PartCompletions,
	"input_messages":         span.PartInputMessages,
	"output_messages":        span.PartOutputMessages,
	"messages":               span.PartMessages,
	"executed_tool_calls":    span.PartToolCalls,
	"tool_input":             span.PartToolInput,
	"tool_output":            span.PartToolOutput,
	"logprobs":               span.PartLogprobs,
}

// Evaluator returns the custom evaluator as one like any other, which asks the
// judge that the function gives at the time, nil where none is configured. All
// its inputs are required, and those of well-known names are filled by parts of
// spans.
func (c CustomEvaluator) Evaluator(judge func() JudgeModel) *Evaluator {
	d := &customEvaluator{custom: c, judge: judge, missing: make([]error, len(c.Input))}
	e := &Evaluator{Slug: c.Slug, Doc: c.Description, Backend: Judge, Version: c.version(), Custom: &d.custom, typed: d}
	for i := range c.Input {
		f := c.Input[i].field()
		f.Required, f.Part, f.Whole = true, customParts[f.Name], c.Input[i].Type != CustomString
		e.Input = append(e.Input, f)
		d.missing[i] = missingPart(fmt.Sprintf("input.%s: %v", f.Name, ErrMissingInput))
	}
	for i := range c.Output {
		e.Output = append(e.Output, c.Output[i].field())
	}
	if c.hasPasses() {
		e.Output = append(e.Output, Field{Name: passOutput, Type: Boolean, Description: "Whether all outputs have values that pass."})
	}
	d.input = e.Input
	return e
}

// field returns the field in the form of those of prebuilt evaluators.
func (f *CustomField) field() Field {
	field := Field{Name: f.Name, Type: String, Description: f.about()}
	switch f.Type {
	case CustomInt:
		field.Type = Integer
	case CustomFloat, CustomNumber:
		field.Type = Float
	case CustomBoolean:
		field.Type = Boolean
	case CustomEnum:
		field.Values = f.Values
	case CustomString:
	}
	return field
}

// customEvaluator makes a custom evaluator an Evaluator. The models that
// catalogs provide are not for it.
type customEvaluator struct {
	custom  CustomEvaluator
	input   []Field
	missing []error // of each input
	judge   func() JudgeModel
}

// metered returns the same evaluator with m counting what its judge takes.
func (d *customEvaluator) metered(m *Meter) *customEvaluator {
	with := *d
	with.judge = func() JudgeModel { return Models{Judge: d.judge()}.Metered(m).Judge }
	return &with
}

func (d *customEvaluator) fromJSON(ctx context.Context, _ Models, input, config json.RawMessage, _ bool) (Result, error) {
	if err := d.checkConfig(config); err != nil {
		return Result{}, err
	}
	return d.custom.FromJSON(ctx, d.judge(), input)
}

func (d *customEvaluator) prepare(config json.RawMessage) (judging, error) {
	if err := d.checkConfig(config); err != nil {
		return nil, err
	}
	return d.fromInputs, nil
}

func (d *customEvaluator) fromInputs(ctx context.Context, _ Models, get func(f *Field) (string, bool), _ bool) (Result, error) {
	data := make([]DataBlock, len(d.input))
	cut := false
	for i := range d.input {
		f := &d.input[i]
		text, ok := get(f)
		if !ok {
			return Result{}, d.missing[i]
		}
		text, long := CutText(text)
		if long && f.Whole {
			return Result{}, fault.New(fault.TooLarge, "input.%s %s", f.Name, errTooLong)
		}
		cut = cut || long
		if err := d.custom.Input[i].fits(text, true); err != nil {
			return Result{}, invalid("input.%s %s", f.Name, err)
		}
		data[i] = DataBlock{Name: f.Name, Text: text}
	}
	result, err := d.custom.judge(ctx, d.judge(), data)
	if err == nil {
		result.Truncated = cut
	}
	return result, err
}

// checkConfig takes any object: there is nothing to configure, and what is in
// it is ignored as it is with all evaluators.
func (d *customEvaluator) checkConfig(config json.RawMessage) error {
	config = trimJSON(config)
	switch {
	case len(config) == 0 || string(config) == "null":
		return nil
	case config[0] != '{':
		return invalid("config must be an object")
	case !json.Valid(config):
		return invalid("config is not valid JSON")
	}
	return nil
}

func (d *customEvaluator) plan(_ Models, config json.RawMessage) (Plan, error) {
	if err := d.checkConfig(config); err != nil {
		return Plan{}, err
	}
	return d.chosen(Models{}, auto)
}

func (d *customEvaluator) chosen(Models, string) (Plan, error) {
	if d.judge() == nil {
		return Plan{}, d.custom.noJudge()
	}
	return Plan{Backend: Judge, Deferred: true}, nil
}

func (d *customEvaluator) backends() []Backend { return []Backend{Judge} }
