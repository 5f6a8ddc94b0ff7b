// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// However soon an answer comes, of those who ask at the same time one loads it, also when
// another looked just before it was kept.
func TestAnAnswerIsLoadedOnce(t *testing.T) {
	t.Parallel()
	guard := NewGuard("default", Limits{}, nil, nil)
	c := newCache(guard, CacheLimits{Bytes: 1 << 20, Age: time.Hour}, func(int) int { return 1 })
	const rounds, callers = 2000, 8
	var paid atomic.Int64
	for n := range rounds {
		var k key
		binary.LittleEndian.PutUint64(k[:], uint64(n))
		var loads atomic.Int64
		var asking sync.WaitGroup
		for range callers {
			asking.Go(func() {
				got, shared, err := c.do(t.Context(), k, func(context.Context) (int, error) {
					loads.Add(1)
					return n, nil
				})
				if err != nil || got != n {
					t.Errorf("%d: %v", got, err)
				}
				if !shared {
					paid.Add(1)
				}
			})
		}
		asking.Wait()
		require.EqualValues(t, 1, loads.Load())
	}
	require.EqualValues(t, rounds, paid.Load())
}
