// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// spanColumns are the columns of spans. Those with a field can be filtered and
// sorted by as that field.
var spanColumns = columns[row]{
	intColumn("seq", func(r *row) *int64 { return &r.seq }),
	smallColumn("env", func(r *row) *int32 { return &r.id.env }).unread(),
	intColumn("start", func(r *row) *int64 { return &r.Start }).as("timestamp"),
	intColumn("duration", func(r *row) *int64 { return &r.Duration }).as("duration"),
	intColumn("trace_hi", func(r *row) *int64 { return &r.id.hi }),
	intColumn("trace_lo", func(r *row) *int64 { return &r.id.lo }),
	intColumn("span_id", func(r *row) *int64 { return &r.id.id }),
	intColumn("parent_id", func(r *row) *int64 { return &r.parent }),
	intColumn("content", func(r *row) *int64 { return &r.content }).unread(),
	smallColumn("origin", func(r *row) *int32 { return &r.originID }), // what the spans of one process share
	textColumn("name", func(r *row) *string { return &r.Name }).as("span_name"),
	textColumn("status", func(r *row) *string { return &r.StatusCode }).as("status_code"),
	textColumn("status_message", func(r *row) *string { return &r.StatusMessage }).as("status_message"),
	textColumn("trace_state", func(r *row) *string { return &r.TraceState }).as("trace_state"),
	textColumn("workflow", func(r *row) *string { return &r.Workflow }).as(span.AliasWorkflow),
	textColumn("entity", func(r *row) *string { return &r.Entity }).as(span.AliasEntity),
	textColumn("vendor", func(r *row) *string { return &r.Vendor }).as(span.AliasVendor),
	textColumn("request_model", func(r *row) *string { return &r.RequestModel }).as(span.AliasRequestModel),
	textColumn("response_model", func(r *row) *string { return &r.ResponseModel }).as(span.AliasResponseModel),
	intColumn("input_tokens", func(r *row) *int64 { return &r.InputTokens }).as(span.AliasInputTokens),
	intColumn("output_tokens", func(r *row) *int64 { return &r.OutputTokens }).as(span.AliasOutputTokens),
	intColumn("total_tokens", func(r *row) *int64 { return &r.TotalTokens }).as(span.AliasTotalTokens),
	smallColumn("attr_shape", func(r *row) *int32 { return &r.attributeShape }),
	attributesColumn(0),
	attributesColumn(1),
	attributesColumn(2),
	attributesColumn(3),
	smallColumn("prompt_shape", func(r *row) *int32 { return &r.promptShape }),
	textsColumn("prompts", func(t *table, r *row) { t.addValues(r.Prompts) }, func(r *row) *texts { return &r.promptTexts }),
	smallColumn("completion_shape", func(r *row) *int32 { return &r.completionShape }),
	textsColumn("completions", func(t *table, r *row) { t.addValues(r.Completions) }, func(r *row) *texts { return &r.completionTexts }),
	textColumn("input", func(r *row) *string { return &r.Input }).as("input"),
	textColumn("output", func(r *row) *string { return &r.Output }).as("output"),
	textColumn("type", func(r *row) *string { return &r.Type }).as("span_type"),
	intColumn("arrived", func(r *row) *int64 { return &r.Arrived }),
	intColumn("flags", func(r *row) *int64 { return &r.flags }),
	jsonColumn("links", func(r *row) *[]span.Link { return &r.Links }),
	jsonColumn("events", func(r *row) *[]span.Event { return &r.Events }),
}

// attributesColumn holds the values of the attributes of one list.
func attributesColumn(list int) column[row] {
	return textsColumn("attrs"+strconv.Itoa(list), func(t *table, r *row) {
		for i := range r.Attributes {
			if r.folds[i].list == list {
				t.add(r.Attributes[i].Value)
			}
		}
	}, func(r *row) *texts { return &r.attributeTexts[list] })
}

// jsonColumn holds a list as JSON, "" for an empty one.
func jsonColumn[T any](name string, at func(*row) *[]T) column[row] {
	spell := func(r *row) string {
		if len(*at(r)) == 0 {
			return ""
		}
		b, err := json.Marshal(*at(r))
		if err != nil { // a type of ours that has no JSON
			panic(err)
		}
		return string(b)
	}
	return column[row]{
		name: name, kind: kindText,
		put:  func(t *table, r *row) { t.text(spell(r)) },
		into: func(r *row) any { return jsonList[T]{at(r)} },
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
