// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"math"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// The parts of a Langfuse usage that make up one count: its input leaves out
// cached and audio tokens, its output the reasoning and audio ones
// (https://langfuse.com/docs/observability/features/token-and-cost-tracking).
var (
	langfuseInputParts  = []string{"input", "input_cached_tokens", "input_audio_tokens"}
	langfuseOutputParts = []string{"output", "output_reasoning_tokens", "output_audio_tokens"}
	langfuseTotalParts  = []string{"total"}

	langfuseReasoningParts = []string{"output_reasoning_tokens"}
)

// alias returns the text of one of the values that are shown as attributes of ours,
// "" where the span has none. It is the span's own attribute of that name,
// whatever it holds, if there is one.
func (f *sourceValues) alias(k semconv.Attribute) string {
	if f.itself(k) {
		return f.texts[k]
	}
	switch k {
	case semconv.Vendor:
		return f.vendor()
	case semconv.RequestModel:
		return f.requestModel()
	case semconv.ResponseModel:
		return f.first(span.PromotedResponseModel)
	case semconv.InputTokens, semconv.OutputTokens, semconv.TotalTokens, semconv.CacheTokens, semconv.CacheWriteTokens, semconv.ReasoningTokens:
		return countText(f.tokens(k))
	case semconv.PromptName:
		return f.firstOf(semconv.PromptNameSources)
	case semconv.PromptVersion:
		return f.firstOf(semconv.PromptVersionSources)
	case semconv.AgentVersion:
		return f.firstOf(semconv.AgentVersionSources)
	}
	return ""
}

func countText(n int64) string {
	if n == span.NoTokens {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// vendor is lower-cased. Vercel names provider and API ("openai.chat"), of
// which the provider counts; others have dots in their names ("aws.bedrock").
func (f *sourceValues) vendor() string {
	name := strings.ToLower(f.first(span.PromotedVendor))
	if f.texts[semconv.VercelProvider] != "" {
		name, _, _ = strings.Cut(name, ".")
	}
	return name
}

func (f *sourceValues) requestModel() string {
	for _, k := range semconv.Sources(span.PromotedRequestModel) {
		text := f.text(k)
		if k == semconv.OpenInferenceParameters && text != "" {
			text = valuetext.MemberText(text, "model")
		}
		if text = strings.Trim(text, `"`); text != "" { // MLflow writes JSON
			return text
		}
	}
	return ""
}

// tokens returns one of the token counts, NoTokens if there is none.
func (f *sourceValues) tokens(k semconv.Attribute) int64 {
	if f.itself(k) {
		return ParseCount(f.texts[k])
	}
	switch k {
	case semconv.InputTokens:
		return f.countOr(span.PromotedInputTokens, langfuseInputParts)
	case semconv.OutputTokens:
		return f.countOr(span.PromotedOutputTokens, langfuseOutputParts)
	case semconv.CacheTokens:
		return f.count(semconv.CacheTokenSources)
	case semconv.CacheWriteTokens:
		return f.count(semconv.CacheWriteTokenSources)
	case semconv.ReasoningTokens:
		return f.countIn(semconv.ReasoningTokenSources, langfuseReasoningParts)
	}
	if n := f.countOr(span.PromotedTotalTokens, langfuseTotalParts); n != span.NoTokens {
		return n
	}
	return addCounts(f.tokens(semconv.InputTokens), f.tokens(semconv.OutputTokens))
}

// countOr returns the count that p is taken from, else the sum of these parts of
// Langfuse's usage, NoTokens if there is neither.
func (f *sourceValues) countOr(p span.Promoted, parts []string) int64 {
	return f.countIn(semconv.Sources(p), parts)
}

// countIn is countOr for these attributes.
func (f *sourceValues) countIn(sources []semconv.Attribute, parts []string) int64 {
	if n := f.count(sources); n != span.NoTokens {
		return n
	}
	if f.texts[semconv.LangfuseUsage] == "" {
		return f.countOfUsage(parts[0])
	}
	sum := span.NoTokens
	found, _ := valuetext.Members(f.texts[semconv.LangfuseUsage], parts...)
	for _, v := range found {
		sum = addCounts(sum, ParseCount(v.AsText()))
	}
	return sum
}

// countOfUsage returns a count of an object of counts, of which the names begin so.
func (f *sourceValues) countOfUsage(begin string) int64 {
	for _, k := range semconv.UsageSources {
		text := f.text(k)
		if text == "" {
			continue
		}
		if found, _ := valuetext.Members(text, "usage"); found[0].Kind == '{' {
			text = found[0].Raw
		}
		found, _ := valuetext.Members(text, begin+"_tokens", begin+"Tokens")
		for _, v := range found {
			if n := ParseCount(v.AsText()); n != span.NoTokens {
				return n
			}
		}
	}
	return span.NoTokens
}

// count returns the first of these attributes that is a count, NoTokens if none
// is.
func (f *sourceValues) count(sources []semconv.Attribute) int64 {
	for _, k := range sources {
		if k >= semconv.Count && len(f.more) == 0 {
			break // the table of SDKs is behind the others
		}
		text := f.text(k)
		if text == "" {
			continue
		}
		if n := ParseCount(text); n != span.NoTokens {
			return n
		}
	}
	return span.NoTokens
}

// addCounts leaves out NoTokens; a sum that does not fit is no count.
func addCounts(a, b int64) int64 {
	switch {
	case a == span.NoTokens:
		return b
	case b == span.NoTokens:
		return a
	case a > math.MaxInt64-b:
		return span.NoTokens
	}
	return a + b
}

// ParseCount reads a whole number that is not negative, "12" or "12.0";
// anything else is NoTokens.
func ParseCount(text string) int64 {
	whole, fraction, _ := strings.Cut(text, ".")
	if strings.Trim(fraction, "0") != "" {
		return span.NoTokens
	}
	for i := range len(whole) {
		if whole[i] < '0' || whole[i] > '9' {
			return span.NoTokens
		}
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return span.NoTokens
	}
	return n
}
