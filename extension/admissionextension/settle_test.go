// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/freemem"
)

func TestMemoryIsGivenBack(t *testing.T) {
	t.Parallel()
	var freed atomic.Int64
	b := newBudget(1000, time.Second)
	b.memory = freemem.After(time.Millisecond, func() { freed.Add(1) })
	large := b.lease("a")
	for range 10 {
		require.NoError(t, large.grow(t.Context(), 100))
	}
	large.release()
	require.Eventually(t, func() bool { return freed.Load() > 0 }, time.Minute, time.Millisecond)
}
