// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// waits is how many wait in b.
func waits(b *budget) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}

func TestACallerHasAtMostHalfWhileOthersMayCome(t *testing.T) {
	t.Parallel()
	b := newBudget(100, time.Millisecond)
	one := b.lease("acme")
	require.NoError(t, one.grow(t.Context(), 90), "alone it may have all")
	other := b.lease("acme")
	require.ErrorIs(t, other.grow(t.Context(), 1), errMemory)
	require.ErrorIs(t, other.take(1), errMemory)
	beside := b.lease("globex")
	require.NoError(t, beside.grow(t.Context(), 10))
	require.ErrorIs(t, beside.grow(t.Context(), 1), errMemory)
	one.shrink(50)
	require.NoError(t, other.grow(t.Context(), 10), "40 and 10 are half")
	require.ErrorIs(t, other.grow(t.Context(), 1), errMemory)
	for _, l := range []*lease{one, other, beside} {
		l.release()
	}
	require.Zero(t, b.inUse())
	require.Empty(t, b.callers)
}

func TestWhoHoldsLeastIsServedFirst(t *testing.T) {
	t.Parallel()
	b := newBudget(100, time.Minute)
	full := b.lease("acme")
	require.NoError(t, full.grow(t.Context(), 100))
	order := make(chan string, 2)
	var wg sync.WaitGroup
	for i, name := range []string{"acme", "globex"} {
		l := b.lease(name)
		wg.Go(func() {
			if err := l.grow(t.Context(), 40); err != nil {
				order <- err.Error()
				return
			}
			order <- name
			l.release()
		})
		require.Eventually(t, func() bool { return waits(b) == i+1 }, time.Minute, time.Millisecond)
	}
	full.shrink(45) // enough for one
	require.Equal(t, "globex", <-order, "it came later and holds nothing")
	full.release()
	require.Equal(t, "acme", <-order)
	wg.Wait()
}

func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	b := newBudget(10, time.Minute)
	l := b.lease("acme")
	require.NoError(t, l.grow(t.Context(), 10))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, b.lease("globex").grow(ctx, 1), context.Canceled)
	require.Zero(t, waits(b))
}

// Many senders of several callers at once: what is held never exceeds the
// total, each gets on, and in the end nothing is held.
func TestBudgetUnderLoad(t *testing.T) {
	t.Parallel()
	const total = 1000
	b := newBudget(total, time.Minute)
	var most atomic.Int64
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			for round := range 200 {
				l := b.lease(string(rune('a' + i%4)))
				for _, n := range []int64{int64(1 + (i+round)%50), 60} {
					if err := l.grow(t.Context(), n); err != nil {
						t.Error(err)
					}
					most.Store(max(most.Load(), b.inUse()))
				}
				l.release()
			}
		})
	}
	wg.Wait()
	require.LessOrEqual(t, most.Load(), int64(total))
	require.Zero(t, b.inUse())
	require.Empty(t, b.callers)
}

func TestWantOfMemoryIsRetryable(t *testing.T) {
	t.Parallel()
	in := newIntake(t, func(c *Config) {
		c.RequestMiB, c.MemoryMiB, c.Wait, c.RetryAfter = 8, 16, time.Millisecond, 1500*time.Millisecond
	}, nil)
	full := in.budget.lease("somebody")
	require.NoError(t, full.grow(t.Context(), 16<<20))
	b, _ := spans(t, 1, 100)
	err := in.call(t.Context(), "acme", b, "")
	requireStatus(t, err, codes.ResourceExhausted, "try again later")
	require.Equal(t, 1500*time.Millisecond, status.Convert(err).Details()[0].(*errdetails.RetryInfo).GetRetryDelay().AsDuration())
	code, header, answer := in.post(t, "acme", "/v1/traces", protobufType, "", bytes.NewReader(b))
	require.Equal(t, http.StatusTooManyRequests, code, "%s", answer)
	require.Equal(t, "2", header.Get("Retry-After"))
	require.Zero(t, in.traces.SpanCount())

	full.release()
	require.NoError(t, in.call(t.Context(), "acme", b, ""))
	code, _, _ = in.post(t, "acme", "/v1/traces", protobufType, "", bytes.NewReader(b))
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, 2, in.traces.SpanCount())
	require.Zero(t, in.budget.inUse())
}

// Who has all that he may have under way, and as much in line, is told before more of him
// is read.
func TestWhoHasTooMuchInLineIsNotRead(t *testing.T) {
	t.Parallel()
	in := newIntake(t, func(c *Config) { c.RequestMiB, c.MemoryMiB, c.Wait = 8, 32, time.Hour }, nil)
	half, alone := in.budget.lease("acme"), in.budget.lease("acme")
	require.NoError(t, half.grow(t.Context(), 16<<20))
	waiting, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- alone.grow(waiting, 16<<20+1) }()
	require.Eventually(t, func() bool { return waits(in.budget) == 1 }, time.Minute, time.Millisecond)
	require.True(t, in.budget.full("acme"))
	require.False(t, in.budget.full("globex"))

	large, _ := spans(t, 1, 4<<20)
	err := in.call(t.Context(), "acme", large, "")
	requireStatus(t, err, codes.ResourceExhausted, "try again later")
	require.Equal(t, in.cfg.RetryAfter, status.Convert(err).Details()[0].(*errdetails.RetryInfo).GetRetryDelay().AsDuration())
	small, _ := spans(t, 1, 100)
	require.NoError(t, in.call(t.Context(), "globex", small, ""))

	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.False(t, in.budget.full("acme"))
	half.release()
	alone.release()
	require.NoError(t, in.call(t.Context(), "acme", large, ""))
	require.Zero(t, in.budget.inUse())
}
