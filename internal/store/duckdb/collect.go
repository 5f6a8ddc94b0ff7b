// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
)

func compare(a, b int64) int { return cmp.Compare(a, b) }

// collect finds the first hits, one more than the page takes.
func (s *search) collect(ctx context.Context, q *partitions.Querier) error {
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

func (s *search) collectFrom(ctx context.Context, q *partitions.Querier, h partitions.Held) error {
	p, err := s.statements.On(ctx, q, h.Bounds)
	if err != nil {
		return err
	}
	if p.Never() {
		s.counted[h.Partition] = 0
		return nil
	}
	var worst *query.Position
	if len(s.hits) > s.query.Limit {
		worst = &s.hits[s.query.Limit].Position
	}
	text, args, err := p.FirstHits(ctx, q, worst)
	if err != nil {
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
func (s *search) trim() {
	slices.SortStableFunc(s.hits, func(a, b placedHit) int {
		return cmp.Or(s.query.Order.Compare(&a.Position, &b.Position), compare(b.partition.Serial, a.partition.Serial))
	})
	s.hits = slices.CompactFunc(s.hits, func(a, b placedHit) bool { return a.Position == b.Position })
	s.hits = s.hits[:min(len(s.hits), s.query.Limit+1)]
}
