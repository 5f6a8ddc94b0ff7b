// SPDX-License-Identifier: Apache-2.0

package queries

import (
	"math"
	"time"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// picosecondsPerByte is how long a processor takes to look through a byte of text.
const picosecondsPerByte = 600

// timeOf returns how long it takes to look through so many bytes of text.
func timeOf(bytes int64) time.Duration {
	return time.Duration(float64(bytes) * picosecondsPerByte / 1e3)
}

// bytesIn returns how many bytes of text can be looked through in a time.
func bytesIn(took time.Duration) int64 { return int64(took.Seconds() * 1e12 / picosecondsPerByte) }

// What a query takes of each span that it looks at, in bytes of text that take as
// long to look through: measured on 123,000 spans of 1.1 KB with an engine of columns.
const (
	perSpan    = 40   // what tells it apart
	perColumn  = 16   // a short field
	perExact   = 200  // an index of exact values
	perKey     = 48   // an attribute among others that were read
	perVerdict = 100  // what finds a verdict
	perSorted  = 800  // a place in an order other than by time
	perRanked  = 1600 // a place in an order by verdicts
	perGroup   = 80   // a group that it falls into
)

// price is about what a query reads.
type price struct {
	spans, bytes int64
	known        bool // the engine tells how much is stored
	wide         bool // it looks at texts or verdicts, span by span
	texts        bool // it looks at texts of any length
	sorted       bool // it could be answered in parts, were it not for its order
}

// weight is what a query reads of each span that it looks at: so many bytes, so many
// times all that is stored of the span, and its attributes, which are a part of that.
type weight struct {
	bytes      int64
	whole      int64
	attributes bool
	wide       bool
}

// attributesPart is which part of what is stored of a span its attributes are, one
// in so many.
const attributesPart = 3

func (w *weight) add(o weight) {
	w.bytes += o.bytes
	w.whole += o.whole
	w.attributes = w.attributes || o.attributes
	w.wide = w.wide || o.wide
}

// of returns the price of reading that much of each span of an extent.
func (w weight) of(x store.Extent) price {
	bytes := float64(x.Spans)*float64(w.bytes) + float64(x.Bytes)*float64(w.whole)
	if w.attributes {
		bytes += float64(x.Bytes) / attributesPart
	}
	return price{spans: x.Spans, bytes: int64(min(bytes, math.MaxInt64/2)), known: true, wide: w.wide, texts: w.whole > 0 || w.attributes}
}

// search returns the price of a query, with nil for who knows what is stored.
func search(of store.Measurer, env tenant.EnvironmentID, q *query.Query) price {
	if q.Order.By == query.SortTimestamp && len(q.Filters) == 0 && q.Subject == query.Spans {
		return price{known: true} // it reads on from where the page begins, and counts without looking
	}
	w := weightOf(q)
	if of == nil {
		return price{wide: w.wide}
	}
	from, to := rest(q)
	return w.of(of.Extent(env, from, to))
}

// weightOf returns what a query reads of each span that it looks at.
func weightOf(q *query.Query) weight {
	w := weight{bytes: perSpan}
	for i := range q.Filters {
		w.add(filter(&q.Filters[i]))
	}
	switch q.Order.By {
	case query.SortTimestamp:
	case query.SortArrived:
		w.add(weight{bytes: perColumn})
	case query.SortEvaluation:
		w.add(weight{bytes: perRanked, wide: true})
	default:
		w.add(weight{bytes: perSorted})
	}
	if q.Subject == query.Outputs {
		w.add(weight{bytes: perVerdict})
	}
	return w
}

// rest returns the period that a page can still have something of.
func rest(q *query.Query) (from, to int64) {
	if q.Total || q.Order.By != query.SortTimestamp {
		return q.From, q.To
	}
	return behind(q)
}

// behind returns the period that can have something behind the position of a query in the
// order of time.
func behind(q *query.Query) (from, to int64) {
	from, to = q.From, q.To
	switch {
	case q.After == nil:
	case q.Order.Descending:
		to = min(to, q.After.Start)
	default:
		from = max(from, q.After.Start)
	}
	return from, to
}

// filter returns what a condition reads of each span.
func filter(f *query.Filter) (w weight) {
	if f.Operator == query.OpAll || f.Operator == query.OpAny || f.Operator == query.OpJudged {
		for i := range f.Filters {
			w.add(filter(&f.Filters[i]))
		}
		return w
	}
	switch f.Field.Kind {
	case query.FieldEvaluation:
		return weight{bytes: perVerdict, wide: true}
	case query.FieldJudged: // few texts, by which evaluations are found
		return weight{bytes: perVerdict}
	case query.FieldOutput, query.FieldAlias:
		return weight{bytes: perColumn}
	case query.FieldColumn:
		if !long(f.Field.Name) {
			return weight{bytes: perColumn}
		}
	case query.FieldMessage:
	case query.FieldAttribute, query.FieldSpanAttribute, query.FieldResourceAttribute:
		if f.Operator != query.OpEquals && f.Operator != query.OpIn {
			return weight{bytes: perKey, attributes: true, wide: true}
		}
	}
	if f.Operator == query.OpEquals || f.Operator == query.OpIn {
		return weight{bytes: perExact + perColumn*int64(len(f.Values))}
	}
	return weight{whole: 1, wide: true}
}

// long reports whether a field of spans has texts of any length.
func long(name string) bool {
	f, found := span.FieldOf(name)
	return found && (f.List != nil || f.ID == "input" || f.ID == "output")
}

// aggregate returns the price of figures. The last of something is found at the
// end of what is stored.
func aggregate(of store.Measurer, env tenant.EnvironmentID, a *query.Aggregate) price {
	last := len(a.By) == 0 && a.Step == 0
	w := weight{bytes: perSpan + perGroup*int64(len(a.By)) + perColumn*int64(len(a.Filters))}
	if a.Step != 0 {
		w.bytes += perGroup
	}
	for i := range a.Figures {
		last = last && a.Figures[i].Measure == query.Max
		w.bytes += perColumn
	}
	switch {
	case last:
		return price{known: true}
	case of == nil:
		return price{}
	}
	return w.of(of.Extent(env, a.From, a.To))
}
