// SPDX-License-Identifier: Apache-2.0

package opinions

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Entity is what an opinion is about where it does not name a span: whatever has an id
// in one of some attributes of spans, the likeliest first.
type Entity struct {
	Keys []string `json:"keys"`
	ID   string   `json:"id"`
}

const (
	// startsBefore is how long before an opinion came the span that it waits for may have
	// started.
	startsBefore = 24 * time.Hour
	// keysAtOnce is how many attributes are looked into before others are.
	keysAtOnce = 30
)

// Find returns the span that an entity is about: of the latest trace that has a span with
// its id and that started from a time on, Unix nanoseconds, the earliest of those spans.
func (e *Entity) Find(ctx context.Context, in store.Searcher, env tenant.Environment, from int64, now time.Time) (key span.Key, found bool, err error) {
	for keys := range slices.Chunk(e.Keys, keysAtOnce) {
		q, err := searchFor(keys, []string{e.ID}, from, now)
		if err != nil {
			return key, false, err
		}
		latest, err := in.Search(ctx, env, q)
		if err != nil {
			return key, false, err
		}
		if len(latest.Spans) == 0 {
			continue
		}
		trace := latest.Spans[0].TraceID.String()
		q.Filters = append(q.Filters, query.Equals(query.TraceField, trace))
		q.Order.Descending = false
		first, err := in.Search(ctx, env, q)
		if err != nil || len(first.Spans) == 0 { // it was replaced this moment
			return latest.Spans[0].Key(), true, err
		}
		return first.Spans[0].Key(), true, nil
	}
	return key, false, nil
}

// searchFor asks for the latest span that has one of some ids in one of some attributes.
func searchFor(keys, ids []string, from int64, now time.Time) (query.Query, error) {
	alternatives := make([]query.Filter, len(keys))
	for i, name := range keys {
		f, err := query.ParseAttribute(name)
		if err != nil {
			return query.Query{}, err
		}
		alternatives[i] = query.Filter{Field: f, Operator: query.OpIn, Values: ids}
	}
	return query.Query{
		Subject: query.Spans, From: from, To: now.Add(time.Hour).UnixNano(),
		Filters: []query.Filter{query.Any(alternatives...)}, Order: query.Order{By: query.SortTimestamp, Descending: true}, Limit: 1,
	}, nil
}

// about returns the entity that a list of opinions is about, nil for another list.
func about(given []Given) *Entity {
	if len(given) == 1 {
		return given[0].About
	}
	return nil
}

// found gives opinions about entities the spans that these have, of those that started
// from a time on, and returns the others apart.
func (b *Book) found(ctx context.Context, env tenant.Environment, given []Given, from int64) (on, sought []Given, err error) {
	for _, g := range given {
		if g.About == nil {
			on = append(on, g)
			continue
		}
		key, there, err := g.About.Find(ctx, b.engine, env, from, b.now())
		switch {
		case err != nil:
			return nil, nil, err
		case there:
			on = append(on, Given{TraceID: key.TraceID, SpanID: key.SpanID, Evaluations: g.Evaluations})
		default:
			sought = append(sought, g)
		}
	}
	return on, sought, nil
}

// absent returns which of some lists wait for spans of entities that have not come: many
// wait that are looked for in the same attributes, and one search tells of all of them.
func (b *Book) absent(ctx context.Context, lists []*waiting) (map[*waiting]bool, error) {
	type group struct {
		env  tenant.EnvironmentID
		keys string
	}
	groups := map[group][]*waiting{}
	for _, w := range lists {
		if w.about != nil {
			g := group{w.env.ID, strings.Join(w.about.Keys, "\x00")}
			groups[g] = append(groups[g], w)
		}
	}
	absent := map[*waiting]bool{}
	for _, same := range groups {
		if len(same) == 1 {
			continue
		}
		ids, from := make([]string, len(same)), same[0].document.CreatedAt
		for i, w := range same {
			ids[i] = w.about.ID
			if w.document.CreatedAt.Before(from) {
				from = w.document.CreatedAt
			}
		}
		there, err := b.anyOf(ctx, same[0], ids, from.Add(-startsBefore).UnixNano())
		if err != nil {
			return nil, err
		}
		for _, w := range same {
			absent[w] = !there
		}
	}
	return absent, nil
}

// anyOf reports whether a span has one of some ids where a list looks for its own.
func (b *Book) anyOf(ctx context.Context, w *waiting, ids []string, from int64) (bool, error) {
	for keys := range slices.Chunk(w.about.Keys, keysAtOnce) {
		for some := range slices.Chunk(ids, query.MaxFilterValues) {
			q, err := searchFor(keys, some, from, b.now())
			if err != nil {
				return false, err
			}
			page, err := b.engine.Search(ctx, w.env, q)
			if err != nil || len(page.Spans) > 0 {
				return len(page.Spans) > 0, err
			}
		}
	}
	return false, nil
}
