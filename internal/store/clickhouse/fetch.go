// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// fetch returns spans in the order of their keys, those that are there, with their
// verdicts among the attributes and the messages that came apart.
func (db *DB) fetch(ctx context.Context, env tenant.Environment, of []store.Owner, b beside) ([]span.Span, error) {
	if len(of) == 0 {
		return nil, nil
	}
	found, err := db.readSpans(ctx, shownColumns, of)
	if err != nil {
		return nil, err
	}
	if b.late {
		err = db.addLate(ctx, found, store.Latest)
	}
	if err != nil {
		return nil, err
	}
	if err := db.addMessages(ctx, found, b.messages); err != nil {
		return nil, err
	}
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
	return list, nil
}

// readSpans reads columns of spans, those that are there, in any order.
func (db *DB) readSpans(ctx context.Context, columns []column[spanRow], of []store.Owner) ([]*spanRow, error) {
	return rows(ctx, db, "read spans", columns, "SELECT "+names(columns)+" FROM "+spansTable+" FINAL PREWHERE "+sqltext.Among(of))
}

// fetchBrief is fetch of brief spans, see query.Query.
func (db *DB) fetchBrief(ctx context.Context, env tenant.Environment, of []store.Owner) ([]span.Span, error) {
	list := make([]span.Span, 0, len(of))
	for some := range slices.Chunk(of, query.MaxLimit) {
		found, err := db.readSpans(ctx, briefColumns, some)
		if err != nil {
			return nil, err
		}
		byOwner := make(map[store.Owner]*spanRow, len(found))
		for _, r := range found {
			byOwner[r.owner()] = r
		}
		for _, o := range some {
			if r := byOwner[o]; r != nil {
				list = append(list, r.shown(env.Slug))
			}
		}
	}
	return list, nil
}

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
