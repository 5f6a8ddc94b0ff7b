// SPDX-License-Identifier: Apache-2.0

package query

import "time"

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
	RecordGood      = "good" // whether it speaks for its span: "true", "false", or "" where it does neither

	RecordTime             = "time" // when it ended or, while it is deferred, was deferred first; Unix nanoseconds
	RecordCost             = "cost" // US dollars
	RecordPromptTokens     = "prompt_tokens"
	RecordCompletionTokens = "completion_tokens"
	RecordProbability      = "probability" // that such a span was judged, 0 where that is unknown
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
	RecordEnd      = "end"      // Unix nanoseconds, at most the largest
)

// Record returns the field of this name.
func Record(name string) Field { return Field{Kind: FieldRecord, Name: name} }

// OfOutput returns the field of outputs of this name.
func OfOutput(name string) Field { return Field{Kind: FieldOutput, Name: name} }

// Measure is what a figure says of a group.
type Measure string

// The measures.
const (
	Count      Measure = "count"       // spans, outputs or evaluations
	CountSpans Measure = "count_spans" // spans that have one of the evaluations
	Sum        Measure = "sum"
	Min        Measure = "min"
	Max        Measure = "max"
	Quantile   Measure = "quantile" // the smallest value that Figure.Percent of all do not exceed
)

// Figure is one number of every group: a measure, and the field that it measures,
// a number. What has no such number is left out; a count need not have a field.
type Figure struct {
	Measure Measure
	Of      Field
	// Percent is that of a Quantile, 1 to 100.
	Percent int
	// Where, if it is not nil, is what must hold for what is measured, besides the
	// filters.
	Where *Filter
}

// Aggregate asks one environment for figures of its spans, of the outputs of
// evaluations or of evaluations, in groups.
type Aggregate struct {
	// Subject is Spans, Outputs or Evaluations.
	Subject Subject
	// From and To bound the span's Start in Unix nanoseconds, both inclusive.
	From, To int64
	// Filters must all hold: those that a Query of spans or of outputs may have, and
	// on fields of records, texts by equals, not_equals, in and not_in, numbers
	// by the operators that compare them, with a whole number as decimal digits in
	// Value.
	Filters []Filter
	// By are texts of the subject: what is alike in all of them is one group. Of
	// texts but those of records the first SortedText characters count, and one
	// that is absent is "".
	By []Field
	// Step, if it is not 0, parts groups by the start of the span too, in steps
	// that are multiples of it since 1970.
	Step    time.Duration
	Figures []Figure

	// Only, if it is not nil, are the keys of groups that are wanted; all others are
	// one group, Rest.
	Only [][]string
	// Others says that of these only the Rest is asked for.
	Others bool
	// Limit, if it is not 0, is how many groups there may be; more are refused as
	// Invalid.
	Limit int
	// Rollup, if it is not nil, is what is asked besides. Only is nil then.
	Rollup *Rollup
	// Enough, if it is not 0, is how far it matters how many evaluations there are,
	// which is all that is asked: from there on an engine may count on or not.
	Enough int64
}

// Group is what is alike, and its figures. Where nothing matches there is no
// group, whatever is asked.
type Group struct {
	// Keys are the texts of Aggregate.By, "" in the Rest.
	Keys []string
	// Rest says that it is what Aggregate.Only does not name.
	Rest bool
	// Level says what the figures are of, where the aggregate has a Rollup.
	Level Level
	// Time is when the step begins, Unix nanoseconds; 0 without steps.
	Time int64
	// Values are the values of Aggregate.Figures, in their order.
	Values []Value
}

// Value is one figure: Real where Figure.IsReal says so, else Whole.
type Value struct {
	Whole int64
	Real  float64
	// None says that there was nothing to measure: of a Min, a Max or a Quantile.
	None bool
}

// recordText says which fields of records are texts, by subject.
var recordText = map[Subject]map[string]bool{
	Evaluations: {RecordSetup: true, RecordEvaluator: true, RecordStatus: true, RecordReason: true, RecordBackend: true, RecordSource: true, RecordGood: true},
	Spans: {
		RecordName: true, RecordWorkflow: true, RecordEntity: true, RecordVendor: true,
		RecordRequestModel: true, RecordResponseModel: true,
	},
}

// recordNumber says which fields of records are numbers, by subject.
var recordNumber = map[Subject]map[string]bool{
	Evaluations: {RecordTime: true, RecordCost: true, RecordPromptTokens: true, RecordCompletionTokens: true, RecordDuration: true, RecordProbability: true},
	Spans:       {RecordStart: true, RecordDuration: true, RecordEnd: true},
}
