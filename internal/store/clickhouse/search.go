// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// search is one call of Search.
type search struct {
	db     *DB
	env    tenant.Environment
	query  query.Query
	source source
}

// Search implements store.Engine: first the keys of what the page shows, from the
// few columns that filters and order need, then the rows themselves.
func (db *DB) Search(ctx context.Context, env tenant.Environment, q query.Query) (query.Page, error) {
	if err := q.Validate(); err != nil {
		return query.Page{}, err
	}
	leave, err := db.enter(ctx)
	if err != nil {
		return query.Page{}, err
	}
	defer leave()
	q.From = max(q.From, db.oldest(env))
	if q.From > q.To {
		return query.Page{}, nil
	}
	s := &search{db: db, env: env, query: q, source: db.sourceOf(env.ID, q.From, q.To)}
	if s.source.beside, err = db.besideOf(ctx, env.ID); err != nil {
		return query.Page{}, err
	}
	s.source.where += indexed(q.Filters)
	if q.Subject == query.Outputs {
		return s.outputs(ctx)
	}
	return s.spans(ctx)
}

// oldest returns when the oldest span started that is within env's retention.
func (db *DB) oldest(env tenant.Environment) int64 {
	return after(db.cfg.Now().UnixNano(), -max(env.Retention, 0))
}

// sourceOf returns the spans of an environment that started in a period.
func (db *DB) sourceOf(env tenant.EnvironmentID, from, to int64) source {
	where := "env = " + literal(string(env)) + " AND bucket BETWEEN " + whole(bucketOf(from)) + " AND " + whole(bucketOf(to))
	return source{where: where + " AND start BETWEEN " + whole(from) + " AND " + whole(to), lateWhere: where}
}

// maxLooks is how often keys are looked for whose rows were gone when they were
// read.
const maxLooks = 3

func (s *search) spans(ctx context.Context) (page query.Page, err error) {
	filters := s.condition(query.All(s.query.Filters...))
	order := s.orderOfSpans()
	if s.query.Total {
		if page.Total, err = s.db.number(ctx, "count spans", "SELECT toInt64(count()) FROM "+s.source.from()+" WHERE "+filters); err != nil {
			return query.Page{}, err
		}
	}
	if s.query.Limit == 0 {
		return page, nil
	}
	statement := "SELECT env, bucket, trace, id FROM " + s.source.from() + " WHERE " + filters + order.behind + order.by + " LIMIT " + strconv.Itoa(s.query.Limit+1)
	for range maxLooks {
		keys, err := rows(ctx, s.db, "find spans", keyColumns[:4], statement)
		if err != nil {
			return query.Page{}, err
		}
		of := make([]owner, min(len(keys), s.query.Limit))
		for i := range of {
			of[i] = keys[i].owner()
		}
		if s.query.Brief {
			page.Spans, err = s.db.fetchBrief(ctx, s.env, of)
		} else {
			page.Spans, err = s.db.fetch(ctx, s.env, of, s.source.beside)
		}
		if err != nil {
			return query.Page{}, err
		}
		if len(of) > 0 && len(page.Spans) == 0 {
			continue
		}
		if len(keys) > s.query.Limit {
			next := s.query.Order.Position(&page.Spans[len(page.Spans)-1])
			page.Next = &next
		}
		return page, nil
	}
	return query.Page{}, fault.New(fault.Unavailable, "the spans of the page went while they were read")
}

// order is what a query is sorted by.
type order struct {
	by     string
	behind string // the condition that a row is behind the query's position
}

// newOrder returns an order by expressions, and behind a position's values of them.
func newOrder(q *query.Query, exprs, values []string) order {
	direction, than := "", ">"
	if q.Order.Descending {
		direction, than = " DESC", "<"
	}
	o := order{by: " ORDER BY " + strings.Join(exprs, direction+", ") + direction}
	if q.After != nil {
		o.behind = " AND (" + strings.Join(exprs, ", ") + ") " + than + " (" + strings.Join(values, ", ") + ")"
	}
	return o
}

// orderOfSpans returns the order of the query, of spans.
func (s *search) orderOfSpans() order {
	by, after := s.query.Order, query.Position{}
	if s.query.After != nil {
		after = *s.query.After
	}
	exprs := []string{"trace", "id", "bucket"}
	values := []string{fixed(after.TraceID[:]), fixed(after.SpanID[:]), whole(int64(after.Bucket))}
	add := func(expr, value string) {
		exprs, values = append([]string{expr}, exprs...), append([]string{value}, values...)
	}
	f, _ := span.FieldOfSort(string(by.By))
	switch {
	case by.By == query.SortEvaluation:
		add(verdictNumber(s.verdict(by.Slug, by.Output)), real64(after.Real))
	case by.By == query.SortTimestamp:
		add("start", whole(after.Start))
	case by.By == query.SortTraceID:
	case f.Text != nil:
		add("substringUTF8(toString("+columnNames[f.ID]+"), 1, "+strconv.Itoa(query.SortedText)+")", literal(after.Text))
	default:
		add(columnNames[f.ID], whole(after.Number))
	}
	return newOrder(&s.query, exprs, values)
}

// verdictNumber returns the number that verdicts are sorted by.
func verdictNumber(text string) string {
	return "multiIf(ifNull(" + text + " = 'false', 0), 0., ifNull(" + text + " = 'true', 0), 1., ifNull(" + numberOf(text) + ", -inf))"
}
