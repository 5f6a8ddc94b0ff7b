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

// sized makes a request of so many records of so many bytes together.
func sized(records, bytes int) *request {
	r := newRequest(request{records: make([]store.Record, records)})
	r.bytes = bytes
	return r
}

// fail returns all requests of a group one error.
func fail(group []*request, err error) {
	for _, r := range group {
		r.err = err
	}
}

func TestWhoWaitsIsWrittenInOneGo(t *testing.T) {
	t.Parallel()
	q := newQueue(100)
	require.NoError(t, q.enter(t.Context()))
	var groups [][]*request
	boom := errors.New("boom")
	results := make(chan error)
	for range 5 {
		go func() {
			results <- q.submit(t.Context(), sized(1, 1), func(group []*request) {
				groups = append(groups, group)
				fail(group, boom)
			}, q.leave)
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
	q := newQueue(100)
	q.waiting = []*request{
		sized(groupRecords*2, 1), sized(10, 1), sized(groupRecords-10, 1), sized(1, 1), // by rows
		sized(1, 300), sized(1, 60), sized(1, 40), sized(1, 1), // by bytes
	}
	for _, want := range []int{1, 2, 1, 1, 2, 1, 0} {
		require.Len(t, q.take(), want)
	}
}

func TestWhoGivesUpIsNotWritten(t *testing.T) {
	t.Parallel()
	q := newQueue(100)
	require.NoError(t, q.enter(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() {
		result <- q.submit(ctx, sized(1, 1), func([]*request) { panic("written") }, q.leave)
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
	q := newQueue(100)
	begun, finish := make(chan struct{}), make(chan struct{})
	first := make(chan error)
	go func() {
		first <- q.submit(t.Context(), sized(1, 1), func([]*request) {
			close(begun)
			<-finish
		}, q.leave)
	}()
	<-begun
	// Another waits in line, is taken up by the first, and gives up only then.
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error)
	go func() { second <- q.submit(ctx, sized(1, 1), func([]*request) {}, q.leave) }()
	require.Eventually(t, func() bool { return q.length() == 1 }, 10*time.Second, time.Millisecond)
	group := q.take()
	cancel()
	close(group[0].done)
	require.NoError(t, <-second)
	close(finish)
	require.NoError(t, <-first)
}

func TestRequestsAreDividedUntilNothingIsLeftToDivide(t *testing.T) {
	t.Parallel()
	r := newRequest(request{records: make([]store.Record, 5), messages: make([]store.Messages, 1)})
	parts := r.halves()
	require.Len(t, parts, 2)
	require.Equal(t, 6, parts[0].size()+parts[1].size())
	require.Len(t, newRequest(request{evaluations: make([]store.Evaluated, 1)}).halves(), 1)

	boom := errors.New("boom")
	parts[1].err = boom
	r.adopt(parts)
	require.ErrorIs(t, r.err, boom)
	parts[1].err = nil
	r.adopt(parts)
	require.NoError(t, r.err)
}
