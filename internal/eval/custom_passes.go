// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// passOutput is the output of a custom evaluator that says whether the others pass, where
// its author said which of their values do.
const passOutput = "pass"

// passBound is a comparison by which a number passes.
var passBound = regexp.MustCompile(`^(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)$`)

// hasPasses reports whether the author said of an output which of its values pass.
func (c *CustomEvaluator) hasPasses() bool {
	return slices.ContainsFunc(c.Output, func(f CustomField) bool { return len(f.Passes) > 0 })
}

// checkPasses refuses values that an output cannot have, and an evaluator that says twice
// what passes.
func (c *CustomEvaluator) checkPasses() error {
	for i := range c.Input {
		if len(c.Input[i].Passes) > 0 {
			return invalid("input_schema[%d].passes must not be given: only outputs pass", i)
		}
	}
	for i := range c.Output {
		f := &c.Output[i]
		field := f.field()
		if c.hasPasses() && (field.Good() != nil || strings.EqualFold(f.Name, passOutput)) {
			return invalid("output_schema[%d].name must be another: %s says whether the text passes by itself, and other outputs have passes", i, f.Name)
		}
		if err := f.checkPasses(fmt.Sprintf("output_schema[%d].passes", i)); err != nil {
			return err
		}
	}
	return nil
}

func (f *CustomField) checkPasses(path string) error {
	if len(f.Passes) == 0 {
		return nil
	}
	switch f.Type {
	case CustomBoolean:
		if len(f.Passes) != 1 || f.Passes[0] != "true" && f.Passes[0] != "false" {
			return invalid("%s must be one of true, false", path)
		}
	case CustomEnum:
		for i, value := range f.Passes {
			if !slices.Contains(f.Values, value) {
				return invalid("%s[%d] must be one of enum_values", path, i)
			}
		}
	case CustomInt, CustomFloat, CustomNumber:
		if len(f.Passes) != 1 || !passBound.MatchString(f.Passes[0]) {
			return invalid("%s must be one bound, such as >=0.5 or <=3", path)
		}
	default:
		return invalid("%s must not be given: the type is %s", path, f.Type)
	}
	return nil
}

// passes reports whether a value of the output is one that passes.
func (f *CustomField) passes(o Output) bool {
	parts := passBound.FindStringSubmatch(f.Passes[0])
	if parts == nil || f.Type == CustomEnum {
		return slices.Contains(f.Passes, o.Text())
	}
	limit, _ := strconv.ParseFloat(parts[2], 64)
	value, _ := strconv.ParseFloat(o.Text(), 64)
	switch parts[1] {
	case ">=":
		return value >= limit
	case "<=":
		return value <= limit
	case ">":
		return value > limit
	default:
		return value < limit
	}
}

// withPass returns the outputs with one more that says whether all of them pass, where
// their author said which values do.
func (c *CustomEvaluator) withPass(outputs []Output) []Output {
	if !c.hasPasses() {
		return outputs
	}
	pass := true
	for i := range c.Output {
		if f := &c.Output[i]; len(f.Passes) > 0 && !f.passes(outputs[i]) {
			pass = false
		}
	}
	return append(outputs, Output{Name: passOutput, Value: pass})
}

// GoodOf returns the value by which output i speaks for what was judged, nil where none
// does or several do.
func (e *Evaluator) GoodOf(i int) any {
	if e.Custom != nil && i < len(e.Custom.Output) && len(e.Custom.Output[i].Passes) == 1 {
		switch f := &e.Custom.Output[i]; f.Type {
		case CustomBoolean:
			return f.Passes[0] == "true"
		case CustomEnum:
			return f.Passes[0]
		default:
			return nil
		}
	}
	return e.Output[i].Good()
}
