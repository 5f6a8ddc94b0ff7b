// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// fill sets the fields of s that are derived from its attributes; list holds
// them as they were sent, and f knows them already.
func fill(s *span.Span, f *sourceValues, list []span.Attribute) {
	m := messageReader{
		values: f,
		each:   func(prefix string, visit func(key, text string)) { eachWithPrefix(list, prefix, visit) },
		events: func() []span.Event { return s.Events },
	}
	var prompts, completions keyFamily
	s.Prompts, prompts = m.prompts()
	s.Completions, completions = m.completions()

	s.Vendor, s.RequestModel, s.ResponseModel = f.alias(semconv.Vendor), f.alias(semconv.RequestModel), f.alias(semconv.ResponseModel)
	s.InputTokens, s.OutputTokens, s.TotalTokens = f.tokens(semconv.InputTokens), f.tokens(semconv.OutputTokens), f.tokens(semconv.TotalTokens)
	s.Cost, s.InputCost = f.cost(), f.amount(semconv.InputCostSources, "input")
	s.Conversation, s.Session, s.User = f.first(span.PromotedConversation), f.first(span.PromotedSession), f.first(span.PromotedUser)
	s.Workflow, s.Entity = f.first(span.PromotedWorkflow), strings.Trim(f.first(span.PromotedEntity), `"`)
	s.Input, s.Output = m.input(), m.output()
	s.Type = f.spanType()
	s.Attributes = span.NewAttributes(addAliases(s, f, without(list, prompts|completions)))
}

// aliases are the values that are shown as attributes of names of ours.
var aliases = [...]semconv.Attribute{
	semconv.Vendor, semconv.RequestModel, semconv.ResponseModel, semconv.InputTokens, semconv.OutputTokens, semconv.TotalTokens,
	semconv.CacheTokens, semconv.CacheWriteTokens, semconv.ReasoningTokens, semconv.PromptName, semconv.PromptVersion, semconv.AgentVersion,
}

// addAliases appends the aliases that the span does not have itself.
func addAliases(s *span.Span, f *sourceValues, list []span.Attribute) []span.Attribute {
	for _, k := range aliases {
		if f.has[k] {
			continue
		}
		if text := aliasText(s, f, k); text != "" {
			list = append(list, span.Attribute{Key: k.Name(), Value: text})
		}
	}
	return list
}

// aliasText is alias where the work is done already.
func aliasText(s *span.Span, f *sourceValues, k semconv.Attribute) string {
	switch k {
	case semconv.Vendor:
		return s.Vendor
	case semconv.RequestModel:
		return s.RequestModel
	case semconv.ResponseModel:
		return s.ResponseModel
	case semconv.InputTokens:
		return countText(s.InputTokens)
	case semconv.OutputTokens:
		return countText(s.OutputTokens)
	case semconv.TotalTokens:
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
func without(list []span.Attribute, consumed keyFamily) []span.Attribute {
	if consumed == 0 {
		return list
	}
	kept := list[:0]
	for _, a := range list {
		if keyFamilyOf(a.Key)&consumed == 0 {
			kept = append(kept, a)
		}
	}
	return kept
}

// cost returns what the span says that its call cost, in billionths of a US dollar,
// span.NoTokens where it does not.
func (f *sourceValues) cost() int64 { return f.amount(semconv.CostSources, "total") }

// amount returns the first of these attributes that is an amount, else the part of
// this name of Langfuse's costs.
func (f *sourceValues) amount(sources []semconv.Attribute, part string) int64 {
	for _, k := range sources {
		if n := billionths(f.text(k)); n != span.NoTokens {
			return n
		}
	}
	if f.texts[semconv.LangfuseCost] == "" {
		return span.NoTokens
	}
	return billionths(valuetext.MemberText(f.texts[semconv.LangfuseCost], part))
}

// billionths reads an amount that is not negative.
func billionths(text string) int64 {
	if text == "" {
		return span.NoTokens
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0) {
		return span.NoTokens
	}
	return span.Amount(n * span.PerDollar)
}
