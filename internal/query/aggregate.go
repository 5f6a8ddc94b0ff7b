// SPDX-License-Identifier: Apache-2.0

package query

import (
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Evaluations is a subject of aggregates: evaluations of every status, with their
// spans.
const Evaluations Subject = "evaluations"

// FieldRecord is the kind of the fields that aggregates look at: of a span, or
// of an evaluation, as it is stored. Name is one of the Record constants.
const FieldRecord FieldKind = "record"

// Fields of evaluations.
const (
	RecordSetup     = "setup"
	RecordEvaluator = "evaluator"
	RecordStatus    = "status"
	RecordReason    = "reason"
	RecordBackend   = "backend"
	RecordSource    = "source"

	RecordTime             = "time" // when it ended or, while it is deferred, was deferred first; Unix nanoseconds
	RecordCost             = "cost" // US dollars
	RecordPromptTokens     = "prompt_tokens"
	RecordCompletionTokens = "completion_tokens"
)

// Fields of spans.
const (
	RecordName          = "name"
	RecordWorkflow      = "workflow"
	RecordEntity        = "entity"
	RecordVendor        = "vendor"
	RecordRequestModel  = "request_model"
	RecordResponseModel = "response_model"

	RecordStart    = "start"    // Unix nanoseconds
	RecordDuration = "duration" // nanoseconds
)

// Record returns the field of this name.
func Record(name string) Field { return Field{Kind: FieldRecord, Name: name} }

// Measure is what a figure says of a group.
type Measure string

// The measures.
const (
	Count      Measure = "count"       // spans, or evaluations
	CountSpans Measure = "count_spans" // spans that have one of the evaluations
	Sum        Measure = "sum"
	Min        Measure = "min"
	Max        Measure = "max"
)

// Figure is one number of every group: a measure, and the field that it measures,
// a number; counts have none.
type Figure struct {
	Measure Measure
	Of      Field
}

// Aggregate asks one environment for figures of its spans or evaluations, in
// groups.
type Aggregate struct {
	// Subject is Spans or Evaluations.
	Subject Subject
	// From and To bound the span's Start in Unix nanoseconds, both inclusive.
	From, To int64
	// Filters must all hold: on fields of the subject, texts by equals, not_equals,
	// in and not_in, whole numbers by the operators that compare numbers, with
	// the number as decimal digits in Value.
	Filters []Filter
	// By are texts of the subject: what is alike in all of them is one group.
	By []Field
	// Step, if it is not 0, parts groups by the start of the span too, in steps
	// that are multiples of it since 1970.
	Step    time.Duration
	Figures []Figure
}

// Group is what is alike, and its figures. Where nothing matches there is no
// group, whatever is asked.
type Group struct {
	// Keys are the texts of Aggregate.By.
	Keys []string
	// Time is when the step begins, Unix nanoseconds; 0 without steps.
	Time int64
	// Values are those of Aggregate.Figures.
	Values []Value
}

// Value is one figure: Real of a cost, Whole of anything else.
type Value struct {
	Whole int64
	Real  float64
}

// recordText says which fields of records are texts, by subject.
var recordText = map[Subject]map[string]bool{
	Evaluations: {RecordSetup: true, RecordEvaluator: true, RecordStatus: true, RecordReason: true, RecordBackend: true, RecordSource: true},
	Spans: {
		RecordName: true, RecordWorkflow: true, RecordEntity: true, RecordVendor: true,
		RecordRequestModel: true, RecordResponseModel: true,
	},
}

// recordNumber says which fields of records are numbers, by subject, and which
// of those are whole.
var recordNumber = map[Subject]map[string]bool{
	Evaluations: {RecordTime: true, RecordCost: false, RecordPromptTokens: true, RecordCompletionTokens: true, RecordDuration: true},
	Spans:       {RecordStart: true, RecordDuration: true},
}

// Validate refuses, as Invalid, an aggregate that means nothing: engines call it
// before they look at the rest.
func (a *Aggregate) Validate() error {
	if recordText[a.Subject] == nil {
		return fault.New(fault.Invalid, "%q cannot be aggregated", a.Subject)
	}
	if a.Step < 0 {
		return fault.New(fault.Invalid, "a step must not be negative")
	}
	if len(a.Figures) == 0 {
		return fault.New(fault.Invalid, "an aggregate needs a figure")
	}
	for _, f := range a.By {
		if f.Kind != FieldRecord || !recordText[a.Subject][f.Name] {
			return fault.New(fault.Invalid, "%q cannot be grouped by", f.Name)
		}
	}
	for i := range a.Figures {
		if err := a.validateFigure(&a.Figures[i]); err != nil {
			return err
		}
	}
	for i := range a.Filters {
		if err := a.validateFilter(&a.Filters[i]); err != nil {
			return err
		}
	}
	return nil
}

func (a *Aggregate) validateFigure(f *Figure) error {
	switch f.Measure {
	case Count:
		return nil
	case CountSpans:
		if a.Subject == Evaluations {
			return nil
		}
	case Sum, Min, Max:
		if _, number := recordNumber[a.Subject][f.Of.Name]; number && f.Of.Kind == FieldRecord {
			return nil
		}
		return fault.New(fault.Invalid, "%q has no %s", f.Of.Name, f.Measure)
	}
	return fault.New(fault.Invalid, "measure %q is not known", f.Measure)
}

func (a *Aggregate) validateFilter(f *Filter) error {
	op, _ := f.Operator.Positive()
	if f.Field.Kind == FieldRecord {
		switch {
		case recordText[a.Subject][f.Field.Name] && (op == OpEquals || op == OpIn):
			return nil
		case recordNumber[a.Subject][f.Field.Name] && op.Numeric():
			_, err := f.Whole()
			return err
		}
	}
	return fault.New(fault.Invalid, "%q cannot be filtered by %q", f.Field.Name, f.Operator)
}

// Whole returns the whole number that a filter compares with, which Number may be
// too coarse for.
func (f *Filter) Whole() (int64, error) {
	n, err := strconv.ParseInt(f.Value, 10, 64)
	if err != nil {
		return 0, fault.New(fault.Invalid, "%q must be compared with a whole number", f.Field.Name)
	}
	return n, nil
}

// IsReal reports whether a figure is in Value.Real.
func (f *Figure) IsReal() bool { return f.Measure != Count && f.Of.Name == RecordCost }
