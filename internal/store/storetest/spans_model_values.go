// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"slices"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// values gives what a field is: nothing, one text or several; and whether they
// are milliseconds.
func (m model) values(x store.Record, f span.Field) ([]string, bool) {
	s := x.Span
	one := func(text string, found bool) []string {
		if !found {
			return nil
		}
		return []string{text}
	}
	present := func(text string) []string { return one(text, text != "") }
	count := func(n int64) []string { return one(strconv.FormatInt(n, 10), n != span.NoTokens) }
	all := func(list span.Attributes) (values []string) {
		for _, a := range list {
			values = append(values, a.Value)
		}
		return values
	}
	switch f.Kind {
	case span.FieldMessage:
		return one(append(slices.Clone(s.Completions), s.Prompts...).Get(f.Name)), false // completions sort first
	case span.FieldSpanAttribute:
		return one(s.Attributes.Get(f.Name)), false
	case span.FieldResourceAttribute:
		return one(s.Resource.Get(f.Name)), false
	case span.FieldAttribute:
		if v, found := s.Attributes.Get(f.Name); found {
			return one(v, true), false
		}
		return one(s.Resource.Get(f.Name)), false
	case span.FieldEvaluation:
		var values []string
		for _, e := range x.Evaluations {
			for _, o := range e.Outputs {
				if e.Evaluator == f.Name && e.Status == eval.Done && o.Name == f.Output {
					values = append(values, o.Text())
				}
			}
		}
		return values, false
	}
	switch f.Name {
	case "span_name":
		return present(s.Name), false
	case "service_name":
		return present(s.Service), false
	case "status_message":
		return present(s.StatusMessage), false
	case "input":
		return present(s.Input), false
	case "output":
		return present(s.Output), false
	case "duration":
		return one(strconv.FormatInt(s.DurationMillis(), 10), true), true
	case "prompts":
		return all(s.Prompts), false
	case "completions":
		return all(s.Completions), false
	case "trace_id":
		return present(s.TraceID.String()), false
	case span.AliasWorkflow:
		return present(s.Workflow), false
	case span.AliasEntity:
		return present(s.Entity), false
	case span.AliasVendor:
		return present(s.Vendor), false
	case span.AliasResponseModel:
		return present(s.ResponseModel), false
	case span.AliasInputTokens:
		return count(s.InputTokens), false
	case span.AliasTotalTokens:
		return count(s.TotalTokens), false
	}
	return nil, false // parent_span_id, which no span of the model has
}
