// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// While all workers wait for the models of one environment, pending evaluations of another go
// through, and those of two go through apart.
func TestNobodyWaitsForTheModelsOfAnother(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	org, keys := storetest.NewOrganization("other", "prd")
	require.NoError(t, h.live.CreateOrganization(t.Context(), org, keys))
	many, few := h.env, keys[0].Environment
	owe := func(env tenant.Environment, from, to int) {
		setup := storetest.NewSetup(env, "of-"+string(env.ID)+string(rune('a'+from)))
		setup.Selector, setup.Evaluators = nil, []monitor.SetupEvaluator{{Slug: "char-count", Status: monitor.Pending}}
		require.NoError(t, store.Setups(h.live).Create(t.Context(), setup))
		for n := from; n < to; n++ {
			s := h.newSpan(n)
			s.Environment = env.Slug
			require.NoError(t, storetest.Write(t.Context(), h.real, []store.Record{{Environment: env, Span: s, Evaluations: []eval.Evaluation{owedBy(setup, "char-count")}}}))
		}
	}
	owe(many, 0, 20)

	cfg := testConfig()
	cfg.Workers, cfg.Batch, cfg.ShutdownGrace = 2, 4, 0
	arrived := make(chan tenant.EnvironmentID)
	answer := make(chan struct{})
	h.start(cfg, func(ctx context.Context, td ptrace.Traces) error {
		env := ""
		for _, rs := range td.ResourceSpans().All() {
			v, _ := rs.Resource().Attributes().Get(tenant.AttributeEnvironmentID)
			if env != "" && env != v.Str() {
				t.Error("two environments at once")
			}
			env = v.Str()
		}
		select {
		case arrived <- tenant.EnvironmentID(env):
		case <-ctx.Done():
			return ctx.Err()
		}
		if env == string(many.ID) {
			select {
			case <-answer:
			case <-ctx.Done():
			}
			return ctx.Err()
		}
		return h.completeOf(ctx, few, td)
	})
	t.Cleanup(func() { close(answer) })
	for range cfg.Workers {
		require.Equal(t, many.ID, <-arrived)
	}
	owe(few, 100, 102)
	require.Equal(t, few.ID, <-arrived, "no model has answered")
	go func() {
		for {
			select {
			case <-arrived:
			case <-answer:
				return
			}
		}
	}()
	require.Eventually(t, func() bool { return h.real.stats(t).Evaluations <= 20 }, patience, 2*time.Millisecond)
}

// What is stored in this process is looked for at once, however long the time between two
// looks is, also while all workers wait.
func TestWhatIsAddedIsLookedForAtOnce(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	org, keys := storetest.NewOrganization("other", "prd")
	require.NoError(t, h.live.CreateOrganization(t.Context(), org, keys))
	other := keys[0].Environment
	slow := h.setup("slow", nil, "char-count")
	quick := storetest.NewSetup(other, "quick")
	quick.Selector, quick.Evaluators = nil, []monitor.SetupEvaluator{{Slug: "char-count", Status: monitor.Pending}}
	require.NoError(t, store.Setups(h.live).Create(t.Context(), quick))
	cfg := testConfig()
	cfg.Workers, cfg.PollInterval = 1, time.Hour
	arrived, answer := make(chan struct{}), make(chan struct{})
	h.start(cfg, func(ctx context.Context, td ptrace.Traces) error {
		v, _ := td.ResourceSpans().At(0).Resource().Attributes().Get(tenant.AttributeEnvironmentID)
		if v.Str() == string(other.ID) {
			return h.completeOf(ctx, other, td)
		}
		arrived <- struct{}{}
		<-answer
		return h.complete(ctx, td)
	})
	h.write(h.newSpan(0), owedBy(slow, "char-count"))
	<-arrived
	s := h.newSpan(1)
	s.Environment = other.Slug
	require.NoError(t, storetest.Write(t.Context(), h.real, []store.Record{{Environment: other, Span: s, Evaluations: []eval.Evaluation{owedBy(quick, "char-count")}}}))
	require.Eventually(t, func() bool { return h.real.stats(t).Evaluations == 1 }, patience, 2*time.Millisecond, "the other's is done while the worker is not free")
	close(answer)
	require.Eventually(t, func() bool { return h.real.stats(t).Evaluations == 0 }, patience, 2*time.Millisecond)
}
