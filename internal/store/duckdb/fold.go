// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// Many attributes repeat what a column of the span has anyway: aliases, model
// and token attributes, the whole input and output. Where the text is the same,
// the attribute is folded: only its key is kept, in the span's shape.

// foldable gives the column that an attribute may repeat, "" for most keys.
func foldable(key string) string {
	switch key {
	case span.AliasVendor, "gen_ai.system", "gen_ai.provider.name":
		return "vendor"
	case span.AliasRequestModel, "gen_ai.request.model":
		return "request_model"
	case span.AliasResponseModel, "gen_ai.response.model":
		return "response_model"
	case span.AliasInputTokens, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens", "llm.token_count.prompt":
		return "input_tokens"
	case span.AliasOutputTokens, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.usage.completion_tokens", "llm.token_count.completion":
		return "output_tokens"
	case span.AliasTotalTokens, "gen_ai.usage.total_tokens", "llm.token_count.total":
		return "total_tokens"
	case "traceloop.workflow.name", "platform.workflow.name", "ai.telemetry.functionId", "langfuse.trace.name":
		return "workflow"
	case "traceloop.entity.name", "platform.entity.name", "gen_ai.agent.name", "gen_ai.tool.name", "tool.name", "ai.toolCall.name":
		return "entity"
	case "traceloop.entity.input", "platform.entity.input", "input.value", "gen_ai.tool.call.arguments", "ai.toolCall.args", "ai.toolCall.input", "langfuse.observation.input":
		return "input"
	case "traceloop.entity.output", "platform.entity.output", "output.value", "gen_ai.tool.call.result", "ai.toolCall.result", "ai.toolCall.output", "langfuse.observation.output":
		return "output"
	}
	return ""
}

// source gives the text of a column that attributes are folded into, and
// whether the span has it.
func source(s *span.Span, column string) (string, bool) {
	switch column {
	case "vendor":
		return s.Vendor, s.Vendor != ""
	case "request_model":
		return s.RequestModel, s.RequestModel != ""
	case "response_model":
		return s.ResponseModel, s.ResponseModel != ""
	case "input_tokens":
		return decimal(s.InputTokens)
	case "output_tokens":
		return decimal(s.OutputTokens)
	case "total_tokens":
		return decimal(s.TotalTokens)
	case "workflow":
		return s.Workflow, s.Workflow != ""
	case "entity":
		return s.Entity, s.Entity != ""
	case "input":
		return s.Input, s.Input != ""
	case "output":
		return s.Output, s.Output != ""
	}
	return "", false
}

func decimal(n int64) (string, bool) { return strconv.FormatInt(n, 10), n != span.NoTokens }

// lists is over how many lists the attributes that are not folded are spread.
const lists = 4

// listOf gives the list that holds the values of a key. It must not change from
// one version to the next.
func listOf(key string) int {
	hash := uint32(2166136261)
	for i := range len(key) {
		hash = (hash ^ uint32(key[i])) * 16777619
	}
	return int(hash>>16) % lists
}
