// SPDX-License-Identifier: Apache-2.0

package span

import (
	"strconv"
	"strings"
)

// Field is one value of a span. What answers show, filters and mappings know and
// orders sort by is derived from Fields, where each is declared once. Where its
// value lies is said by exactly one of Text, Count, Nanos, List, Of and JSON; of
// one that is only sorted by, Nanos and JSON do.
type Field struct {
	// ID is its name in answers, filters and mappings. That of a promoted value is
	// one of the Alias constants.
	ID string
	// IDs are further names that filters may give it.
	IDs []string
	// Keys are names of attributes by which filters may mean it.
	Keys []string
	// Sort are the names by which pages are sorted by it; the first is its
	// query.SortKey. Without one no page is.
	Sort []string

	// Text is a text, absent where it is "".
	Text func(s *Span) *string
	// Count is a number, absent where it is NoTokens.
	Count func(s *Span) *int64
	// Billionths says that Count is in those: it is shown and filtered as a decimal
	// fraction, without zeros at its end.
	Billionths bool
	// Nanos is a time or a period in nanoseconds; it is shown and filtered as
	// whole milliseconds, rounded down, and sorted as it is.
	Nanos func(s *Span) *int64
	// List is a map.
	List func(s *Span) Attributes
	// Of returns a text that is worked out, "" where it is absent.
	Of func(s *Span) string

	// JSON appends a value that answers show, and that no filter knows.
	JSON func(b []byte, s *Span) []byte

	// Promoted: it is shown among the attributes, not as a member of its own.
	Promoted bool
	// Keyed: a filter must name one of the entries of List.
	Keyed bool
	// Outer: it is not known before the span is stored, so nothing can be mapped
	// to it.
	Outer bool
}

// Fields are the fields of spans, in the order in which answers show them.
var Fields = []Field{
	{ID: "environment", Of: func(s *Span) string { return s.Environment }, Outer: true},
	{ID: "timestamp", Sort: []string{"timestamp"}, Nanos: func(s *Span) *int64 { return &s.Start }},
	{ID: "trace_id", Sort: []string{"trace_id"}, Of: func(s *Span) string { return s.TraceID.String() }},
	{ID: "span_id", Of: func(s *Span) string { return s.SpanID.String() }},
	{ID: "parent_span_id", Of: func(s *Span) string { return s.ParentSpanID.String() }},
	{ID: "trace_state", Text: func(s *Span) *string { return &s.TraceState }},
	{ID: "span_name", Sort: []string{"span_name"}, Text: func(s *Span) *string { return &s.Name }},
	{ID: "span_kind", Text: func(s *Span) *string { return &s.Kind }},
	{ID: "service_name", IDs: []string{"service.name"}, Text: func(s *Span) *string { return &s.Service }},
	{ID: "resource_attributes", List: func(s *Span) Attributes { return s.Resource }, Keyed: true},
	{ID: "scope_name", Text: func(s *Span) *string { return &s.ScopeName }},
	{ID: "scope_version", Text: func(s *Span) *string { return &s.ScopeVersion }},
	{ID: "span_attributes", List: func(s *Span) Attributes { return s.Attributes }, Keyed: true},
	{ID: "duration", IDs: []string{"duration_ms"}, Sort: []string{"duration_ms", "duration"}, Nanos: func(s *Span) *int64 { return &s.Duration }},
	{ID: "status_code", Text: func(s *Span) *string { return &s.StatusCode }},
	{ID: "status_message", Text: func(s *Span) *string { return &s.StatusMessage }},
	{ID: "prompts", List: func(s *Span) Attributes { return s.Prompts }},
	{ID: "completions", List: func(s *Span) Attributes { return s.Completions }},
	{ID: "input", Text: func(s *Span) *string { return &s.Input }},
	{ID: "output", Text: func(s *Span) *string { return &s.Output }},
	{ID: "span_type", Sort: []string{"span_type"}, Text: func(s *Span) *string { return &s.Type }},
	{ID: "cost", IDs: []string{"llm.usage.cost"}, Sort: []string{"cost"}, Count: func(s *Span) *int64 { return &s.Cost }, Billionths: true, Outer: true},
	{ID: "input_cost", Sort: []string{"input_cost"}, Count: func(s *Span) *int64 { return &s.InputCost }, Billionths: true, Outer: true},
	{ID: "start_ns", JSON: nanosJSON(func(s *Span) int64 { return s.Start })},
	{ID: "duration_ns", JSON: nanosJSON(func(s *Span) int64 { return s.Duration })},
	{
		ID: "arrived_ns", Sort: []string{"arrived"},
		Nanos: func(s *Span) *int64 { return &s.Arrived }, JSON: nanosJSON(func(s *Span) int64 { return s.Arrived }),
	},
	{ID: "flags", JSON: func(b []byte, s *Span) []byte { return strconv.AppendUint(b, uint64(s.Flags), 10) }},
	{ID: "links", JSON: linksJSON},

	{
		ID: AliasWorkflow, IDs: []string{"platform_workflow_name", "traceloop_workflow_name"},
		Keys: []string{"traceloop.workflow.name", "platform.workflow.name"},
		Sort: []string{"platform_workflow_name", "traceloop_workflow_name"},
		Text: func(s *Span) *string { return &s.Workflow }, Promoted: true,
	},
	{
		ID: AliasEntity, IDs: []string{"platform_entity_name", "traceloop_entity_name"},
		Keys: []string{"traceloop.entity.name", "platform.entity.name"},
		Sort: []string{"platform_entity_name", "traceloop_entity_name"},
		Text: func(s *Span) *string { return &s.Entity }, Promoted: true,
	},
	{ID: AliasConversation, Sort: []string{AliasConversation}, Text: func(s *Span) *string { return &s.Conversation }, Promoted: true},
	{ID: AliasSession, Sort: []string{AliasSession}, Text: func(s *Span) *string { return &s.Session }, Promoted: true},
	{ID: AliasUser, Sort: []string{AliasUser}, Text: func(s *Span) *string { return &s.User }, Promoted: true},
	{ID: AliasVendor, Keys: []string{AliasVendor}, Text: func(s *Span) *string { return &s.Vendor }, Promoted: true},
	{ID: AliasRequestModel, Keys: []string{AliasRequestModel}, Text: func(s *Span) *string { return &s.RequestModel }, Promoted: true},
	{
		ID: AliasResponseModel, IDs: []string{"llm_response_model"}, Keys: []string{AliasResponseModel}, Sort: []string{"llm_response_model"},
		Text: func(s *Span) *string { return &s.ResponseModel }, Promoted: true,
	},
	{ID: AliasInputTokens, Keys: []string{AliasInputTokens}, Count: func(s *Span) *int64 { return &s.InputTokens }, Promoted: true},
	{ID: AliasOutputTokens, Keys: []string{AliasOutputTokens}, Count: func(s *Span) *int64 { return &s.OutputTokens }, Promoted: true},
	{
		ID: AliasTotalTokens, IDs: []string{"total_tokens", "llm_usage_total_tokens"}, Keys: []string{AliasTotalTokens},
		Sort:  []string{"total_tokens", "llm_usage_total_tokens"},
		Count: func(s *Span) *int64 { return &s.TotalTokens }, Promoted: true,
	},
}

var byID, byKey, bySort = index()

// index returns the fields by each name that filters, attributes and orders may
// give them.
func index() (ids, keys, sorts map[string]*Field) {
	ids, keys, sorts = map[string]*Field{}, map[string]*Field{}, map[string]*Field{}
	for i := range Fields {
		f := &Fields[i]
		for _, name := range f.Sort {
			sorts[name] = f
		}
		if f.JSON != nil {
			continue
		}
		ids[f.ID] = f
		for _, id := range f.IDs {
			ids[id] = f
		}
		for _, key := range f.Keys {
			keys[key] = f
		}
	}
	return ids, keys, sorts
}

// FieldOf returns the field that an id means, and whether there is one.
func FieldOf(id string) (*Field, bool) {
	f, found := byID[id]
	return f, found
}

// FieldOfKey returns the field that is meant by the key of an attribute, and
// whether one is.
func FieldOfKey(key string) (*Field, bool) {
	f, found := byKey[key]
	return f, found
}

// FieldOfSort returns the field that a name of an order means, and whether there
// is one.
func FieldOfSort(name string) (*Field, bool) {
	f, found := bySort[name]
	return f, found
}

// Value returns the field as text, "" where it is absent. A map has none.
func (f *Field) Value(s *Span) string {
	switch {
	case f.Text != nil:
		return *f.Text(s)
	case f.Nanos != nil:
		return strconv.FormatInt(*f.Nanos(s)/1e6, 10)
	case f.Count != nil:
		n := *f.Count(s)
		if n == NoTokens {
			return ""
		}
		if f.Billionths {
			return BillionthsText(n)
		}
		return strconv.FormatInt(n, 10)
	case f.Of != nil:
		return f.Of(s)
	}
	return ""
}

// BillionthsText returns a count of billionths, which is not negative, as a decimal
// fraction.
func BillionthsText(n int64) string {
	const one = 1_000_000_000
	text := strconv.FormatInt(n%one+one, 10)[1:]
	text = strings.TrimRight(text, "0")
	if text == "" {
		return strconv.FormatInt(n/one, 10)
	}
	return strconv.FormatInt(n/one, 10) + "." + text
}

// appendJSON appends the value as answers show it.
func (f *Field) appendJSON(b []byte, s *Span) []byte {
	switch {
	case f.JSON != nil:
		return f.JSON(b, s)
	case f.List != nil:
		return appendList(b, f.List(s))
	case f.Nanos != nil:
		return strconv.AppendInt(b, *f.Nanos(s)/1e6, 10)
	case f.Billionths:
		if text := f.Value(s); text != "" {
			return append(b, text...)
		}
		return append(b, "null"...)
	}
	return AppendQuoted(b, f.Value(s))
}

// nanosJSON shows nanoseconds as text, since numbers of JSON lose their last
// digits in many a reader; OTLP's own JSON does so too.
func nanosJSON(at func(s *Span) int64) func(b []byte, s *Span) []byte {
	return func(b []byte, s *Span) []byte {
		return append(strconv.AppendInt(append(b, '"'), at(s), 10), '"')
	}
}

func linksJSON(b []byte, s *Span) []byte {
	b = append(b, '[')
	for i := range s.Links {
		l := &s.Links[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = appendMember(b, `{"trace_id":`, l.TraceID)
		b = appendMember(b, `,"span_id":`, l.SpanID)
		b = appendMember(b, `,"trace_state":`, l.TraceState)
		b = strconv.AppendUint(append(b, `,"flags":`...), uint64(l.Flags), 10)
		b = append(appendList(append(b, `,"attributes":`...), l.Attributes), '}')
	}
	return append(b, ']')
}
