// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// against is the name of the measure that counts what speaks against a span.
const against = "against"

// sided is an output of an evaluator that speaks for or against a span.
type sided struct {
	slug, name string
	good       any // the value that speaks for it, a bool or a string
}

// addAgainst adds the measure that counts what speaks against spans to those that are
// known, if it is wanted. bad returns the condition that an output does.
func (a *AggregatesAPI) addAgainst(ctx context.Context, env tenant.Environment, want *SpanAggregation, known map[string]measure, bad func(*sided) query.Filter) error {
	if !slices.Contains(want.Measures, against) {
		return nil
	}
	custom, err := a.Evaluators.Custom(ctx, env.ID)
	if err != nil {
		return err
	}
	var spoken []query.Filter
	for _, e := range append(a.Evaluators.Prebuilt(), custom...) {
		for i := range e.Output {
			if good := e.Output[i].Good(); good != nil {
				spoken = append(spoken, bad(&sided{slug: e.Slug, name: e.Output[i].Name, good: good}))
			}
		}
	}
	anyOf := query.Any(spoken...)
	known[against] = plain(query.Figure{Measure: query.Count, Where: &anyOf})
	return nil
}

// against returns the condition that a field has a value of the output that speaks
// against the span.
func (s *sided) against(f query.Field) query.Filter {
	if good, is := s.good.(bool); is {
		return query.Equals(f, (eval.Output{Value: !good}).Text())
	}
	return query.All(query.Filter{Field: f, Operator: query.OpExists}, query.Filter{Field: f, Operator: query.OpNotEquals, Value: s.good.(string)})
}
