// SPDX-License-Identifier: Apache-2.0

package turns

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// beside has four senders of an environment send single rows of 5 MB without a pause,
// whose commits take 300 ms each, and another environment something small ten times a
// second from each of two senders, which wait for their answers, all for a minute. It
// returns how many requests each got through.
func beside(t *testing.T, little bool) (large, small int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(16 << 20)
		write := func(group []*Request) {
			bytes := 0
			for _, r := range group {
				bytes += r.Bytes
			}
			time.Sleep(5*time.Millisecond + time.Duration(bytes/(5<<20))*300*time.Millisecond)
		}
		of := func(env tenant.EnvironmentID, bytes int) *Request {
			r := NewRequest(store.Batch{Records: []store.Record{{Environment: tenant.Environment{ID: env}}}})
			r.Bytes = bytes
			return r
		}
		var mu sync.Mutex
		var all sync.WaitGroup
		send := func(count *int, pause time.Duration, request func() *Request) {
			all.Go(func() {
				begun := time.Now()
				for n := 0; time.Since(begun) < time.Minute; n++ {
					time.Sleep(time.Until(begun.Add(time.Duration(n) * pause)))
					if err := q.Submit(t.Context(), request(), write, q.Leave); err != nil {
						t.Error(err)
					}
					mu.Lock()
					*count++
					mu.Unlock()
				}
			})
		}
		for range 4 {
			send(&large, 0, func() *Request { return of("large", 5<<20) })
		}
		for range 2 {
			if little {
				send(&small, 100*time.Millisecond, func() *Request { return of("small", 1000) })
			}
		}
		all.Wait()
	})
	return large, small
}

// Who sends little keeps its rate beside who sends rows that take long, and that one has
// about half of the time; alone it has all.
func TestLongCommitsHaveHalfOfTheTime(t *testing.T) {
	t.Parallel()
	large, small := beside(t, true)
	require.Greater(t, small, 1100, "of 1,200")
	require.InDelta(t, 100, large, 15)
	large, _ = beside(t, false)
	require.InDelta(t, 200, large, 10)
}
