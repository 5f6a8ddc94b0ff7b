// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func TestOutagesAreRetriedWithGrowingWaits(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]modeltest.Step{
		"500":            modeltest.Status(http.StatusInternalServerError, "oops"),
		"503, not JSON":  modeltest.Raw(http.StatusServiceUnavailable, "text/html", "<html>"),
		"dropped":        modeltest.Dropped(),
		"garbage":        modeltest.Garbage(),
		"truncated JSON": modeltest.Truncated(),
		"broken off":     modeltest.Broken(),
		"no choices":     modeltest.Raw(http.StatusOK, "application/json", `{"choices":[]}`),
		"not JSON":       modeltest.Raw(http.StatusOK, "text/plain", `yes`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t, retrying, model.JudgeSettings{}, step, step, yes())
			_, err := s.judge.Judge(t.Context(), question("a"))
			require.NoError(t, err)
			require.Len(t, s.server.Requests(), 3)
			slept := s.clock.Slept()
			require.Len(t, slept, 2)
			require.InDelta(t, 1, slept[0].Seconds(), 0.51, "about a second")
			require.InDelta(t, 2, slept[1].Seconds(), 1.01, "about two")
		})
	}
}

func TestOutageThatStaysIsOneError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step   modeltest.Step
		kind   fault.Kind
		reason model.Reason
		sent   int
	}{
		"500":       {modeltest.Status(500, "oops"), fault.Unavailable, model.ReasonServer, 3},
		"429":       {modeltest.Status(429, "slow_down"), fault.Unavailable, model.ReasonLimited, 3},
		"dropped":   {modeltest.Dropped(), fault.Unavailable, model.ReasonNetwork, 3},
		"garbage":   {modeltest.Garbage(), fault.Unusable, model.ReasonBroken, 3},
		"truncated": {modeltest.Truncated(), fault.Unusable, model.ReasonBroken, 3},
		"401":       {modeltest.Status(401, "invalid_api_key"), fault.Unusable, model.ReasonRefused, 1},
		"404":       {modeltest.Status(404, "model_not_found"), fault.Unusable, model.ReasonRefused, 1},
		"redirect":  {modeltest.Header("Location", "http://127.0.0.1:1/", modeltest.Raw(307, "text/plain", "")), fault.Unusable, model.ReasonRefused, 1},
		"too long":  {modeltest.Status(400, "context_length_exceeded"), fault.TooLarge, model.ReasonTooLong, 1},
		"filtered":  {modeltest.Status(400, "content_filter"), fault.Unusable, model.ReasonRefused, 1},
		"413":       {modeltest.Status(413, "big"), fault.TooLarge, model.ReasonTooLong, 1},
		"no quota":  {modeltest.Status(429, "insufficient_quota"), fault.Unavailable, model.ReasonBusy, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t, retrying, model.JudgeSettings{}, c.step)
			got, err := s.judge.Judge(t.Context(), question("SECRET-PROMPT"))
			require.Equal(t, c.kind, fault.KindOf(err), err)
			require.Nil(t, got.JSON)
			require.Len(t, s.server.Requests(), c.sent)
			require.Equal(t, c.reason, s.seen.reasons()[c.sent-1])
			require.NotContains(t, err.Error(), "SECRET-PROMPT")
			require.NotContains(t, err.Error(), "sk-secret")
			require.Contains(t, fault.Message(err), `"default"`)
		})
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	now := modeltest.NewClock().Now()
	for name, step := range map[string]modeltest.Step{
		"seconds":      modeltest.RetryAfter(7 * time.Second),
		"date":         modeltest.Header("Retry-After", now.Add(7*time.Second).Format(http.TimeFormat), modeltest.Status(429, "x")),
		"milliseconds": modeltest.Header("Retry-After-Ms", "7000", modeltest.Status(429, "x")),
		"unavailable":  modeltest.Header("Retry-After", "7", modeltest.Status(503, "x")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t, retrying, model.JudgeSettings{}, step, yes())
			_, err := s.judge.Judge(t.Context(), question("a"))
			require.NoError(t, err)
			all := s.server.Requests()
			require.Len(t, all, 2)
			waited := all[1].At.Sub(all[0].At)
			require.GreaterOrEqual(t, waited, 7*time.Second)
			require.Less(t, waited, 9*time.Second)
		})
	}
}

func TestRetryAfterBeyondPatienceGivesUpAtOnce(t *testing.T) {
	t.Parallel()
	s := newSetup(t, retrying, model.JudgeSettings{}, modeltest.RetryAfter(time.Hour), yes())
	_, err := s.judge.Judge(t.Context(), question("a"))
	require.True(t, fault.Is(err, fault.Unavailable))
	require.Len(t, s.server.Requests(), 1)
	require.Empty(t, s.clock.Slept())

	// Everybody else waits too, but no longer than they are patient.
	_, err = s.judge.Judge(t.Context(), question("b"))
	require.NoError(t, err)
	all := s.server.Requests()
	require.Equal(t, time.Minute, all[1].At.Sub(all[0].At))
}

func TestSlowServerTimesOut(t *testing.T) {
	t.Parallel()
	limits := retrying
	limits.Timeout = 20 * time.Millisecond
	s := newSetup(t, limits, model.JudgeSettings{}, modeltest.Hang())
	_, err := s.judge.Judge(t.Context(), question("a"))
	require.True(t, fault.Is(err, fault.Unavailable))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, []model.Reason{model.ReasonTimeout, model.ReasonTimeout, model.ReasonTimeout}, s.seen.reasons())
}

func TestCallerThatGoesAwayIsNotRetried(t *testing.T) {
	t.Parallel()
	s := newSetup(t, retrying, model.JudgeSettings{}, modeltest.Hang())
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := s.judge.Judge(ctx, question("a"))
		done <- err
	}()
	require.Eventually(t, func() bool { now, _ := s.server.InFlight(); return now == 1 }, time.Minute, time.Millisecond)
	cancel()
	err := <-done
	require.True(t, fault.Is(err, fault.Unavailable))
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, s.server.Requests(), 1)
}

func TestServerThatCannotBeReached(t *testing.T) {
	t.Parallel()
	clock := modeltest.NewClock()
	judge := model.NewJudge(model.JudgeSettings{
		Server: model.Server{URL: "http://user:sk-secret@127.0.0.1:1/v1"}, Model: "judge-1", MaxTokens: 10,
	}, model.NewGuard("default", retrying, clock, nil))
	_, err := judge.Judge(t.Context(), question("a"))
	require.True(t, fault.Is(err, fault.Unavailable))
	require.NotContains(t, err.Error(), "sk-secret")
	require.Len(t, clock.Slept(), 2)
}
