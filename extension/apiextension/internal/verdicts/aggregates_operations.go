// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// AggregateSpans is the operation aggregate-spans.
var AggregateSpans = rest.Operation[SpanAggregation, Aggregation]{
	Method: http.MethodPost, Path: "/v2/warehouse/spans/aggregate", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "aggregate-spans", Summary: "Figures of spans",
	Doc:      "Counts and measures the spans of a period, by steps of time and by groups.",
	Answer:   "The figures.",
	Refusals: []int{http.StatusGatewayTimeout},
}

// AggregateMetrics is the operation aggregate-metrics.
var AggregateMetrics = rest.Operation[MetricAggregation, Aggregation]{
	Method: http.MethodPost, Path: "/v2/metrics/aggregate", Scope: rest.ForEnvironment,
	Tag: "Metrics", ID: "aggregate-metrics", Summary: "Figures of verdicts",
	Doc:      "Counts and measures the verdicts on the spans of a period, by steps of time and by groups: each evaluation that is done counts once for each of its outputs.",
	Answer:   "The figures.",
	Refusals: []int{http.StatusGatewayTimeout},
}

// AggregateEvaluations is the operation aggregate-evaluations.
var AggregateEvaluations = rest.Operation[EvaluationAggregation, Aggregation]{
	Method: http.MethodPost, Path: "/v2/evaluations/aggregate", Scope: rest.ForEnvironment,
	Tag: "Metrics", ID: "aggregate-evaluations", Summary: "Figures of evaluations",
	Doc:      "Counts and measures evaluations of every status on the spans of a period, by steps of the spans' start and by groups.",
	Answer:   "The figures.",
	Refusals: []int{http.StatusGatewayTimeout},
}
