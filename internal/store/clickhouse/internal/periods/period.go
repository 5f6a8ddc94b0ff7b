// SPDX-License-Identifier: Apache-2.0

// Package periods says until when rows are kept, and which of them go together.
package periods

import (
	"math"
	"time"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// Period is until when a row is kept, and with which others it goes: partitions
// are periods in which rows expire, never periods of a client's start, since a
// batch with a thousand odd times would touch more of them than a server takes in
// one insert (https://clickhouse.com/docs/operations/settings/settings#max_partitions_per_insert_block).
type Period struct {
	Expires int64  // Unix nanoseconds
	Part    uint32 // the class, and the number of the period in it
	Gone    uint32 // when the period is over, Unix seconds
}

// classes are the lengths of periods, by how long rows are kept at most.
var classes = [...]struct{ retention, length time.Duration }{
	{24 * time.Hour, 4 * time.Hour},
	{7 * 24 * time.Hour, 24 * time.Hour},
	{40 * 24 * time.Hour, 4 * 24 * time.Hour},
	{math.MaxInt64, 128 * 24 * time.Hour},
}

// ahead is how far in the future a start counts as it says: rows of clocks that are
// wrong go with those of tomorrow.
const ahead = 24 * time.Hour

// longest is how long rows are kept at most, whatever their retention.
const longest = 12 * 365 * 24 * time.Hour

// partBits is how many bits of a partition are the number of its period.
const partBits = 24

// Of returns the period of what started at a time and is kept for a while.
func Of(start int64, retention time.Duration, now time.Time) Period {
	p := Period{Expires: After(start, retention)}
	tomorrow := After(now.UnixNano(), ahead)
	end := min(After(min(start, tomorrow), max(retention, 0)), After(tomorrow, longest))
	for class, c := range classes {
		if retention <= c.retention {
			n := max(end/int64(c.length), 0)
			p.Part = uint32(class)<<partBits | uint32(n)
			p.Gone = EndOf(p.Part)
			break
		}
	}
	return p
}

// EndOf returns when the period of a partition is over, Unix seconds.
func EndOf(part uint32) uint32 {
	c := classes[min(int(part>>partBits), len(classes)-1)]
	n := int64(part&(1<<partBits-1)) + 1
	return uint32(min(n*int64(c.length/time.Second), math.MaxUint32))
}

// After returns a time moved by a duration, or the last or first time there is.
func After(t int64, d time.Duration) int64 {
	sum := t + int64(d)
	switch {
	case d > 0 && sum < t:
		return math.MaxInt64
	case d < 0 && sum > t:
		return math.MinInt64
	}
	return sum
}

// BucketOf returns the bucket of a start.
func BucketOf(start int64) int64 { return int64(span.BucketOf(start)) }
