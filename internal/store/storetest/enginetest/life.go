// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// exerciseLife opens and closes.
func exerciseLife(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	t.Run("a closed store is unavailable", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		b.write(storetest.Record(env, storetest.Span(env, 1)))
		require.NoError(t, b.Close())
		require.NoError(t, b.Close())
		require.Equal(t, fault.Unavailable, fault.KindOf(storetest.Write(t.Context(), b, []store.Record{storetest.Record(env, storetest.Span(env, 2))})))
		require.Equal(t, fault.Unavailable, fault.KindOf(storetest.WriteMessages(t.Context(), b, []store.Messages{{Environment: env}})))
		_, err := b.Search(t.Context(), env, everything())
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		_, err = storetest.EvaluationsOf(t.Context(), b, env, span.Span{TraceID: span.TraceID{1}, SpanID: span.ID{1}})
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		require.Equal(t, fault.Unavailable, fault.KindOf(b.Expire(t.Context(), b.now())))
	})
	t.Run("an empty store has nothing", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		require.Empty(t, b.all(env))
		require.NoError(t, b.Expire(t.Context(), b.now()))
		b.reopen()
		require.Empty(t, b.all(env))
	})
	t.Run("reading and writing at once", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		var wg sync.WaitGroup
		errs := make(chan error, 100)
		for r := range 4 {
			wg.Go(func() {
				for i := range 5 {
					errs <- storetest.Write(t.Context(), b, []store.Record{storetest.Record(env, storetest.RichSpan(env, r*100+i))})
					page, err := b.Search(t.Context(), env, everything())
					errs <- err
					if int(page.Total) < i+1 {
						errs <- fault.New(fault.Internal, "a span that was written is not found")
					}
				}
			})
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
	})
	t.Run("a cancelled call says so", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := b.Search(ctx, env, everything())
		require.ErrorIs(t, err, context.Canceled)
		_, err = storetest.EvaluationsOf(ctx, b, env, span.Span{TraceID: span.TraceID{1}, SpanID: span.ID{1}})
		require.ErrorIs(t, err, context.Canceled)
	})
}
