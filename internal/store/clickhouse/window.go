// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/periods"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/totals"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// In the order of their starts the spans of a page lie in few buckets, which the key of
// the table begins with. The total shows which these are, where it is counted before;
// otherwise a query finds out. Within a bucket parts that are not merged yet follow one another
// in time, which their index of starts tells.

// startsIndex is the index of the table of spans by which granules are left out that have no
// span of a time.
const startsIndex = "by_start start TYPE minmax GRANULARITY 1"

// nearest is how far from where a page begins its spans are looked for at first.
const nearest = time.Minute

// windowLengths are how far from where a page begins its spans are looked for, next and
// then; at last they are looked for in the whole period.
var windowLengths = [...]time.Duration{span.BucketLength, time.Hour, 24 * time.Hour}

// window is a condition of where a page is looked for: buckets, and starts within them. Each
// is behind an AND.
type window struct{ buckets, starts string }

// windows returns where a page in the order of starts is looked for; nil in another order.
func (s *search) windows() (list []window) {
	q := &s.query
	if q.Order.By != query.SortTimestamp {
		return nil
	}
	begin, known := q.From, false
	switch {
	case q.After != nil:
		begin, known = q.After.Start, true
	case q.Order.Descending:
		begin, known = min(q.To, s.db.cfg.Now().UnixNano()), true
	}
	away := func(length time.Duration) int64 {
		if q.Order.Descending {
			length = -length
		}
		return periods.After(begin, length)
	}
	if known {
		list = append(list, s.upTo(away(nearest)))
	}
	if end, found := s.db.firstPages.end(s.env.ID, q); found && end < away(nearest) {
		list = append(list, s.upTo(end))
	}
	for _, length := range windowLengths {
		list = append(list, window{buckets: s.until(periods.BucketOf(away(length)))})
	}
	return append(list, window{})
}

// upTo returns the window of what is not behind a start in the order of the query.
func (s *search) upTo(start int64) window {
	than := " <= "
	if s.query.Order.Descending {
		than = " >= "
	}
	return window{buckets: s.until(periods.BucketOf(start)), starts: " AND start" + than + sqltext.Whole(start)}
}

// firstPages remembers where the first pages of environments ended, of the newest spans
// without filters: who looks again finds the next one there, or nearer. It is no more than where
// to look first.
type firstPages struct {
	mu   sync.Mutex
	ends map[tenant.EnvironmentID]pageEnd
}

// pageEnd is the start of the span that followed a page of so many.
type pageEnd struct {
	start int64
	limit int
}

// mostEnds is of how many environments it is remembered at once.
const mostEnds = 10_000

// isFirst reports whether a page is of those whose ends are remembered.
func isFirst(q *query.Query) bool {
	return q.Order.By == query.SortTimestamp && q.Order.Descending && q.After == nil && len(q.Filters) == 0
}

// end returns where a page ends if it is like the latest of its environment.
func (p *firstPages) end(env tenant.EnvironmentID, q *query.Query) (start int64, found bool) {
	if !isFirst(q) {
		return 0, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e, found := p.ends[env]
	return e.start, found && e.limit >= q.Limit && e.start <= q.To
}

// note remembers the keys of a page and of one more, if there are as many.
func (p *firstPages) note(env tenant.EnvironmentID, q *query.Query, keys []*spanRow) {
	if !isFirst(q) || len(keys) <= q.Limit {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ends == nil || len(p.ends) >= mostEnds {
		p.ends = map[tenant.EnvironmentID]pageEnd{}
	}
	p.ends[env] = pageEnd{keys[q.Limit].span.Start, q.Limit}
}

// until returns the condition that a span is not behind those of a bucket in the order of
// the query, behind an AND.
func (s *search) until(bucket int64) string {
	if s.query.Order.Descending {
		return " AND bucket >= " + sqltext.Whole(bucket)
	}
	return " AND bucket <= " + sqltext.Whole(bucket)
}

// counted is what a count of spans says.
type counted struct {
	total  int64
	more   bool  // whether some are behind the query's position
	bucket int64 // the last bucket in the order of starts that a page has spans of
}

// count counts the spans of the query, bucket by bucket.
func (s *search) count(ctx context.Context, filters string, order order) (c counted, err error) {
	list, err := s.countBuckets(ctx, filters, order)
	if s.query.Order.Descending {
		slices.Reverse(list)
	}
	behind := int64(0)
	for _, x := range list {
		if x.Behind > 0 && behind <= int64(s.query.Limit) {
			c.bucket = x.Bucket
		}
		c.total += x.Matching
		behind += x.Behind
	}
	c.more = behind > 0
	return c, err
}

// countBuckets returns what is counted of each bucket, in their order.
func (s *search) countBuckets(ctx context.Context, filters string, order order) ([]totals.Count, error) {
	if s.parts != nil && s.source.among == "" && s.source.isOneRow() {
		if list, known, err := s.countAgain(ctx, filters, order); known || err != nil {
			return list, err
		}
	}
	found, err := rows(ctx, s.db, "count spans", countColumns, s.counting(filters, order)+" ORDER BY bucket")
	list := make([]totals.Count, len(found))
	for i := range found {
		list[i] = *found[i]
	}
	return list, err
}

// counting returns the statement that counts spans by bucket.
func (s *search) counting(conditions string, order order) string {
	return s.source.selecting("bucket, toInt64(count()) AS n, toInt64(countIf(1"+order.behind+")) AS m", " FINAL") + " AND " + conditions + " GROUP BY bucket"
}

var countColumns = []column[totals.Count]{
	field("bucket", "Int64", func(c *totals.Count) *int64 { return &c.Bucket }),
	field("n", "Int64", func(c *totals.Count) *int64 { return &c.Matching }),
	field("m", "Int64", func(c *totals.Count) *int64 { return &c.Behind }),
}

// mostRecounts is how often it is counted once more, since parts went meanwhile.
const mostRecounts = 1

// countAgain counts buckets of which the parts are others than when they were counted before, and
// says whether all are known then.
func (s *search) countAgain(ctx context.Context, filters string, order order) (list []totals.Count, known bool, err error) {
	q := totals.Question{
		Environment: s.env.ID, From: periods.BucketOf(s.query.From), To: periods.BucketOf(s.query.To),
		Condition: strings.Join(s.source.made(), ", ") + s.tokens + " AND " + filters,
	}
	after, inTime := s.query.After, s.query.Order.By == query.SortTimestamp
	if after != nil && inTime {
		q.Always = []int64{periods.BucketOf(after.Start)}
	}
	for try := 0; ; try++ {
		if list, known = s.db.totals.Settled(q, s.parts); known {
			break
		}
		if !s.db.totals.Worth(q, s.parts) {
			return nil, false, nil
		}
		p := s.db.totals.Plan(q)
		answer, err := s.recount(ctx, p, filters, order)
		if err != nil {
			return nil, false, err
		}
		if list, known = s.db.totals.Take(p, answer); known || try == mostRecounts {
			break
		}
		if _, s.parts, err = s.db.besideAndParts(ctx, s.env.ID, true); err != nil {
			return nil, false, err
		}
	}
	for i := range list {
		x := &list[i]
		switch {
		case after == nil || !inTime && x.Behind == 0: // by another order it is only a bound
			x.Behind = x.Matching
		case inTime && x.Bucket != q.Always[0]:
			x.Behind = 0
			if (x.Bucket > q.Always[0]) != s.query.Order.Descending {
				x.Behind = x.Matching
			}
		}
	}
	return list, known, nil
}

// totalsRow is a row of what recount asks: a count, or a part and one of its buckets.
type totalsRow struct {
	totals.Count
	part string
	of   uint8
}

const (
	rowOfCount = iota
	rowOfBucket
	rowOfPart
)

var totalsColumns = []column[totalsRow]{
	field("of", "UInt8", func(r *totalsRow) *uint8 { return &r.of }),
	text("in_part", func(r *totalsRow) *string { return &r.part }),
	field("bucket", "Int64", func(r *totalsRow) *int64 { return &r.Bucket }),
	field("n", "Int64", func(r *totalsRow) *int64 { return &r.Matching }),
	field("m", "Int64", func(r *totalsRow) *int64 { return &r.Behind }),
}

// recount asks what a plan says has to be counted, by one statement: of the same parts, which
// it names, it reads all.
func (s *search) recount(ctx context.Context, p *totals.Plan, filters string, order order) (*totals.Answer, error) {
	others := " FROM " + spansTable + " WHERE env = " + sqltext.Literal(string(s.env.ID)) + " AND bucket BETWEEN " + sqltext.Whole(p.From) + " AND " + sqltext.Whole(p.To)
	if len(p.Known) > 0 {
		others += " AND _part NOT IN (" + sqltext.Literals(p.Known) + ")"
	}
	if len(p.Settled) > 0 {
		settled := make([]string, len(p.Settled))
		for i, r := range p.Settled {
			settled[i] = "bucket BETWEEN " + sqltext.Whole(r.First) + " AND " + sqltext.Whole(r.Last)
		}
		filters += " AND (NOT (" + strings.Join(settled, " OR ") + ") OR bucket IN (SELECT bucket" + others + "))"
	}
	found, err := rows(ctx, s.db, "count spans", totalsColumns, "SELECT "+names(totalsColumns)+" FROM ("+
		"SELECT toUInt8(0) AS of, '' AS in_part, bucket, n, m FROM ("+s.counting(filters, order)+")"+
		" UNION ALL SELECT toUInt8(1), toString(_part), bucket, toInt64(0), toInt64(0)"+others+" GROUP BY _part, bucket"+
		" UNION ALL SELECT toUInt8(2), toString(_part), toInt64(0), toInt64(0), toInt64(0) FROM "+spansTable+" GROUP BY _part)")
	hashes := make(map[string]string, len(s.parts))
	for _, x := range s.parts {
		hashes[x.Name] = x.Hash
	}
	a := &totals.Answer{In: map[string][]int64{}}
	for _, r := range found {
		switch r.of {
		case rowOfCount:
			a.Counts = append(a.Counts, r.Count)
		case rowOfBucket:
			a.In[r.part] = append(a.In[r.part], r.Bucket)
		case rowOfPart:
			a.Parts = append(a.Parts, totals.Part{Name: r.part, Hash: hashes[r.part]})
		}
	}
	return a, err
}
