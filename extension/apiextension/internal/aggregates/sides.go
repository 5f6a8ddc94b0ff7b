// SPDX-License-Identifier: Apache-2.0

package aggregates

import (
	"context"

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

// sides returns the outputs of an environment's evaluators that speak for or against a
// span.
func (a *API) sides(ctx context.Context, env tenant.Environment) ([]sided, error) {
	custom, err := a.Evaluators.Custom(ctx, env.ID)
	if err != nil {
		return nil, err
	}
	var list []sided
	for _, e := range append(a.Evaluators.Prebuilt(), custom...) {
		for i := range e.Output {
			if good := e.Output[i].Good(); good != nil {
				list = append(list, sided{slug: e.Slug, name: e.Output[i].Name, good: good})
			}
		}
	}
	return list, nil
}

// against returns the condition that a field has a value of the output that speaks
// against the span.
func (s *sided) against(f query.Field) query.Filter {
	if good, is := s.good.(bool); is {
		return equals(f, (eval.Output{Value: !good}).Text())
	}
	return query.All(query.Filter{Field: f, Operator: query.OpExists}, query.Filter{Field: f, Operator: query.OpNotEquals, Value: s.good.(string)})
}
