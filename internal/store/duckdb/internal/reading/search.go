// SPDX-License-Identifier: Apache-2.0

// Package reading reads pages of spans and of outputs, and spans by their keys,
// from the partitions of one snapshot.
package reading

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/statements"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// ErrMoved says that rows which were found are not there any more: their spans or
// evaluations were replaced between two visits of their partition.
var ErrMoved = fault.New(fault.Unavailable, "what was found is being replaced: ask again")

// Search reads one page: first the places of what it shows, from the few columns
// that filters and order need, then the rows themselves.
type Search struct {
	env        tenant.Environment
	query      query.Query
	all        []partitions.Held // that have anything of env
	partitions []partitions.Held // that can have hits, in the order of the query
	statements *statements.Search
	apart      bool // there are messages that came apart from their spans
	hits       []placedHit
	counted    map[*partitions.Partition]int64 // where collect saw all that match
	page       query.Page
}

// NewSearch returns the search of what a query of an environment asks for, which is
// valid. all are the partitions that have anything of env.
func NewSearch(env tenant.Environment, q query.Query, all []partitions.Held) *Search {
	return &Search{env: env, query: q, counted: map[*partitions.Partition]int64{}, all: all}
}

func (s *Search) ofOutputs() bool { return s.query.Subject == query.Outputs }

// placedHit is a hit with the partition that it is in.
type placedHit struct {
	statements.Hit
	partition *partitions.Partition
	apart     int64 // bytes of messages that came apart, see weighMessages
}

// Find finds the places of what the page shows, and its total.
func (s *Search) Find(ctx context.Context, q *partitions.Querier) error {
	if err := s.plan(); err != nil || s.statements.Never() {
		return err
	}
	if err := s.statements.Prepare(ctx, q, s.all); err != nil {
		return err
	}
	s.order()
	if err := s.collect(ctx, q); err != nil {
		return err
	}
	return s.count(ctx, q)
}

// Page reads what was found and returns the page.
func (s *Search) Page(ctx context.Context, q *partitions.Querier) (query.Page, error) {
	var err error
	switch {
	case s.statements.Never():
	case s.ofOutputs():
		err = s.fetchOutputs(ctx, q)
	default:
		err = s.fetchPage(ctx, q)
	}
	return s.page, err
}

// HaveMessages reports whether there are any that came apart from their spans.
func HaveMessages(list []partitions.Held) bool {
	return slices.ContainsFunc(list, func(h partitions.Held) bool { return h.Messages > 0 })
}

// plan makes what makes the statements.
func (s *Search) plan() (err error) {
	s.apart = HaveMessages(s.all)
	s.statements, err = statements.NewSearch(s.query, s.env.Slug, s.apart)
	return err
}

// order sorts the partitions by when the first hits could be in them, and
// leaves out those without any.
func (s *Search) order() {
	s.partitions = slices.DeleteFunc(slices.Clone(s.all), func(h partitions.Held) bool {
		return h.Spans == 0 || h.Max < s.query.From || h.Min > s.query.To
	})
	slices.SortFunc(s.partitions, func(a, b partitions.Held) int {
		switch {
		case s.query.Order.Descending && a.Max != b.Max:
			return compare(b.Max, a.Max)
		case !s.query.Order.Descending && a.Min != b.Min:
			return compare(a.Min, b.Min)
		}
		return compare(a.Serial, b.Serial)
	})
}

// count fills in the total of the page, if it is asked for. Where all rows of a
// partition count, or collect saw those that do, their number is known.
func (s *Search) count(ctx context.Context, q *partitions.Querier) error {
	if !s.query.Total {
		return nil
	}
	for _, h := range s.partitions {
		n, err := s.countIn(ctx, q, h)
		if err != nil {
			return err
		}
		s.page.Total += n
	}
	return nil
}

func (s *Search) countIn(ctx context.Context, q *partitions.Querier, h partitions.Held) (n int64, err error) {
	if !s.ofOutputs() && len(s.query.Filters) == 0 && s.query.From <= h.Min && h.Max <= s.query.To && h.Messages == 0 {
		return h.Spans, nil
	}
	if n, known := s.counted[h.Partition]; known {
		return n, nil
	}
	if err := q.In(ctx, h.Partition); err != nil {
		return 0, err
	}
	p, err := s.statements.On(ctx, q, h.Bounds)
	if err != nil || p.Never() || p.Counted.Valid {
		return p.Counted.Int64, err
	}
	text, args := p.Count()
	err = q.Conn.QueryRowContext(ctx, text, args...).Scan(&n)
	return n, err
}

// passed reports whether no row of h can come before the worst of enough hits.
func (s *Search) passed(h partitions.Held) bool {
	if s.query.Order.By != query.SortTimestamp || len(s.hits) <= s.query.Limit {
		return false
	}
	worst := s.hits[s.query.Limit].Start
	if s.query.Order.Descending {
		return h.Max < worst
	}
	return h.Min > worst
}

func compare(a, b int64) int { return cmp.Compare(a, b) }

// collect finds the first hits, one more than the page takes.
func (s *Search) collect(ctx context.Context, q *partitions.Querier) error {
	if s.query.Limit == 0 {
		return nil // only a total is asked for
	}
	for _, h := range s.partitions {
		if s.passed(h) {
			break
		}
		if err := q.In(ctx, h.Partition); err != nil {
			return err
		}
		if err := s.collectFrom(ctx, q, h); err != nil {
			return err
		}
		s.trim()
	}
	if len(s.hits) > s.query.Limit {
		s.hits = s.hits[:s.query.Limit]
		next := s.hits[s.query.Limit-1].Position
		s.page.Next = &next
	}
	return nil
}

func (s *Search) collectFrom(ctx context.Context, q *partitions.Querier, h partitions.Held) error {
	p, err := s.statements.On(ctx, q, h.Bounds)
	if err != nil {
		return err
	}
	if p.Never() {
		s.counted[h.Partition] = 0
		return nil
	}
	if p.Counted.Valid {
		s.counted[h.Partition] = p.Counted.Int64
	}
	var worst *query.Position
	if len(s.hits) > s.query.Limit {
		worst = &s.hits[s.query.Limit].Position
	}
	if near := p.Near(); near != nil {
		before := len(s.hits)
		if err := s.collectBy(ctx, q, h, near, worst); err != nil || len(s.hits)-before > s.query.Limit {
			return err
		}
		s.hits = s.hits[:before]
	}
	return s.collectBy(ctx, q, h, p, worst)
}

// collectBy collects the first hits that the statement of a part of a partition finds.
func (s *Search) collectBy(ctx context.Context, q *partitions.Querier, h partitions.Held, p *statements.Part, worst *query.Position) error {
	text, args, err := p.FirstHits(ctx, q, worst)
	if err != nil || text == "" {
		return err
	}
	return q.Each(ctx, text, args, func(rows *sql.Rows) error {
		x, found, matching, err := s.statements.ReadHit(rows)
		if matching.Valid {
			s.counted[h.Partition] = matching.Int64
		}
		if found {
			s.hits = append(s.hits, placedHit{Hit: x, partition: h.Partition})
		}
		return err
	})
}

// trim sorts the hits and keeps those that the page needs. A span that is being
// replaced may be in two partitions for a moment: the newer row counts.
func (s *Search) trim() {
	slices.SortStableFunc(s.hits, func(a, b placedHit) int {
		return cmp.Or(s.query.Order.Compare(&a.Position, &b.Position), compare(b.partition.Serial, a.partition.Serial))
	})
	s.hits = slices.CompactFunc(s.hits, func(a, b placedHit) bool { return a.Position == b.Position })
	s.hits = s.hits[:min(len(s.hits), s.query.Limit+1)]
}
