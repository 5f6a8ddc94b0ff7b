// SPDX-License-Identifier: Apache-2.0

package recent

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestWindowForgetsTheOldest(t *testing.T) {
	t.Parallel()
	w := New(8)
	env := w.Number("env")
	for i := range 100 {
		w.Put(Key{Env: env, Span: span.ID{byte(i)}}, int64(i), Place{Seq: uint32(i)})
		for j := range i + 1 {
			p, found := w.Find(Key{Env: env, Span: span.ID{byte(j)}})
			require.Equal(t, !found, w.Passed(env, int64(j)), "%d of %d", j, i)
			if found {
				require.EqualValues(t, j, p.Seq)
			}
		}
		require.LessOrEqual(t, len(w.young)+len(w.old), 8)
	}
	require.False(t, w.Passed(w.Number("other"), 0))
}
