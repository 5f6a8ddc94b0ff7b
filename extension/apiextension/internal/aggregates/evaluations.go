// SPDX-License-Identifier: Apache-2.0

package aggregates

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// evaluationsRequest asks for figures of evaluations of every status.
type evaluationsRequest struct {
	request
	Evaluator string `json:"evaluator"`
	Setup     string `json:"setup_id"`
	Status    string `json:"status"`
	Reason    string `json:"reason"`
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
func (a *API) ofEvaluations(_ context.Context, _ tenant.Environment, want *evaluationsRequest) (*question, error) {
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
			q.Filters = append(q.Filters, equals(query.Record(name), text))
		}
	}
	return q, nil
}
