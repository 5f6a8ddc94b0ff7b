// SPDX-License-Identifier: Apache-2.0

package query

import (
	"math"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// record is a span, or an evaluation or an output of one.
type record struct {
	span       *span.Span
	evaluation *eval.Evaluation
	output     *Output
	made       []eval.Evaluation // of the span
}

// figure returns what a record adds to a figure, and whether it adds a value.
// counted says that its span is counted already.
func (r record) figure(f *Figure, counted bool) (v Value, found bool) {
	found = f.Where == nil || r.passes(f.Where)
	if f.Of != (Field{}) && found {
		v, found = r.number(f.Of)
	}
	switch {
	case !found && (f.Measure == Min || f.Measure == Max):
		return Value{None: true}, false
	case !found || f.Measure == CountSpans && counted:
		return Value{}, false
	case f.Measure == Count || f.Measure == CountSpans:
		return Value{Whole: 1}, true
	case f.Measure == Sum && f.IsReal() && f.Of.Kind != FieldOutput && f.Of.Kind != FieldRecord:
		return Value{Real: float64(v.Whole)}, true
	}
	return v, true
}

func (r record) text(f Field) string {
	switch f.Kind {
	case FieldRecord:
		return r.recordText(f.Name)
	case FieldOutput:
		return sortedText(r.outputText(f.Name))
	}
	text, _ := f.of(r.span)
	return sortedText(text)
}

func (r record) outputText(name string) string {
	o := r.output
	switch name {
	case OutputEvaluator:
		return o.Evaluator
	case OutputName:
		return o.Output.Name
	case OutputSetup:
		return o.SetupID
	case OutputBackend:
		return string(o.Backend)
	case OutputSource:
		return string(o.Source)
	case OutputMetricSource:
		return o.MetricSource()
	}
	_, text := o.Output.Value.(string)
	_, boolean := o.Output.Value.(bool)
	if name == OutputText && text || name == OutputBool && boolean {
		return o.Output.Text()
	}
	return ""
}

func (r record) number(f Field) (v Value, found bool) {
	switch f.Kind {
	case FieldRecord:
		return r.recordNumber(f.Name), true
	case FieldOutput:
		_, boolean := r.output.Output.Value.(bool)
		n := sortedNumber(r.output.Output.Value)
		return Value{Real: n}, !boolean && !math.IsInf(n, -1)
	}
	switch field, known := span.FieldOf(f.Name); {
	case known && field.Nanos != nil:
		return Value{Whole: *field.Nanos(r.span)}, true
	case known && field.Count != nil:
		n := *field.Count(r.span)
		return Value{Whole: n}, n != span.NoTokens
	}
	return v, false
}

func (r record) recordText(name string) string {
	if e := r.evaluation; e != nil {
		switch name {
		case RecordSetup:
			return e.SetupID
		case RecordEvaluator:
			return e.Evaluator
		case RecordStatus:
			return string(e.Status)
		case RecordReason:
			return e.Reason
		case RecordSource:
			return string(e.Source)
		case RecordGood:
			return goodText(e)
		}
		return string(e.Backend)
	}
	switch name {
	case RecordName:
		return r.span.Name
	case RecordWorkflow:
		return r.span.Workflow
	case RecordEntity:
		return r.span.Entity
	case RecordVendor:
		return r.span.Vendor
	case RecordRequestModel:
		return r.span.RequestModel
	}
	return r.span.ResponseModel
}

func (r record) recordNumber(name string) Value {
	if e := r.evaluation; e != nil {
		switch name {
		case RecordCost:
			return Value{Real: e.Usage.Cost}
		case RecordProbability:
			return Value{Real: e.Probability}
		case RecordPromptTokens:
			return Value{Whole: e.Usage.PromptTokens}
		case RecordCompletionTokens:
			return Value{Whole: e.Usage.CompletionTokens}
		case RecordDuration:
			return Value{Whole: e.Duration}
		}
		return Value{Whole: e.Time}
	}
	switch name {
	case RecordStart:
		return Value{Whole: r.span.Start}
	case RecordEnd:
		return Value{Whole: r.span.End()}
	}
	return Value{Whole: r.span.Duration}
}

// passes reports whether a filter, which is valid, holds.
func (r record) passes(f *Filter) bool {
	if f.Field.Kind != FieldRecord {
		return f.Match(r.span, r.output, r.made...)
	}
	if !f.Operator.Numeric() {
		return f.Operator.Holds(r.recordText(f.Field.Name), true, f.Value, f.Values)
	}
	bound, err := f.Whole()
	if f.Field.Name == RecordCost {
		return err == nil && compares(f.Operator, r.recordNumber(f.Field.Name).Real, float64(bound))
	}
	return err == nil && compares(f.Operator, r.recordNumber(f.Field.Name).Whole, bound)
}
