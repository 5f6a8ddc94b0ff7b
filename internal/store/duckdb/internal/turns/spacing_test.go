// SPDX-License-Identifier: Apache-2.0

package turns

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// commits sends n requests from each of some senders, every sender one after the
// other, pausing in between, and returns how many commits that made and how long
// it took. A commit takes five milliseconds.
func commits(t *testing.T, senders, n, rows int, between time.Duration) (count int, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(1 << 20)
		write := func([]*Request) {
			count++
			time.Sleep(5 * time.Millisecond)
		}
		began := time.Now()
		var all sync.WaitGroup
		for s := range senders {
			all.Go(func() {
				time.Sleep(time.Duration(s) * time.Millisecond)
				for range n {
					if err := q.Submit(t.Context(), sized(rows, 1), write, q.Leave); err != nil {
						t.Error(err)
					}
					time.Sleep(between)
				}
			})
		}
		all.Wait()
		took = time.Since(began)
	})
	return count, took
}

func TestASenderAloneIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	count, took := commits(t, 1, 100, 1, 0)
	require.Equal(t, 100, count)
	require.Equal(t, 500*time.Millisecond, took)
}

func TestSmallCommitsOfManySendersBecomeOne(t *testing.T) {
	t.Parallel()
	// 200 requests a second for two seconds.
	count, took := commits(t, 8, 50, 1, 35*time.Millisecond)
	require.Less(t, count, 90, "of 400 requests")
	require.Less(t, took, 5*time.Second)
}

func TestLargeCommitsDoNotWait(t *testing.T) {
	t.Parallel()
	_, took := commits(t, 4, 50, spacingRows, 0)
	require.Less(t, took, 500*time.Millisecond)
}
