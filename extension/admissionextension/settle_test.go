// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMemoryIsGivenBack(t *testing.T) {
	t.Parallel()
	var freed atomic.Int64
	b := newBudget(1000, time.Second)
	b.settling = &settling{after: time.Millisecond, free: func() { freed.Add(1) }}
	small := b.lease("a")
	require.NoError(t, small.grow(t.Context(), 249))
	small.release()
	large := b.lease("a")
	for range 10 {
		require.NoError(t, large.grow(t.Context(), 100))
	}
	large.release()
	require.Eventually(t, func() bool { return freed.Load() > 0 }, 10*time.Second, time.Millisecond)

	// Small requests give nothing back, and it is over with the extension.
	b.settling.after = time.Hour
	before := freed.Load()
	small = b.lease("a")
	require.NoError(t, small.take(249))
	small.release()
	require.Nil(t, b.settling.timer)
	large = b.lease("a")
	require.NoError(t, large.take(250))
	require.NotNil(t, b.settling.timer)
	b.settling.end()
	b.settling.settle()
	require.NoError(t, large.grow(t.Context(), 250))
	require.Equal(t, before, freed.Load())
	large.release()
}
