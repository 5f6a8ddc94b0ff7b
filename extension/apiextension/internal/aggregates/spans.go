// SPDX-License-Identifier: Apache-2.0

package aggregates

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// ofSpans returns what is asked of spans.
func (a *API) ofSpans(ctx context.Context, env tenant.Environment, want *request) (*question, error) {
	failed := equals(query.Field{Kind: query.FieldColumn, Name: "status_code"}, span.StatusError)
	known := map[string]measure{
		"count":  plain(query.Figure{Measure: query.Count}),
		"errors": plain(query.Figure{Measure: query.Count, Where: &failed}),
	}
	named(known, "duration_", query.Field{Kind: query.FieldColumn, Name: "duration"})
	for name, alias := range map[string]string{"input_tokens": span.AliasInputTokens, "output_tokens": span.AliasOutputTokens, "total_tokens": span.AliasTotalTokens} {
		known[name] = plain(query.Figure{Measure: query.Sum, Of: query.Field{Kind: query.FieldAlias, Name: alias}})
	}
	for _, field := range []string{"cost", "input_cost"} {
		known[field] = dollars(query.Figure{Measure: query.Sum, Of: query.Field{Kind: query.FieldColumn, Name: field}})
	}
	against, err := a.against(ctx, env)
	if err != nil {
		return nil, err
	}
	known["against"] = plain(query.Figure{Measure: query.Count, Where: &against})
	return want.question(a.Now(), query.Spans, known, nil)
}

// against returns the condition that a verdict speaks against a span.
func (a *API) against(ctx context.Context, env tenant.Environment) (query.Filter, error) {
	custom, err := a.Evaluators.Custom(ctx, env.ID)
	if err != nil {
		return query.Filter{}, err
	}
	var any []query.Filter
	for _, e := range append(a.Evaluators.Prebuilt(), custom...) {
		for i := range e.Output {
			f := query.Field{Kind: query.FieldEvaluation, Name: e.Slug, Output: e.Output[i].Name}
			switch good := e.Output[i].Good().(type) {
			case bool:
				any = append(any, equals(f, (eval.Output{Value: !good}).Text()))
			case string:
				any = append(any, query.All(query.Filter{Field: f, Operator: query.OpExists}, query.Filter{Field: f, Operator: query.OpNotEquals, Value: good}))
			}
		}
	}
	return query.Any(any...), nil
}
