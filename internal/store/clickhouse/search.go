// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/periods"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/tokens"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/totals"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// search is one call of Search.
type search struct {
	db     *DB
	env    tenant.Environment
	query  query.Query
	source source
	tokens string        // the condition that the index of attributes tells, behind an AND
	total  int64         // of the spans that were known to be few, see countsFew
	parts  []totals.Part // of the table, where totals of buckets are remembered; nil where they are not
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
	if s.source.beside, s.parts, err = db.besideAndParts(ctx, env.ID, q.Total && q.Subject != query.Outputs); err != nil {
		return query.Page{}, err
	}
	s.tokens = tokens.Having(q.Filters)
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
	if none, err := s.narrow(ctx, filters, s.query.Filters); err != nil || none {
		return query.Page{}, err
	}
	windows := s.windows()
	difference := s.difference()
	switch {
	case !s.query.Total:
		return s.page(ctx, filters, order, windows)
	case difference != "":
		return s.pageAndTotal(ctx, filters, order, windows, func(ctx context.Context) (int64, error) {
			return s.db.number(ctx, "count spans", difference)
		})
	case s.countsFew():
		page, err = s.page(ctx, filters, order, windows)
		page.Total = s.total
		return page, err
	case s.query.Limit > 0 && (len(s.query.Filters) == 0 || s.tokens != ""):
		return s.pageAndTotal(ctx, filters, order, windows, func(ctx context.Context) (int64, error) {
			c, err := s.count(ctx, filters, order)
			return c.total, err
		})
	}
	// What filters have to be looked for in is read once: the count says where a page is.
	counted, err := s.count(ctx, filters, order)
	if err != nil || !counted.more || s.query.Limit == 0 {
		return query.Page{Total: counted.total}, err
	}
	if windows != nil {
		windows = []window{{buckets: s.until(counted.bucket)}}
	}
	page, err = s.page(ctx, filters, order, windows)
	page.Total = counted.total
	return page, err
}

// countsFew reports whether the keys of a first page are looked for with those of all other spans
// that match, which are known to be few: their number is the total.
func (s *search) countsFew() bool {
	return s.source.among != "" && s.query.Total && s.query.Limit > 0 && s.query.After == nil
}

// pageAndTotal answers by two statements at once.
func (s *search) pageAndTotal(ctx context.Context, filters string, order order, windows []window, count func(ctx context.Context) (int64, error)) (page query.Page, err error) {
	total := int64(0)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		total, err = count(ctx)
		return err
	})
	g.Go(func() (err error) {
		page, err = s.page(ctx, filters, order, windows)
		return err
	})
	if err := g.Wait(); err != nil {
		return query.Page{}, err
	}
	page.Total = total
	return page, nil
}

// difference returns the statement of the total where some filters are negated of which the
// index knows what is not asked for: all that the others let through, less that. It is one
// statement, for which the server reads both of the same parts; not of several servers,
// which each would read theirs at another moment. "" if there are none.
func (s *search) difference() string {
	others, twin, some := tokens.Lacking(s.query.Filters)
	if !some || s.source.among != "" || s.db.cfg.Cluster != "" {
		return ""
	}
	rest, those := s.condition(query.All(others...)), s.condition(twin)
	less := s.source
	less.where += tokens.Having([]query.Filter{twin})
	return "SELECT toInt64(sum(n)) FROM (" + s.source.selecting("toInt64(count()) AS n", " FINAL") + " AND " + rest +
		" UNION ALL " + less.selecting("-toInt64(count()) AS n", " FINAL") + " AND " + rest + " AND " + those + ")"
}

// fewKeys is how many spans are few enough to be known by their keys.
const fewKeys = 1000

// narrow has the source give the spans alone that may match, where it is soon known that
// these are few, and reports whether there are none: of the versions of rows all are
// looked at, and of no other span the keys. More are statements like those of candidates.
func (s *search) narrow(ctx context.Context, filters string, of []query.Filter, more ...string) (none bool, err error) {
	where := s.source.where
	s.source.where += s.tokens
	for _, statement := range append(s.candidates(filters, of), more...) {
		keys, err := rows(ctx, s.db, "look for spans", keyColumns[:4], statement+" LIMIT "+strconv.Itoa(fewKeys+1))
		if err != nil || len(keys) == 0 {
			return err == nil, err
		}
		if len(keys) <= fewKeys {
			s.source.where, s.source.among = where, sqltext.Among(owners(keys))
			return false, nil
		}
	}
	return false, nil
}

// candidates returns statements that each find the keys of all spans that may match. Where
// evaluations or messages are joined, which takes much longer than to look at either, these
// are the spans that the index of attributes knows, and those of which a verdict does what
// is asked, whether it counts or not.
func (s *search) candidates(filters string, of []query.Filter) (list []string) {
	key := names(keyColumns[:4])
	if s.source.isOneRow() {
		if s.tokens != "" {
			list = append(list, s.source.selecting("DISTINCT "+key, "")+" AND "+filters)
		}
		return list
	}
	spans := "SELECT " + key + " FROM " + spansTable + " WHERE " + s.source.where
	if s.tokens != "" {
		list = append(list, "SELECT DISTINCT "+key+" FROM ("+spans+")")
	}
	if !s.source.late {
		return list
	}
	for _, f := range verdictsOf(of) {
		has := "arrayExists((n, v) -> n = " + sqltext.Literal(f.Field.Output) + " AND ifNull(" + compareText("v", f) + ", 0), "
		slug, done := sqltext.Literal(f.Field.Name), "'"+string(eval.Done)+"'"
		list = append(list, "SELECT DISTINCT "+key+" FROM ("+spans+
			" AND arrayExists((e, d, ns, vs) -> e = "+slug+" AND d = "+done+" AND "+has+"ns, vs), ev_evaluator, ev_status, ev_names, ev_texts)"+
			" UNION ALL SELECT "+key+" FROM "+lateTable+" WHERE "+s.source.lateWhere+" AND evaluator = "+slug+" AND status = "+done+" AND "+has+"names, texts))")
	}
	return list
}

// verdictsOf returns those of filters, all of which must hold, that a verdict meets.
func verdictsOf(filters []query.Filter) (list []query.Filter) {
	for _, f := range filters {
		_, negated := f.Operator.Positive()
		switch {
		case f.Operator == query.OpAll:
			list = append(list, verdictsOf(f.Filters)...)
		case f.Field.Kind == query.FieldEvaluation && !negated:
			list = append(list, f)
		}
	}
	return list
}

func owners(keys []*spanRow) []store.Owner {
	of := make([]store.Owner, len(keys))
	for i := range of {
		of[i] = keys[i].owner()
	}
	return of
}

// page returns a page without its total. The keys that it first looks for are those of
// versions of rows, and what is read then says whether these count, which they most often do.
func (s *search) page(ctx context.Context, filters string, order order, windows []window) (page query.Page, err error) {
	if s.query.Limit == 0 {
		return query.Page{}, nil
	}
	for look := range 1 + maxLooks {
		keys, known, err := s.hits(ctx, filters, order, windows, look > 0)
		if err != nil {
			return query.Page{}, err
		}
		s.db.firstPages.note(s.env.ID, &s.query, keys)
		if err := s.weighMessages(ctx, keys); err != nil {
			return query.Page{}, err
		}
		n := s.within(keys)
		of := owners(keys[:n])
		if !known && n < len(keys) {
			if n < s.query.Limit {
				continue // the next one may be as large as the page
			}
			of = append(of, keys[n].owner()) // of which it is to be known that it follows
		}
		found, err := s.read(ctx, of)
		if err != nil {
			return query.Page{}, err
		}
		if !known && !sameVersions(found, keys[:len(of)]) || n > 0 && len(found) == 0 {
			continue
		}
		if page.Spans, err = s.show(ctx, of[:n], found); err != nil {
			return query.Page{}, err
		}
		if len(keys) > n {
			next := s.query.Order.Position(&page.Spans[len(page.Spans)-1])
			page.Next = &next
		}
		return page, nil
	}
	return query.Page{}, fault.New(fault.Unavailable, "the spans of the page went while they were read")
}

// read reads the spans that a page shows.
func (s *search) read(ctx context.Context, of []store.Owner) ([]*spanRow, error) {
	if !s.query.Brief {
		return s.db.readSpans(ctx, shownColumns, of)
	}
	var all []*spanRow
	for some := range slices.Chunk(of, query.MaxLimit) {
		found, err := s.db.readSpans(ctx, briefColumns, some)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// show returns the spans of a page, of which some were found.
func (s *search) show(ctx context.Context, of []store.Owner, found []*spanRow) ([]span.Span, error) {
	if s.query.Brief {
		return inOrder(s.env, of, found), nil
	}
	return s.db.show(ctx, s.env, of, found, s.source.beside)
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
// of the windows that has as many, nil being all there are; and whether it is known that
// the versions of rows that were found count, which it is where it must be.
func (s *search) hits(ctx context.Context, filters string, order order, windows []window, must bool) (keys []*spanRow, known bool, err error) {
	if windows == nil || s.source.among != "" {
		windows = []window{{}}
	}
	for _, w := range windows {
		l := look{search: s, of: s.source, where: filters + order.behind, by: order.by}
		l.of.where += w.buckets + w.starts
		l.of.lateWhere += w.buckets
		keys, known, err = l.keys(ctx, must)
		if err != nil || len(keys) > s.query.Limit {
			break
		}
	}
	return keys, known, err
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
