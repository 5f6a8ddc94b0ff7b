// SPDX-License-Identifier: Apache-2.0

package reading

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// fetchFirst is how many rows are read before it is known how much their evaluations
// add to their texts: a page of the usual length is read at once.
const fetchFirst = 50

// fetch reads the rows of all hits and what belongs to them.
func (s *Search) fetch(ctx context.Context, q *partitions.Querier) error {
	s.page.Spans = make([]span.Span, 0, len(s.hits))
	if err := s.fetchSlice(ctx, q, 0, len(s.hits)); err != nil || s.query.Brief {
		return err
	}
	return s.fillMessages(ctx, q)
}

// fetchPage reads the rows of the hits and what belongs to them until the page has
// as much text as it may, as many at a time as by their size, and by what was read so
// far, there is room for.
func (s *Search) fetchPage(ctx context.Context, q *partitions.Querier) error {
	if s.query.Brief {
		return s.fetch(ctx, q)
	}
	if err := s.weighMessages(ctx, q); err != nil {
		return err
	}
	s.page.Spans = make([]span.Span, 0, len(s.hits))
	used := 0
	for n := fetchFirst; len(s.page.Spans) < len(s.hits); {
		from := len(s.page.Spans)
		to := s.within(from, min(from+n, len(s.hits)), query.PageBytes-used)
		if to == from {
			s.endAt(from)
			break
		}
		if err := s.fetchSlice(ctx, q, from, to); err != nil {
			return err
		}
		for i := from; i < to; i++ {
			if used += s.textBytes(i); used > query.PageBytes && i > 0 {
				s.endAt(i)
				return s.fillMessages(ctx, q)
			}
		}
		n = max((query.PageBytes-used)/(used/to+1), 1)
	}
	return s.fillMessages(ctx, q)
}

// textBytes returns how many bytes of text the span of a place has that was read, with the
// messages that it is to get.
func (s *Search) textBytes(i int) int {
	x := &s.page.Spans[i]
	if hasMessages(x) {
		return x.TextBytes()
	}
	return x.TextBytes() + int(s.hits[i].apart)
}

// within returns where hits from a place to another end that have no more text than
// room, in bytes. The first of a page has room.
func (s *Search) within(from, to, room int) int {
	for i := from; i < to; i++ {
		if room -= int(s.hits[i].Bytes + s.hits[i].apart); room < 0 && i > 0 {
			return i
		}
	}
	return to
}

// endAt ends the page before a hit.
func (s *Search) endAt(n int) {
	clear(s.page.Spans[n:])
	s.page.Spans, s.hits = s.page.Spans[:n], s.hits[:n]
	next := s.hits[n-1].Position
	s.page.Next = &next
}

// fetchSlice reads the hits from a place of the page to another.
func (s *Search) fetchSlice(ctx context.Context, q *partitions.Querier, from, to int) error {
	places := map[*partitions.Partition]map[int64]int{} // from seq to the place on the page
	var all []*partitions.Partition
	for i, h := range s.hits[from:to] {
		if places[h.partition] == nil {
			places[h.partition] = map[int64]int{}
			all = append(all, h.partition)
		}
		places[h.partition][h.Seq] = from + i
	}
	s.page.Spans = s.page.Spans[:to]
	for _, p := range all {
		if err := q.In(ctx, p); err != nil {
			return err
		}
		if err := s.fetchFrom(ctx, q, p, places[p]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Search) fetchFrom(ctx context.Context, q *partitions.Querier, p *partitions.Partition, places map[int64]int) error {
	seqs := make([]int64, 0, len(places))
	for seq := range places {
		seqs = append(seqs, seq)
	}
	slices.Sort(seqs)
	read := tables.ReadSpans
	if s.query.Brief {
		read = tables.ReadBriefSpans
	}
	rows, err := read(ctx, q.Conn, q.Recall(), seqs, p.IsIndexed())
	if err != nil {
		return err
	}
	if len(rows) < len(seqs) {
		return ErrMoved
	}
	for i := range rows {
		s.page.Spans[places[rows[i].Seq]] = rows[i].Assemble(s.env.Slug)
	}
	if s.query.Brief {
		return nil
	}
	return tables.ReadEvaluations(ctx, q.Conn, q.Recall(), seqs, func(seq int64, v eval.Evaluation) {
		if v.Status != eval.Done {
			return
		}
		x := &s.page.Spans[places[seq]]
		for _, o := range v.Outputs {
			x.Attributes = x.Attributes.With(tenant.EvaluationPrefix+v.Evaluator+"."+o.Name, o.Text())
		}
	})
}
