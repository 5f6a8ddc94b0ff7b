// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// LabelSpanInput has the parameters of an operation.
type LabelSpanInput struct {
	TraceID string       `path:"trace_id" doc:"The trace of the span." pattern:"^[0-9a-fA-F]{32}$"`
	SpanID  string       `path:"span_id" doc:"The span." pattern:"^[0-9a-fA-F]{16}$"`
	Body    LabelRequest `body:"json"`
}

// DrawLabelsInput has the parameters of an operation.
type DrawLabelsInput struct {
	Metric           string       `query:"metric" doc:"Whose verdicts: <slug>.<output> of ours, or <source>:<name>.<output>, as in human:correct.value." schema:"required"`
	MetricBy         string       `query:"metric_by" doc:"Those of one setup (its external_id or id), or of one giver (the author or identifier). Absent: the latest on each span."`
	MetricMin        float64      `query:"metric_min" doc:"The number from which on a value passes. Needed, or metric_true, where the output does not say by itself what passes."`
	MetricTrue       string       `query:"metric_true" doc:"Values, parted by commas, that pass."`
	Share            float64      `query:"share" doc:"The probability that a span that passes is drawn; default 0.1." schema:"minimum=0 maximum=1"`
	Seed             string       `query:"seed" doc:"Another one draws other spans." schema:"maxLength=200"`
	Without          string       `query:"without" doc:"Leaves out spans that have a verdict of this evaluator, such as human:correct." schema:"maxLength=206"`
	Filters          rest.Filters `query:"filters" doc:"Conditions on the span that must all hold, as a JSON array." schema:"json maxItems=100"`
	Line             string       `query:"q" doc:"More conditions, as a line such as status:error model:gpt-4o." schema:"maxLength=4096"`
	FromTimestampSec int64        `query:"from_timestamp_sec" doc:"Start of the spans, Unix seconds. Absent: since the retention."`
	ToTimestampSec   int64        `query:"to_timestamp_sec" doc:"End, Unix seconds. Absent: now."`
	Limit            int64        `query:"limit" doc:"How many spans at most; default 50." schema:"minimum=1 maximum=500"`
	Cursor           string       `query:"cursor" doc:"The next_cursor of the answer before."`
}

// LabelSpan is the operation label-span.
var LabelSpan = rest.Operation[LabelSpanInput, Label]{
	Method: http.MethodPost, Path: "/v2/warehouse/spans/{trace_id}/{span_id}/labels", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "label-span", Summary: "Label a span",
	Doc:    "What a person says of the span: a verdict of source human, shown, filtered and aggregated as evaluation.human:<name>.value. A later label of the same author and name takes the place of an earlier one, which is kept as its predecessor.",
	Status: http.StatusCreated, Answer: "The label as it is stored; one that says what is there already, as it was stored then.",
	Refusals: []int{http.StatusNotFound, http.StatusConflict},
}

// DrawLabels is the operation draw-labels.
var DrawLabels = rest.Operation[DrawLabelsInput, Draw]{
	Method: http.MethodGet, Path: "/v2/labels/draw", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "draw-labels", Summary: "Draw spans for people to label",
	Doc:      "All spans that a verdict speaks against, and a share of the others, each with the probability that it was drawn: the newest first. Who is drawn depends on the ids of the span and the seed alone, so that the same question has the same answer and a larger share has the spans of a smaller one.",
	Answer:   "The spans.",
	Refusals: []int{http.StatusNotFound},
}
