// SPDX-License-Identifier: Apache-2.0

package genai

import "github.com/touchstone-otel/touchstone/internal/span"

// fact is an attribute that the normaliser reads.
type fact uint8

const (
	vendor fact = iota
	genProvider
	genSystem
	llmProvider
	llmSystem
	aiProvider

	requestModel
	genRequestModel
	aiModel
	embeddingModel
	invocationParameters
	llmModel
	langfuseModel

	responseModel
	genResponseModel
	aiResponseModel

	inputTokens
	genInputTokens
	genPromptTokens
	llmPromptTokens
	countPrompt
	aiInputTokens
	aiPromptTokens
	aiTokens
	langfuseUsage

	outputTokens
	genOutputTokens
	genCompletionTokens
	llmCompletionTokens
	countCompletion
	aiOutputTokens
	aiCompletionTokens

	totalTokens
	genTotalTokens
	countTotal
	aiTotalTokens

	cacheTokens
	genCacheTokens
	genCacheTokensFlat
	countCache
	aiCacheTokens

	traceloopWorkflow
	platformWorkflow
	aiFunction
	langfuseTrace

	traceloopEntity
	platformEntity
	genAgent
	genTool
	toolName
	aiTool

	traceloopInput
	platformInput
	inputValue
	genToolArguments
	aiToolInput
	aiToolArgs
	langfuseInput
	guardrailInput

	traceloopOutput
	platformOutput
	outputValue
	genToolResult
	aiToolOutput
	aiToolResult
	langfuseOutput
	guardrailOutput

	genInstructions
	genInputMessages
	genOutputMessages
	genPrompt
	genFinishReasons
	aiPromptMessages
	aiPrompt
	aiResponseText
	aiResponseObject
	aiResponseToolCalls
	aiFinishReason
	llmFinishReason
	langfuseType

	factCount
)

var factNames = [factCount]string{
	vendor:      span.AliasVendor,
	genProvider: "gen_ai.provider.name",
	genSystem:   "gen_ai.system",
	llmProvider: "llm.provider",
	llmSystem:   "llm.system",
	aiProvider:  "ai.model.provider",

	requestModel:         span.AliasRequestModel,
	genRequestModel:      "gen_ai.request.model",
	aiModel:              "ai.model.id",
	embeddingModel:       "embedding.model_name",
	invocationParameters: "llm.invocation_parameters",
	llmModel:             "llm.model_name",
	langfuseModel:        "langfuse.observation.model.name",

	responseModel:    span.AliasResponseModel,
	genResponseModel: "gen_ai.response.model",
	aiResponseModel:  "ai.response.model",

	inputTokens:     span.AliasInputTokens,
	genInputTokens:  "gen_ai.usage.input_tokens",
	genPromptTokens: "gen_ai.usage.prompt_tokens",
	llmPromptTokens: "llm.usage.prompt_tokens",
	countPrompt:     "llm.token_count.prompt",
	aiInputTokens:   "ai.usage.inputTokens",
	aiPromptTokens:  "ai.usage.promptTokens",
	aiTokens:        "ai.usage.tokens",
	langfuseUsage:   "langfuse.observation.usage_details",

	outputTokens:        span.AliasOutputTokens,
	genOutputTokens:     "gen_ai.usage.output_tokens",
	genCompletionTokens: "gen_ai.usage.completion_tokens",
	llmCompletionTokens: "llm.usage.completion_tokens",
	countCompletion:     "llm.token_count.completion",
	aiOutputTokens:      "ai.usage.outputTokens",
	aiCompletionTokens:  "ai.usage.completionTokens",

	totalTokens:    span.AliasTotalTokens,
	genTotalTokens: "gen_ai.usage.total_tokens",
	countTotal:     "llm.token_count.total",
	aiTotalTokens:  "ai.usage.totalTokens",

	cacheTokens:        "llm.usage.cache_read_input_tokens",
	genCacheTokens:     "gen_ai.usage.cache_read.input_tokens",
	genCacheTokensFlat: "gen_ai.usage.cache_read_input_tokens",
	countCache:         "llm.token_count.prompt_details.cache_read",
	aiCacheTokens:      "ai.usage.cachedInputTokens",

	traceloopWorkflow: "traceloop.workflow.name",
	platformWorkflow:  "platform.workflow.name",
	aiFunction:        "ai.telemetry.functionId",
	langfuseTrace:     "langfuse.trace.name",

	traceloopEntity: "traceloop.entity.name",
	platformEntity:  "platform.entity.name",
	genAgent:        "gen_ai.agent.name",
	genTool:         "gen_ai.tool.name",
	toolName:        "tool.name",
	aiTool:          "ai.toolCall.name",

	traceloopInput:   "traceloop.entity.input",
	platformInput:    "platform.entity.input",
	inputValue:       "input.value",
	genToolArguments: "gen_ai.tool.call.arguments",
	aiToolInput:      "ai.toolCall.input",
	aiToolArgs:       "ai.toolCall.args",
	langfuseInput:    "langfuse.observation.input",
	guardrailInput:   "gen_ai.guardrail.input",

	traceloopOutput: "traceloop.entity.output",
	platformOutput:  "platform.entity.output",
	outputValue:     "output.value",
	genToolResult:   "gen_ai.tool.call.result",
	aiToolOutput:    "ai.toolCall.output",
	aiToolResult:    "ai.toolCall.result",
	langfuseOutput:  "langfuse.observation.output",
	guardrailOutput: "gen_ai.guardrail.output",

	genInstructions:     "gen_ai.system_instructions",
	genInputMessages:    "gen_ai.input.messages",
	genOutputMessages:   "gen_ai.output.messages",
	genPrompt:           "gen_ai.prompt",
	genFinishReasons:    "gen_ai.response.finish_reasons",
	aiPromptMessages:    "ai.prompt.messages",
	aiPrompt:            "ai.prompt",
	aiResponseText:      "ai.response.text",
	aiResponseObject:    "ai.response.object",
	aiResponseToolCalls: "ai.response.toolCalls",
	aiFinishReason:      "ai.response.finishReason",
	llmFinishReason:     "llm.finish_reason",
	langfuseType:        "langfuse.observation.type",
}

var factByName = func() map[string]fact {
	m := make(map[string]fact, factCount)
	for k, name := range factNames {
		m[name] = fact(k)
	}
	return m
}()
