// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func TestConcurrencyIsLimitedAtTheServer(t *testing.T) {
	t.Parallel()
	const callers, limit = 12, 3
	gate := make(chan struct{})
	s := newSetup(t, model.Limits{Concurrency: limit, MaxWait: time.Minute}, model.JudgeSettings{}, modeltest.Hold(gate, yes()))
	var wg sync.WaitGroup
	errs := make(chan error, callers)
	for range callers {
		wg.Go(func() {
			_, err := s.judge.Judge(t.Context(), question("a"))
			errs <- err
		})
	}
	require.Eventually(t, func() bool { now, _ := s.server.InFlight(); return now == limit }, time.Minute, time.Millisecond)
	close(gate)
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	_, most := s.server.InFlight()
	require.Equal(t, limit, most)
	require.Len(t, s.server.Requests(), callers)
}

func TestWaitingForATurnHasAnEnd(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	s := newSetup(t, model.Limits{Concurrency: 1, MaxWait: 10 * time.Millisecond, Attempts: 3}, model.JudgeSettings{}, modeltest.Hold(gate, yes()))
	first := make(chan error)
	go func() {
		_, err := s.judge.Judge(t.Context(), question("a"))
		first <- err
	}()
	require.Eventually(t, func() bool { now, _ := s.server.InFlight(); return now == 1 }, time.Minute, time.Millisecond)
	_, err := s.judge.Judge(t.Context(), question("b"))
	require.True(t, fault.Is(err, fault.Unavailable))
	require.Contains(t, fault.Message(err), "at its limit")
	require.Equal(t, []model.Call{{Reason: model.ReasonBusy}}, s.seen.calls, "nothing was sent")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.judge.Judge(ctx, question("b"))
	require.ErrorIs(t, err, context.Canceled)
	close(gate)
	require.NoError(t, <-first)
}

// The clock moves only when a caller sleeps, so the times at which requests
// arrive at the server are those that the limits chose.
func TestRequestsPerMinuteHoldInEveryMinute(t *testing.T) {
	t.Parallel()
	for _, perMinute := range []int{1, 7, 30} {
		s := newSetup(t, model.Limits{RequestsPerMinute: perMinute, MaxWait: time.Hour}, model.JudgeSettings{}, yes())
		for range 3 * perMinute {
			_, err := s.judge.Judge(t.Context(), question("a"))
			require.NoError(t, err)
		}
		all := s.server.Requests()
		require.Len(t, all, 3*perMinute)
		for i, from := range all {
			n := 0
			for _, r := range all[i:] {
				if r.At.Sub(from.At) < time.Minute {
					n++
				}
			}
			require.LessOrEqual(t, n, perMinute)
		}
		took := all[len(all)-1].At.Sub(all[0].At)
		require.LessOrEqual(t, took, 4*time.Minute, "and they are made use of")
	}
}

func TestTokensPerMinuteAreCorrectedAfterTheAnswer(t *testing.T) {
	t.Parallel()
	// Every answer uses 120 tokens, whatever the estimate.
	s := newSetup(t, model.Limits{TokensPerMinute: 1200, MaxWait: time.Hour}, model.JudgeSettings{}, yes())
	q := question("a")
	q.Instructions = "short"
	for range 40 {
		_, err := s.judge.Judge(t.Context(), q)
		require.NoError(t, err)
	}
	all := s.server.Requests()
	// 39 answers stand before the last request: 4680 tokens, of which a tenth
	// of a minute's may be due.
	took := all[39].At.Sub(all[0].At)
	require.Greater(t, took, 3*time.Minute)
	require.Less(t, took, 10*time.Minute)
}

func TestLimitsThatWouldTakeTooLongFailAtOnce(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{RequestsPerMinute: 1, MaxWait: 10 * time.Second}, model.JudgeSettings{}, yes())
	_, err := s.judge.Judge(t.Context(), question("a"))
	require.NoError(t, err)
	for range 5 {
		_, err = s.judge.Judge(t.Context(), question("a"))
		require.True(t, fault.Is(err, fault.Unavailable))
	}
	require.Empty(t, s.clock.Slept())
	s.clock.Advance(time.Minute)
	_, err = s.judge.Judge(t.Context(), question("a"))
	require.NoError(t, err, "those who were turned away took nothing")

	hurried, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	slow := newSetup(t, model.Limits{RequestsPerMinute: 1, MaxWait: time.Hour}, model.JudgeSettings{}, yes())
	_, err = slow.judge.Judge(hurried, question("a"))
	require.NoError(t, err)
	_, err = slow.judge.Judge(hurried, question("a"))
	require.True(t, fault.Is(err, fault.Unavailable), "its turn comes after the caller's deadline")
	require.Empty(t, slow.clock.Slept())
}
