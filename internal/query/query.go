// SPDX-License-Identifier: Apache-2.0

// Package query is how to ask for spans: Query with its Filters and its Order,
// Position and Cursor to go on where a Page ended. It also holds the one meaning
// of all that in memory: Match, Order.Position and Order.Compare say which spans
// an engine has to answer, and in which sequence.
//
// It knows neither HTTP nor SQL.
package query

import (
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Limits of a page.
const (
	DefaultLimit = 50
	MaxLimit     = 1000
)

// Limits of what one query may ask.
const (
	MaxFilters      = 100
	MaxFilterValues = 1000 // items of in and not_in
	MaxFilterText   = 4096 // bytes of an id or a value
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

// Page is one answer. Next is nil when nothing follows. Total counts all
// spans that match the query, whatever its position and limit.
type Page struct {
	Spans []span.Span
	Total int64
	Next  *Position
}

// Matches reports whether the query asks for a span, whatever its position and
// limit.
func (q *Query) Matches(s *span.Span) bool {
	if s.Start < q.From || s.Start > q.To {
		return false
	}
	for i := range q.Filters {
		if !q.Filters[i].Match(s) {
			return false
		}
	}
	return true
}
