// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/periods"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// In the order of their starts the spans of a page lie in few buckets, which the key of
// the table begins with. Which these are is told by the total, where it is counted before,
// and is found out otherwise. Within a bucket parts that are not merged yet follow one another
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
	last, direction := "max", ""
	if s.query.Order.Descending {
		last, direction = "min", " DESC"
	}
	statement := "SELECT toInt64(sum(n)), sum(m) > 0, " + last + "If(bucket, m > 0 AND before <= " + strconv.Itoa(s.query.Limit) + ") FROM (" +
		"SELECT bucket, n, m, sum(m) OVER (ORDER BY bucket" + direction + " ROWS UNBOUNDED PRECEDING) - m AS before FROM (" +
		s.source.selecting("bucket, toInt64(count()) AS n, toInt64(countIf(1"+order.behind+")) AS m", " FINAL") + " AND " + filters + " GROUP BY bucket))"
	err = s.db.each(ctx, "count spans", statement, func(scan func(into ...any) error) error {
		var more uint8
		err := scan(&c.total, &more, &c.bucket)
		c.more = more != 0
		return err
	})
	return c, err
}
