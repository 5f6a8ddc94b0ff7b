// SPDX-License-Identifier: Apache-2.0

package turns

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// sized makes a request of so many records of so many bytes together.
func sized(records, bytes int) *Request {
	r := NewRequest(store.Batch{Records: make([]store.Record, records)})
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
	require.Eventually(t, func() bool { return q.length() == 5 }, time.Minute, time.Millisecond)
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
	require.Eventually(t, func() bool { return q.length() == 1 }, time.Minute, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-result, context.Canceled)
	require.Zero(t, q.length())
	require.ErrorIs(t, q.Enter(ctx), context.Canceled)
	q.Leave()
}

// holdTurn makes a sender of one record that has its turn until finish is called.
func holdTurn(t *testing.T, q *Queue) (finish func()) {
	t.Helper()
	begun, held, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- q.Submit(t.Context(), sized(1, 1), func([]*Request) {
			close(begun)
			<-held
		}, q.Leave)
	}()
	<-begun
	return func() {
		t.Helper()
		close(held)
		require.NoError(t, <-done)
	}
}

func TestWhatHasBegunIsFinished(t *testing.T) {
	t.Parallel()
	q := NewQueue(100)
	finish := holdTurn(t, &q)
	// Another waits in line, is taken up by the first, and gives up only then.
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error)
	go func() { second <- q.Submit(ctx, sized(1, 1), func([]*Request) {}, q.Leave) }()
	require.Eventually(t, func() bool { return q.length() == 1 }, time.Minute, time.Millisecond)
	group := q.take()
	cancel()
	close(group[0].done)
	require.NoError(t, <-second)
	finish()
}

func TestRequestsAreDividedUntilNothingIsLeftToDivide(t *testing.T) {
	t.Parallel()
	r := NewRequest(store.Batch{Records: make([]store.Record, 5), Messages: make([]store.Messages, 1)})
	parts := r.Halves()
	require.Len(t, parts, 2)
	require.Equal(t, 6, parts[0].Rows()+parts[1].Rows())
	require.Len(t, NewRequest(store.Batch{Evaluations: make([]store.Evaluated, 1)}).Halves(), 1)

	boom := errors.New("boom")
	parts[1].Err = boom
	r.Adopt(parts)
	require.ErrorIs(t, r.Err, boom)
	parts[1].Err = nil
	r.Adopt(parts)
	require.NoError(t, r.Err)
}

// A request of several environments is not answered before all of it is written, in
// whichever order its parts have their turn.
func TestAllPartsAreWritten(t *testing.T) {
	t.Parallel()
	q := NewQueue(16 << 20)
	record := func(env tenant.EnvironmentID, bytes int) store.Record {
		r := store.Record{Environment: tenant.Environment{ID: env}}
		r.Span.Input = strings.Repeat("x", bytes)
		return r
	}
	r := NewRequest(store.Batch{Records: []store.Record{record("large", 2<<20), record("large", 2<<20), record("large", 2<<20), record("small", 1)}})
	written := 0
	require.NoError(t, q.Submit(t.Context(), r, func(group []*Request) {
		for _, x := range group {
			written += len(x.Records)
		}
	}, q.Leave))
	require.Equal(t, 4, written)
}

func TestWhoEntersUnlessItIsDoneDoesNotWaitForTheTurn(t *testing.T) {
	t.Parallel()
	q := NewQueue(100)
	done := make(chan struct{})
	mine, err := q.EnterUnless(t.Context(), done)
	require.NoError(t, err)
	require.True(t, mine)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	mine, err = q.EnterUnless(ctx, done)
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, mine)
	close(done)
	mine, err = q.EnterUnless(t.Context(), done)
	require.NoError(t, err)
	require.False(t, mine)
}
