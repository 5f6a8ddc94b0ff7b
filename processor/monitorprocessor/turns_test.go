// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// A batch of one environment lets another's pass between two spans.
func TestBatchesPassTheirTurn(t *testing.T) {
	t.Parallel()
	turns, got := fair.NewSlots[tenant.EnvironmentID](1), make(chan error, 1)
	long := turn{of: turns}
	require.NoError(t, long.begin(t.Context(), "long"))
	require.NoError(t, long.begin(t.Context(), "long"), "it has it")
	go func() { got <- turns.Take(t.Context(), "short") }()
	require.Eventually(t, func() bool { return turns.Waiting() == 1 }, patience, time.Millisecond)
	passed := make(chan error)
	go func() { passed <- long.pass(t.Context()) }()
	require.NoError(t, <-got)
	turns.Give("short", 0)
	require.NoError(t, <-passed)
	long.end()
	long.end()
	require.NoError(t, turns.Take(t.Context(), "short"), "it is free")
}

// askedStore is a store whose extension has the health of the process.
type askedStore struct {
	storeProvider
	problems func() []store.Problem
}

func (s *askedStore) AskHealth(problems func() []store.Problem) (forget func()) {
	s.problems = problems
	return func() { s.problems = nil }
}

// The health of the process reports an evaluator that ignores that it should end.
func TestEvaluatorsThatDoNotEndAreTold(t *testing.T) {
	t.Parallel()
	begun, gate := make(chan struct{}), make(chan struct{})
	endless, err := eval.New(eval.Definition[anyText, eval.None, nothing]{
		Slug: "endless", Doc: "Ends when it is let.", Examples: []eval.Example{{Input: `{"text":"x"}`, Want: `{"fine":true}`}},
		Run: func(_ context.Context, in anyText, _ eval.None) (nothing, error) {
			if in.Text != "x" {
				begun <- struct{}{}
				<-gate
			}
			return nothing{Fine: true}, nil
		},
	})
	require.NoError(t, err)
	live := newLive(t)
	want(t, live, "one", monitor.SetupEvaluator{Slug: "endless"})
	cfg := defaults()
	p, err := newProcessor(cfg, catalogOf(t, endless), componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	p.turns.Lend(time.Millisecond)
	stores := &askedStore{storeProvider: storeProvider{live: live}}
	require.NoError(t, p.start(t.Context(), host{map[component.ID]component.Component{cfg.Store: stores}}))
	require.Empty(t, stores.problems())
	passed := make(chan error)
	go func() {
		_, err := p.processTraces(t.Context(), stamped(1))
		passed <- err
	}()
	<-begun
	require.Eventually(t, func() bool { return len(stores.problems()) == 1 }, patience, time.Millisecond)
	require.Equal(t, store.Problem{
		Name: store.ProblemStuck, Message: "a span has kept evaluators at work for more than 30s: other spans are evaluated at the same time",
	}, stores.problems()[0])
	require.False(t, stores.problems()[0].Stops(), "spans are taken")
	close(gate)
	require.NoError(t, <-passed)
	require.Empty(t, stores.problems())
	require.NoError(t, p.shutdown(t.Context()))
	require.Nil(t, stores.problems, "a processor that has ended is not asked")
}
