// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Get implements store.Engine: first the keys of the spans of all traces, then the
// rows.
func (db *DB) Get(ctx context.Context, env tenant.Environment, keys []span.Key, siblings int) ([]span.Span, error) {
	leave, err := db.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if len(keys) == 0 {
		return nil, nil
	}
	found, err := rows(ctx, db, "get spans", keyColumns, "SELECT "+names(keyColumns)+" FROM "+spansTable+
		" FINAL PREWHERE "+meant(env.ID, keys, siblings, "start >= "+sqltext.Whole(db.oldest(env))))
	if err != nil {
		return nil, err
	}
	b, err := db.besideOf(ctx, env.ID)
	if err != nil {
		return nil, err
	}
	return db.fetch(ctx, env, chosen(found, keys, max(siblings, 0)), b)
}

// meant returns the condition on the key that a row is one of the spans or, with siblings,
// one of the first of their traces, and what holds besides: who wants few of a trace does
// not read all that it has.
func meant(env tenant.EnvironmentID, keys []span.Key, siblings int, besides string) string {
	of := make([]store.Owner, len(keys))
	traces := make([]span.TraceID, len(keys))
	known := true
	for i, k := range keys {
		known = known && k.Start != 0
		of[i], traces[i] = store.Location{Environment: env, Span: k}.Owner(), k.TraceID
	}
	if siblings <= 0 && known {
		return sqltext.Among(of) + " WHERE " + besides
	}
	slices.SortFunc(traces, func(a, b span.TraceID) int { return bytes.Compare(a[:], b[:]) })
	there := "env = " + sqltext.Literal(string(env)) + " AND " + sqltext.InTraces(slices.Compact(traces))
	if siblings <= 0 {
		return there + " AND " + sqltext.HasID(keys) + " WHERE " + besides
	}
	return there + " WHERE " + besides + " QUALIFY " + sqltext.HasID(keys) + " OR row_number() OVER (PARTITION BY trace, " + sqltext.HasID(keys) + " ORDER BY start, id) <= " + strconv.Itoa(siblings)
}

// chosen returns which of the spans of traces are asked for: those that the keys
// mean, and the first others of their traces; trace by trace in the order of the
// keys, and by start.
func chosen(found []*spanRow, keys []span.Key, siblings int) (list []store.Owner) {
	slices.SortFunc(found, func(a, b *spanRow) int {
		return cmp.Or(cmp.Compare(a.span.Start, b.span.Start), bytes.Compare(a.id[:], b.id[:]))
	})
	traces := map[span.TraceID][]*spanRow{}
	for _, r := range found {
		traces[r.trace] = append(traces[r.trace], r)
	}
	wanted := map[*spanRow]bool{}
	var order []span.TraceID
	spans := map[span.TraceID]map[span.ID][]*spanRow{}
	for trace, all := range traces {
		spans[trace] = map[span.ID][]*spanRow{}
		for _, r := range all {
			spans[trace][r.id] = append(spans[trace][r.id], r)
		}
	}
	for _, k := range keys {
		for _, r := range spans[k.TraceID][k.SpanID] {
			if k.Means(r.key()) {
				wanted[r] = true
				order = append(order, r.trace)
			}
		}
	}
	taken := map[span.TraceID]bool{}
	for _, trace := range order {
		if taken[trace] {
			continue
		}
		taken[trace] = true
		left := siblings
		for _, r := range traces[trace] {
			if !wanted[r] {
				if left--; left < 0 {
					continue
				}
			}
			list = append(list, r.owner())
		}
	}
	return list
}

// fetch returns spans in the order of their keys, those that are there, as show does.
func (db *DB) fetch(ctx context.Context, env tenant.Environment, of []store.Owner, b beside) ([]span.Span, error) {
	if len(of) == 0 {
		return nil, nil
	}
	found, err := db.readSpans(ctx, shownColumns, of)
	if err != nil {
		return nil, err
	}
	return db.show(ctx, env, of, found, b)
}

// show returns spans of which rows were found, in the order of their keys, with their
// verdicts among the attributes and the messages that came apart.
func (db *DB) show(ctx context.Context, env tenant.Environment, of []store.Owner, found []*spanRow, b beside) (list []span.Span, err error) {
	if b.late {
		err = db.addLate(ctx, found, store.Latest)
	}
	if err != nil {
		return nil, err
	}
	if err := db.addMessages(ctx, found, b.messages); err != nil {
		return nil, err
	}
	return inOrder(env, of, found), nil
}

// inOrder returns spans of which rows were found, in the order of their keys.
func inOrder(env tenant.Environment, of []store.Owner, found []*spanRow) []span.Span {
	byOwner := make(map[store.Owner]*spanRow, len(found))
	for _, r := range found {
		byOwner[r.owner()] = r
	}
	list := make([]span.Span, 0, len(of))
	for _, o := range of {
		if r := byOwner[o]; r != nil {
			list = append(list, r.shown(env.Slug))
		}
	}
	return list
}

// readSpans reads columns of spans, those that are there, in any order.
func (db *DB) readSpans(ctx context.Context, columns []column[spanRow], of []store.Owner) ([]*spanRow, error) {
	statement := "SELECT " + names(columns) + " FROM " + spansTable + " FINAL PREWHERE " + sqltext.Among(of)
	if len(of) <= fewRead {
		statement += " SETTINGS max_threads = 1"
	}
	return rows(ctx, db, "read spans", columns, statement)
}

// fewRead is how many spans are read by one thread: more of them begin and end with every
// column for less than each then reads.
const fewRead = 100

// shown returns the span as the API shows it.
func (r *spanRow) shown(slug string) span.Span {
	s := r.span
	s.Environment, s.TraceID, s.SpanID = slug, r.trace, r.id
	sortMade(r.evaluations)
	for _, v := range r.evaluations {
		if v.Status != eval.Done {
			continue
		}
		for _, o := range v.Outputs {
			s.Attributes = s.Attributes.With(tenant.EvaluationPrefix+v.Evaluator+"."+o.Name, o.Text())
		}
	}
	return s
}

// addMessages adds to spans what they have not themselves.
func (db *DB) addMessages(ctx context.Context, spans []*spanRow, where string) error {
	var traces []span.TraceID
	for _, r := range spans {
		if len(r.span.Prompts) == 0 || len(r.span.Completions) == 0 {
			traces = append(traces, r.trace)
		}
	}
	if where == "" || len(traces) == 0 {
		return nil
	}
	list, err := rows(ctx, db, "read messages", messageColumns,
		"SELECT "+names(messageColumns)+" FROM "+messagesTable+" FINAL WHERE "+where+" AND "+sqltext.InTraces(traces))
	if err != nil {
		return err
	}
	apart := map[spanIDs][2][]span.Attribute{}
	for _, m := range list {
		sides := apart[m.ids()]
		sides[m.side] = append(sides[m.side], span.Attribute{Key: m.key, Value: m.value})
		apart[m.ids()] = sides
	}
	for _, r := range spans {
		sides := apart[r.ids()]
		if len(r.span.Prompts) == 0 {
			r.span.Prompts = span.NewAttributes(sides[sidePrompts])
		}
		if len(r.span.Completions) == 0 {
			r.span.Completions = span.NewAttributes(sides[sideCompletions])
		}
	}
	return nil
}
