// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/periods"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// head is what a row of any table begins with: which span it is about, and until
// when the row is kept.
type head struct {
	env    tenant.EnvironmentID
	bucket int64
	trace  span.TraceID
	id     span.ID
	digest uint64
	periods.Period
}

// spanIDs are the ids that messages which came apart have of their span.
type spanIDs struct {
	trace span.TraceID
	id    span.ID
}

func (h *head) ids() spanIDs { return spanIDs{h.trace, h.id} }

// spanRow is a span with the evaluations that came with it.
type spanRow struct {
	head
	version     uint64
	textBytes   int64 // of the span, as it was written
	span        span.Span
	evaluations []eval.Evaluation
}

// lateRow is an evaluation that came after its span.
type lateRow struct {
	head
	rank       uint64
	evaluation eval.Evaluation
}

// headColumns are those that every table has, but for the digest.
func headColumns[R any](at func(r *R) *head) []column[R] {
	return []column[R]{
		text("env", func(r *R) *tenant.EnvironmentID { return &at(r).env }).with("LowCardinality(String)", ""),
		field("bucket", "Int64", func(r *R) *int64 { return &at(r).bucket }).with("", "Delta, "+shortCodec),
		of("trace", "FixedString(16)", func(r *R) string { return string(at(r).trace[:]) }, func(r *R, v string) { copy(at(r).trace[:], v) }),
		of("id", "FixedString(8)", func(r *R) string { return string(at(r).id[:]) }, func(r *R, v string) { copy(at(r).id[:], v) }),
		field("part", "UInt32", func(r *R) *uint32 { return &at(r).Part }),
		field("gone", "UInt32", func(r *R) *uint32 { return &at(r).Gone }),
	}
}

// keyColumns are those that tell spans apart, of spans that are looked for.
var keyColumns = append(headColumns(func(r *spanRow) *head { return &r.head }),
	field("digest", "UInt64", func(r *spanRow) *uint64 { return &r.digest }),
	field("version", "UInt64", func(r *spanRow) *uint64 { return &r.version }),
	field("expires", "Int64", func(r *spanRow) *int64 { return &r.Expires }).with("", "Delta, "+shortCodec),
	field("start", "Int64", func(r *spanRow) *int64 { return &r.span.Start }).with("", "Delta, "+shortCodec),
)

// hitColumns are those of spans that a page may have.
var hitColumns = append(keyColumns[:4:4], textBytesColumn, keyColumns[9])

// versionColumns are those of the versions of rows of spans that a page may have.
var versionColumns = append(hitColumns[:6:6], keyColumns[6], keyColumns[7])

// messageSizeColumns say how many bytes of messages a span has that came apart.
var messageSizeColumns = append(keyColumns[2:4:4], textBytesColumn)

// textBytesColumn is how much text a span has, which a page is bounded by before it is
// read; 0 of rows that were written before there was such a column.
var textBytesColumn = of("text_bytes", "Int64", func(r *spanRow) int64 { return int64(r.span.TextBytes()) }, func(r *spanRow, v int64) { r.textBytes = v }).with("", "T64, "+shortCodec)

// spanColumns are those of the table of spans.
var spanColumns = slices.Concat(keyColumns, []column[spanRow]{
	textBytesColumn,
	field("duration", "Int64", func(r *spanRow) *int64 { return &r.span.Duration }).with("", "T64, "+shortCodec),
	field("arrived", "Int64", func(r *spanRow) *int64 { return &r.span.Arrived }).with("", "Delta, "+shortCodec),
	field("flags", "UInt32", func(r *spanRow) *uint32 { return &r.span.Flags }),
	of("parent", "FixedString(8)", func(r *spanRow) string { return string(r.span.ParentSpanID[:]) }, func(r *spanRow, v string) { copy(r.span.ParentSpanID[:], v) }),
	attributes("resource", "Map(LowCardinality(String), String)", func(r *spanRow) *span.Attributes { return &r.span.Resource }, nil),
	attributes("attributes", "Map(LowCardinality(String), String)", func(r *spanRow) *span.Attributes { return &r.span.Attributes }, folds),
	attributes("prompts", "Map(String, String)", func(r *spanRow) *span.Attributes { return &r.span.Prompts }, nil),
	attributes("completions", "Map(String, String)", func(r *spanRow) *span.Attributes { return &r.span.Completions }, nil),
	of("events", "String", func(r *spanRow) string { return eventsText(r.span.Events) }, func(r *spanRow, v string) { readJSON(v, &r.span.Events) }).with("", textCodec),
	of("links", "String", func(r *spanRow) string { return linksText(r.span.Links) }, func(r *spanRow, v string) { readJSON(v, &r.span.Links) }).with("", textCodec),
}, fieldColumns(), []column[spanRow]{of("folded", "Array(String)", foldedKeys, unfold).with("", shortCodec)}, arrayColumns())

// textCodec is the codec of what may be long of spans. A higher level saves a tenth of the
// disk and costs as much CPU time again, in inserts and in every merge.
const textCodec = "ZSTD(1)"

// shortCodec is that of all other columns. A block has what a granule has of a column, of
// these some hundred bytes, and what ZSTD begins each block with costs more than it saves.
const shortCodec = "LZ4"

// longTexts are the columns of fields that may be long.
var longTexts = []string{"input", "output"}

// shownColumns are those that spans are shown by: of their evaluations what their verdicts
// are, and what tells which of them count.
var shownColumns = slices.Concat(spanColumns[:len(spanColumns)-len(evaluationColumns)], verdictColumns())

func verdictColumns() (list []column[spanRow]) {
	for _, name := range []string{"setup", "evaluator", "status", "revision", "time", "names", "texts", "kinds"} {
		list = append(list, arrayOf(name))
	}
	return list
}

// briefColumns are those of brief spans, see query.Query.
var briefColumns = slices.DeleteFunc(slices.Concat(keyColumns, spanColumns[len(keyColumns):len(spanColumns)-len(arrayColumns())]), func(c column[spanRow]) bool {
	return slices.Contains(longColumns, c.name)
})

// longColumns are the columns of spans that brief ones do not have.
var longColumns = []string{
	"resource", "attributes", "prompts", "completions", "events", "links", "input", "output", "folded", "status_message", "trace_state",
}

// columnNames are the names of the columns of fields, by their ids.
var columnNames = map[string]string{
	"timestamp": "start", "duration": "duration", "arrived_ns": "arrived", "trace_state": "trace_state", "span_name": "name", "span_kind": "kind",
	"service_name": "service", "scope_name": "scope_name", "scope_version": "scope_version",
	"status_code": "status_code", "status_message": "status_message", "input": "input", "output": "output", "span_type": "type",
	"cost": "cost", "input_cost": "input_cost",
	span.AliasConversation: "conversation", span.AliasSession: "session", span.AliasUser: "user_id",
	span.AliasWorkflow: "workflow", span.AliasEntity: "entity", span.AliasVendor: "vendor",
	span.AliasRequestModel: "request_model", span.AliasResponseModel: "response_model",
	span.AliasInputTokens: "input_tokens", span.AliasOutputTokens: "output_tokens", span.AliasTotalTokens: "total_tokens",
}

// fewValues are the columns of texts that have few values.
var fewValues = []string{"kind", "status_code", "type"}

// fieldColumns are those of the fields of spans that are texts and counts.
func fieldColumns() (list []column[spanRow]) {
	for i := range span.Fields {
		f := &span.Fields[i]
		name := columnNames[f.ID]
		switch {
		case f.Text != nil && slices.Contains(fewValues, name):
			list = append(list, text(name, func(r *spanRow) *string { return f.Text(&r.span) }).with("LowCardinality(String)", ""))
		case f.Text != nil && slices.Contains(longTexts, name):
			list = append(list, text(name, func(r *spanRow) *string { return f.Text(&r.span) }).with("", textCodec))
		case f.Text != nil:
			list = append(list, text(name, func(r *spanRow) *string { return f.Text(&r.span) }).with("", shortCodec))
		case f.Count != nil:
			list = append(list, field(name, "Int64", func(r *spanRow) *int64 { return f.Count(&r.span) }).with("", "T64, "+shortCodec))
		}
	}
	return list
}

func arrayColumns() (list []column[spanRow]) {
	for i := range evaluationColumns {
		list = append(list, evaluationColumns[i].array)
	}
	return list
}

// attributes returns a column of a map, without those that without says are stored
// elsewhere.
func attributes(name, kind string, at func(r *spanRow) *span.Attributes, without func(s *span.Span, a *span.Attribute) bool) column[spanRow] {
	keys, _, _ := strings.Cut(strings.TrimPrefix(kind, "Map("), ", ")
	return column[spanRow]{
		name: name, kind: kind, codec: textCodec,
		input: func(string) input[spanRow] {
			return &attributesInput{proto.NewMap(newData[string](keys), newData[string]("String")), at, without}
		},
		target: func() (any, func(r *spanRow)) {
			m := new(map[string]string)
			return m, func(r *spanRow) { *at(r) = attributesOf(*m) }
		},
	}
}

func attributesOf(m map[string]string) span.Attributes {
	list := make([]span.Attribute, 0, len(m))
	for k, v := range m {
		list = append(list, span.Attribute{Key: k, Value: v})
	}
	return span.NewAttributes(list)
}

// eventsText returns events as JSON, "" if there are none. The encoder makes UTF-8
// of any text.
func eventsText(list []span.Event) string {
	if len(list) == 0 {
		return ""
	}
	b, _ := json.Marshal(list) // of texts and numbers
	return string(b)
}

func linksText(list []span.Link) string {
	if len(list) == 0 {
		return ""
	}
	b, _ := json.Marshal(list)
	return string(b)
}

func readJSON[T any](text string, into *T) {
	if text != "" {
		_ = json.Unmarshal([]byte(text), into) // it was written by the functions above
	}
}

// lateColumns are those of the tables of evaluations that came after their spans.
var lateColumns = func() []column[lateRow] {
	list := append(headColumns(func(r *lateRow) *head { return &r.head }),
		field("digest", "UInt64", func(r *lateRow) *uint64 { return &r.digest }),
		field("rank", "UInt64", func(r *lateRow) *uint64 { return &r.rank }))
	for i := range evaluationColumns {
		list = append(list, evaluationColumns[i].column)
	}
	return list
}()

// messageRow is one prompt or completion that came apart from its span.
type messageRow struct {
	head
	side       uint8
	key, value string
	time       uint64
}

// The sides of messages.
const (
	sidePrompts     = 0
	sideCompletions = 1
)

var messageColumns = append(headColumns(func(r *messageRow) *head { return &r.head }),
	field("side", "UInt8", func(r *messageRow) *uint8 { return &r.side }),
	text("key", func(r *messageRow) *string { return &r.key }),
	text("value", func(r *messageRow) *string { return &r.value }).with("", "ZSTD(3)"),
	field("time", "UInt64", func(r *messageRow) *uint64 { return &r.time }),
)
