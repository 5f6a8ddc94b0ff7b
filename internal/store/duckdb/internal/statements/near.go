// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"math"

	"github.com/touchstone-otel/touchstone/internal/query"
)

// nearTimes is how many times the hits that are wanted are expected in the time that
// Near looks at, were they spread evenly.
const nearTimes = 4

// Near returns the same on a part of the time of the partition: the one, at the end at
// which the query begins, in which more hits are expected than it takes. Where it has so
// many, there are none before them; where it does not, all of the time must be looked at.
// It is nil where it is not known how many spans satisfy the query, or nothing would be
// saved.
func (p *Part) Near() *Part {
	q := &p.search.query
	if q.Order.By != query.SortTimestamp || p.search.ofOutputs() || !p.Counted.Valid || p.Counted.Int64 == 0 {
		return nil
	}
	from, to := max(q.From, p.bounds.Min), min(q.To, p.bounds.Max)
	if q.After != nil && q.Order.Descending {
		to = min(to, q.After.Start)
	} else if q.After != nil {
		from = max(from, q.After.Start)
	}
	each := float64(p.bounds.Max-p.bounds.Min) / float64(p.Counted.Int64) // nanoseconds from one hit to the next
	enough := each * nearTimes * float64(q.Limit+1)
	if enough > (float64(to)-float64(from))/2 || math.IsNaN(enough) {
		return nil
	}
	n := *p
	n.conditions = p.conditions.clone()
	if q.Order.Descending {
		n.conditions.must("s.start >= " + n.conditions.arg(to-int64(enough)) + "::BIGINT")
	} else {
		n.conditions.must("s.start <= " + n.conditions.arg(from+int64(enough)) + "::BIGINT")
	}
	return &n
}
