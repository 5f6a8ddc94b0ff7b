// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// EvaluationAggregation asks for figures of evaluations of every status.
type EvaluationAggregation struct {
	SpanAggregation
	Evaluator string `json:"evaluator" doc:"The evaluator that is meant; left out: all." schema:"maxLength=4096"`
	Setup     string `json:"setup_id" doc:"The setup that is meant; left out: all." schema:"maxLength=4096"`
	Status    string `json:"status" doc:"The status that is meant; left out: all." enum:"done,uncertain,deferred,skipped,failed"`
	Reason    string `json:"reason" doc:"The reason that is meant; left out: all." schema:"maxLength=4096"`
}

// ofEvaluation are fields to group by that are not of the span.
var ofEvaluation = map[string]query.Field{
	"evaluator": query.Record(query.RecordEvaluator), "setup_id": query.Record(query.RecordSetup),
	"status": query.Record(query.RecordStatus), "reason": query.Record(query.RecordReason), "backend": query.Record(query.RecordBackend),
	"good": query.Record(query.RecordGood),
}

// evaluationMeasures are the measures of evaluations.
var evaluationMeasures = func() map[string]measure {
	known := map[string]measure{
		"count":             plain(query.Figure{Measure: query.Count}),
		"spans":             plain(query.Figure{Measure: query.CountSpans}),
		"cost":              plain(query.Figure{Measure: query.Sum, Of: query.Record(query.RecordCost)}),
		"prompt_tokens":     plain(query.Figure{Measure: query.Sum, Of: query.Record(query.RecordPromptTokens)}),
		"completion_tokens": plain(query.Figure{Measure: query.Sum, Of: query.Record(query.RecordCompletionTokens)}),
		"last_ns":           plain(query.Figure{Measure: query.Max, Of: query.Record(query.RecordTime)}),
	}
	duration := query.Record(query.RecordDuration)
	named(known, "duration_", duration)
	delete(known, "duration_sum") // of a whole number of records there is none that fits for sure
	delete(known, "duration_avg")
	return known
}()

// ofEvaluations returns what is asked of evaluations.
func (a *AggregatesAPI) ofEvaluations(_ context.Context, _ tenant.Environment, want *EvaluationAggregation) (*question, error) {
	q, err := want.question(a.Now(), query.Evaluations, evaluationMeasures, ofEvaluation)
	if err != nil {
		return nil, err
	}
	has := func(m query.Measure) bool {
		return slices.ContainsFunc(q.Figures, func(f query.Figure) bool { return f.Measure == m })
	}
	if has(query.CountSpans) && has(query.Quantile) {
		return nil, fault.New(fault.Invalid, "measures must not have both spans and percentiles")
	}
	for name, text := range map[string]string{
		query.RecordEvaluator: want.Evaluator, query.RecordSetup: want.Setup, query.RecordStatus: want.Status, query.RecordReason: want.Reason,
	} {
		if text != "" {
			q.Filters = append(q.Filters, query.Equals(query.Record(name), text))
		}
	}
	return q, nil
}

// AmendSchema names its groups and measures, and how many groups it may answer.
func (EvaluationAggregation) AmendSchema(schema map[string]any) {
	amend(schema, "As for spans; or evaluator, setup_id, status, reason, backend, or good: true where an evaluation speaks for its span, false where it speaks against it, else empty.",
		"count", "spans", "cost", "prompt_tokens", "completion_tokens", "last_ns", "duration_min", "duration_max", "duration_p50", "duration_p90", "duration_p95", "duration_p99")
}
