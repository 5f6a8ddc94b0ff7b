// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// spanColumns are the columns of spans. Those with a field can be filtered and
// sorted by as that field.
var spanColumns = columns[SpanRow]{
	intColumn("seq", func(r *SpanRow) *int64 { return &r.Seq }),
	smallColumn("env", func(r *SpanRow) *int32 { return &r.id.Env }).unread(),
	intColumn("start", func(r *SpanRow) *int64 { return &r.Start }).as("timestamp"),
	intColumn("duration", func(r *SpanRow) *int64 { return &r.Duration }).as("duration"),
	intColumn("trace_hi", func(r *SpanRow) *int64 { return &r.id.Hi }),
	intColumn("trace_lo", func(r *SpanRow) *int64 { return &r.id.Lo }),
	intColumn("span_id", func(r *SpanRow) *int64 { return &r.id.ID }),
	intColumn("parent_id", func(r *SpanRow) *int64 { return &r.parent }),
	intColumn("content", func(r *SpanRow) *int64 { return &r.content }).unread(),
	smallColumn("origin", func(r *SpanRow) *int32 { return &r.originID }), // what the spans of one process share
	textColumn("name", func(r *SpanRow) *string { return &r.Name }).as("span_name"),
	textColumn("status", func(r *SpanRow) *string { return &r.StatusCode }).as("status_code"),
	textColumn("status_message", func(r *SpanRow) *string { return &r.StatusMessage }).as("status_message"),
	textColumn("trace_state", func(r *SpanRow) *string { return &r.TraceState }).as("trace_state"),
	textColumn("workflow", func(r *SpanRow) *string { return &r.Workflow }).as(span.AliasWorkflow),
	textColumn("entity", func(r *SpanRow) *string { return &r.Entity }).as(span.AliasEntity),
	textColumn("conversation", func(r *SpanRow) *string { return &r.Conversation }).as(span.AliasConversation),
	textColumn("session", func(r *SpanRow) *string { return &r.Session }).as(span.AliasSession),
	textColumn("user_id", func(r *SpanRow) *string { return &r.User }).as(span.AliasUser),
	textColumn("vendor", func(r *SpanRow) *string { return &r.Vendor }).as(span.AliasVendor),
	textColumn("request_model", func(r *SpanRow) *string { return &r.RequestModel }).as(span.AliasRequestModel),
	textColumn("response_model", func(r *SpanRow) *string { return &r.ResponseModel }).as(span.AliasResponseModel),
	intColumn("input_tokens", func(r *SpanRow) *int64 { return &r.InputTokens }).as(span.AliasInputTokens),
	intColumn("output_tokens", func(r *SpanRow) *int64 { return &r.OutputTokens }).as(span.AliasOutputTokens),
	intColumn("total_tokens", func(r *SpanRow) *int64 { return &r.TotalTokens }).as(span.AliasTotalTokens),
	intColumn("cost", func(r *SpanRow) *int64 { return &r.Cost }).as("cost"),
	intColumn("input_cost", func(r *SpanRow) *int64 { return &r.InputCost }).as("input_cost"),
	smallColumn("attr_shape", func(r *SpanRow) *int32 { return &r.attributeShape }),
	attributesColumn(0),
	attributesColumn(1),
	attributesColumn(2),
	attributesColumn(3),
	smallColumn("prompt_shape", func(r *SpanRow) *int32 { return &r.promptShape }),
	inlineColumn("prompts", func(r *SpanRow) *Texts { return &r.promptTexts }),
	smallColumn("completion_shape", func(r *SpanRow) *int32 { return &r.completionShape }),
	inlineColumn("completions", func(r *SpanRow) *Texts { return &r.completionTexts }),
	textColumn("input", func(r *SpanRow) *string { return &r.Input }).as("input"),
	textColumn("output", func(r *SpanRow) *string { return &r.Output }).as("output"),
	textColumn("type", func(r *SpanRow) *string { return &r.Type }).as("span_type"),
	intColumn("arrived", func(r *SpanRow) *int64 { return &r.Arrived }).as("arrived_ns"),
	intColumn("flags", func(r *SpanRow) *int64 { return &r.flags }),
	jsonColumn("links", func(r *SpanRow) *[]span.Link { return &r.Links }),
	jsonColumn("events", func(r *SpanRow) *[]span.Event { return &r.Events }),
	intColumn("text_bytes", func(r *SpanRow) *int64 { return &r.textBytes }).unread(), // hits have it
	numbersColumn("prompt_texts", func(r *SpanRow) *Numbers { return &r.promptIDs }),
	numbersColumn("completion_texts", func(r *SpanRow) *Numbers { return &r.completionIDs }),
}

// keptColumns are those that are read for an answer, and whose the span is and what it was.
var keptColumns = append(slices.Clip(spanColumns),
	smallColumn("env", func(r *SpanRow) *int32 { return &r.id.Env }),
	intColumn("content", func(r *SpanRow) *int64 { return &r.content }),
)

// briefColumns are those of brief spans, see query.Query.
var briefColumns = spanColumns.without(
	"attr_shape", "attrs0", "attrs1", "attrs2", "attrs3", "prompt_shape", "prompts", "prompt_texts",
	"completion_shape", "completions", "completion_texts", "input", "output", "status_message", "trace_state", "links", "events",
)

// ColumnOf returns the name of the column of spans that holds a field of them, see
// span.Fields, "" for none.
func ColumnOf(field string) string { return columnsByField[field] }

var columnsByField = func() map[string]string {
	names := map[string]string{}
	for _, c := range spanColumns {
		if c.field != "" {
			names[c.field] = c.name
		}
	}
	return names
}()

// attributesColumn holds the values of the attributes of one list.
func attributesColumn(list int) column[SpanRow] {
	return textsColumn("attrs"+strconv.Itoa(list), func(t *table, r *SpanRow) {
		for i := range r.Attributes {
			if r.folds[i].list == list {
				t.add(r.Attributes[i].Value)
			}
		}
	}, func(r *SpanRow) *Texts { return &r.attributeTexts[list] })
}

// inlineColumn holds texts of messages in rows of format 1, and nothing in others.
func inlineColumn(name string, into func(*SpanRow) *Texts) column[SpanRow] {
	return textsColumn(name, func(*table, *SpanRow) {}, into)
}

// jsonColumn holds a list as JSON, "" for an empty one.
func jsonColumn[T any](name string, at func(*SpanRow) *[]T) column[SpanRow] {
	spell := func(r *SpanRow) string {
		if len(*at(r)) == 0 {
			return ""
		}
		b, err := json.Marshal(*at(r))
		if err != nil { // a type of ours that has no JSON
			panic(err)
		}
		return string(b)
	}
	return column[SpanRow]{
		name: name, kind: Text,
		put:  func(t *table, r *SpanRow) { t.text(spell(r)) },
		into: func(r *SpanRow) any { return jsonList[T]{at(r)} },
	}
}

// jsonList reads what jsonColumn wrote.
type jsonList[T any] struct{ list *[]T }

// Scan implements sql.Scanner.
func (l jsonList[T]) Scan(value any) error {
	text, ok := value.(string)
	switch {
	case !ok:
		return fmt.Errorf("a text is expected instead of %T", value)
	case text == "":
		*l.list = nil
		return nil
	}
	return json.Unmarshal([]byte(text), l.list)
}
