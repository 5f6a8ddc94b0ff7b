// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/genai"
)

// GetSpansInput has the parameters of an operation.
type GetSpansInput struct {
	FromTimestampSec int64             `query:"from_timestamp_sec" doc:"Spans that started at or after this Unix time in seconds." schema:"required"`
	ToTimestampSec   int64             `query:"to_timestamp_sec" doc:"Spans that started at or before this Unix time in seconds."`
	Workflow         string            `query:"workflow" doc:"Spans of this workflow." schema:"maxLength=4096"`
	SpanName         string            `query:"span_name" doc:"Spans of this name." schema:"maxLength=4096"`
	Attributes       map[string]string `query:"attributes" doc:"Attributes and the values that they must have. The form attributes[<key>]=<value> is understood as well." items:"schema:\"types=string,number,boolean\""`
	SortOrder        string            `query:"sort_order" doc:"ASC or DESC, in any case." schema:"default=ASC" pattern:"^([Aa][Ss][Cc]|[Dd][Ee][Ss][Cc])$"`
	SortBy           sortKey           `query:"sort_by" doc:"What to sort by. evaluation.<slug>.<output> is a verdict by its number, false being 0 and true 1; spans without a number come below all others." schema:"default=timestamp"`
	Cursor           string            `query:"cursor" doc:"next_cursor of the page before, with all other parameters but limit unchanged."`
	Limit            int64             `query:"limit" doc:"How many spans a page has at most. Above 1000 is 1000. A page of large spans has fewer; there are more for as long as there is a next_cursor." schema:"minimum=1 default=50"`
	Filters          rest.Filters      `query:"filters" doc:"Conditions that must all hold, as a JSON array." schema:"json maxItems=100"`
}

// TailSpansInput has the parameters of an operation.
type TailSpansInput struct {
	Cursor  string       `query:"cursor" doc:"next_cursor of the answer before, with the same filters."`
	Line    string       `query:"q" doc:"More conditions, as a line such as status:error model:gpt-4o." schema:"maxLength=4096"`
	Skip    bool         `query:"skip" doc:"Goes on with what arrived in the last seconds, where more arrived than one can follow: what is between is left out."`
	WaitSec int64        `query:"wait_sec" doc:"How long to wait for a span, in seconds." schema:"minimum=0 maximum=20 default=20"`
	Filters rest.Filters `query:"filters" doc:"Conditions that must all hold, as a JSON array." schema:"json maxItems=100"`
	Fields  []string     `query:"fields" doc:"A field that rows are to have, as filters name it; once for each." schema:"maxItems=30"`
	Preview int64        `query:"preview" doc:"How many characters of input, output, last question and last answer rows are to have." schema:"minimum=0 maximum=500 default=0"`
}

// ListFieldsInput has the parameters of an operation.
type ListFieldsInput struct {
	FromTimestampSec int64  `query:"from_timestamp_sec" doc:"Spans that started at or after this Unix time in seconds." schema:"required"`
	ToTimestampSec   int64  `query:"to_timestamp_sec" doc:"Spans that started at or before this Unix time in seconds."`
	Prefix           string `query:"prefix" doc:"What ids are to begin with."`
}

// ParseLineInput has the parameters of an operation.
type ParseLineInput struct {
	FromTimestampSec int64  `query:"from_timestamp_sec" doc:"Spans that started at or after this Unix time in seconds." schema:"required"`
	ToTimestampSec   int64  `query:"to_timestamp_sec" doc:"Spans that started at or before this Unix time in seconds."`
	Line             string `query:"q" doc:"The line." schema:"maxLength=4096"`
}

// GetSpanInput has the parameters of an operation.
type GetSpanInput struct {
	TraceID string `path:"trace_id" doc:"The trace of the span." pattern:"^[0-9a-fA-F]{32}$"`
	SpanID  string `path:"span_id" doc:"The span." pattern:"^[0-9a-fA-F]{16}$"`
	MaxText int64  `query:"max_text" doc:"How many characters of each text are wanted: of status_message, input, output and the values of attributes, prompts and completions. cut_texts tells which are longer. Absent: all." schema:"minimum=1 maximum=1000000"`
}

// GetSpanTextInput has the parameters of an operation.
type GetSpanTextInput struct {
	TraceID string `path:"trace_id" doc:"The trace of the span." pattern:"^[0-9a-fA-F]{32}$"`
	SpanID  string `path:"span_id" doc:"The span." pattern:"^[0-9a-fA-F]{16}$"`
	Field   string `query:"field" doc:"Where the span in full has the text: status_message, input, output, tool_definitions, span_attributes.<key>, resource_attributes.<key>, prompts.<key>, completions.<key>, events.<number>.attributes.<key> or links.<number>.attributes.<key>." schema:"required minLength=1 maxLength=4096"`
}

// GetSpanEvaluationsInput has the parameters of an operation.
type GetSpanEvaluationsInput struct {
	TraceID   string `path:"trace_id" doc:"The trace of the span." pattern:"^[0-9a-fA-F]{32}$"`
	SpanID    string `path:"span_id" doc:"The span." pattern:"^[0-9a-fA-F]{16}$"`
	Revisions string `query:"revisions" doc:"all: those, too, whose place a later judgement took, oldest first. Absent: those that count." enum:"all"`
}

// SpanPage is one page, which appendPage writes.
type SpanPage struct {
	Spans spansOfPage `json:"spans"`
}

// spansOfPage has the spans of a page.
type spansOfPage struct {
	Data         []Span `json:"data" schema:"maxItems=1000"`
	PageSize     int64  `json:"page_size" doc:"How many spans data has." schema:"minimum=0 maximum=1000"`
	TotalResults int64  `json:"total_results" doc:"How many spans match, on all pages." schema:"minimum=0"`
	NextCursor   string `json:"next_cursor" doc:"The cursor of the next page, empty on the last."`
	Partial      bool   `json:"partial,omitempty" doc:"True where the search ended at a bound: total_results counts what it looked at, and the page may have fewer spans than the limit, or none, though next_cursor goes on. Absent otherwise."`
	SearchedTo   int64  `json:"searched_to,omitempty" doc:"The start up to which a search looked that ended before it had its page, Unix milliseconds. Absent otherwise."`
}

// Span is a span as span.Span.AppendJSON writes it.
type Span struct {
	Environment        string            `json:"environment" doc:"Where the span was captured."`
	Timestamp          int64             `json:"timestamp" doc:"When it started, Unix milliseconds."`
	TraceID            string            `json:"trace_id" doc:"The trace."`
	SpanID             string            `json:"span_id" doc:"The span."`
	ParentSpanID       string            `json:"parent_span_id" doc:"The span above, empty for a root."`
	TraceState         string            `json:"trace_state" doc:"The trace state."`
	SpanName           string            `json:"span_name" doc:"The name."`
	SpanKind           string            `json:"span_kind" doc:"For example SPAN_KIND_CLIENT."`
	ServiceName        string            `json:"service_name" doc:"The service that produced it."`
	ResourceAttributes map[string]string `json:"resource_attributes" doc:"The attributes of the resource, as text."`
	ScopeName          string            `json:"scope_name" doc:"The instrumentation scope."`
	ScopeVersion       string            `json:"scope_version" doc:"Its version."`
	SpanAttributes     map[string]string `json:"span_attributes" doc:"The attributes of the span, as text, with its verdicts as evaluation.<slug>.<output>."`
	Duration           int64             `json:"duration" doc:"Milliseconds." schema:"minimum=0"`
	StatusCode         string            `json:"status_code" doc:"For example STATUS_CODE_ERROR."`
	StatusMessage      string            `json:"status_message" doc:"More about the status."`
	Prompts            map[string]string `json:"prompts" doc:"llm.prompts.<index>.role, .content and so on."`
	Completions        map[string]string `json:"completions" doc:"llm.completions.<index>.role, .content, .finish_reason and so on."`
	Input              string            `json:"input" doc:"The input of the operation."`
	Output             string            `json:"output" doc:"The output of the operation."`
	SpanType           string            `json:"span_type" doc:"What the span is, as far as its SDK says; other where it does not, empty where that was not read." enum:",llm,embedding,tool,agent,workflow,retrieval,guardrail,other"`
	Cost               *float64          `json:"cost" doc:"What its call of a model cost, US dollars, as the span says or by its tokens and prices; null where neither is known." schema:"nullable minimum=0"`
	InputCost          *float64          `json:"input_cost" doc:"What of that its input cost." schema:"nullable minimum=0"`
	StartNS            string            `json:"start_ns" doc:"When it started, Unix nanoseconds: a text, since numbers of JSON lose their last digits in many a reader." pattern:"^-?[0-9]+$"`
	DurationNS         string            `json:"duration_ns" doc:"How long it took, nanoseconds." pattern:"^[0-9]+$"`
	ArrivedNS          string            `json:"arrived_ns" doc:"When it came in first, Unix nanoseconds." pattern:"^[0-9]+$"`
	Flags              int64             `json:"flags" doc:"The flags of OTLP: trace flags in the low eight bits, 256 if it is known whether the parent is in another process, and 512 if it is." schema:"minimum=0 maximum=4294967295"`
	Links              []SpanLink        `json:"links" doc:"Links to other spans."`
}

// SpanLink is a link to another span.
type SpanLink struct {
	TraceID    string            `json:"trace_id" doc:"The trace that it leads to."`
	SpanID     string            `json:"span_id" doc:"The span that it leads to."`
	TraceState string            `json:"trace_state" doc:"The trace state."`
	Flags      int64             `json:"flags" doc:"The flags of OTLP." schema:"minimum=0 maximum=4294967295"`
	Attributes map[string]string `json:"attributes" doc:"The attributes of the link, as text."`
}

// FullSpan is a span as appendSpan writes it.
type FullSpan struct {
	Span
	ToolDefinitions string              `json:"tool_definitions" doc:"The tools that the call may use, a JSON list of {name, description, parameters} as text; empty where the span has none."`
	Workflow        string              `json:"workflow" doc:"The workflow that it belongs to, whichever attribute says so; empty where none does."`
	Entity          string              `json:"entity" doc:"The agent, tool or task that it is the work of, whichever attribute says so; empty where none does."`
	ConversationID  string              `json:"conversation_id" doc:"The conversation, whichever attribute says so; empty where none does."`
	SessionID       string              `json:"session_id" doc:"The session, whichever attribute says so; empty where none does."`
	UserID          string              `json:"user_id" doc:"The user, whichever attribute says so; empty where none does."`
	Events          []SpanEvent         `json:"events" doc:"The events, in the order they were sent."`
	Content         genai.ContentSource `json:"content_source" doc:"The attributes or events that the content was read from; empty for what the span does not have."`
	Verdicts        []Verdict           `json:"verdicts" doc:"What became of each evaluator, of every status, in the order they were made."`
	CutTexts        map[string]int64    `json:"cut_texts" doc:"The texts that max_text cut, by where they stand, with the size of each whole text in bytes." items:"schema:\"minimum=1\""`
}

// SpanEvent is an event of a span.
type SpanEvent struct {
	Name       string            `json:"name" doc:"The name."`
	TimeNS     string            `json:"time_ns" doc:"When it happened, Unix nanoseconds." pattern:"^-?[0-9]+$"`
	Attributes map[string]string `json:"attributes" doc:"The attributes, as text."`
}

// GetSpans is the operation get-spans.
var GetSpans = rest.Operation[GetSpansInput, SpanPage]{
	Method: http.MethodGet, Path: "/v2/warehouse/spans", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "get-spans", Summary: "Get spans",
	Doc:      "Gives the spans of the environment whose key is used, page by page: repeat the request with next_cursor as cursor until it is empty. A query parameter that is not listed here is a filter: the field that it names must equal its value, or one of them when it is repeated.",
	Answer:   "One page.",
	Refusals: []int{http.StatusGatewayTimeout},
}

// SearchSpans is the operation search-spans.
var SearchSpans = rest.Operation[SpanSearch, SpanRows]{
	Method: http.MethodPost, Path: "/v2/warehouse/spans/search", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "search-spans", Summary: "Search spans",
	Doc:      "Gives the spans of the environment in short, page by page, with what became of every evaluator. Conditions, orders and cursors are those of GET /v2/warehouse/spans.",
	Answer:   "One page.",
	Refusals: []int{http.StatusGatewayTimeout},
}

// ExportSpans is the operation export-spans.
var ExportSpans = rest.Operation[SpanExport, rest.CSV]{
	Method: http.MethodPost, Path: "/v2/warehouse/spans/export", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "export-spans", Summary: "Export spans as CSV",
	Doc:      "Streams the first 100,000 spans that match as comma-separated values: time, ids, name, type, service, status, model, duration in ms, tokens, the fields that were asked for, the beginnings of question and answer, and results. A cell that a spreadsheet would read as a formula starts with an apostrophe. An answer that ends early is cut off.",
	Answer:   "The spans, with a line of names before them.",
	Refusals: []int{http.StatusGatewayTimeout},
}

// GroupSpans is the operation group-spans.
var GroupSpans = rest.Operation[GroupSearch, GroupRows]{
	Method: http.MethodPost, Path: "/v2/warehouse/spans/group", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "group-spans", Summary: "Search sessions, conversations, users or traces",
	Doc:      "Returns a row for each group that has a matching span, the group with the latest matching span first. The figures of a row are of all spans of the group in the period. Spans without the field are in no row.",
	Answer:   "One page.",
	Refusals: []int{http.StatusGatewayTimeout},
}

// TailSpans is the operation tail-spans.
var TailSpans = rest.Operation[TailSpansInput, SpanTail]{
	Method: http.MethodGet, Path: "/v2/warehouse/spans/tail", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "tail-spans", Summary: "Follow spans as they arrive",
	Doc:      "Waits until spans arrive and gives them in short, in the order of their arrival, about a second after it. Without a cursor it answers at once where to begin: at what arrives from now on. Spans that started more than an hour before they arrived are left out, and so is what became of their evaluations later. At most 50 callers of an environment may wait at once.",
	Answer:   "What arrived, or no rows when nothing did.",
	Refusals: []int{http.StatusGatewayTimeout},
}

// ListFields is the operation list-fields.
var ListFields = rest.Operation[ListFieldsInput, SpanFields]{
	Method: http.MethodGet, Path: "/v2/warehouse/fields", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "list-fields", Summary: "Fields that spans have",
	Doc:      "Gives the fields by which spans of a period can be filtered: their own, their attributes, and outputs of evaluators. The newest 300 spans of the period are looked at.",
	Answer:   "The fields, those of most spans first.",
	Refusals: []int{http.StatusGatewayTimeout},
}

// ParseLine is the operation parse-filters.
var ParseLine = rest.Operation[ParseLineInput, TypedFilters]{
	Method: http.MethodGet, Path: "/v2/warehouse/filters", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "parse-filters", Summary: "Parse a line of filters",
	Doc:      "Returns the filters that a line such as `status:error model:gpt-4o -name:\"GET /\" duration>2s` means, and the fields of it that none of the newest 300 spans of the period has.",
	Answer:   "The filters, in the order of the line.",
	Refusals: []int{http.StatusGatewayTimeout},
}

// GetSpan is the operation get-span.
var GetSpan = rest.Operation[GetSpanInput, FullSpan]{
	Method: http.MethodGet, Path: "/v2/warehouse/spans/{trace_id}/{span_id}", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "get-span", Summary: "Get a span in full",
	Doc:      "Gives one span with its events, its links and what became of every evaluator. Of several spans that were sent under the same ids it is the one that started last.",
	Answer:   "The span.",
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}

// GetSpanText is the operation get-span-text.
var GetSpanText = rest.Operation[GetSpanTextInput, rest.Attachment]{
	Method: http.MethodGet, Path: "/v2/warehouse/spans/{trace_id}/{span_id}/text", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "get-span-text", Summary: "Get one text of a span",
	Doc:      "Gives a text as it is stored, as a file to keep: text/plain, named by the ids of the span.",
	Answer:   "The text.",
	Headers:  map[string]string{"Content-Disposition": "ContentDisposition"},
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}

// GetSpanEvaluations is the operation get-span-evaluations.
var GetSpanEvaluations = rest.Operation[GetSpanEvaluationsInput, Evaluations]{
	Method: http.MethodGet, Path: "/v2/warehouse/spans/{trace_id}/{span_id}/evaluations", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "get-span-evaluations", Summary: "Get the evaluations of a span",
	Doc:      "What every setup made of the span: verdicts, and why there is none.",
	Answer:   "The evaluations.",
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}
