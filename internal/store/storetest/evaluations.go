// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Verdict returns a done evaluation with one output.
func Verdict(setup, slug string, at int64, output string, value any) eval.Evaluation {
	return eval.Evaluation{
		SetupID: setup, Evaluator: slug, Status: eval.Done, Backend: eval.Deterministic, Duration: 1500, Time: at,
		Outputs: []eval.Output{{Name: output, Value: value}},
	}
}

// Deferred returns a pending evaluation since a time, and due then.
func Deferred(setup, slug string, since time.Time) eval.Evaluation {
	return eval.Evaluation{
		SetupID: setup, Evaluator: slug, Status: eval.Deferred, Reason: eval.ReasonModel,
		Time: since.UnixNano(), Due: since.UnixNano(),
	}
}

// Judged returns what becomes of a deferred evaluation when all goes well.
func Judged(x eval.Evaluation, at time.Time) eval.Evaluation {
	x.Status, x.Reason, x.Backend, x.Version = eval.Done, "", eval.Judge, "v1"
	x.Outputs = []eval.Output{{Name: "score", Value: 0.5}}
	x.Usage = eval.Usage{PromptTokens: 100, CompletionTokens: 10, Cost: 0.25}
	x.Duration, x.Time, x.Due = int64(time.Second), at.UnixNano(), 0
	x.Attempts++
	return x
}

// PutOff returns what becomes of one that is to be tried again.
func PutOff(x eval.Evaluation, reason string, due time.Time) eval.Evaluation {
	x.Reason, x.Due = reason, due.UnixNano()
	x.Attempts++
	x.Usage = eval.Usage{PromptTokens: 7, Cost: 0.125, Unpriced: true}
	return x
}

// Owed returns what a lease returns of a span.
func Owed(env tenant.Environment, s span.Span, list ...eval.Evaluation) store.Evaluated {
	x := Evaluated(env, s, list...)
	x.Content, _ = store.Digest(nil, &s)
	return x
}

// Evaluated returns what is said of a stored span.
func Evaluated(env tenant.Environment, s span.Span, list ...eval.Evaluation) store.Evaluated {
	return store.Evaluated{Environment: env.ID, Span: s.Key(), Evaluations: list}
}

// EvaluationsOf reads the evaluations of one span without passing its start
// to the engine.
func EvaluationsOf(ctx context.Context, from store.EvaluationReader, env tenant.Environment, s span.Span) ([]eval.Evaluation, error) {
	key := s.Key()
	key.Start = 0
	list, err := from.Evaluations(ctx, []store.Location{{Environment: env.ID, Span: key}}, math.MinInt64, store.Latest)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0].Evaluations, nil
}

// RevisionsOf reads all revisions of one span's evaluations.
func RevisionsOf(t *testing.T, from store.EvaluationReader, env tenant.Environment, s span.Span) []eval.Evaluation {
	t.Helper()
	list, err := from.Evaluations(t.Context(), []store.Location{{Environment: env.ID, Span: s.Key()}}, math.MinInt64, store.AllRevisions)
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0].Evaluations
}
