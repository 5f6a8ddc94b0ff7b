// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// GetMetricsInput has the parameters of an operation.
type GetMetricsInput struct {
	FromTimestampSec int64          `query:"from_timestamp_sec" doc:"Points of spans that started at or after this Unix time in seconds." schema:"required"`
	ToTimestampSec   int64          `query:"to_timestamp_sec" doc:"Points of spans that started at or before this Unix time in seconds."`
	Environments     []string       `query:"environments" doc:"Slugs. If it has any and the environment of the key is not among them, nothing is found. May be repeated."`
	MetricName       string         `query:"metric_name" doc:"Only points of this metric, <slug>.<output>, or of all outputs of an evaluator, <slug>. Spaces, hyphens, underscores and capitals are the same."`
	MetricSource     string         `query:"metric_source" doc:"Only points of this source: llm_as_a_judge, or an evaluator that judged without one, such as word_count."`
	Filters          []MetricFilter `query:"filters" doc:"Conditions. Fields are metric_name, metric_source, bool_value, numeric_value, enum_value, event_time, trace_id, span_id, service_name; labels.<label>; attributes.<key>, an attribute of the span. A label that points do not have is an attribute." schema:"json maxItems=100"`
	LogicalOperator  string         `query:"logical_operator" doc:"AND or OR, in any case: whether all filters must hold, or one." schema:"default=AND" pattern:"^([Aa][Nn][Dd]|[Oo][Rr])?$"`
	SortBy           string         `query:"sort_by" doc:"What to sort by." schema:"default=timestamp" enum:"timestamp,event_time,metric_name,numeric_value,"`
	SortOrder        string         `query:"sort_order" doc:"ASC or DESC, in any case." schema:"default=ASC" pattern:"^([Aa][Ss][Cc]|[Dd][Ee][Ss][Cc])?$"`
	Limit            int64          `query:"limit" doc:"How many points a page has at most. Above 1000 is 1000." schema:"minimum=1 default=50"`
	Cursor           string         `query:"cursor" doc:"next_cursor of the page before, with everything else but limit unchanged. Empty and 0 are the beginning; another number is the Unix milliseconds from which to go on, sorted by timestamp."`
}

// FindMetrics is the operation find-metrics.
var FindMetrics = rest.Operation[metricsRequest, Metrics]{
	Method: http.MethodPost, Path: "/v2/metrics", Scope: rest.ForEnvironment,
	Tag: "Metrics", ID: "find-metrics", Summary: "Get metrics",
	Doc:      "Gives the verdicts of the environment, a point for each output of each finished evaluation, page by page.",
	Answer:   "One page.",
	Refusals: []int{http.StatusGatewayTimeout},
}

// GetMetrics is the operation get-metrics.
var GetMetrics = rest.Operation[GetMetricsInput, Metrics]{
	Method: http.MethodGet, Path: "/v2/metrics", Scope: rest.ForEnvironment,
	Tag: "Metrics", ID: "get-metrics", Summary: "Get metrics by a URL",
	Doc:      "Gives the verdicts of the environment, a point for each output of each finished evaluation, page by page.",
	Answer:   "One page.",
	Refusals: []int{http.StatusGatewayTimeout},
}

// GetMetricsHighWaterMark is the operation get-metrics-high-water-mark.
var GetMetricsHighWaterMark = rest.Operation[rest.None, HighWaterMark]{
	Method: http.MethodGet, Path: "/v2/metrics_hwm", Scope: rest.ForEnvironment,
	Tag: "Metrics", ID: "get-metrics-high-water-mark", Summary: "Get how far metrics got",
	Doc:      "When the last evaluation ended.",
	Answer:   "The mark.",
	Refusals: []int{http.StatusGatewayTimeout},
}
