// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/periods"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/tokens"
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
	s.source.where += tokens.Having(q.Filters)
	if q.Subject == query.Outputs {
		return s.outputs(ctx)
	}
	return s.spans(ctx)
}

// oldest returns when the oldest span started that is within env's retention.
func (db *DB) oldest(env tenant.Environment) int64 {
	return periods.After(db.cfg.Now().UnixNano(), -max(env.Retention, 0))
}

// sourceOf returns the spans of an environment that started in a period.
func (db *DB) sourceOf(env tenant.EnvironmentID, from, to int64) source {
	where := "env = " + sqltext.Literal(string(env)) + " AND bucket BETWEEN " + sqltext.Whole(periods.BucketOf(from)) + " AND " + sqltext.Whole(periods.BucketOf(to))
	return source{where: where + " AND start BETWEEN " + sqltext.Whole(from) + " AND " + sqltext.Whole(to), lateWhere: where}
}

// maxLooks is how often keys are looked for whose rows were gone when they were
// read.
const maxLooks = 3

func (s *search) spans(ctx context.Context) (page query.Page, err error) {
	filters := s.condition(query.All(s.query.Filters...))
	order := s.orderOfSpans()
	windows := s.windows()
	if s.query.Total {
		counted, err := s.count(ctx, filters, order)
		if err != nil {
			return query.Page{}, err
		}
		page.Total = counted.total
		if !counted.more {
			return page, nil
		}
		if windows != nil {
			windows = []string{s.until(counted.bucket)}
		}
	}
	if s.query.Limit == 0 {
		return page, nil
	}
	for range maxLooks {
		keys, err := s.hits(ctx, filters, order, windows)
		if err != nil {
			return query.Page{}, err
		}
		if err := s.weighMessages(ctx, keys); err != nil {
			return query.Page{}, err
		}
		of := make([]store.Owner, s.within(keys))
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
		if len(keys) > len(of) {
			next := s.query.Order.Position(&page.Spans[len(page.Spans)-1])
			page.Next = &next
		}
		return page, nil
	}
	return query.Page{}, fault.New(fault.Unavailable, "the spans of the page went while they were read")
}

// weighMessages adds to spans how many bytes of messages they have that came apart:
// whether they need them is not known before they are read.
func (s *search) weighMessages(ctx context.Context, keys []*spanRow) error {
	if s.source.messages == "" || s.query.Brief || len(keys) == 0 {
		return nil
	}
	traces := make([]span.TraceID, len(keys))
	places := map[spanIDs][]*spanRow{}
	for i, r := range keys {
		traces[i] = r.trace
		places[r.ids()] = append(places[r.ids()], r)
	}
	sizes, err := rows(ctx, s.db, "weigh messages", messageSizeColumns,
		"SELECT trace, id, toInt64(sum(length(value))) FROM "+messagesTable+" FINAL WHERE "+s.source.messages+" AND "+sqltext.InTraces(traces)+" GROUP BY trace, id")
	for _, m := range sizes {
		for _, r := range places[m.ids()] {
			r.textBytes += m.textBytes
		}
	}
	return err
}

// hits returns the keys of the spans that a page may have and of one more, from the first
// of the windows that has as many, nil being all there are.
func (s *search) hits(ctx context.Context, filters string, order order, windows []string) (keys []*spanRow, err error) {
	if windows == nil {
		windows = []string{""}
	}
	for _, window := range windows {
		of := s.source
		of.where += window
		of.lateWhere += window
		keys, err = rows(ctx, s.db, "find spans", hitColumns, "SELECT "+names(hitColumns)+" FROM "+of.from()+
			" WHERE "+filters+order.behind+order.by+" LIMIT "+strconv.Itoa(s.query.Limit+1))
		if err != nil || len(keys) > s.query.Limit {
			break
		}
	}
	return keys, err
}

// within returns how many of the spans that were found a page has, by its limit and by
// their texts; the first has room.
func (s *search) within(keys []*spanRow) int {
	n, used := 0, int64(0)
	for n < min(len(keys), s.query.Limit) {
		if used += keys[n].textBytes; used > query.PageBytes && n > 0 && !s.query.Brief {
			break
		}
		n++
	}
	return n
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
	values := []string{sqltext.Fixed(after.TraceID[:]), sqltext.Fixed(after.SpanID[:]), sqltext.Whole(int64(after.Bucket))}
	add := func(expr, value string) {
		exprs, values = append([]string{expr}, exprs...), append([]string{value}, values...)
	}
	f, _ := span.FieldOfSort(string(by.By))
	switch {
	case by.By == query.SortEvaluation:
		add(verdictNumber(s.verdict(by.Slug, by.Output)), sqltext.Number(after.Real))
	case by.By == query.SortTimestamp:
		add("start", sqltext.Whole(after.Start))
	case by.By == query.SortTraceID:
	case f.Text != nil:
		add("substringUTF8(toString("+columnNames[f.ID]+"), 1, "+strconv.Itoa(query.SortedText)+")", sqltext.Literal(after.Text))
	default:
		add(columnNames[f.ID], sqltext.Whole(after.Number))
	}
	return newOrder(&s.query, exprs, values)
}

// verdictNumber returns the number that verdicts are sorted by.
func verdictNumber(text string) string {
	return "multiIf(ifNull(" + text + " = 'false', 0), 0., ifNull(" + text + " = 'true', 0), 1., ifNull(" + numberOf(text) + ", -inf))"
}
