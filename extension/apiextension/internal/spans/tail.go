// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	paramWait    = "wait_sec"
	paramSkip    = "skip"
	paramFields  = "fields"
	paramPreview = "preview"

	longestWait = 20  // seconds
	mostTailed  = 200 // rows of an answer
	mostFields  = 30  // of a row
	mostPreview = 500 // characters

	// shownAfter is how long after their arrival spans are shown: by then those that
	// arrived before them are stored, too.
	shownAfter = time.Second
	// longestSpan is how long before its arrival a span that is shown may have
	// started.
	longestSpan = time.Hour
	// lookAt is how often it is asked, from memory, whether something was stored, and
	// lookAnyway how often the store is asked where that is unknown.
	lookAt     = 400 * time.Millisecond
	lookAnyway = 2 * time.Second
)

// tailRequest is what the parameters of a tail ask for.
type tailRequest struct {
	wanted
	query  query.Query
	cursor string
	wait   time.Duration
	skip   bool
}

// SpanTail has the spans that arrived, the first first.
type SpanTail struct {
	Rows []SpanRow `json:"rows" doc:"At most 200, the first to arrive first." schema:"maxItems=200"`
	Next string    `json:"next_cursor" doc:"Goes on behind the last row."`
	More bool      `json:"more" doc:"Whether more have arrived already."`
}

// tail answers the spans that arrived behind a cursor, and waits for one if there
// is none. Without a cursor it answers at once where to begin.
func (a *API) tail(r *http.Request, env tenant.Environment) (rest.Response, error) {
	values, err := rest.Query(r)
	if err != nil {
		return rest.Response{}, err
	}
	want, err := parseTail(values)
	if err != nil {
		return rest.Response{}, err
	}
	leave, err := a.tails.enter(env.ID)
	if err != nil {
		return rest.Response{}, err
	}
	defer leave()
	q := want.query
	at := query.Position{Number: time.Now().Add(-shownAfter).UnixNano()}
	if want.cursor == "" {
		return rest.OK(SpanTail{Rows: []SpanRow{}, Next: a.Cursors.Seal(string(env.ID), &q, at)}), nil
	}
	if at, err = a.Cursors.Open(string(env.ID), &q, want.cursor); err != nil {
		return rest.Response{}, err
	}
	if skipTo := time.Now().Add(-shownAfter - window).Truncate(window).UnixNano(); want.skip && at.Number < skipTo {
		at = query.Position{Number: skipTo}
	}
	look := func(until time.Time) (looked, error) {
		return a.shared(r.Context(), recentKeyOf(env.ID, at, values), func() (looked, error) {
			page, early, err := a.arrived(r.Context(), env, q, at, until)
			if err != nil || len(page.Spans) == 0 {
				return looked{early: early}, err
			}
			l := looked{SpanTail: SpanTail{Next: a.Cursors.Seal(string(env.ID), &want.query, q.Order.Position(&page.Spans[len(page.Spans)-1])), More: page.Next != nil}}
			l.Rows, err = a.show(r.Context(), env, page.Spans, &want.wanted)
			return l, err
		})
	}
	shown, err := a.await(r.Context(), env, at, want.wait, look)
	if len(shown.Rows) == 0 {
		shown = SpanTail{Rows: []SpanRow{}, Next: want.cursor}
	}
	return rest.OK(shown), err
}

// looked is what a look finds: what arrived, and whether more did that is not shown yet.
type looked struct {
	SpanTail
	early bool
}

// shared looks once for all that want the same at the same time, or lately.
func (a *API) shared(ctx context.Context, key recentKey, look func() (looked, error)) (looked, error) {
	if answer, found := a.recent.get(key, time.Now()); found {
		return looked{SpanTail: answer}, nil
	}
	found, err, _ := a.looking.Do(string(key), func() (any, error) {
		l, err := look()
		switch {
		case err == nil && len(l.Rows) > 0:
			a.recent.put(key, l.SpanTail, time.Now())
		case err != nil && ctx.Err() != nil:
			err = context.Canceled
		}
		return l, err
	})
	if errors.Is(err, context.Canceled) && ctx.Err() == nil { // a caller that looked for us has gone
		return look()
	}
	l, _ := found.(looked)
	return l, err
}

// await returns the next spans behind a place, or none when nothing has come until
// the wait is over, the caller is gone or the API stops.
func (a *API) await(ctx context.Context, env tenant.Environment, at query.Position, wait time.Duration, look func(until time.Time) (looked, error)) (SpanTail, error) {
	over := time.NewTimer(wait)
	defer over.Stop()
	ticks := time.NewTicker(lookAt)
	defer ticks.Stop()
	seen, known := a.Records.Stored(env.ID)
	lastLook, due := time.Time{}, time.Now()
	for {
		now := time.Now()
		if !now.Before(due) || !known && now.Sub(lastLook) >= lookAnyway {
			lastLook, due = now, now.Add(longestWait*time.Second)
			l, err := look(now.Add(-shownAfter))
			if err != nil || len(l.Rows) > 0 {
				return l.SpanTail, err
			}
			if l.early || now.Sub(time.Unix(0, at.Number)) < 2*shownAfter {
				due = now.Add(shownAfter)
			}
		}
		select {
		case <-over.C:
			return SpanTail{}, nil
		case <-ctx.Done():
			return SpanTail{}, nil
		case <-a.Stopping:
			return SpanTail{}, nil
		case <-ticks.C:
		}
		if n, _ := a.Records.Stored(env.ID); n != seen {
			seen = n
			due = minTime(due, time.Now().Add(shownAfter))
		}
	}
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// arrived returns the spans that arrived behind a place and until a time, and
// whether some arrived after it.
func (a *API) arrived(ctx context.Context, env tenant.Environment, q query.Query, at query.Position, until time.Time) (query.Page, bool, error) {
	q.After, q.From = &at, at.Number-int64(longestSpan)
	page, err := a.Records.Search(ctx, env, q)
	if err != nil {
		return page, false, err
	}
	for i := range page.Spans {
		if page.Spans[i].Arrived > until.UnixNano() {
			return query.Page{Spans: page.Spans[:i]}, true, nil
		}
	}
	return page, false, nil
}

// parseTail reads the parameters of a tail.
func parseTail(values url.Values) (want tailRequest, err error) {
	want.query = query.Query{From: math.MinInt64, To: math.MaxInt64, Limit: mostTailed, Order: query.Order{By: query.SortArrived}}
	want.cursor = values.Get(paramCursor)
	p := parser{query: want.query}
	if text := values.Get(paramFilters); text != "" {
		if err = p.filters(text); err != nil {
			return want, err
		}
	}
	if _, err = p.line(values.Get(paramLine)); err != nil {
		return want, err
	}
	want.query = p.query
	seconds, err := rest.QueryInt(values, paramWait, longestWait, 0, longestWait)
	if err != nil {
		return want, err
	}
	want.wait = time.Duration(seconds) * time.Second
	switch values.Get(paramSkip) {
	case "", "false":
	case "true":
		want.skip = true
	default:
		return want, invalid(paramSkip, "must be true or false")
	}
	if want.preview, err = rest.QueryInt(values, paramPreview, 0, 0, mostPreview); err != nil {
		return want, err
	}
	if len(values[paramFields]) > mostFields {
		return want, invalid(paramFields, "must be given at most %d times", mostFields)
	}
	want.ids = values[paramFields]
	want.fields, err = parseFields(want.ids)
	return want, err
}
