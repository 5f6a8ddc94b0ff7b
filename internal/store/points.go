// SPDX-License-Identifier: Apache-2.0

package store

import (
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Point is one output of one finished evaluation, with what is known of its
// span.
type Point struct {
	SetupID   string
	Evaluator string
	Output    eval.Output
	Backend   eval.Backend
	Time      int64 // when the evaluation ended, Unix nanoseconds

	Span span.Key
	// Start is the span's, Unix nanoseconds; texts are "" where absent.
	Start                                      int64
	SpanName, Service, Vendor, Model, Workflow string
	Entity                                     string
}

// PointField says what a filter on points is about.
type PointField string

const (
	PointEvaluator PointField = "evaluator"
	PointOutput    PointField = "output"
	PointSetup     PointField = "setup"
	PointBackend   PointField = "backend"
	// PointText, PointNumber and PointBool are the value, for points whose value
	// is of that type; others do not have the field.
	PointText   PointField = "text"
	PointNumber PointField = "number"
	PointBool   PointField = "bool"
	// PointSpan is a field of the span: the one in PointFilter.Span.
	PointSpan PointField = "span"
)

// PointFilter is one condition on a point. The operators compare as those of
// query.Filter do; Value, Number and Values are as there.
type PointFilter struct {
	Field    PointField
	Span     query.Field // with PointSpan; not of kind FieldEvaluation
	Operator query.Operator
	Value    string
	Number   float64
	Values   []string
}

// PointKey is what points may be sorted by.
type PointKey string

const (
	PointByStart     PointKey = "start"     // of the span
	PointByEvaluator PointKey = "evaluator" // then output
	PointByNumber    PointKey = "number"    // points that are no numbers come first; false is 0 and true 1
)

// PointQuery asks one environment for points.
type PointQuery struct {
	// From and To bound the spans' start, Unix nanoseconds, both inclusive.
	From, To int64
	// All must hold; and of Any, if there are any, at least one.
	All, Any   []PointFilter
	By         PointKey
	Descending bool
	// Limit is between 1 and query.MaxLimit.
	Limit int
	// After continues behind this position; nil starts at the beginning.
	After *PointPosition
}

// PointPosition is the place of a point in an order. Points with equal values
// of the key follow one another by start, trace, span, setup, evaluator and
// output, in the same direction, so the order is total.
type PointPosition struct {
	Number                   float64 // the sort value of PointByNumber, -Inf where there is none
	Start                    int64
	Span                     span.Key
	Setup, Evaluator, Output string
}

// PointPage is one answer, as query.Page.
type PointPage struct {
	Points []Point
	Total  int64
	Next   *PointPosition
}
