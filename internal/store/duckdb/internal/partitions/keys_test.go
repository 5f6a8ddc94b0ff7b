// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/keyfilter"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
)

// A partition is ruled out when it takes in no more spans, and a span whose start is not
// known only where few buckets have to be tried.
func TestWhatKeysRuleOut(t *testing.T) {
	t.Parallel()
	p := New(t.TempDir(), label.Label{Class: time.Hour, Opened: time.Unix(0, 0), Serial: 7})
	require.NoError(t, os.MkdirAll(filepath.Dir(p.Path), 0o700))
	k := NewKeys(&Files{})
	there := span.Identity{TraceID: span.TraceID{1}, SpanID: span.ID{1}, Bucket: 12}
	other := span.Identity{TraceID: span.TraceID{2}, SpanID: span.ID{2}, Bucket: 12}
	few := Bounds{Code: 3, Spans: 1, Buckets: keyfilter.BucketsOf([]keyfilter.Run{{First: 10, Last: 12}})}
	many := Bounds{Code: 3, Spans: 1, Buckets: keyfilter.BucketsOf([]keyfilter.Run{{First: 10, Last: 10 + mostProbes}})}

	k.Begin(p)
	f, err := k.Opened(t.Context(), p)
	require.NoError(t, err)
	f.Add(3, there)
	require.True(t, k.MayHave(p, &few, there))
	require.True(t, k.MayHave(p, &few, other), "it takes in spans")
	require.True(t, k.MayHaveAny(p, &few, other.TraceID, other.SpanID))

	k.Close(p)
	for range 2 {
		require.True(t, k.MayHave(p, &few, there))
		require.True(t, k.MayHaveAny(p, &few, there.TraceID, there.SpanID))
		require.False(t, k.MayHave(p, &few, other))
		require.False(t, k.MayHaveAny(p, &few, other.TraceID, other.SpanID))
		require.True(t, k.MayHaveAny(p, &many, other.TraceID, other.SpanID), "too many buckets")
		require.False(t, k.MayHave(p, &many, other))
		k = NewKeys(&Files{}) // from the file
	}
	late := there
	late.Bucket = 13
	require.False(t, k.MayHave(p, &few, late))
	require.False(t, k.MayHaveAny(p, &Bounds{Code: 3}, there.TraceID, there.SpanID), "it has no span")
	require.True(t, k.MayHave(p, &few, there))
	bytes := k.bytes
	require.Positive(t, bytes)
	k.keep(p, f)
	require.Equal(t, bytes, k.bytes, "kept once")

	require.NoError(t, os.Remove(p.Path+keysSuffix))
	k = NewKeys(&Files{})
	require.True(t, k.MayHave(p, &few, other), "unknown")
}
