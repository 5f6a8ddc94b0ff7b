// SPDX-License-Identifier: Apache-2.0

package recent

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestWindowForgetsTheOldest(t *testing.T) {
	t.Parallel()
	const serial = 3
	w := New(8)
	w.Begin(serial)
	env := w.Number("env")
	key := func(i int) Key {
		return Key{Env: env, Span: span.Identity{SpanID: span.ID{byte(i)}, Bucket: span.Bucket(i)}}
	}
	for i := range 100 {
		w.Put(key(i), Place{Serial: serial, Seq: uint32(i)})
		for j := range i + 1 {
			p, found := w.Find(key(j))
			require.Equal(t, !found, w.Misses(serial, env, span.Bucket(j)), "%d of %d", j, i)
			if found {
				require.EqualValues(t, j, p.Seq)
			}
		}
		require.LessOrEqual(t, len(w.young)+len(w.old), 8)
	}
	require.False(t, w.Misses(serial, w.Number("other"), 0), "nothing of another environment left the window")
	require.True(t, w.Misses(serial+1, env, 0), "of a partition that was not begun nothing is known")
	w.Pass(serial+1, env, 5)
	require.True(t, w.Misses(serial+1, env, 0))
	w.End(serial)
	require.True(t, w.Misses(serial, w.Number("other"), 0))
}

func TestAReplacedSpanLeavesTheWindowOnce(t *testing.T) {
	t.Parallel()
	w := New(4)
	w.Begin(1)
	w.Begin(2)
	moved := Key{Span: span.Identity{SpanID: span.ID{9}, Bucket: 9}}
	w.Put(moved, Place{Serial: 1})
	w.Put(Key{Span: span.Identity{SpanID: span.ID{1}}}, Place{Serial: 1})
	w.Put(moved, Place{Serial: 2}) // in the younger generation now
	for i := range 8 {
		w.Put(Key{Span: span.Identity{SpanID: span.ID{2, byte(i)}}}, Place{Serial: 2})
	}
	require.False(t, w.Misses(1, 0, 9), "its old row is gone")
	require.True(t, w.Misses(2, 0, 9))
}
