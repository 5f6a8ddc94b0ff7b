// SPDX-License-Identifier: Apache-2.0

package span

import (
	"math"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Limits of a page.
const (
	DefaultLimit = 50
	MaxLimit     = 1000
)

// Query asks one environment for spans. Every filter must hold.
type Query struct {
	// From and To bound Start in Unix nanoseconds, both inclusive.
	From int64
	To   int64

	Filters []Filter
	Order   Order

	// Limit is between 1 and MaxLimit.
	Limit int
	// After continues behind this position; nil starts at the beginning.
	After *Position
}

// Order is a sort key with a direction. Spans with equal values of the key
// follow one another by (TraceID, SpanID) in the same direction, so the order
// is total.
type Order struct {
	By         SortKey
	Descending bool
	// Slug and Output name the verdict that SortEvaluation sorts by.
	Slug, Output string
}

// SortKey is what a page may be sorted by. Texts sort by the bytes of their
// first SortedText characters; an absent token count sorts below every number,
// an absent text as "".
type SortKey string

// SortedText is how many characters of a text an order looks at. It bounds the
// size of positions, and so of cursors.
const SortedText = 256

const (
	SortTimestamp     SortKey = "timestamp"
	SortDuration      SortKey = "duration_ms"
	SortName          SortKey = "span_name"
	SortTraceID       SortKey = "trace_id"
	SortTotalTokens   SortKey = "total_tokens"
	SortWorkflow      SortKey = "platform_workflow_name"
	SortEntity        SortKey = "platform_entity_name"
	SortResponseModel SortKey = "llm_response_model"
	// SortEvaluation sorts by a verdict's number, false being 0 and true 1.
	// Spans without one, or with one that is no number, come below all others.
	// A number is what filters take for one: finite and decimal.
	SortEvaluation SortKey = "evaluation"
)

// Numeric reports whether positions of the key carry a Number: nanoseconds
// for timestamp and duration, a count for tokens.
func (k SortKey) Numeric() bool {
	return k == SortTimestamp || k == SortDuration || k == SortTotalTokens
}

// Position is the place of one span in an order.
type Position struct {
	Number  int64   // the sort value of a numeric key
	Real    float64 // the sort value of SortEvaluation, -Inf where there is none
	Text    string  // the sort value of any other key
	TraceID TraceID
	SpanID  ID
}

// PositionOf gives the place of s in an order. Its attributes have the verdicts.
func PositionOf(s *Span, o Order) Position {
	p := Position{TraceID: s.TraceID, SpanID: s.SpanID}
	switch o.By {
	case SortEvaluation:
		p.Real = s.verdict(o.Slug, o.Output)
	case SortTimestamp:
		p.Number = s.Start
	case SortDuration:
		p.Number = s.Duration
	case SortTotalTokens:
		p.Number = s.TotalTokens
	case SortName:
		p.Text = sorted(s.Name)
	case SortWorkflow:
		p.Text = sorted(s.Workflow)
	case SortEntity:
		p.Text = sorted(s.Entity)
	case SortResponseModel:
		p.Text = sorted(s.ResponseModel)
	case SortTraceID: // the ids say it all
	}
	return p
}

// sorted gives the part of a text that an order looks at.
func sorted(text string) string {
	n := 0
	for i := range text {
		if n == SortedText {
			return text[:i]
		}
		n++
	}
	return text
}

// Page is one answer. Next is nil when nothing follows. Total counts all
// spans that match the query, whatever its position and limit.
type Page struct {
	Spans []Span
	Total int64
	Next  *Position
}

// verdict gives a verdict as the number that SortEvaluation sorts by.
func (s *Span) verdict(slug, output string) float64 {
	text, _ := s.Attributes.Get(tenant.EvaluationPrefix + slug + "." + output)
	switch text {
	case "false":
		return 0
	case "true":
		return 1
	}
	if n, ok := number(text); ok {
		return n
	}
	return math.Inf(-1)
}

// number reads a finite decimal number: not the forms that only Go's parser
// knows, such as inf, nan, 0x1p4 and 1_000.
func number(text string) (float64, bool) {
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsInf(n, 0) && strings.Trim(text, "0123456789+-.eE") == ""
}
