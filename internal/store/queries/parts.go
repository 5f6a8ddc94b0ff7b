// SPDX-License-Identifier: Apache-2.0

package queries

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// partBytes is about how much one part of a search reads: more than it costs to begin
	// one, and so little that others get their turn soon. A part is no more than one of
	// partsOfBound of what a query may read.
	partBytes    = 4 << 30
	partsOfBound = 8
	// smallestPart is how small a part is at least where larger ones took too long: each time
	// an eighth of what was tried.
	smallestPart = partBytes / 64
	// shortestPart is the shortest period of a part.
	shortestPart = int64(time.Millisecond)
)

// isPart reports whether a query of that price is small enough for a part of a search that
// reads at most so many bytes.
func (s *Queries) isPart(p price, most int64) bool {
	of := func(bound int64) int64 { return max(bound/partsOfBound, 1) }
	return p.bytes <= most && (s.limits.Bytes <= 0 || p.bytes <= of(s.limits.Bytes)) &&
		(s.limits.Spans <= 0 || p.spans <= of(s.limits.Spans))
}

// goesInParts reports whether a query of that price is one that looks through the texts of
// many spans, or at more than is looked at, and need not do so at once.
func (s *Queries) goesInParts(q *query.Query, p price) bool {
	return q.InParts && q.Subject == query.Spans && q.Order.By == query.SortTimestamp && q.Limit > 0 &&
		(p.texts && !s.isPart(p, partBytes) || s.afford(p) != nil)
}

// walk is a search that goes through its period part by part, in its order: each is a
// query with a place of its own, so that others get theirs in between.
type walk struct {
	*Queries
	env   tenant.Environment
	query query.Query
	kind  Kind
	began time.Time
	// first and last are about when the first and the last span of the period started: what
	// is beyond is looked at with these.
	first, last int64
	length      int64 // of the part that was looked at last
	most        int64 // bytes that a part reads
	looked      bool  // at a part
	read        price // by estimate
	page        query.Page
	text        int  // bytes on the page
	full        bool // nothing more is to be on the page, and Next says what follows
}

// searchInParts answers a query part by part until it has its page, and the total where all
// of it can be counted within the bounds.
func (s *Queries) searchInParts(ctx context.Context, env tenant.Environment, q query.Query, whole price) (query.Page, error) {
	w := &walk{Queries: s, env: env, query: q, kind: s.kind(whole), began: time.Now(), most: partBytes}
	x := s.sizes.Extent(env.ID, max(q.From, w.began.Add(-max(env.Retention, 0)).UnixNano()), q.To)
	w.first, w.last = x.First, x.Last
	w.length = max(w.last-w.first, shortestPart)
	counts := q.Total && s.afford(whole) == nil && (s.limits.Search <= 0 || timeOf(whole.bytes) <= s.limits.Search)
	from, to := behind(&q)
	at, ended, err := w.through(ctx, from, to, counts)
	if err != nil {
		return query.Page{}, err
	}
	if !ended && !w.full {
		next := q.Order.Beyond(at)
		w.page.Next, w.page.SearchedTo = &next, at
	}
	w.page.Partial = !ended && (q.Total || !w.full)
	if ended && q.Total && (from > q.From || to < q.To) { // what comes before the page counts too
		counted := false
		if counts {
			counted, err = w.countBefore(ctx, from, to)
		}
		if err != nil {
			return query.Page{}, err
		}
		w.page.Partial = !counted
	}
	if w.page.Partial {
		s.partial.Add(1)
	}
	return w.page, nil
}

// countBefore counts what is in the period of the query before a part of it.
func (w *walk) countBefore(ctx context.Context, from, to int64) (ended bool, err error) {
	w.full = true
	ended = true
	switch {
	case from > w.query.From:
		_, ended, err = w.through(ctx, w.query.From, from-1, true)
	case to < w.query.To:
		_, ended, err = w.through(ctx, to+1, w.query.To, true)
	}
	return ended, err
}

// through looks at the parts of a period, and reports up to which start, and whether that
// is all of it. It ends before at a bound and, unless all are to be counted, where the
// page is full.
func (w *walk) through(ctx context.Context, from, to int64, counts bool) (at int64, ended bool, err error) {
	for from <= to {
		first, last := w.next(from, to)
		p := w.priceOf(first, last)
		if w.full && !counts || !w.mayRead(p) {
			return at, false, nil
		}
		found, done, err := w.look(ctx, first, last, p)
		if err == nil && !done && !w.looked {
			w.most /= 8
			continue
		}
		if err != nil || !done {
			return at, false, err
		}
		w.add(&found)
		switch {
		case first == from && last == to:
			return at, true, nil
		case w.query.Order.Descending:
			at, to = first, first-1
		default:
			at, from = last, last+1
		}
	}
	return at, true, nil
}

func (w *walk) priceOf(first, last int64) price {
	return weightOf(&w.query).of(w.sizes.Extent(w.env.ID, first, last))
}

// next returns the part of a period that comes first in the order: as long as the one
// before, or half or twice as long, so often that it reads what a part does.
func (w *walk) next(from, to int64) (first, last int64) {
	for w.length > shortestPart && !w.isPart(w.priceOf(w.within(from, to)), w.most) {
		w.length /= 2
	}
	for w.length <= w.last-w.first {
		w.length *= 2
		if !w.isPart(w.priceOf(w.within(from, to)), w.most) {
			w.length /= 2
			break
		}
	}
	return w.within(from, to)
}

// within returns the part of a period that comes first in the order, of the length that
// parts have now.
func (w *walk) within(from, to int64) (first, last int64) {
	if w.query.Order.Descending {
		first = min(to, w.last) - w.length
		if first <= max(from, w.first) {
			first = from
		}
		return first, to
	}
	last = max(from, w.first) + w.length
	if last >= min(to, w.last) {
		last = to
	}
	return from, last
}

// mayRead reports whether there is room for one more part of that price.
func (w *walk) mayRead(p price) bool {
	if !w.looked {
		return true
	}
	if w.limits.Search > 0 && time.Since(w.began) >= w.limits.Search {
		return false
	}
	return w.afford(price{spans: w.read.spans + p.spans, bytes: w.read.bytes + p.bytes}) == nil
}

// look looks at one part. It is not done where that takes longer than a search may look on
// or others are before it. Nor is the first part where it takes half of that time, as
// long as there are smaller ones: a machine may be slow, or have much else to do.
func (w *walk) look(ctx context.Context, first, last int64, p price) (found query.Page, done bool, err error) {
	q := w.query
	q.From, q.To, q.InParts = first, last, false
	// With a page that is complete it is to be known whether anything follows.
	q.Limit = max(q.Limit-len(w.page.Spans), 1)
	if w.full {
		q.Limit, q.After = 0, nil
	}
	bounded, cancel := w.bound(ctx)
	defer cancel()
	found, err = run(bounded, w.Queries, w.env.ID, w.kind, p, func(ctx context.Context) (query.Page, error) {
		return w.engine.Search(ctx, w.env, q)
	})
	if err != nil && ctx.Err() == nil && (bounded.Err() != nil || w.looked && (fault.Is(err, fault.Limited) || fault.Is(err, fault.TimedOut))) {
		return query.Page{}, false, nil
	}
	w.looked = true
	w.read.spans, w.read.bytes = w.read.spans+p.spans, w.read.bytes+p.bytes
	return found, true, err
}

// bound returns a context that ends when the next part is to be given up.
func (w *walk) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	switch {
	case w.limits.Search > 0 && w.looked:
		return context.WithDeadline(ctx, w.began.Add(w.limits.Search))
	case w.limits.Search > 0 && w.most > smallestPart:
		return context.WithTimeout(ctx, w.limits.Search/2)
	}
	return context.WithCancel(ctx)
}

// add adds what was found in a part to the page.
func (w *walk) add(found *query.Page) {
	w.page.Total += found.Total
	for i := range found.Spans {
		x := &found.Spans[i]
		if !w.query.Brief {
			w.text += x.TextBytes()
		}
		if n := len(w.page.Spans); n == w.query.Limit || n > 0 && w.text > query.PageBytes {
			next := w.query.Order.Position(&w.page.Spans[n-1])
			w.page.Next, w.full = &next, true
			return
		}
		w.page.Spans = append(w.page.Spans, *x)
	}
	if found.Next != nil {
		w.page.Next, w.full = found.Next, true
	}
}
