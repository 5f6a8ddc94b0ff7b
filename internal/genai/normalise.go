// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// fill sets the fields of s that are derived from its attributes; list holds
// them as they were sent, and f knows them already.
func fill(s *span.Span, f *facts, list []span.Attribute) {
	m := material{
		facts:  f,
		each:   func(prefix string, visit func(key, text string)) { eachWithPrefix(list, prefix, visit) },
		events: func() []span.Event { return s.Events },
	}
	var prompts, completions family
	s.Prompts, prompts = m.prompts()
	s.Completions, completions = m.completions()

	s.Vendor, s.RequestModel, s.ResponseModel = f.alias(vendor), f.alias(requestModel), f.alias(responseModel)
	s.InputTokens, s.OutputTokens, s.TotalTokens = f.tokens(inputTokens), f.tokens(outputTokens), f.tokens(totalTokens)
	s.Workflow, s.Entity = f.first(workflowSources), f.first(entitySources)
	s.Input, s.Output = f.first(inputSources), f.first(outputSources)
	s.Attributes = span.NewAttributes(addAliases(s, f, without(list, prompts|completions)))
}

// aliases are the values that are shown as llm.* attributes.
var aliases = [...]fact{vendor, requestModel, responseModel, inputTokens, outputTokens, totalTokens, cacheTokens}

// addAliases appends the llm.* aliases that the span does not have itself.
func addAliases(s *span.Span, f *facts, list []span.Attribute) []span.Attribute {
	for _, k := range aliases {
		if f.has[k] {
			continue
		}
		if text := aliasText(s, f, k); text != "" {
			list = append(list, span.Attribute{Key: factNames[k], Value: text})
		}
	}
	return list
}

// aliasText is alias where the work is done already.
func aliasText(s *span.Span, f *facts, k fact) string {
	switch k {
	case vendor:
		return s.Vendor
	case requestModel:
		return s.RequestModel
	case responseModel:
		return s.ResponseModel
	case inputTokens:
		return countText(s.InputTokens)
	case outputTokens:
		return countText(s.OutputTokens)
	case totalTokens:
		return countText(s.TotalTokens)
	}
	return f.alias(k)
}

// eachWithPrefix calls visit for the attributes whose keys begin with prefix,
// in the order of the list.
func eachWithPrefix(a []span.Attribute, prefix string, visit func(key, text string)) {
	for i := range a {
		if strings.HasPrefix(a[i].Key, prefix) {
			visit(a[i].Key, a[i].Value)
		}
	}
}

// without takes out the message keys that became prompts and completions.
func without(list []span.Attribute, moved family) []span.Attribute {
	if moved == 0 {
		return list
	}
	kept := list[:0]
	for _, a := range list {
		if familyOf(a.Key)&moved == 0 {
			kept = append(kept, a)
		}
	}
	return kept
}
