// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/periods"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
)

// In the order of their starts the spans of a page lie in few buckets, which the key of
// the table begins with. Which these are is told by the total, where it is counted before,
// and is found out otherwise.

// windowLengths are how far from where a page begins its spans are looked for, first and
// next; at last they are looked for in the whole period.
var windowLengths = [...]time.Duration{span.BucketLength, time.Hour, 24 * time.Hour}

// windows returns the conditions of where a page in the order of starts is looked for,
// each behind an AND; nil in another order.
func (s *search) windows() []string {
	q := &s.query
	if q.Order.By != query.SortTimestamp {
		return nil
	}
	begin := q.From
	switch {
	case q.After != nil:
		begin = q.After.Start
	case q.Order.Descending:
		begin = min(q.To, s.db.cfg.Now().UnixNano())
	}
	var list []string
	for _, length := range windowLengths {
		if q.Order.Descending {
			length = -length
		}
		list = append(list, s.until(periods.BucketOf(periods.After(begin, length))))
	}
	return append(list, "")
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
