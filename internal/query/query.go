// SPDX-License-Identifier: Apache-2.0

// Package query is how to ask for spans and for the outputs of evaluations: Query
// with its Filters and its Order, Position and Cursor to go on where a Page ended.
// It also holds the one meaning of all that in memory: Filter.Match,
// Order.Position and Order.Compare say what an engine has to answer, and in
// which sequence.
//
// It knows neither HTTP nor SQL.
//
// See docs/adr/0089-filter-language.md.
package query

import (
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Limits of a page.
const (
	DefaultLimit = 50
	MaxLimit     = 1000
	// MaxBrief is the largest limit of brief spans.
	MaxBrief = 20_000
)

// PageBytes is how much text of spans a page has, about. One that would have more ends
// there, and goes on with its cursor.
const PageBytes = 16 << 20

// Limits of what one query may ask.
const (
	MaxFilters      = 100
	MaxFilterValues = 1000 // items of in and not_in
	MaxFilterText   = 4096 // bytes of an id or a value
)

// Subject is what a query asks for.
type Subject string

const (
	Spans   Subject = ""        // spans, with the verdicts among their attributes
	Outputs Subject = "outputs" // of evaluations that are done, one by one
)

// Query asks one environment for spans or outputs. Every filter must hold.
type Query struct {
	Subject Subject
	// From and To bound the span's Start in Unix nanoseconds, both inclusive.
	From int64
	To   int64

	Filters []Filter
	Order   Order

	// Brief asks of each span only for what is short: it comes without attributes,
	// verdicts, messages, input, output, status message, trace state, events and
	// links. Spans alone may be brief.
	Brief bool

	// Limit is between 1 and MaxLimit, or MaxBrief for brief spans; or 0, for a total
	// alone. A page of large spans may have fewer and go on.
	Limit int
	// After continues behind this position; nil starts at the beginning.
	After *Position
	// Total asks how many there are in all. It costs, where there are filters, a
	// look at everything in the period.
	Total bool
	// InParts lets a search for spans in the order of time end before it has all that it
	// is asked for, where it would look at too much at once: its page is partial.
	InParts bool
}

// Page is one answer: Spans or Outputs, as was asked. Next is nil when nothing
// follows. Total counts all that matches the query, whatever its position and
// limit; it is 0 when it was not asked for.
type Page struct {
	Spans   []span.Span
	Outputs []Output
	Total   int64
	Next    *Position
	// Partial says that the search ended at a bound: Total counts what it looked at, and
	// the page may have fewer spans than its limit, or none, though it goes on. SearchedTo
	// is up to which start it looked then, 0 where nothing is left to be found.
	Partial    bool
	SearchedTo int64
}
