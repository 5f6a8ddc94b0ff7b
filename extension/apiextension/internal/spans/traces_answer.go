// SPDX-License-Identifier: Apache-2.0

package spans

// Trace is a trace by columns: the n-th entry of each is about the n-th span.
type Trace struct {
	TraceID      string            `json:"trace_id" doc:"The trace." pattern:"^[0-9a-f]{32}$"`
	Total        int64             `json:"total" doc:"How many spans the trace has in the period." schema:"minimum=1"`
	Truncated    bool              `json:"truncated" doc:"Whether only the first 20,000 by their start are here."`
	Start        int64             `json:"start_ns,string" doc:"When the first span started, Unix nanoseconds." schema:"types=string" pattern:"^-?[0-9]+$"`
	Duration     int64             `json:"duration_ns,string" doc:"How long it took until the last of these spans ended, nanoseconds." schema:"types=string" pattern:"^[0-9]+$"`
	Dictionaries TraceDictionaries `json:"dictionaries" doc:"The texts that columns tell by their place in these lists."`
	Columns      TraceColumns      `json:"columns" doc:"A list for each of their properties, in which the n-th entry is about the n-th span. Spans are in the order of their start."`
}

// TraceDictionaries are the texts that columns tell by number.
type TraceDictionaries struct {
	Name    []string `json:"name" doc:"Names of spans." schema:"maxItems=20000"`
	Service []string `json:"service" doc:"Names of services." schema:"maxItems=20000"`
	Kind    []string `json:"kind" doc:"Kinds, such as SPAN_KIND_CLIENT." schema:"maxItems=20000"`
	Type    []string `json:"type" doc:"Types, such as llm." schema:"maxItems=20000"`
	Status  []string `json:"status" doc:"Codes of statuses." schema:"maxItems=20000"`
	Model   []string `json:"model" doc:"Models that answered or, where that is not known, that were asked." schema:"maxItems=20000"`
}

// Parents that are no row of the answer.
const (
	parentNone   = -1 // a root
	parentAbsent = -2 // it is not among the spans of the answer
)

// TraceColumns are the columns of a trace. Those of texts have their places in dictionaries.
type TraceColumns struct {
	SpanID  []string `json:"span_id" doc:"The ids." schema:"maxItems=20000"`
	Parent  []int    `json:"parent" doc:"The place of the span above: -1 for a root, -2 where it is not among these spans. Senders decide what it is; it may lead in a circle." schema:"maxItems=20000" items:"schema:\"minimum=-2\""`
	Name    []int    `json:"name" doc:"Place in dictionaries.name." schema:"maxItems=20000" items:"schema:\"minimum=0\""`
	Service []int    `json:"service" doc:"Place in dictionaries.service." schema:"maxItems=20000" items:"schema:\"minimum=0\""`
	Kind    []int    `json:"kind" doc:"Place in dictionaries.kind." schema:"maxItems=20000" items:"schema:\"minimum=0\""`
	Type    []int    `json:"type" doc:"Place in dictionaries.type." schema:"maxItems=20000" items:"schema:\"minimum=0\""`
	Status  []int    `json:"status" doc:"Place in dictionaries.status." schema:"maxItems=20000" items:"schema:\"minimum=0\""`
	Model   []int    `json:"model" doc:"Place in dictionaries.model." schema:"maxItems=20000" items:"schema:\"minimum=0\""`

	Offset   []int64  `json:"offset_ns" doc:"When it started, nanoseconds after start_ns." schema:"maxItems=20000" items:"schema:\"minimum=0\""`
	Duration []int64  `json:"duration_ns" doc:"How long it took, nanoseconds." schema:"maxItems=20000" items:"schema:\"minimum=0\""`
	Tokens   []*int64 `json:"tokens" doc:"Tokens in all; null where the span does not tell." schema:"maxItems=20000" items:"schema:\"nullable\""`

	Verdicts TraceVerdicts `json:"verdicts" doc:"How many evaluations each span has, by kind."`
}

// TraceVerdicts count the verdicts of each span.
type TraceVerdicts struct {
	For       []int `json:"for" doc:"Verdicts that speak for the span." schema:"maxItems=20000" items:"schema:\"minimum=0\""`
	Against   []int `json:"against" doc:"Verdicts that speak against it." schema:"maxItems=20000" items:"schema:\"minimum=0\""`
	Neither   []int `json:"neither" doc:"Others that are done." schema:"maxItems=20000" items:"schema:\"minimum=0\""`
	Uncertain []int `json:"uncertain" doc:"Those that are uncertain." schema:"maxItems=20000" items:"schema:\"minimum=0\""`
	Owed      []int `json:"owed" doc:"Evaluations that are deferred." schema:"maxItems=20000" items:"schema:\"minimum=0\""`
	Skipped   []int `json:"skipped" doc:"Those that are skipped." schema:"maxItems=20000" items:"schema:\"minimum=0\""`
	Failed    []int `json:"failed" doc:"Those that failed." schema:"maxItems=20000" items:"schema:\"minimum=0\""`
}
