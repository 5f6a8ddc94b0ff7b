// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var caching = model.JudgeSettings{
	Cache: model.CacheLimits{Bytes: 1 << 20, Age: time.Hour}, Allowed: []string{"judge-2"},
}

func TestSameQuestionIsAskedOnce(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{}, caching, yes())
	first, err := s.judge.Judge(t.Context(), question("a", "b"))
	require.NoError(t, err)
	again, err := s.judge.Judge(t.Context(), question("a", "b"))
	require.NoError(t, err)
	require.Len(t, s.server.Requests(), 1)
	require.Equal(t, first.JSON, again.JSON)
	require.True(t, again.Cached)
	require.Zero(t, again.Usage, "it costs nothing")
	require.Equal(t, 1, s.seen.hits)
	require.Equal(t, 1, s.seen.misses)
}

func TestEveryPartOfAQuestionMatters(t *testing.T) {
	t.Parallel()
	warm := 0.5
	s := newSetup(t, model.Limits{}, caching, yes())
	changes := []func(*eval.Question){
		func(*eval.Question) {},
		func(q *eval.Question) { q.Evaluator = "other" },
		func(q *eval.Question) { q.Version = "2" },
		func(q *eval.Question) { q.Model = "judge-2" },
		func(q *eval.Question) { q.Instructions += "." },
		func(q *eval.Question) { q.Schema = json.RawMessage(verdictSchema + " ") },
		func(q *eval.Question) { q.Turns = []eval.Turn{{Role: eval.RoleUser, Text: "a"}} },
		func(q *eval.Question) { q.Turns = []eval.Turn{{Role: eval.RoleAssistant, Text: "a"}} },
		func(q *eval.Question) { q.Data[0].Text = "c" },
		func(q *eval.Question) { q.Data[0].Name = "c" },
		func(q *eval.Question) { q.Data = q.Data[:1] },
		func(q *eval.Question) { q.Data[0], q.Data[1] = q.Data[1], q.Data[0] },
		func(q *eval.Question) { q.Data[0].Text, q.Data[1].Text = "ab", "" },
		func(q *eval.Question) { q.Sampling.Temperature = &warm },
		func(q *eval.Question) { q.Sampling.MaxTokens = 9 },
		func(q *eval.Question) { q.Sampling.Stop = []string{"x"} },
	}
	for round := range 2 {
		for i, change := range changes {
			q := question("a", "b")
			change(&q)
			got, err := s.judge.Judge(t.Context(), q)
			require.NoError(t, err)
			require.Equal(t, round == 1, got.Cached, "change %d", i)
		}
	}
	require.Len(t, s.server.Requests(), len(changes))
}

func TestVerdictsAge(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{}, caching, yes())
	ask := func() bool {
		got, err := s.judge.Judge(t.Context(), question("a"))
		require.NoError(t, err)
		return got.Cached
	}
	require.False(t, ask())
	s.clock.Advance(time.Hour - time.Nanosecond)
	require.True(t, ask())
	s.clock.Advance(time.Nanosecond)
	require.False(t, ask(), "being asked for does not make it younger")
	require.True(t, ask())
}

func TestVerdictsAreForgotten(t *testing.T) {
	t.Parallel()
	guard := model.NewGuard("default", model.Limits{}, nil, nil)
	s := newSetup(t, model.Limits{}, caching, yes())
	asked := make(chan struct{})
	answer := make(chan struct{})
	slow := caching
	slow.Model, slow.MaxTokens = "judge-1", 512
	slow.Server = model.Server{URL: s.server.URL(), Client: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		asked <- struct{}{}
		<-answer
		return s.server.Client().Transport.RoundTrip(r)
	})}}
	judge := model.NewJudge(slow, guard)
	ask := func() bool {
		got, err := judge.Judge(t.Context(), question("a"))
		require.NoError(t, err)
		return got.Cached
	}
	cached := make(chan bool)
	go func() { cached <- ask() }()
	<-asked
	guard.ForgetAnswers()
	close(answer)
	require.False(t, <-cached)
	go func() { cached <- ask() }()
	<-asked
	require.False(t, <-cached, "what was on its way was forgotten, too")
	require.True(t, ask())
	guard.ForgetAnswers()
	go func() { cached <- ask() }()
	<-asked
	require.False(t, <-cached)
}

// roundTripper is a transport that is one function.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestCacheIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	small := model.JudgeSettings{Cache: model.CacheLimits{Bytes: 10_000, Age: time.Hour}}
	long := modeltest.JSON(map[string]any{"reason": strings.Repeat("r", 2000), "verdict": "yes"})
	s := newSetup(t, model.Limits{}, small, long)
	ask := func(text string) bool {
		got, err := s.judge.Judge(t.Context(), question(text))
		require.NoError(t, err)
		return got.Cached
	}
	for i := range 5 { // Four fit.
		require.False(t, ask(fmt.Sprint(i)))
	}
	require.True(t, ask("4"))
	require.True(t, ask("1"))
	require.False(t, ask("0"), "the one not used for longest had to go")
	require.True(t, ask("1"), "one that was used had not")

	tiny := newSetup(t, model.Limits{}, model.JudgeSettings{Cache: model.CacheLimits{Bytes: 1000, Age: time.Hour}}, long)
	for range 2 {
		got, err := tiny.judge.Judge(t.Context(), question("a"))
		require.NoError(t, err)
		require.False(t, got.Cached, "a verdict larger than the cache is not kept")
	}
}

func TestFailuresAreNotKept(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{}, caching, modeltest.Status(http.StatusInternalServerError, "x"), yes())
	_, err := s.judge.Judge(t.Context(), question("a"))
	require.True(t, fault.Is(err, fault.Unavailable))
	got, err := s.judge.Judge(t.Context(), question("a"))
	require.NoError(t, err)
	require.False(t, got.Cached)
}

func TestAtTheSameTimeOneAsksForAll(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	s := newSetup(t, model.Limits{}, caching, modeltest.Hold(gate, yes()))
	const callers = 8
	paid := make(chan bool, callers)
	var wg sync.WaitGroup
	ask := func() {
		got, err := s.judge.Judge(t.Context(), question("a"))
		require.NoError(t, err)
		paid <- !got.Cached
	}
	wg.Go(ask)
	require.Eventually(t, func() bool { now, _ := s.server.InFlight(); return now == 1 }, time.Minute, time.Millisecond)
	for range callers - 1 {
		wg.Go(ask)
	}
	close(gate)
	wg.Wait()
	close(paid)
	n := 0
	for p := range paid {
		if p {
			n++
		}
	}
	require.Equal(t, 1, n)
	require.Len(t, s.server.Requests(), 1)
}

func TestWhoWaitsAsksWhenTheAskerGoesAway(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{}, caching, modeltest.Hang(), yes())
	leader, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := s.judge.Judge(leader, question("a"))
		left <- err
	}()
	require.Eventually(t, func() bool { now, _ := s.server.InFlight(); return now == 1 }, time.Minute, time.Millisecond)

	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.judge.Judge(impatient, question("a"))
	require.ErrorIs(t, err, context.Canceled, "who waits may go away alone")

	got := make(chan eval.Verdict)
	go func() {
		v, err := s.judge.Judge(t.Context(), question("a"))
		if err != nil {
			v = eval.Verdict{}
		}
		got <- v
	}()
	leave()
	require.ErrorIs(t, <-left, context.Canceled)
	require.NotEmpty(t, (<-got).JSON)
}

// What one environment had judged does not leak to another, by an answer that costs nothing
// and comes at once; and an error is of who asked.
func TestEnvironmentsShareNoAnswers(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{}, model.JudgeSettings{Cache: model.CacheLimits{Bytes: 1 << 20, Age: time.Hour}}, yes(), yes())
	for _, env := range []tenant.EnvironmentID{"acme", "globex"} {
		ctx := tenant.WithEnvironment(t.Context(), env)
		first, err := s.judge.Judge(ctx, question("a"))
		require.NoError(t, err)
		require.False(t, first.Cached, env)
		require.Positive(t, first.Usage.PromptTokens, env)
		again, err := s.judge.Judge(ctx, question("a"))
		require.NoError(t, err)
		require.True(t, again.Cached, env)
	}
	require.Len(t, s.server.Requests(), 2)
}
