// SPDX-License-Identifier: Apache-2.0

package reading

import (
	"cmp"
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// weighMessages adds to the hits how many bytes of messages they have that came apart,
// from whatever partition: whether they need them is not known before they are read.
func (s *Search) weighMessages(ctx context.Context, q *partitions.Querier) error {
	if !s.apart {
		return nil
	}
	places := map[tables.Key][]int{}
	var of tables.Apart
	for i := range s.hits {
		k := tables.KeyOf(0, s.hits[i].TraceID, s.hits[i].SpanID)
		places[k] = append(places[k], i)
		of.Add(k)
	}
	return s.inMessages(ctx, q, func(h partitions.Held) error {
		return tables.ReadMessageSizes(ctx, q.Conn, h.Code, of, func(k tables.Key, bytes int64) {
			for _, i := range places[k] {
				s.hits[i].apart += bytes
			}
		})
	})
}

// fillMessages fills in, for spans of the page without prompts or completions, those
// that came apart from them, from whatever partition.
func (s *Search) fillMessages(ctx context.Context, q *partitions.Querier) error {
	if !s.apart {
		return nil
	}
	lacking := map[tables.Key]*span.Span{}
	var of tables.Apart
	for i := range s.page.Spans {
		x := &s.page.Spans[i]
		if hasMessages(x) {
			continue
		}
		k := tables.KeyOf(0, x.TraceID, x.SpanID)
		lacking[k] = x
		of.Add(k)
	}
	if len(lacking) == 0 {
		return nil
	}
	found := map[tables.Key][]tables.MessagesRow{}
	err := s.inMessages(ctx, q, func(h partitions.Held) error {
		return tables.ReadMessages(ctx, q.Conn, h.Code, of, func(k tables.Key, m tables.MessagesRow) {
			if lacking[k] != nil {
				found[k] = append(found[k], m)
			}
		})
	})
	if err != nil {
		return err
	}
	for k, list := range found {
		fill(lacking[k], list)
	}
	return nil
}

// hasMessages reports whether a span needs none that came apart.
func hasMessages(x *span.Span) bool { return len(x.Prompts) > 0 && len(x.Completions) > 0 }

// inMessages calls f within each partition that has messages.
func (s *Search) inMessages(ctx context.Context, q *partitions.Querier, f func(partitions.Held) error) error {
	for _, h := range s.all {
		if h.Messages == 0 {
			continue
		}
		if err := q.In(ctx, h.Partition); err != nil {
			return err
		}
		if err := f(h); err != nil {
			return err
		}
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
