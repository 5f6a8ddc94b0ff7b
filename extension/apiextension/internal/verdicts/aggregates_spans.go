// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// ofSpans returns what is asked of spans.
func (a *AggregatesAPI) ofSpans(ctx context.Context, env tenant.Environment, want *SpanAggregation) (*question, error) {
	failed := query.Equals(query.Column("status_code"), span.StatusError)
	known := map[string]measure{
		"count":  plain(query.Figure{Measure: query.Count}),
		"errors": plain(query.Figure{Measure: query.Count, Where: &failed}),
	}
	named(known, "duration_", query.Column("duration"))
	own := query.OwnUsage()
	for name, alias := range map[string]string{"input_tokens": span.AliasInputTokens, "output_tokens": span.AliasOutputTokens, "total_tokens": span.AliasTotalTokens} {
		known[name] = plain(query.Figure{Measure: query.Sum, Of: query.Field{Kind: query.FieldAlias, Name: alias}, Where: &own})
	}
	for _, field := range []string{"cost", "input_cost"} {
		known[field] = dollars(query.Figure{Measure: query.Sum, Of: query.Column(field), Where: &own})
	}
	err := a.addAgainst(ctx, env, want, known, func(s *sided) query.Filter {
		return s.against(query.Field{Kind: query.FieldEvaluation, Name: s.slug, Output: s.name})
	})
	if err != nil {
		return nil, err
	}
	return want.question(a.Now(), query.Spans, known, nil)
}
