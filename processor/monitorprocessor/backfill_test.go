// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestBackfillJudgesStoredSpansLikePassingOnes(t *testing.T) {
	t.Parallel()
	models, server := scripted(t)
	cfg := defaults()
	cfg.Budget = 1 // which is for spans whose sender waits
	p, tel := startWith(t, nil, models, cfg)
	o := newOwed(
		monitor.SetupEvaluator{Slug: "char-count"},
		monitor.SetupEvaluator{Slug: "word-count"},
		evaluatorFor(qualityJudge()),
		monitor.SetupEvaluator{Slug: "context-relevance"},
		monitor.SetupEvaluator{Slug: "answer-correctness"},
	)
	o.backfill = true
	o.custom = append(o.custom, qualityJudge())
	model := "gpt-4o"
	o.setups[0].Selector = monitor.Selector{{Key: "gen_ai.request.model", Source: monitor.SpanAttributes, Operator: query.OpEquals, Value: &model}}
	o.add(func(s ptrace.Span) {
		s.SetParentSpanID(pcommon.SpanID{9})
		s.Attributes().PutStr("gen_ai.request.model", model)
	})
	o.add(nil)
	o.add(func(s ptrace.Span) {
		s.SetTraceID(pcommon.TraceID(span.NewSelfTraceID()))
		s.Attributes().PutStr("gen_ai.request.model", model)
	})
	o.pass(t, p)

	made := o.of(0)
	require.Len(t, made, 5)
	for i, want := range []struct {
		status eval.Status
		reason string
	}{
		{eval.Done, ""}, {eval.Done, ""}, {eval.Deferred, eval.ReasonModel}, {eval.Deferred, eval.ReasonTrace}, {eval.Skipped, eval.ReasonMissingInput},
	} {
		require.Equal(t, want.status, made[i].Status, made[i].Evaluator)
		require.Equal(t, want.reason, made[i].Reason, made[i].Evaluator)
		require.Zero(t, made[i].Attempts)
		if want.status == eval.Deferred {
			require.Equal(t, made[i].Time, made[i].Due, "the rest of the trace is there already")
		}
	}
	require.Empty(t, o.of(1), "the selector does not match it")
	for _, own := range o.of(2) {
		require.Equal(t, eval.Skipped, own.Status)
		require.Equal(t, eval.ReasonOwnTraffic, own.Reason)
	}
	require.Empty(t, server.Requests())
	require.EqualValues(t, 3, sum(t, tel, "touchstone_monitor_spans_seen"))
	require.EqualValues(t, 2, sum(t, tel, "touchstone_monitor_spans_matched"))
}

func TestCancelledBackfillIsDoneAgain(t *testing.T) {
	t.Parallel()
	p, _ := startWith(t, nil, nil, defaults())
	o := newOwed(monitor.SetupEvaluator{Slug: "char-count"})
	o.backfill = true
	o.add(nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.processTraces(ctx, o.td)
	require.ErrorIs(t, err, context.Canceled)
}

// A backfill is no span that comes: the status of a setup does not move.
func TestBackfillCompletesNoSetup(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	createSetup(t, live, "one", []string{"char-count"}, exists("absent"))
	p, _ := startWith(t, live, nil, defaults())
	s := await(t, live, "one", monitor.WaitingForSpans)
	s.Selector = nil
	o := newOwed()
	o.backfill = true
	o.setups = []monitor.Setup{s}
	o.add(nil)
	o.pass(t, p)
	require.Equal(t, eval.Done, o.of(0)[0].Status)
	require.Empty(t, p.reconciler.noted())
}
