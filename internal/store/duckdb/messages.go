// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"cmp"
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// fillMessages fills in, for spans of the page without prompts or completions, those
// that came apart from them, from whatever partition.
func (s *search) fillMessages(ctx context.Context, q *partitions.Querier) error {
	if !s.apart {
		return nil
	}
	lacking := map[tables.Key]*span.Span{}
	var traces []int64
	for i := range s.page.Spans {
		x := &s.page.Spans[i]
		if len(x.Prompts) > 0 && len(x.Completions) > 0 {
			continue
		}
		k := tables.KeyOf(0, x.TraceID, x.SpanID)
		lacking[k] = x
		traces = append(traces, k.Hi)
	}
	if len(traces) == 0 {
		return nil
	}
	found := map[tables.Key][]tables.MessagesRow{}
	for _, h := range s.all {
		if h.Messages == 0 {
			continue
		}
		if err := q.In(ctx, h.Partition); err != nil {
			return err
		}
		err := tables.ReadMessages(ctx, q.Conn, h.Code, traces, func(k tables.Key, m tables.MessagesRow) {
			if lacking[k] != nil {
				found[k] = append(found[k], m)
			}
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
func fill(x *span.Span, list []tables.MessagesRow) {
	slices.SortStableFunc(list, func(a, b tables.MessagesRow) int { return cmp.Compare(a.Happened, b.Happened) })
	noPrompts, noCompletions := len(x.Prompts) == 0, len(x.Completions) == 0
	for _, m := range list {
		if noPrompts {
			for _, a := range m.Prompts {
				x.Prompts = x.Prompts.With(a.Key, a.Value)
			}
		}
		if noCompletions {
			for _, a := range m.Completions {
				x.Completions = x.Completions.With(a.Key, a.Value)
			}
		}
	}
}
