// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
)

func newRequest(records int) *request {
	return &request{records: make([]store.Record, records), done: make(chan error, 1)}
}

func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

func TestWhoWaitsIsWrittenInOneGo(t *testing.T) {
	t.Parallel()
	q := newQueue()
	require.NoError(t, q.enter(t.Context()))
	var groups [][]*request
	boom := errors.New("boom")
	results := make(chan error)
	for range 5 {
		go func() {
			results <- q.submit(t.Context(), newRequest(1), func(group []*request) error {
				groups = append(groups, group)
				return boom
			})
		}()
	}
	require.Eventually(t, func() bool { return q.length() == 5 }, 10*time.Second, time.Millisecond)
	q.leave()
	for range 5 {
		require.ErrorIs(t, <-results, boom)
	}
	require.Len(t, groups, 1)
	require.Len(t, groups[0], 5)
}

func TestGroupsAreBounded(t *testing.T) {
	t.Parallel()
	q := newQueue()
	q.waiting = []*request{newRequest(groupRecords * 2), newRequest(10), newRequest(groupRecords - 10), newRequest(1)}
	require.Len(t, q.take(), 1)
	require.Len(t, q.take(), 2)
	require.Len(t, q.take(), 1)
	require.Empty(t, q.take())
}

func TestWhoGivesUpIsNotWritten(t *testing.T) {
	t.Parallel()
	q := newQueue()
	require.NoError(t, q.enter(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() {
		result <- q.submit(ctx, newRequest(1), func([]*request) error { panic("written") })
	}()
	require.Eventually(t, func() bool { return q.length() == 1 }, 10*time.Second, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-result, context.Canceled)
	require.Zero(t, q.length())
	require.ErrorIs(t, q.enter(ctx), context.Canceled)
	q.leave()
}

func TestWhatHasBegunIsFinished(t *testing.T) {
	t.Parallel()
	q := newQueue()
	ctx, cancel := context.WithCancel(t.Context())
	begun, finish := make(chan struct{}), make(chan struct{})
	first, second := make(chan error), make(chan error)
	r := newRequest(1)
	q.waiting = append(q.waiting, r)
	go func() {
		first <- q.submit(t.Context(), newRequest(1), func([]*request) error {
			close(begun)
			<-finish
			return nil
		})
	}()
	<-begun
	go func() {
		// As submit does for a caller whose request was taken up.
		<-ctx.Done()
		if q.withdraw(r) {
			second <- ctx.Err()
			return
		}
		second <- <-r.done
	}()
	cancel()
	close(finish)
	require.NoError(t, <-first)
	require.NoError(t, <-second)
}
