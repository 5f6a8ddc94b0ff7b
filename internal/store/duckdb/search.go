// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Search returns one page: first the places of what it shows, from the few columns
// that filters and order need, then the rows themselves.
func (db *DB) Search(ctx context.Context, env tenant.Environment, q query.Query) (query.Page, error) {
	if err := q.Validate(); err != nil {
		return query.Page{}, err
	}
	q.From = max(q.From, db.oldest(env))
	doing := "find spans"
	if q.Subject == query.Outputs {
		doing = "find outputs"
	}
	var s *search
	err := db.look(ctx, doing, env.ID, func(conn *partitions.Querier, all []held) error {
		s = &search{env: env, query: q, counted: map[*partitions.Partition]int64{}, all: all}
		return s.do(ctx, conn)
	})
	if err != nil {
		return query.Page{}, err
	}
	return s.page, nil
}

// oldest returns when the oldest span started that is within env's retention.
func (db *DB) oldest(env tenant.Environment) int64 {
	return partitions.After(db.cfg.Now().UnixNano(), -max(env.Retention, 0))
}

// search is one call of Search.
type search struct {
	env        tenant.Environment
	query      query.Query
	all        []held     // that have anything of env
	partitions []held     // that can have hits, in the order of the query
	conditions conditions // as far as they are the same in all partitions
	hits       []hit
	counted    map[*partitions.Partition]int64 // where collect saw all that match
	page       query.Page
}

func (s *search) ofOutputs() bool { return s.query.Subject == query.Outputs }

// hit is the place of a span or an output in the order, and where its row is.
type hit struct {
	query.Position
	partition *partitions.Partition
	seq       int64 // of the span
	output    outputPlace
}

func (s *search) do(ctx context.Context, q *partitions.Querier) error {
	s.conditions.stored = messages(s.all)
	condition, err := s.conditions.filter(query.All(s.query.Filters...), s.env.Slug)
	if err != nil {
		return err
	}
	s.conditions.must(condition)
	if s.conditions.never {
		return nil
	}
	if err := s.prepare(ctx, q); err != nil {
		return err
	}
	s.order()
	if err := s.collect(ctx, q); err != nil {
		return err
	}
	if err := s.count(ctx, q); err != nil {
		return err
	}
	if s.ofOutputs() {
		return s.fetchOutputs(ctx, q)
	}
	return s.fetch(ctx, q)
}

// messages reports whether there are any that came apart from their spans.
func messages(list []held) bool {
	return slices.ContainsFunc(list, func(h held) bool { return h.Messages > 0 })
}

// prepare makes the tables that conditions look into.
func (s *search) prepare(ctx context.Context, q *partitions.Querier) error {
	for _, l := range s.conditions.logged {
		if err := l.prepare(ctx, q, s.all); err != nil {
			return err
		}
	}
	return nil
}

// order sorts the partitions by when the first hits could be in them, and
// leaves out those without any.
func (s *search) order() {
	s.partitions = slices.DeleteFunc(slices.Clone(s.all), func(h held) bool {
		return h.Spans == 0 || h.Max < s.query.From || h.Min > s.query.To
	})
	slices.SortFunc(s.partitions, func(a, b held) int {
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
func (s *search) count(ctx context.Context, q *partitions.Querier) error {
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

func (s *search) countIn(ctx context.Context, q *partitions.Querier, h held) (n int64, err error) {
	if !s.ofOutputs() && len(s.query.Filters) == 0 && s.query.From <= h.Min && h.Max <= s.query.To && h.Messages == 0 {
		return h.Spans, nil
	}
	if n, known := s.counted[h.Partition]; known {
		return n, nil
	}
	if err := q.In(ctx, h.Partition); err != nil {
		return 0, err
	}
	c, err := s.conditionsIn(ctx, q)
	if err != nil || c.never {
		return 0, err
	}
	st := s.statement("count(*)", h, c)
	err = q.Conn.QueryRowContext(ctx, st.text(), st.args...).Scan(&n)
	return n, err
}

// passed reports whether no row of h can come before the worst of enough hits.
func (s *search) passed(h held) bool {
	if s.query.Order.By != query.SortTimestamp || len(s.hits) <= s.query.Limit {
		return false
	}
	worst := s.hits[s.query.Limit].Start
	if s.query.Order.Descending {
		return h.Max < worst
	}
	return h.Min > worst
}
