// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// FromJSON judges the input of a request with a judge, which is nil where none
// is configured. A refusal is a fault, of kind Invalid or TooLarge, that names
// the field; without a judge it is of kind NotConfigured.
func (c *CustomEvaluator) FromJSON(ctx context.Context, judge JudgeModel, input json.RawMessage) (Result, error) {
	data, err := c.data(input)
	if err != nil {
		return Result{}, err
	}
	return c.judge(ctx, judge, data)
}

// noJudge says that there is no judge to ask.
func (c *CustomEvaluator) noJudge() error {
	return fault.New(fault.NotConfigured,
		"evaluator %q needs a judge model; configure one in the extension \"models\" and name the extension under \"models\" of who judges", c.Slug)
}

// judge asks what the evaluator asks of these parts of the data.
func (c *CustomEvaluator) judge(ctx context.Context, judge JudgeModel, data []DataBlock) (Result, error) {
	if judge == nil {
		return Result{}, c.noJudge()
	}
	question := c.question(data)
	verdict, err := judge.Judge(ctx, question)
	if err != nil {
		return Result{Usage: verdict.Usage}, err
	}
	outputs, err := c.outputs(verdict)
	if err != nil {
		return Result{Usage: verdict.Usage}, err
	}
	return Result{Outputs: c.withPass(outputs), Backend: Judge, Version: question.Version, Model: verdict.Model, Cached: verdict.Cached, Truncated: verdict.Cut, Usage: verdict.Usage}, nil
}

// data returns the inputs as parts of the data, in their author's order.
func (c *CustomEvaluator) data(input json.RawMessage) ([]DataBlock, error) {
	input = trimJSON(input)
	switch {
	case len(input) == 0 || string(input) == "null":
		return nil, invalid("input is required")
	case input[0] != '{':
		return nil, invalid("input must be an object")
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(input, &given); err != nil {
		return nil, invalid("input is not valid JSON")
	}
	data := make([]DataBlock, len(c.Input))
	for i := range c.Input {
		f := &c.Input[i]
		raw := trimJSON(given[f.Name])
		if len(raw) == 0 || string(raw) == "null" {
			return nil, invalid("input.%s is required", f.Name)
		}
		text, err := f.input(raw)
		if errors.Is(err, errTooLong) {
			return nil, fault.New(fault.TooLarge, "input.%s %s", f.Name, err)
		}
		if err != nil {
			return nil, invalid("input.%s %s", f.Name, err)
		}
		data[i] = DataBlock{Name: f.Name, Text: text}
	}
	return data, nil
}

// input returns a value as a judge gets to see it. Clients that know texts only
// spell numbers and booleans as texts; those that know lists give them as they
// are where a text is wanted.
func (f *CustomField) input(raw []byte) (string, error) {
	if len(raw) > MaxText && raw[0] != '"' {
		return "", errTooLong
	}
	text, spelled := string(raw), raw[0] == '"'
	if spelled {
		var err error
		if text, err = unquote(raw); err != nil {
			return "", err
		}
	}
	if f.Type == CustomString {
		if spelled || raw[0] == '[' || raw[0] == '{' {
			return text, nil
		}
		return "", errNotText
	}
	if err := f.fits(text, spelled); err != nil {
		return "", err
	}
	return text, nil
}

// fits checks the spelling of a value that is not any text.
func (f *CustomField) fits(text string, spelled bool) error {
	switch f.Type {
	case CustomInt:
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return errNotInteger
		}
	case CustomFloat, CustomNumber:
		if _, err := number(text); err != nil {
			return errNotNumber
		}
	case CustomBoolean:
		if text != "true" && text != "false" {
			return errNotBool
		}
	case CustomEnum:
		if !spelled || !slices.Contains(f.Values, text) {
			return errors.New("must be one of its enum_values")
		}
	case CustomString:
	}
	return nil
}

// number reads a finite number as JSON spells it.
func number(text string) (float64, error) {
	if !json.Valid([]byte(text)) {
		return 0, errNotNumber
	}
	n, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsInf(n, 0) || math.IsNaN(n)) {
		err = errNotNumber
	}
	return n, err
}

// outputs reads an answer, which has to have every output and no other.
func (c *CustomEvaluator) outputs(v Verdict) ([]Output, error) {
	var answer map[string]json.RawMessage
	if err := v.Into(&answer); err != nil {
		return nil, err
	}
	outputs := make([]Output, len(c.Output))
	for i := range c.Output {
		f := &c.Output[i]
		value, err := f.output(trimJSON(answer[f.Name]))
		if err != nil {
			// What was answered stays untold: it may quote what was judged.
			return nil, fault.New(fault.Unusable, "the judge's answer does not fit output %s", f.Name)
		}
		outputs[i] = Output{Name: f.Name, Value: value}
	}
	if len(answer) != len(outputs) {
		return nil, fault.New(fault.Unusable, "the judge's answer has other outputs than it should")
	}
	return outputs, nil
}

func (f *CustomField) output(raw []byte) (any, error) {
	if len(raw) == 0 {
		return nil, errNotText
	}
	text, spelled := string(raw), raw[0] == '"'
	if spelled != (f.Type == CustomString || f.Type == CustomEnum) {
		return nil, errNotText
	}
	if spelled {
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, errNotText
		}
	}
	if err := f.fits(text, spelled); err != nil {
		return nil, err
	}
	switch f.Type {
	case CustomInt:
		return strconv.ParseInt(text, 10, 64)
	case CustomFloat, CustomNumber:
		return number(text)
	case CustomBoolean:
		return text == "true", nil
	case CustomString, CustomEnum:
	}
	return strings.ToValidUTF8(text, "\uFFFD"), nil
}
