// SPDX-License-Identifier: Apache-2.0

package turns

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// sized makes a request of so many records of so many bytes together.
func sized(records, bytes int) *Request {
	r := NewRequest(Request{Records: make([]store.Record, records)})
	r.Bytes = bytes
	return r
}

// fail sets the error of all requests of a group.
func fail(group []*Request, err error) {
	for _, r := range group {
		r.Err = err
	}
}

func TestWhoWaitsIsWrittenInOneGo(t *testing.T) {
	t.Parallel()
	q := NewQueue(100)
	require.NoError(t, q.Enter(t.Context()))
	var groups [][]*Request
	boom := errors.New("boom")
	results := make(chan error)
	for range 5 {
		go func() {
			results <- q.Submit(t.Context(), sized(1, 1), func(group []*Request) {
				groups = append(groups, group)
				fail(group, boom)
			}, q.Leave)
		}()
	}
	require.Eventually(t, func() bool { return q.length() == 5 }, 10*time.Second, time.Millisecond)
	q.Leave()
	for range 5 {
		require.ErrorIs(t, <-results, boom)
	}
	require.Len(t, groups, 1)
	require.Len(t, groups[0], 5)
}

func TestGroupsAreBounded(t *testing.T) {
	t.Parallel()
	q := NewQueue(100)
	q.waiting = []*Request{
		sized(groupRecords*2, 1), sized(10, 1), sized(groupRecords-10, 1), sized(1, 1), // by rows
		sized(1, 300), sized(1, 60), sized(1, 40), sized(1, 1), // by bytes
	}
	for _, want := range []int{1, 2, 1, 1, 2, 1, 0} {
		require.Len(t, q.take(), want)
	}
}

func TestWhoGivesUpIsNotWritten(t *testing.T) {
	t.Parallel()
	q := NewQueue(100)
	require.NoError(t, q.Enter(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() {
		result <- q.Submit(ctx, sized(1, 1), func([]*Request) { panic("written") }, q.Leave)
	}()
	require.Eventually(t, func() bool { return q.length() == 1 }, 10*time.Second, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-result, context.Canceled)
	require.Zero(t, q.length())
	require.ErrorIs(t, q.Enter(ctx), context.Canceled)
	q.Leave()
}

func TestWhatHasBegunIsFinished(t *testing.T) {
	t.Parallel()
	q := NewQueue(100)
	begun, finish := make(chan struct{}), make(chan struct{})
	first := make(chan error)
	go func() {
		first <- q.Submit(t.Context(), sized(1, 1), func([]*Request) {
			close(begun)
			<-finish
		}, q.Leave)
	}()
	<-begun
	// Another waits in line, is taken up by the first, and gives up only then.
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error)
	go func() { second <- q.Submit(ctx, sized(1, 1), func([]*Request) {}, q.Leave) }()
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
	r := NewRequest(Request{Records: make([]store.Record, 5), Messages: make([]store.Messages, 1)})
	parts := r.Halves()
	require.Len(t, parts, 2)
	require.Equal(t, 6, parts[0].size()+parts[1].size())
	require.Len(t, NewRequest(Request{Evaluations: make([]store.Evaluated, 1)}).Halves(), 1)

	boom := errors.New("boom")
	parts[1].Err = boom
	r.Adopt(parts)
	require.ErrorIs(t, r.Err, boom)
	parts[1].Err = nil
	r.Adopt(parts)
	require.NoError(t, r.Err)
}
