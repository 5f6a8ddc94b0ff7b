// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// MostSiblings is how many other spans of a trace inputs are looked for in where it
// is shown what evaluators get.
const MostSiblings = 1000

// Searcher is the part of Engine that finds spans and outputs.
type Searcher interface {
	Search(ctx context.Context, env tenant.Environment, q query.Query) (query.Page, error)
}

// SpanReader is the part of Engine that gives spans by their keys.
type SpanReader interface {
	Get(ctx context.Context, env tenant.Environment, keys []span.Key, siblings int) ([]span.Span, error)
}

// EvaluationReader is the part of Engine that gives evaluations by their spans.
type EvaluationReader interface {
	Evaluations(ctx context.Context, at []Location, from int64, which Revisions) ([]Evaluated, error)
}

// LastStarted returns the span that counts of those that were sent under the same
// ids, which is the one that started last; nil if there is none.
func LastStarted(sent []span.Span) *span.Span {
	if len(sent) == 0 {
		return nil
	}
	last := slices.MaxFunc(sent, func(a, b span.Span) int { return cmp.Compare(a.Start, b.Start) })
	return &last
}

// EvaluationsOf returns the evaluations that count of spans that were just read, one
// list for each.
func EvaluationsOf(ctx context.Context, r EvaluationReader, env tenant.EnvironmentID, of []span.Span) ([][]eval.Evaluation, error) {
	keys := make([]span.Key, len(of))
	for i := range of {
		keys[i] = of[i].Key()
	}
	return EvaluationsAt(ctx, r, env, keys)
}

// EvaluationsAt returns the evaluations that count of the spans of keys, which have
// their starts, one list for each.
func EvaluationsAt(ctx context.Context, r EvaluationReader, env tenant.EnvironmentID, keys []span.Key) ([][]eval.Evaluation, error) {
	lists := make([][]eval.Evaluation, len(keys))
	if len(keys) == 0 {
		return lists, nil
	}
	at := make([]Location, len(keys))
	places := make(map[span.Key]int, len(keys))
	oldest := keys[0].Start
	for i, key := range keys {
		at[i] = Location{Environment: env, Span: key}
		places[key] = i
		oldest = min(oldest, key.Start)
	}
	made, err := r.Evaluations(ctx, at, oldest, Latest)
	for i := range made {
		if place, known := places[made[i].Span]; known {
			lists[place] = made[i].Evaluations
		}
	}
	return lists, err
}
