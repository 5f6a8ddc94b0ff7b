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
	intColumn("seq", func(r *row) *int64 { return &r.seq }).aside(),
	smallColumn("env", func(r *row) *int32 { return &r.id.env }).aside().unread(),
	intColumn("start", func(r *row) *int64 { return &r.Start }).as("timestamp"),
	intColumn("duration", func(r *row) *int64 { return &r.Duration }).as("duration"),
	intColumn("trace_hi", func(r *row) *int64 { return &r.id.hi }).aside(),
	intColumn("trace_lo", func(r *row) *int64 { return &r.id.lo }).aside(),
	intColumn("span_id", func(r *row) *int64 { return &r.id.id }).aside(),
	intColumn("parent_id", func(r *row) *int64 { return &r.parent }),
	intColumn("content", func(r *row) *int64 { return &r.content }).aside().unread(),
	originColumn(),
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
	shapeColumn("attr_shape", func(r *row) span.Attributes { return r.Attributes }, func(r *row) *int32 { return &r.attributeShape }),
	attributesColumn(0),
	attributesColumn(1),
	attributesColumn(2),
	attributesColumn(3),
	shapeColumn("prompt_shape", func(r *row) span.Attributes { return r.Prompts }, func(r *row) *int32 { return &r.promptShape }),
	textsColumn("prompts", func(t *table, r *row) { t.addValues(r.Prompts) }, func(r *row) *texts { return &r.promptTexts }),
	shapeColumn("completion_shape", func(r *row) span.Attributes { return r.Completions }, func(r *row) *int32 { return &r.completionShape }),
	textsColumn("completions", func(t *table, r *row) { t.addValues(r.Completions) }, func(r *row) *texts { return &r.completionTexts }),
	textColumn("input", func(r *row) *string { return &r.Input }).as("input"),
	textColumn("output", func(r *row) *string { return &r.Output }).as("output"),
	textColumn("type", func(r *row) *string { return &r.Type }).as("span_type").aside(),
	intColumn("arrived", func(r *row) *int64 { return &r.Arrived }).aside(),
	intColumn("flags", func(r *row) *int64 { return &r.flags }),
	jsonColumn("links", func(r *row) *[]span.Link { return &r.Links }),
	jsonColumn("events", func(r *row) *[]span.Event { return &r.Events }),
}

// originColumn refers to what the spans of one process share.
func originColumn() column[row] {
	c := smallColumn("origin", func(r *row) *int32 { return &r.originID })
	c.tell = func(b []byte, r *row) []byte {
		for _, text := range [...]string{r.Service, r.ScopeName, r.ScopeVersion, r.Kind} {
			b = appendText(b, text)
		}
		return appendAttributes(b, r.Resource)
	}
	return c
}

// shapeColumn refers to the keys of a map, and tells whole maps apart.
func shapeColumn(name string, list func(*row) span.Attributes, at func(*row) *int32) column[row] {
	c := smallColumn(name, at)
	c.tell = func(b []byte, r *row) []byte { return appendAttributes(b, list(r)) }
	return c
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
		tell: func(b []byte, r *row) []byte { return appendText(b, spell(r)) },
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
