// SPDX-License-Identifier: Apache-2.0

package turns

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// commits sends n requests from each of some senders, every sender one after the
// other, pausing in between, and returns how many commits that made and how long
// it took. A commit takes five milliseconds.
func commits(t *testing.T, senders, n, rows int, between time.Duration) (count int, took time.Duration) {
	t.Helper()
	return commitsOf(t, senders, n, between, func(int) *Request { return sized(rows, 1) })
}

// commitsOf is commits of any requests, made by the number of their sender.
func commitsOf(t *testing.T, senders, n int, between time.Duration, request func(sender int) *Request) (count int, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(16 << 20)
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
					if err := q.Submit(t.Context(), request(s), write, q.Leave); err != nil {
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

// A commit of several environments is short, and so has few rows where spans are large: it
// is full all the same.
func TestFullCommitsDoNotWait(t *testing.T) {
	t.Parallel()
	count, took := commitsOf(t, 4, 50, 0, func(sender int) *Request {
		if sender == 0 {
			return of("modest", 1, 1)
		}
		return of(tenant.EnvironmentID(strconv.Itoa(sender)), spacingRows/4, shortBytes-1)
	})
	require.InDelta(t, 150, count, 10, "a large request each")
	require.Less(t, took, 900*time.Millisecond)
}

// What an environment that sends seldom waits for is no more than a commit under way, beside
// eight senders of another.
func TestWhoSendsSeldomIsNotSpaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(16 << 20)
		var commits atomic.Int64
		write := func([]*Request) {
			commits.Add(1)
			time.Sleep(5 * time.Millisecond)
		}
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for ctx.Err() == nil {
					if err := q.Submit(t.Context(), of("much", 1, 1), write, q.Leave); err != nil {
						t.Error(err)
					}
					time.Sleep(35 * time.Millisecond)
				}
			})
		}
		time.Sleep(time.Second)
		var longest time.Duration
		before := commits.Load()
		for range 40 {
			began := time.Now()
			require.NoError(t, q.Submit(t.Context(), of("seldom", 1, 1), write, q.Leave))
			longest = max(longest, time.Since(began))
			time.Sleep(100 * time.Millisecond)
		}
		stop()
		require.LessOrEqual(t, longest, 10*time.Millisecond)
		require.Less(t, commits.Load()-before, int64(4*(spacingOwn+12)), "its own ten a second are what comes to those of the other")
		all.Wait()
	})
}

// However many environments send little each, there are not more commits than twice as many
// as of one.
func TestCommitsOfManyEnvironmentsAreSpaced(t *testing.T) {
	t.Parallel()
	count, took := commitsOf(t, 32, 50, 95*time.Millisecond, func(sender int) *Request { return of(tenant.EnvironmentID(strconv.Itoa(sender)), 1, 1) })
	require.LessOrEqual(t, float64(count), spacingAll*took.Seconds()+spacingAll)
}

// What was written into the journal cost little, and the next may follow soon.
func TestJournalledGroupsFollowSooner(t *testing.T) {
	t.Parallel()
	for _, journalled := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			q := NewQueue(16 << 20)
			count := 0
			write := func(group []*Request) {
				count++
				time.Sleep(time.Millisecond)
				for _, r := range group {
					r.Journalled = journalled
				}
			}
			const senders, each = 8, 100
			began := time.Now()
			var all sync.WaitGroup
			for range senders {
				all.Go(func() {
					for range each {
						if err := q.Submit(t.Context(), sized(1, 1), write, q.Leave); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			slice := spacingSlice
			if journalled {
				slice = journalSlice
			}
			require.InDelta(t, slice.Seconds(), time.Since(began).Seconds()/float64(count), 0.2*slice.Seconds())
			require.InDelta(t, each, count, 0.3*each)
		})
	}
}
