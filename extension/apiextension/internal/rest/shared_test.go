// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Those who ask the same at the same moment share one reading, which outlasts the one that
// began it. Another environment has its own.
func TestOneReadingAnswersAllWhoAskTheSame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Shared{Memory: fair.NewBudget(100, time.Minute, nil).Part(100)}
		var readings atomic.Int64
		answer := make(chan struct{})
		read := func(ctx context.Context, hold Hold) (json.RawMessage, error) {
			readings.Add(1)
			if err := hold(40); err != nil {
				return nil, err
			}
			select {
			case <-answer:
				return json.RawMessage(`"read"`), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		ask := func(ctx context.Context, env tenant.EnvironmentID) chan error {
			done := make(chan error, 1)
			go func() {
				got, err := s.Answer(ctx, env, "trace", read)
				if err == nil && string(got.Body.(json.RawMessage)) != `"read"` {
					t.Errorf("%v", got.Body)
				}
				done <- err
			}()
			synctest.Wait()
			return done
		}
		ctx, leave := context.WithCancel(t.Context())
		first := ask(ctx, "acme")
		second, other := ask(t.Context(), "acme"), ask(t.Context(), "globex")
		require.EqualValues(t, 2, readings.Load())
		require.EqualValues(t, 80, s.Memory.InUse())
		leave()
		require.ErrorIs(t, <-first, context.Canceled)
		close(answer)
		require.NoError(t, <-second)
		require.NoError(t, <-other)
		synctest.Wait()
		require.Zero(t, s.Memory.InUse())
	})
}

// A caller that joins a reading without time left gets an error to retry, and a reading that
// panics is an error of those who wait for it.
func TestAReadingThatFailsIsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Shared{Memory: fair.NewBudget(100, time.Second, nil).Part(100)}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		late := func(ctx context.Context, _ Hold) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		go func() { _, _ = s.Answer(short, "acme", "trace", late) }()
		synctest.Wait()
		_, err := s.Answer(t.Context(), "acme", "trace", late)
		require.True(t, fault.Is(err, fault.Unavailable), "%v", err)

		_, err = s.Answer(t.Context(), "acme", "trace", func(_ context.Context, hold Hold) (json.RawMessage, error) { return nil, hold(101) })
		require.True(t, fault.Is(err, fault.Limited), "%v", err)
		_, err = s.Answer(t.Context(), "acme", "trace", func(context.Context, Hold) (json.RawMessage, error) { panic("a text") })
		require.ErrorContains(t, err, "panic")
		require.NotContains(t, err.Error(), "a text")
	})
}
