// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Filters returns the rules that a store can look up by itself, and that it
// reads just as a selector does.
func Filters(selector monitor.Selector) []query.Filter {
	var filters []query.Filter
	for i := range selector {
		if f, same := filter(&selector[i]); same {
			filters = append(filters, f)
		}
	}
	return filters
}

// filter returns a rule as a store looks it up, and whether a store reads it as
// a selector does.
func filter(r *monitor.Rule) (f query.Filter, same bool) {
	f = query.Filter{Operator: r.Operator, Values: r.Values}
	switch {
	case tenant.Reserved(r.Key):
		return f, false
	case r.Source == monitor.ResourceAttributes:
		f.Field = query.Field{Kind: query.FieldResourceAttribute, Name: r.Key}
	case derivable(r.Key):
		return f, false
	default:
		f.Field = query.Field{Kind: query.FieldSpanAttribute, Name: r.Key}
	}
	if r.Value != nil {
		f.Value = *r.Value
	}
	return f, true
}

// derivable reports span attributes that are stored under another name, or that
// a selector finds though they were not sent.
func derivable(key string) bool {
	for _, prefix := range [...]string{"llm.", "gen_ai.prompt.", "gen_ai.completion."} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return key == genai.TypeKey
}
