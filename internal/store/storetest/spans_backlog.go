// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// deferred makes an evaluation that is owed since a time, and due then.
func deferred(setup, slug string, since time.Time) eval.Evaluation {
	return eval.Evaluation{
		SetupID: setup, Evaluator: slug, Status: eval.Deferred, Reason: eval.ReasonModel,
		Time: since.UnixNano(), Due: since.UnixNano(),
	}
}

// judged makes what becomes of a deferred evaluation when all goes well.
func judged(x eval.Evaluation, at time.Time) eval.Evaluation {
	x.Status, x.Reason, x.Backend, x.Version = eval.Done, "", eval.Judge, "v1"
	x.Outputs = []eval.Output{{Name: "score", Value: 0.5}}
	x.Usage = eval.Usage{PromptTokens: 100, CompletionTokens: 10, Cost: 0.25}
	x.Duration, x.Time, x.Due = int64(time.Second), at.UnixNano(), 0
	x.Attempts++
	return x
}

// putOff makes what becomes of one that is to be tried again.
func putOff(x eval.Evaluation, reason string, due time.Time) eval.Evaluation {
	x.Reason, x.Due = reason, due.UnixNano()
	x.Attempts++
	x.Usage = eval.Usage{PromptTokens: 7, Cost: 0.125, Unpriced: true}
	return x
}

func keyOf(s span.Span) span.Key { return span.Key{TraceID: s.TraceID, SpanID: s.SpanID} }

func owed(env tenant.Environment, s span.Span, list ...eval.Evaluation) store.Evaluated {
	return store.Evaluated{Environment: env.ID, Span: keyOf(s), Evaluations: list}
}

func settlement(env tenant.Environment, s span.Span, list ...eval.Evaluation) store.Evaluated {
	return store.Evaluated{Environment: env.ID, Span: keyOf(s), Evaluations: list}
}

// lease leases what is due now for a minute.
func (b *bench) lease(limit int) []store.Evaluated {
	b.t.Helper()
	list, err := b.Lease(b.t.Context(), b.now(), b.now().Add(time.Minute), limit)
	require.NoError(b.t, err)
	return list
}

// settle stores settlements and expects that to work.
func (b *bench) settle(list ...store.Evaluated) {
	b.t.Helper()
	require.NoError(b.t, b.Settle(b.t.Context(), list))
}

// evaluations gives those of a span.
func (b *bench) evaluations(env tenant.Environment, s span.Span) []eval.Evaluation {
	b.t.Helper()
	list, err := b.Evaluations(b.t.Context(), env, s.TraceID, s.SpanID)
	require.NoError(b.t, err)
	return list
}

// spansOf names the spans that are owed something, in order.
func spansOf(list []store.Evaluated) []span.Key {
	keys := []span.Key{}
	for _, x := range list {
		keys = append(keys, x.Span)
	}
	return keys
}
