// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"cmp"
	"math"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// Order is a sort key with a direction. Spans with equal values of the key
// follow one another by (TraceID, SpanID, Bucket) in the same direction, so the
// order is total. Outputs do so by start, trace, span, setup, evaluator and output.
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
	SortArrived       SortKey = "arrived" // when they came in
	SortDuration      SortKey = "duration_ms"
	SortName          SortKey = "span_name"
	SortTraceID       SortKey = "trace_id"
	SortTotalTokens   SortKey = "total_tokens"
	SortWorkflow      SortKey = "platform_workflow_name"
	SortEntity        SortKey = "platform_entity_name"
	SortResponseModel SortKey = "llm_response_model"
	// SortEvaluation sorts by a verdict's number, false being 0 and true 1.
	// Spans without one, or with one that is no number, come below all others.
	SortEvaluation SortKey = "evaluation"

	// Outputs sort by their span's SortTimestamp and by these.
	SortMetric SortKey = "metric" // evaluator, then output
	SortNumber SortKey = "number" // outputs that are no finite numbers come below all others; false is 0 and true 1
)

// Position is the place of one span or output in an order. Of a span only the
// value that the order sorts by is set, and the identity.
type Position struct {
	Start   int64   // of SortTimestamp and of every output, Unix nanoseconds
	Number  int64   // of SortDuration and SortArrived in nanoseconds, of SortTotalTokens a count
	Real    float64 // of SortEvaluation and SortNumber, -Inf where there is none
	Text    string  // of the keys that are texts
	TraceID span.TraceID
	SpanID  span.ID
	Bucket  span.Bucket // of the start

	Setup, Evaluator, Output string // of outputs
}

// Position returns the place of s in the order. The attributes of s have the
// verdicts.
func (o Order) Position(s *span.Span) Position {
	p := Position{TraceID: s.TraceID, SpanID: s.SpanID, Bucket: span.BucketOf(s.Start)}
	f, _ := span.FieldOfSort(string(o.By))
	switch {
	case o.By == SortEvaluation:
		p.Real = verdictNumber(s, o.Slug, o.Output)
	case o.By == SortTimestamp:
		p.Start = s.Start
	case f == nil: // the ids say it all
	case f.Nanos != nil:
		p.Number = *f.Nanos(s)
	case f.Count != nil:
		p.Number = *f.Count(s)
	case f.Text != nil:
		p.Text = sortedText(*f.Text(s))
	}
	return p
}

// Beyond returns the place in an order by time behind all spans that start at a time, and
// before those that start later, or earlier where it descends.
func (o Order) Beyond(start int64) Position {
	p := Position{Start: start, Bucket: math.MinInt32}
	if !o.Descending {
		p.TraceID, p.SpanID, p.Bucket = lastTrace, lastSpan, math.MaxInt32
	}
	return p
}

var (
	lastTrace = span.TraceID(bytes.Repeat([]byte{0xff}, len(span.TraceID{})))
	lastSpan  = span.ID(bytes.Repeat([]byte{0xff}, len(span.ID{})))
)

// Compare returns -1 when a comes before b in the order, +1 when it comes behind
// it and 0 when both are one place. Both are positions of this order.
func (o Order) Compare(a, b *Position) int {
	if o.Descending {
		a, b = b, a
	}
	if o.By == SortMetric {
		if c := cmp.Or(strings.Compare(a.Evaluator, b.Evaluator), strings.Compare(a.Output, b.Output)); c != 0 {
			return c
		}
	}
	return cmp.Or(
		cmp.Compare(a.Number, b.Number),
		cmp.Compare(a.Real, b.Real),
		strings.Compare(a.Text, b.Text),
		cmp.Compare(a.Start, b.Start),
		bytes.Compare(a.TraceID[:], b.TraceID[:]),
		bytes.Compare(a.SpanID[:], b.SpanID[:]),
		cmp.Compare(a.Bucket, b.Bucket),
		strings.Compare(a.Setup, b.Setup),
		strings.Compare(a.Evaluator, b.Evaluator),
		strings.Compare(a.Output, b.Output),
	)
}

// sortedText returns the part of a text that an order looks at.
func sortedText(text string) string {
	n := 0
	for i := range text {
		if n == SortedText {
			return text[:i]
		}
		n++
	}
	return text
}

// verdictNumber returns the number that SortEvaluation sorts by.
func verdictNumber(s *span.Span, slug, output string) float64 {
	text, _ := verdict(s, slug, output)
	switch text {
	case "false":
		return 0
	case "true":
		return 1
	}
	if n, ok := ParseNumber(text); ok {
		return n
	}
	return math.Inf(-1)
}
