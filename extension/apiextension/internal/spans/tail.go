// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	paramWait    = "wait_sec"
	paramFields  = "fields"
	paramPreview = "preview"

	longestWait = 20  // seconds
	mostTailed  = 200 // rows of an answer
	mostFields  = 30  // of a row
	mostPreview = 500 // characters

	// settling is how long after their arrival spans are shown: by then those that
	// arrived before them are stored, too.
	settling = time.Second
	// longestSpan is how long before its arrival a span that is shown may have
	// started.
	longestSpan = time.Hour
	// look is how often it is asked, from memory, whether something was stored, and
	// lookAnyway how often the store is asked where nobody knows.
	look       = 400 * time.Millisecond
	lookAnyway = 2 * time.Second
)

// tailRequest is what the parameters of a tail ask for.
type tailRequest struct {
	wanted
	query  query.Query
	cursor string
	wait   time.Duration
}

// tailAnswer has the spans that arrived, the first first.
type tailAnswer struct {
	Rows []rowAnswer `json:"rows"`
	// Next goes on behind the last row.
	Next string `json:"next_cursor"`
	// More says that there are more already.
	More bool `json:"more"`
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
	at := query.Position{Number: time.Now().Add(-settling).UnixNano()}
	if want.cursor == "" {
		return rest.OK(tailAnswer{Rows: []rowAnswer{}, Next: a.Cursors.Seal(string(env.ID), &q, at)}), nil
	}
	if at, err = a.Cursors.Open(string(env.ID), &q, want.cursor); err != nil {
		return rest.Response{}, err
	}
	page, err := a.await(r.Context(), env, q, at, want.wait)
	if err != nil {
		return rest.Response{}, err
	}
	shown := tailAnswer{Next: want.cursor, More: page.Next != nil}
	if n := len(page.Spans); n > 0 {
		shown.Next = a.Cursors.Seal(string(env.ID), &want.query, q.Order.Position(&page.Spans[n-1]))
	}
	shown.Rows, err = a.show(r.Context(), env, page.Spans, &want.wanted)
	return rest.OK(shown), err
}

// await returns the next spans behind a place, or none when nothing has come until
// the wait is over, the caller is gone or the API stops.
func (a *API) await(ctx context.Context, env tenant.Environment, q query.Query, at query.Position, wait time.Duration) (query.Page, error) {
	over := time.NewTimer(wait)
	defer over.Stop()
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	seen, known := a.Records.Stored(env.ID)
	lastLook, due := time.Time{}, time.Now()
	for {
		now := time.Now()
		if !now.Before(due) || !known && now.Sub(lastLook) >= lookAnyway {
			lastLook, due = now, now.Add(longestWait*time.Second)
			page, unsettled, err := a.arrived(ctx, env, q, at, now.Add(-settling))
			if err != nil || len(page.Spans) > 0 {
				return page, err
			}
			if unsettled || now.Sub(time.Unix(0, at.Number)) < 2*settling {
				due = now.Add(settling)
			}
		}
		select {
		case <-over.C:
			return query.Page{}, nil
		case <-ctx.Done():
			return query.Page{}, nil
		case <-a.Stopping:
			return query.Page{}, nil
		case <-ticks.C:
		}
		if n, _ := a.Records.Stored(env.ID); n != seen {
			seen = n
			due = minTime(due, time.Now().Add(settling))
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
	want.query = p.query
	seconds, err := parseCount(values, paramWait, longestWait, longestWait)
	if err != nil {
		return want, err
	}
	want.wait = time.Duration(seconds) * time.Second
	if want.preview, err = parseCount(values, paramPreview, 0, mostPreview); err != nil {
		return want, err
	}
	if len(values[paramFields]) > mostFields {
		return want, invalid(paramFields, "must be given at most %d times", mostFields)
	}
	want.ids = values[paramFields]
	want.fields, err = parseFields(want.ids)
	return want, err
}

// parseCount reads a whole number from 0 to most, otherwise where it is left out.
func parseCount(values url.Values, name string, otherwise, most int) (int, error) {
	if !values.Has(name) {
		return otherwise, nil
	}
	n, err := strconv.Atoi(values.Get(name))
	if err != nil || n < 0 || n > most {
		return 0, invalid(name, "must be a whole number from 0 to %d", most)
	}
	return n, nil
}
