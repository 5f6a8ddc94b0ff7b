// SPDX-License-Identifier: Apache-2.0

package spanstoreexporter

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// appendStored adds a span that passes again, with what it carries.
func appendStored(td ptrace.Traces, env tenant.Environment, id byte, carried ...eval.Evaluation) ptrace.ResourceSpans {
	rs := td.ResourceSpans().AppendEmpty()
	a := rs.Resource().Attributes()
	a.PutStr(tenant.AttributeEnvironmentID, string(env.ID))
	a.PutBool(tenant.AttributeDeferred, true)
	a.PutBool(tenant.AttributeBackfill, true)
	a.PutStr(tenant.AttributeSetups, "setups")
	a.PutStr("service.name", "shop")
	s := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetTraceID(pcommon.TraceID{1})
	s.SetSpanID(pcommon.SpanID{id})
	monitor.Carry(s.Attributes(), carried)
	return rs
}

func verdict(setup string, value bool) eval.Evaluation {
	return eval.Evaluation{
		SetupID: setup, Evaluator: "answer-relevancy", Status: eval.Done, Backend: eval.Judge, Version: "1", Attempts: 1,
		Outputs: []eval.Output{{Name: "is_relevant", Value: value}}, Time: 7,
	}
}

func keyOf(id byte) span.Key { return span.Key{TraceID: span.TraceID{1}, SpanID: span.ID{id}} }

func TestEvaluationsOfStoredSpansAreCompleted(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	prd, dev := environments()
	again := eval.Evaluation{SetupID: "s2", Evaluator: "faithfulness", Status: eval.Deferred, Reason: "judge is down", Attempts: 2, Time: 5, Due: 9}
	td := ptrace.NewTraces()
	rs := appendStored(td, prd, 1, verdict("s1", true), again)
	monitor.CarryContent(rs.ScopeSpans().At(0).Spans().At(0).Attributes(), 1<<63+5)
	appendStored(td, prd, 2) // a sibling
	appendStored(td, dev, 3, verdict("s3", false))
	require.NoError(t, startTraces(t, h).ConsumeTraces(t.Context(), td))

	require.Empty(t, h.shelf.records)
	require.Equal(t, [][]store.Evaluated{{
		{Environment: prd.ID, Span: keyOf(1), Content: 1<<63 + 5, Evaluations: []eval.Evaluation{verdict("s1", true), again}},
		{Environment: dev.ID, Span: keyOf(3), Evaluations: []eval.Evaluation{verdict("s3", false)}},
	}}, h.shelf.completed)
}

func TestSiblingsAloneAreNothingToDo(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	prd, _ := environments()
	td := ptrace.NewTraces()
	s := appendStored(td, prd, 1).ScopeSpans().At(0).Spans().At(0)
	s.Attributes().PutEmptyBytes(tenant.AttributeEvaluations) // an empty carrier
	appendStored(td, prd, 2)
	h.shelf.refuse = fault.New(fault.Internal, "nothing was to be done")
	require.NoError(t, startTraces(t, h).ConsumeTraces(t.Context(), td))
	require.Empty(t, h.shelf.completed)
}

// A batch may hold spans that arrive and spans that pass again.
func TestMixedBatches(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	e := startTraces(t, h)
	prd, _ := environments()
	batch := func() ptrace.Traces {
		td := ptrace.NewTraces()
		appendStored(td, prd, 1, verdict("s1", true))
		stamped().ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
		for i, no := range []func(pcommon.Map){ // none of these says that its spans are stored
			func(a pcommon.Map) { a.PutBool(tenant.AttributeDeferred, false) },
			func(a pcommon.Map) { a.PutStr(tenant.AttributeDeferred, "true") },
			func(a pcommon.Map) { a.Remove(tenant.AttributeDeferred) },
		} {
			no(appendStored(td, prd, byte(10+i)).Resource().Attributes())
		}
		appendStored(td, prd, 2, verdict("s1", false))
		return td
	}
	require.NoError(t, e.ConsumeTraces(t.Context(), batch()))
	require.Len(t, h.shelf.records, 4)
	require.Len(t, h.shelf.completed, 1)
	require.Len(t, h.shelf.completed[0], 2)
	for _, r := range h.shelf.records { // what only we write is not stored
		require.Empty(t, r.Evaluations)
		for _, a := range append(r.Span.Attributes, r.Span.Resource...) {
			require.False(t, tenant.Reserved(a.Key), a.Key)
		}
	}

	// What cannot be written is not completed either: all of it comes again.
	h.shelf.refuse = fault.New(fault.Unavailable, "disk is full")
	err := e.ConsumeTraces(t.Context(), batch())
	require.ErrorIs(t, err, h.shelf.refuse)
	require.False(t, consumererror.IsPermanent(err))
	require.Len(t, h.shelf.completed, 1)
}

func TestCompletingFailsAsWritingDoes(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	e := startTraces(t, h)
	prd, _ := environments()
	for kind, permanent := range map[fault.Kind]bool{
		fault.Invalid: true, fault.TooLarge: true, fault.Unavailable: false, fault.Internal: false,
	} {
		h.shelf.refuse = fault.New(kind, "refused")
		td := ptrace.NewTraces()
		appendStored(td, prd, 1, verdict("s1", true))
		err := e.ConsumeTraces(t.Context(), td)
		require.Error(t, err)
		require.Equal(t, permanent, consumererror.IsPermanent(err), kind)
	}
	h.shelf.refuse, h.shelf.completed = nil, nil
	_, keys := storetest.NewOrganization("unknown", "prd")
	td := ptrace.NewTraces()
	appendStored(td, keys[0].Environment, 1, verdict("s1", true))
	require.True(t, consumererror.IsPermanent(e.ConsumeTraces(t.Context(), td)))
	require.Empty(t, h.shelf.completed)
}
