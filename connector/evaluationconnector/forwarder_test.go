// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func forward(t *testing.T, cfg *Config, td ptrace.Traces) *consumertest.TracesSink {
	t.Helper()
	sink := new(consumertest.TracesSink)
	c, err := NewFactory().CreateTracesToTraces(t.Context(), connectortest.NewNopSettings(Type), cfg, sink)
	require.NoError(t, err)
	require.True(t, c.Capabilities().MutatesData)
	require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, c.ConsumeTraces(t.Context(), td))
	require.NoError(t, c.Shutdown(t.Context()))
	return sink
}

func TestSpansGoOutWithTheirVerdictsOnly(t *testing.T) {
	t.Parallel()
	td := judged(done("s", "pii-detector", eval.Deterministic, output("has_pii", true)))
	add(td, 2)
	sink := forward(t, defaults(), td)
	require.Equal(t, 2, sink.SpanCount())
	rs := sink.AllTraces()[0].ResourceSpans()
	require.Equal(t, map[string]any{"service.name": "shop"}, rs.At(0).Resource().Attributes().AsRaw())
	require.Equal(t, map[string]any{
		"gen_ai.prompt.0.content": "a secret of the user", "gen_ai.response.id": "chatcmpl-1", "evaluation.pii-detector.has_pii": true,
	}, rs.At(0).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw())

	told := defaults()
	told.EnvironmentAttribute = "environment"
	td = judged()
	td.ResourceSpans().At(0).Resource().Attributes().PutStr("environment", "what a client says")
	require.Equal(t, map[string]any{"service.name": "shop", "environment": "env-1"},
		forward(t, told, td).AllTraces()[0].ResourceSpans().At(0).Resource().Attributes().AsRaw())
}

// What passes again for a pending evaluation, or along with it, has gone out before.
func TestSpansGoOutOnce(t *testing.T) {
	t.Parallel()
	td := judged(done("s", "faithfulness", eval.Judge, output("is_faithful", true)))
	td.ResourceSpans().At(0).Resource().Attributes().PutBool(tenant.AttributeDeferred, true)
	require.Zero(t, forward(t, defaults(), td).SpanCount())

	td = judged()
	add(td, 2).Resource().Attributes().PutBool(tenant.AttributeDeferred, true)
	require.Equal(t, 1, forward(t, defaults(), td).SpanCount())
	require.Zero(t, forward(t, defaults(), ptrace.NewTraces()).SpanCount())
}

func TestForwarderTellsWhenNothingCanGoOut(t *testing.T) {
	t.Parallel()
	full := errors.New("queue is full")
	f := &forwarder{cfg: defaults(), next: consumertest.NewErr(full)}
	require.ErrorIs(t, f.ConsumeTraces(t.Context(), judged()), full)
}
