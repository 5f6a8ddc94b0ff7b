// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// RootSpansInput has the parameters of an operation.
type RootSpansInput struct {
	Project string        `path:"project" doc:"default, or the id of the key's project."`
	Body    ProjectSearch `body:"json"`
}

// ProjectTraceInput has the parameters of an operation.
type ProjectTraceInput struct {
	Project string `path:"project" doc:"default, or the id of the key's project."`
	TraceID string `path:"trace_id" doc:"32 hexadecimal digits."`
}

// WorkflowNamesInput has the parameters of an operation.
type WorkflowNamesInput struct {
	Project   string `path:"project" doc:"default, or the id of the key's project."`
	StartTime int64  `query:"start_time" doc:"Unix milliseconds."`
	EndTime   int64  `query:"end_time" doc:"Unix milliseconds."`
}

// AttributeValuesInput has the parameters of an operation.
type AttributeValuesInput struct {
	Project string        `path:"project" doc:"default, or the id of the key's project."`
	Body    ValuesRequest `body:"json"`
}

// RootSpanPage is a page of the first spans of traces.
type RootSpanPage struct {
	_ struct{} `schema:"open"`

	RootSpans *EventedSpanPage `json:"root_spans"`
}

// EventedSpan is a span as appendSpan writes it.
type EventedSpan struct {
	_ struct{} `doc:"A span as pages show it, with its events." schema:"open"`

	TraceID string             `json:"trace_id"`
	SpanID  string             `json:"span_id"`
	Events  []EventedSpanEvent `json:"events"`
}

// EventedSpans is a page of spans.
type EventedSpans struct {
	_ struct{} `schema:"open"`

	Spans *EventedSpanPage `json:"spans"`
}

// EventedTrace has the spans of a trace.
type EventedTrace struct {
	_ struct{} `schema:"open"`

	Spans     []EventedSpan `json:"spans" schema:"nullable"`
	Truncated bool          `json:"truncated" doc:"Whether the trace has more spans than the answer."`
}

// ValueList are values of an attribute.
type ValueList struct {
	_ struct{} `schema:"open"`

	Values []string `json:"values"`
}

// PromptList has no prompts, as the environment keeps none.
type PromptList struct {
	_ struct{} `schema:"open"`

	Prompts     []any  `json:"prompts" schema:"maxItems=0"`
	Environment string `json:"environment" doc:"The slug of the key's environment."`
}

// RootSpans is the operation rootSpans.
var RootSpans = rest.Operation[RootSpansInput, RootSpanPage]{
	Method: http.MethodPost, Path: "/v2/projects/{project}/traces/root-spans", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "rootSpans", Summary: "Find root spans",
	Doc:      "What the original's MCP server asks: one span of each trace, that has no parent.",
	Answer:   "A page.",
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}

// ProjectSpans is the operation projectSpans.
var ProjectSpans = rest.Operation[RootSpansInput, EventedSpans]{
	Method: http.MethodPost, Path: "/v2/projects/{project}/spans", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "projectSpans", Summary: "Find spans",
	Doc:      "What the original's MCP server asks, as of root spans.",
	Answer:   "A page.",
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}

// ProjectTrace is the operation projectTrace.
var ProjectTrace = rest.Operation[ProjectTraceInput, EventedTrace]{
	Method: http.MethodGet, Path: "/v2/projects/{project}/traces/{trace_id}/spans", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "projectTrace", Summary: "The spans of a trace",
	Doc:      "What the original's MCP server asks: up to 5,000 spans and about 16 MiB, the earliest first. As there, spans is null where trace_id is none, and gen_ai.response.finish_reasons is an array.",
	Answer:   "The spans.",
	Refusals: []int{http.StatusBadRequest, http.StatusNotFound, http.StatusGatewayTimeout},
}

// WorkflowNames is the operation workflowNames.
var WorkflowNames = rest.Operation[WorkflowNamesInput, []string]{
	Method: http.MethodGet, Path: "/v2/projects/{project}/spans/workflow-names", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "workflowNames", Summary: "Names of workflows",
	Doc:      "Of spans that started in a period.",
	Answer:   "The names, sorted.",
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}

// AttributeValues is the operation attributeValues.
var AttributeValues = rest.Operation[AttributeValuesInput, ValueList]{
	Method: http.MethodPost, Path: "/v2/projects/{project}/spans/attributes/values", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "attributeValues", Summary: "Values of an attribute",
	Doc:      "What spans of a period have of a field that is a text, or of an attribute, sorted; values beyond 10,000 are refused. Older MCP servers of the original ask for the names of services so.",
	Answer:   "The values.",
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}

// Prompts is the operation prompts.
var Prompts = rest.Operation[rest.None, PromptList]{
	Method: http.MethodGet, Path: "/v1/traceloop/prompts", Scope: rest.ForEnvironment,
	Tag: "Service", ID: "prompts", Summary: "Prompts that the service keeps",
	Doc:      "None: SDKs of OpenLLMetry ask for them.",
	Answer:   "No prompts.",
	Refusals: []int{http.StatusBadRequest},
}
