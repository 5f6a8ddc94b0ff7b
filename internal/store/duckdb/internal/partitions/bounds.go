// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"math"
	"time"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/keyfilter"
)

// Bounds are what is known of one environment's rows in one partition without
// looking.
type Bounds struct {
	Code      int32
	Retention time.Duration
	Spans     int64
	Min, Max  int64 // of start, or of happened
	Messages  int64
	// Buckets are those of the spans' starts, and perhaps others.
	Buckets keyfilter.Buckets
}

// Widen takes in times, in nanoseconds since 1970, of a span or messages that are
// not counted yet.
func (b *Bounds) Widen(from, to int64) {
	if b.Spans == 0 && b.Messages == 0 {
		b.Min, b.Max = from, to
		return
	}
	b.Min, b.Max = min(b.Min, from), max(b.Max, to)
}

// Has reports whether a span that starts in a bucket can be among those that are
// bounded.
func (b *Bounds) Has(at span.Bucket) bool { return b.Spans > 0 && b.Buckets.Has(at) }

// After returns the time that is d after t, both in nanoseconds, or the last or
// first one that there is if it would be past that.
func After(t int64, d time.Duration) int64 {
	sum := t + int64(d)
	switch {
	case d >= 0 && sum < t:
		return math.MaxInt64
	case d < 0 && sum > t:
		return math.MinInt64
	}
	return sum
}

// Held is a partition in use, and what was known of an environment in it when its
// use began.
type Held struct {
	*Partition
	Bounds
}

// ReleaseAll ends the use of partitions.
func ReleaseAll(list []Held) {
	for _, h := range list {
		h.Release()
	}
}
