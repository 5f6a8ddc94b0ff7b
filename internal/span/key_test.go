// SPDX-License-Identifier: Apache-2.0

package span_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestBucketsAreTenMinutesOfUnixTime(t *testing.T) {
	t.Parallel()
	minute := int64(time.Minute)
	for at, want := range map[int64]span.Bucket{
		0: 0, 1: 0, 10*minute - 1: 0, 10 * minute: 1, -1: -1, -10 * minute: -1, -10*minute - 1: -2,
		math.MaxInt64: 15372286, math.MinInt64: -15372287,
	} {
		require.Equal(t, want, span.BucketOf(at), "%d", at)
	}
	first, last := span.BucketOf(25 * minute).Bounds()
	require.Equal(t, []int64{20 * minute, 30*minute - 1}, []int64{first, last})
}

func TestKeysMeanSpans(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 21, 12, 9, 0, 0, time.UTC).UnixNano()
	s := span.Key{TraceID: span.TraceID{1}, SpanID: span.ID{2}, Start: start}
	for name, x := range map[string]struct {
		key  span.Key
		want bool
	}{
		"itself":                  {s, true},
		"no start":                {span.Key{TraceID: s.TraceID, SpanID: s.SpanID}, true},
		"same ten minutes":        {span.Key{TraceID: s.TraceID, SpanID: s.SpanID, Start: start - int64(8*time.Minute)}, true},
		"the ten minutes after":   {span.Key{TraceID: s.TraceID, SpanID: s.SpanID, Start: start + int64(2*time.Minute)}, false},
		"another span":            {span.Key{TraceID: s.TraceID, SpanID: span.ID{3}, Start: start}, false},
		"another span's of trace": {span.Key{TraceID: span.TraceID{9}, SpanID: s.SpanID}, false},
	} {
		require.Equal(t, x.want, x.key.Means(s), name)
		if x.key.Start != 0 {
			require.Equal(t, x.want, x.key.Identity() == s.Identity(), name)
		}
	}
}
