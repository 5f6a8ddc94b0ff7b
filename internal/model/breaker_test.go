// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func TestBreakerLeavesASickServerAlone(t *testing.T) {
	t.Parallel()
	sick := modeltest.Status(500, "oops")
	limits := model.Limits{BreakAfter: 2, BreakFor: 50 * time.Millisecond}
	s := newSetup(t, limits, model.JudgeSettings{}, sick, sick, yes())
	for range 2 {
		_, err := s.judge.Judge(t.Context(), question("a"))
		require.True(t, fault.Is(err, fault.Unavailable))
	}
	require.Equal(t, []bool{true}, s.seen.breaks)
	// The server would be well again, and is asked as soon as the time is over.
	require.Eventually(t, func() bool {
		_, err := s.judge.Judge(t.Context(), question("a"))
		return err == nil
	}, time.Minute, 5*time.Millisecond)
	require.Len(t, s.server.Requests(), 3)
	require.Equal(t, []bool{true, false, false}, s.seen.breaks)
}

// Without a server the whole life of the breaker fits a bubble of time.
func TestBreakerOpensProbesAndCloses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sent, well := 0, false
		client := &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
			if sent++; well {
				return nil, &url.Error{Err: context.Canceled}
			}
			return nil, &url.Error{Err: context.DeadlineExceeded}
		})}
		seen := &recorder{}
		guard := model.NewGuard("default", model.Limits{BreakAfter: 3, BreakFor: time.Minute}, nil, seen)
		c := model.NewClassifier(model.ClassifierSettings{
			Server: model.Server{URL: "http://models.invalid", Client: client}, Activation: model.Softmax,
		}, guard)
		ask := func() error { _, err := c.Classify(t.Context(), "a"); return err }
		for range 10 {
			require.True(t, fault.Is(ask(), fault.Unavailable))
		}
		require.Equal(t, 3, sent, "the rest was not even tried")
		time.Sleep(time.Minute + time.Second)
		require.Error(t, ask())
		require.Error(t, ask())
		require.Equal(t, 4, sent, "one probe, which failed")
		require.Equal(t, model.ReasonOpen, seen.reasons()[len(seen.reasons())-1])
		time.Sleep(time.Minute + time.Second)
		well = true
		require.Error(t, ask())
		require.Equal(t, 5, sent, "a caller that goes away says nothing about the server")
	})
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestLimitsAndRefusalsDoNotOpenTheBreaker(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{BreakAfter: 1, BreakFor: time.Hour}, model.JudgeSettings{},
		modeltest.Status(429, "x"), modeltest.Status(404, "x"), modeltest.Garbage(), yes())
	for range 3 {
		_, err := s.judge.Judge(t.Context(), question("a"))
		require.Error(t, err)
	}
	_, err := s.judge.Judge(t.Context(), question("a"))
	require.NoError(t, err)
	require.Empty(t, s.seen.breaks)
}
