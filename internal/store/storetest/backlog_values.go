// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"time"

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

func keyOf(s span.Span) span.Key { return s.Key() }

// owed makes what a lease gives of a span.
func owed(env tenant.Environment, s span.Span, list ...eval.Evaluation) store.Evaluated {
	x := evaluated(env, s, list...)
	x.Content, _ = store.Digest(nil, &s)
	return x
}

// evaluated makes what is said of a stored span.
func evaluated(env tenant.Environment, s span.Span, list ...eval.Evaluation) store.Evaluated {
	return store.Evaluated{Environment: env.ID, Span: keyOf(s), Evaluations: list}
}

// spansOf names the spans that are owed something, in order.
func spansOf(list []store.Evaluated) []span.Key {
	keys := []span.Key{}
	for _, x := range list {
		keys = append(keys, x.Span)
	}
	return keys
}
