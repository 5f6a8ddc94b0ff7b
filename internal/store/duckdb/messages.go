// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// logged are messages that came apart from their span.
type logged struct {
	happened             int64
	prompts, completions span.Attributes
}

// fillMessages gives spans of the page without prompts or completions those
// that came apart from them, from whatever partition.
func (s *search) fillMessages(ctx context.Context, q querier) error {
	if !s.conditions.stored {
		return nil
	}
	lacking := map[rowKey]*span.Span{}
	var traces []int64
	for i := range s.page.Spans {
		x := &s.page.Spans[i]
		if len(x.Prompts) > 0 && len(x.Completions) > 0 {
			continue
		}
		k := rowKeyOf(0, x.TraceID, x.SpanID)
		lacking[k] = x
		traces = append(traces, k.hi)
	}
	if len(traces) == 0 {
		return nil
	}
	found := map[rowKey][]logged{}
	for _, h := range s.all {
		if h.messages == 0 {
			continue
		}
		if err := q.in(ctx, h.partition); err != nil {
			return err
		}
		err := q.each(ctx, loggedSQL, []any{h.code, traces}, func(rows *sql.Rows) error {
			var k rowKey
			var m logged
			var promptKeys, prompts, completionKeys, completions texts
			err := rows.Scan(&k.hi, &k.lo, &k.id, &m.happened, &promptKeys, &prompts, &completionKeys, &completions)
			if lacking[k] != nil {
				m.prompts, m.completions = zip(promptKeys, prompts), zip(completionKeys, completions)
				found[k] = append(found[k], m)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for k, list := range found {
		fill(lacking[k], list)
	}
	return nil
}

// fill joins messages by key; of equal keys, what happened last counts.
func fill(x *span.Span, list []logged) {
	slices.SortStableFunc(list, func(a, b logged) int { return cmp.Compare(a.happened, b.happened) })
	noPrompts, noCompletions := len(x.Prompts) == 0, len(x.Completions) == 0
	for _, m := range list {
		if noPrompts {
			for _, a := range m.prompts {
				x.Prompts = x.Prompts.With(a.Key, a.Value)
			}
		}
		if noCompletions {
			for _, a := range m.completions {
				x.Completions = x.Completions.With(a.Key, a.Value)
			}
		}
	}
}
