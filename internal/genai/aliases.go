// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"math"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// Where each promoted value comes from, best source first.
var (
	vendorSources        = []fact{genProvider, genSystem, llmProvider, llmSystem, aiProvider}
	responseModelSources = []fact{genResponseModel, aiResponseModel, llmModel}
	inputTokenSources    = []fact{genInputTokens, genPromptTokens, llmPromptTokens, countPrompt, aiInputTokens, aiPromptTokens, aiTokens}
	outputTokenSources   = []fact{genOutputTokens, genCompletionTokens, llmCompletionTokens, countCompletion, aiOutputTokens, aiCompletionTokens}
	totalTokenSources    = []fact{genTotalTokens, countTotal, aiTotalTokens}
	cacheTokenSources    = []fact{genCacheTokens, genCacheTokensFlat, countCache, aiCacheTokens}

	workflowSources = []fact{traceloopWorkflow, platformWorkflow, aiFunction, langfuseTrace}
	entitySources   = []fact{traceloopEntity, platformEntity, genAgent, genTool, toolName, aiTool}
	inputSources    = []fact{traceloopInput, platformInput, inputValue, genToolArguments, aiToolInput, aiToolArgs, langfuseInput, guardrailInput}
	outputSources   = []fact{traceloopOutput, platformOutput, outputValue, genToolResult, aiToolOutput, aiToolResult, langfuseOutput, guardrailOutput}
)

// The parts of a langfuse usage that make up one count: its input leaves out
// cached and audio tokens, its output the reasoning and audio ones.
var (
	langfuseInputParts  = []string{"input", "input_cached_tokens", "input_audio_tokens"}
	langfuseOutputParts = []string{"output", "output_reasoning_tokens", "output_audio_tokens"}
	langfuseTotalParts  = []string{"total"}
)

// alias gives the text of one of the values that are shown as llm.* attributes,
// "" where the span has none. It is the span's own attribute of that name,
// whatever it holds, if there is one.
func (f *facts) alias(k fact) string {
	if f.has[k] {
		return f.texts[k]
	}
	switch k {
	case vendor:
		return f.vendor()
	case requestModel:
		return f.requestModel()
	case responseModel:
		return f.first(responseModelSources)
	case inputTokens, outputTokens, totalTokens, cacheTokens:
		return countText(f.tokens(k))
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
func (f *facts) vendor() string {
	name := strings.ToLower(f.first(vendorSources))
	if f.texts[aiProvider] != "" {
		name, _, _ = strings.Cut(name, ".")
	}
	return name
}

func (f *facts) requestModel() string {
	if model := f.first([]fact{genRequestModel, aiModel, embeddingModel}); model != "" {
		return model
	}
	if params := f.texts[invocationParameters]; params != "" {
		if model := memberText(params, "model"); model != "" {
			return model
		}
	}
	return f.first([]fact{llmModel, langfuseModel})
}

// tokens gives one of the four token counts, NoTokens if there is none.
func (f *facts) tokens(k fact) int64 {
	if f.has[k] {
		return parseCount(f.texts[k])
	}
	switch k {
	case inputTokens:
		return f.countOr(inputTokenSources, langfuseInputParts)
	case outputTokens:
		return f.countOr(outputTokenSources, langfuseOutputParts)
	case cacheTokens:
		return f.count(cacheTokenSources)
	}
	if n := f.countOr(totalTokenSources, langfuseTotalParts); n != span.NoTokens {
		return n
	}
	return addCounts(f.tokens(inputTokens), f.tokens(outputTokens))
}

func (f *facts) countOr(sources []fact, parts []string) int64 {
	if n := f.count(sources); n != span.NoTokens {
		return n
	}
	if f.texts[langfuseUsage] == "" {
		return span.NoTokens
	}
	sum := span.NoTokens
	found, _ := members(f.texts[langfuseUsage], parts...)
	for _, v := range found {
		sum = addCounts(sum, parseCount(v.asText()))
	}
	return sum
}

// count gives the first of these attributes that is a count.
func (f *facts) count(sources []fact) int64 {
	for _, k := range sources {
		if f.texts[k] == "" {
			continue
		}
		if n := parseCount(f.texts[k]); n != span.NoTokens {
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

// parseCount reads a whole number that is not negative, "12" or "12.0";
// anything else is NoTokens.
func parseCount(text string) int64 {
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
