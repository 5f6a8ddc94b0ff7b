// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// GetTraceInput has the parameters of an operation.
type GetTraceInput struct {
	TraceID          string `path:"trace_id" doc:"The trace of the span." pattern:"^[0-9a-fA-F]{32}$"`
	FromTimestampSec int64  `query:"from_timestamp_sec" doc:"Spans that started at or after this Unix time in seconds. It bounds how much is read."`
	ToTimestampSec   int64  `query:"to_timestamp_sec" doc:"Spans that started at or before this Unix time in seconds."`
}

// GetTrace is the operation get-trace.
var GetTrace = rest.Operation[GetTraceInput, Trace]{
	Method: http.MethodGet, Path: "/v2/traces/{trace_id}", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "get-trace", Summary: "Get a trace",
	Doc:      "Gives the spans of one trace by columns, without their texts: what a view of the trace is drawn from.",
	Answer:   "The trace.",
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}
