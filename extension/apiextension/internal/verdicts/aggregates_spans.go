// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"context"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// overs are the measures that count spans by their duration, and what these take longer than,
// in milliseconds. The steps are even on a logarithmic scale.
var overs = map[string]float64{
	"over_10ms": 10, "over_30ms": 30, "over_100ms": 100, "over_300ms": 300, "over_1s": 1000, "over_3s": 3000, "over_10s": 10_000, "over_30s": 30_000, "over_100s": 100_000,
}

// ofSpans returns what is asked of spans.
func (a *AggregatesAPI) ofSpans(ctx context.Context, env tenant.Environment, want *SpanAggregation) (*question, error) {
	failed := query.Equals(query.Column("status_code"), span.StatusError)
	known := map[string]measure{
		"count":  plain(query.Figure{Measure: query.Count}),
		"errors": plain(query.Figure{Measure: query.Count, Where: &failed}),
	}
	named(known, "duration_", query.Column("duration"))
	for name, ms := range overs {
		long := query.Filter{Field: query.Column("duration"), Operator: query.OpGreaterThan, Value: strconv.FormatFloat(ms, 'f', -1, 64), Number: ms}
		known[name] = plain(query.Figure{Measure: query.Count, Where: &long})
	}
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
