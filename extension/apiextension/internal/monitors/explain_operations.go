// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// explainSpanInput has the parameters of an operation.
type explainSpanInput struct {
	TraceID string `path:"trace_id" doc:"The trace of the span." pattern:"^[0-9a-fA-F]{32}$"`
	SpanID  string `path:"span_id" doc:"The span." pattern:"^[0-9a-fA-F]{16}$"`
	Setup   string `query:"setup" doc:"Explains this setup alone: its external_id or id."`
}

// ExplainSpan is the operation explain-span.
var ExplainSpan = rest.Operation[explainSpanInput, Explanation]{
	Method: http.MethodGet, Path: "/v2/warehouse/spans/{trace_id}/{span_id}/explain", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "explain-span", Summary: "Explain why a span was judged or not",
	Doc:      "Holds every setup of the environment against the span as it is stored, rule by rule, with what would nearly have held; and says of every evaluator what became of it, and what stopped it.",
	Answer:   "The explanation.",
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}
