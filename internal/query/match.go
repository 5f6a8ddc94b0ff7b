// SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Matches reports whether the query asks for a span, or for an output of that
// span, whatever its position and limit. Arguments are those of Filter.Match.
func (q *Query) Matches(s *span.Span, o *Output) bool {
	all := All(q.Filters...)
	return q.From <= s.Start && s.Start <= q.To && all.Match(s, o)
}

// Match reports whether the condition holds for a span as the API shows it: its
// attributes have the verdicts, of each output the latest. Where outputs are
// asked for o is one of that span's; else it is nil.
func (f *Filter) Match(s *span.Span, o *Output) bool {
	switch {
	case f.Operator == OpAll:
		return !slices.ContainsFunc(f.Filters, func(part Filter) bool { return !part.Match(s, o) })
	case f.Operator == OpAny:
		return slices.ContainsFunc(f.Filters, func(part Filter) bool { return part.Match(s, o) })
	case f.Field.Kind == FieldOutput:
		return o != nil && f.matchOutput(o)
	case f.Field.Kind == FieldColumn:
		switch f.Field.Name {
		case "timestamp":
			return f.holdsNumber(strconv.FormatInt(s.TimestampMillis(), 10))
		case "duration":
			return f.holdsNumber(strconv.FormatInt(s.DurationMillis(), 10))
		case "prompts":
			return f.matchAny(s.Prompts)
		case "completions":
			return f.matchAny(s.Completions)
		}
	}
	return f.holdsIf(f.Field.of(s))
}

// holdsIf is Holds for a text that was found or not.
func (f *Filter) holdsIf(text string, found bool) bool {
	if !found {
		return f.Holds()
	}
	return f.Holds(text)
}

func (f *Filter) matchAny(list span.Attributes) bool {
	values := make([]string, len(list))
	for i := range list {
		values[i] = list[i].Value
	}
	return f.Holds(values...)
}

// holdsNumber is Holds for a field that is a number, given by its text: values
// that it may equal are compared as numbers, by other operators it is text.
func (f *Filter) holdsNumber(text string) bool {
	op, negated := f.Operator.Positive()
	if op != OpEquals && op != OpIn {
		return f.Holds(text)
	}
	n, ok := ParseNumber(text)
	return (ok && f.holdsForNumber(op, n)) != negated
}

// of returns the text of a field that has one at most.
func (f Field) of(s *span.Span) (text string, found bool) {
	switch f.Kind {
	case FieldColumn:
		text = column(s, f.Name)
		return text, text != ""
	case FieldAlias:
		text = alias(s, f.Name)
		return text, text != ""
	case FieldMessage:
		if text, found = s.Prompts.Get(f.Name); !found {
			text, found = s.Completions.Get(f.Name)
		}
	case FieldAttribute:
		if text, found = s.Attributes.Get(f.Name); !found {
			text, found = s.Resource.Get(f.Name)
		}
	case FieldSpanAttribute:
		return s.Attributes.Get(f.Name)
	case FieldResourceAttribute:
		return s.Resource.Get(f.Name)
	case FieldEvaluation:
		return verdict(s, f.Name, f.Output)
	}
	return text, found
}

// verdict returns the text of an evaluator's output.
func verdict(s *span.Span, slug, output string) (string, bool) {
	return s.Attributes.Get(tenant.EvaluationPrefix + slug + "." + output)
}

// column returns the text of a field of the span itself, "" if it is absent.
func column(s *span.Span, name string) string {
	switch name {
	case "environment":
		return s.Environment
	case "trace_id":
		return s.TraceID.String()
	case "span_id":
		return s.SpanID.String()
	case "parent_span_id":
		return s.ParentSpanID.String()
	case "trace_state":
		return s.TraceState
	case "span_name":
		return s.Name
	case "span_kind":
		return s.Kind
	case "service_name":
		return s.Service
	case "scope_name":
		return s.ScopeName
	case "scope_version":
		return s.ScopeVersion
	case "status_code":
		return s.StatusCode
	case "status_message":
		return s.StatusMessage
	case "input":
		return s.Input
	case "output":
		return s.Output
	}
	return ""
}

// alias returns the text of a promoted value, "" if it is absent.
func alias(s *span.Span, name string) string {
	count := span.NoTokens
	switch name {
	case span.AliasWorkflow:
		return s.Workflow
	case span.AliasEntity:
		return s.Entity
	case span.AliasVendor:
		return s.Vendor
	case span.AliasRequestModel:
		return s.RequestModel
	case span.AliasResponseModel:
		return s.ResponseModel
	case span.AliasInputTokens:
		count = s.InputTokens
	case span.AliasOutputTokens:
		count = s.OutputTokens
	case span.AliasTotalTokens:
		count = s.TotalTokens
	}
	if count == span.NoTokens {
		return ""
	}
	return strconv.FormatInt(count, 10)
}
