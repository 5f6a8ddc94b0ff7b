// SPDX-License-Identifier: Apache-2.0

// Package semconv names the attributes that instrumentations of generative AI
// give to spans, each convention with its source, and says which of them hold
// one and the same value.
package semconv

import "github.com/touchstone-otel/touchstone/internal/span"

// Attribute is a span attribute that is read under a fixed name. Those from Count on are of
// the table of SDKs.
type Attribute uint16

const (
	// The names under which the API shows values, whichever SDK sent them. A span
	// may have them itself.

	Vendor Attribute = iota
	RequestModel
	ResponseModel
	InputTokens
	OutputTokens
	TotalTokens
	CacheTokens
	CacheWriteTokens
	ReasoningTokens
	PromptName
	PromptVersion
	AgentVersion

	// Semantic conventions of OpenTelemetry for generative AI, as of 1.41:
	// https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-spans.md
	// and for agents and tools
	// https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-agent-spans.md

	GenAIProvider
	GenAIRequestModel
	GenAIResponseModel
	GenAIInputTokens
	GenAIOutputTokens
	GenAICacheTokens
	GenAICacheWriteTokens
	GenAIReasoningTokens
	GenAIConversation
	GenAIWorkflow
	GenAIAgentID
	GenAIAgentVersion
	GenAIPromptName
	GenAIToolDefinitions
	GenAIRetrievalQuery
	GenAIRetrievalDocuments
	GenAIMemoryQuery
	GenAIFinishReasons
	GenAIInstructions
	GenAIInputMessages
	GenAIOutputMessages
	GenAIOperation
	GenAIAgent
	GenAITool
	GenAIToolArguments
	GenAIToolResult

	// Names that these conventions have given up, or that instrumentations made up
	// in their manner: https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/

	GenAISystem
	GenAIPrompt
	GenAIPromptTokens
	GenAICompletionTokens
	GenAITotalTokens
	GenAICacheTokensFlat
	GenAICacheWriteTokensFlat
	GenAICacheWriteTokensOld
	GenAIReasoningTokensFlat
	GenAICost
	GenAIInputCost
	GenAIGuardrailInput
	GenAIGuardrailOutput
	GenAIPromptVersion

	// OpenLLMetry of Traceloop:
	// https://traceloop.com/docs/openllmetry/contributing/semantic-conventions

	TraceloopKind
	TraceloopWorkflow
	TraceloopEntity
	TraceloopInput
	TraceloopOutput
	TraceloopRequestType
	TraceloopPromptTokens
	TraceloopCompletionTokens
	TraceloopCost
	TraceloopConversation
	TraceloopConversationCamel
	TraceloopChat
	TraceloopChatCamel
	TraceloopThread
	TraceloopThreadCamel
	TraceloopSession
	TraceloopSessionCamel
	TraceloopUser
	TraceloopUserCamel
	TraceloopPrompt
	TraceloopPromptVersion

	// The same names under the prefix of the service whose API this one keeps to.

	PlatformKind
	PlatformWorkflow
	PlatformEntity
	PlatformInput
	PlatformOutput

	// OpenInference of Arize:
	// https://arize-ai.github.io/openinference/spec/attributes/semantic-conventions.html

	OpenInferenceKind
	OpenInferenceProvider
	OpenInferenceSystem
	OpenInferenceModel
	OpenInferenceEmbeddingModel
	OpenInferenceParameters
	OpenInferencePromptTokens
	OpenInferenceCompletionTokens
	OpenInferenceTotalTokens
	OpenInferenceCacheTokens
	OpenInferenceCacheWriteTokens
	OpenInferenceReasoningTokens
	OpenInferenceCost
	OpenInferencePromptCost
	OpenInferenceRequestModel
	OpenInferenceResponseModel
	OpenInferenceAgent
	OpenInferenceRerankerQuery
	OpenInferenceFinishReason
	OpenInferenceTool
	OpenInferenceInput
	OpenInferenceOutput
	OpenInferencePrompt
	OpenInferencePromptVersion

	// AI SDK of Vercel: https://ai-sdk.dev/docs/ai-sdk-core/telemetry

	VercelOperation
	VercelProvider
	VercelModel
	VercelResponseModel
	VercelInputTokens
	VercelPromptTokens
	VercelTokens
	VercelOutputTokens
	VercelCompletionTokens
	VercelTotalTokens
	VercelCacheTokens
	VercelCacheWriteTokens
	VercelReasoningTokens
	VercelReasoningTokensOld
	VercelSession
	VercelUser
	VercelFunction
	VercelTool
	VercelToolInput
	VercelToolArgs
	VercelToolOutput
	VercelToolResult
	VercelPromptMessages
	VercelPrompt
	VercelResponseText
	VercelResponseObject
	VercelResponseToolCalls
	VercelFinishReason
	VercelTools

	// Langfuse: https://langfuse.com/integrations/native/opentelemetry

	LangfuseModel
	LangfuseUsage
	LangfuseCost
	LangfuseSession
	LangfuseUser
	LangfuseTrace
	LangfuseInput
	LangfuseOutput
	LangfuseType
	LangfusePrompt
	LangfusePromptVersion

	// LangSmith: https://docs.langchain.com/langsmith/trace-with-opentelemetry

	LangSmithKind

	// Sessions and users, of the general conventions of OpenTelemetry:
	// https://opentelemetry.io/docs/specs/semconv/registry/attributes/session/
	// https://opentelemetry.io/docs/specs/semconv/registry/attributes/user/
	// https://opentelemetry.io/docs/specs/semconv/registry/attributes/enduser/

	Session
	User
	EndUser

	// The Model Context Protocol:
	// https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/

	MCPSession
	MCPMethod

	// Logfire of Pydantic: https://logfire.pydantic.dev/docs/guides/web-ui/live/#llm-panels

	LogfireCost

	// The roles of the mappings of an environment.

	MappedInput
	MappedOutput
	MappedPrompts
	MappedCompletions
	MappedMessages
	MappedCalls
	MappedDocuments
	MappedTools
	MappedTool
	MappedEntity
	MappedWorkflow
	MappedConversation
	MappedSession
	MappedUser
	MappedKind
	MappedVendor
	MappedRequestModel
	MappedResponseModel
	MappedInputTokens
	MappedOutputTokens
	MappedTotalTokens
	MappedCacheTokens
	MappedCacheWriteTokens
	MappedReasoningTokens
	MappedCost
	MappedInputCost
	MappedContent

	// Count is how many attributes have a name in this package.
	Count

	firstMapped = MappedInput
)

var names = [Count]string{
	Vendor:           span.AliasVendor,
	RequestModel:     span.AliasRequestModel,
	ResponseModel:    span.AliasResponseModel,
	InputTokens:      span.AliasInputTokens,
	OutputTokens:     span.AliasOutputTokens,
	TotalTokens:      span.AliasTotalTokens,
	CacheTokens:      "llm.usage.cache_read_input_tokens",
	CacheWriteTokens: "llm.usage.cache_creation_input_tokens",
	ReasoningTokens:  "llm.usage.reasoning_tokens",
	PromptName:       span.AliasPrompt,
	PromptVersion:    span.AliasPromptVersion,
	AgentVersion:     span.AliasAgentVersion,

	GenAIProvider:           "gen_ai.provider.name",
	GenAIRequestModel:       "gen_ai.request.model",
	GenAIResponseModel:      "gen_ai.response.model",
	GenAIInputTokens:        "gen_ai.usage.input_tokens",
	GenAIOutputTokens:       "gen_ai.usage.output_tokens",
	GenAICacheTokens:        "gen_ai.usage.cache_read.input_tokens",
	GenAICacheWriteTokens:   "gen_ai.usage.cache_creation.input_tokens",
	GenAIReasoningTokens:    "gen_ai.usage.reasoning.output_tokens",
	GenAIConversation:       "gen_ai.conversation.id",
	GenAIWorkflow:           "gen_ai.workflow.name",
	GenAIAgentID:            "gen_ai.agent.id",
	GenAIAgentVersion:       "gen_ai.agent.version",
	GenAIPromptName:         "gen_ai.prompt.name",
	GenAIToolDefinitions:    "gen_ai.tool.definitions",
	GenAIRetrievalQuery:     "gen_ai.retrieval.query.text",
	GenAIRetrievalDocuments: "gen_ai.retrieval.documents",
	GenAIMemoryQuery:        "gen_ai.memory.query.text",
	GenAIFinishReasons:      "gen_ai.response.finish_reasons",
	GenAIInstructions:       "gen_ai.system_instructions",
	GenAIInputMessages:      "gen_ai.input.messages",
	GenAIOutputMessages:     "gen_ai.output.messages",
	GenAIOperation:          "gen_ai.operation.name",
	GenAIAgent:              "gen_ai.agent.name",
	GenAITool:               "gen_ai.tool.name",
	GenAIToolArguments:      "gen_ai.tool.call.arguments",
	GenAIToolResult:         "gen_ai.tool.call.result",

	GenAISystem:               "gen_ai.system",
	GenAIPrompt:               "gen_ai.prompt",
	GenAIPromptTokens:         "gen_ai.usage.prompt_tokens",
	GenAICompletionTokens:     "gen_ai.usage.completion_tokens",
	GenAITotalTokens:          "gen_ai.usage.total_tokens",
	GenAICacheTokensFlat:      "gen_ai.usage.cache_read_input_tokens",
	GenAICacheWriteTokensFlat: "gen_ai.usage.cache_creation_input_tokens",
	GenAICacheWriteTokensOld:  "gen_ai.usage.cache_write.input_tokens",
	GenAIReasoningTokensFlat:  "gen_ai.usage.reasoning_tokens",
	GenAICost:                 "gen_ai.usage.cost",
	GenAIInputCost:            "gen_ai.usage.input_cost",
	GenAIGuardrailInput:       "gen_ai.guardrail.input",
	GenAIGuardrailOutput:      "gen_ai.guardrail.output",
	GenAIPromptVersion:        "gen_ai.prompt.version",

	TraceloopWorkflow:          "traceloop.workflow.name",
	TraceloopEntity:            "traceloop.entity.name",
	TraceloopInput:             "traceloop.entity.input",
	TraceloopOutput:            "traceloop.entity.output",
	TraceloopPromptTokens:      "llm.usage.prompt_tokens",
	TraceloopCompletionTokens:  "llm.usage.completion_tokens",
	TraceloopCost:              "llm.usage.total_cost",
	TraceloopConversation:      "traceloop.association.properties.conversation_id",
	TraceloopConversationCamel: "traceloop.association.properties.conversationId",
	TraceloopChat:              "traceloop.association.properties.chat_id",
	TraceloopChatCamel:         "traceloop.association.properties.chatId",
	TraceloopThread:            "traceloop.association.properties.thread_id",
	TraceloopThreadCamel:       "traceloop.association.properties.threadId",
	TraceloopSession:           "traceloop.association.properties.session_id",
	TraceloopSessionCamel:      "traceloop.association.properties.sessionId",
	TraceloopUser:              "traceloop.association.properties.user_id",
	TraceloopUserCamel:         "traceloop.association.properties.userId",
	TraceloopPrompt:            "traceloop.prompt.key",
	TraceloopPromptVersion:     "traceloop.prompt.version",

	PlatformWorkflow: "platform.workflow.name",
	PlatformEntity:   "platform.entity.name",
	PlatformInput:    "platform.entity.input",
	PlatformOutput:   "platform.entity.output",

	OpenInferenceProvider:         "llm.provider",
	OpenInferenceSystem:           "llm.system",
	OpenInferenceModel:            "llm.model_name",
	OpenInferenceEmbeddingModel:   "embedding.model_name",
	OpenInferenceParameters:       "llm.invocation_parameters",
	OpenInferencePromptTokens:     "llm.token_count.prompt",
	OpenInferenceCompletionTokens: "llm.token_count.completion",
	OpenInferenceTotalTokens:      "llm.token_count.total",
	OpenInferenceCacheTokens:      "llm.token_count.prompt_details.cache_read",
	OpenInferenceCacheWriteTokens: "llm.token_count.prompt_details.cache_write",
	OpenInferenceReasoningTokens:  "llm.token_count.completion_details.reasoning",
	OpenInferenceCost:             "llm.cost.total",
	OpenInferencePromptCost:       "llm.cost.prompt",
	OpenInferenceRequestModel:     "llm.request.model_name",
	OpenInferenceResponseModel:    "llm.response.model_name",
	OpenInferenceAgent:            "agent.name",
	OpenInferenceRerankerQuery:    "reranker.query",
	OpenInferenceFinishReason:     "llm.finish_reason",
	OpenInferenceTool:             "tool.name",
	OpenInferenceInput:            "input.value",
	OpenInferenceOutput:           "output.value",
	OpenInferencePrompt:           "prompt.id",
	OpenInferencePromptVersion:    "llm.prompt_template.version",

	VercelProvider:           "ai.model.provider",
	VercelModel:              "ai.model.id",
	VercelResponseModel:      "ai.response.model",
	VercelInputTokens:        "ai.usage.inputTokens",
	VercelPromptTokens:       "ai.usage.promptTokens",
	VercelTokens:             "ai.usage.tokens",
	VercelOutputTokens:       "ai.usage.outputTokens",
	VercelCompletionTokens:   "ai.usage.completionTokens",
	VercelTotalTokens:        "ai.usage.totalTokens",
	VercelCacheTokens:        "ai.usage.cachedInputTokens",
	VercelCacheWriteTokens:   "ai.usage.inputTokenDetails.cacheWriteTokens",
	VercelReasoningTokens:    "ai.usage.outputTokenDetails.reasoningTokens",
	VercelReasoningTokensOld: "ai.usage.reasoningTokens",
	VercelSession:            "ai.telemetry.metadata.sessionId",
	VercelUser:               "ai.telemetry.metadata.userId",
	VercelFunction:           "ai.telemetry.functionId",
	VercelTool:               "ai.toolCall.name",
	VercelToolInput:          "ai.toolCall.input",
	VercelToolArgs:           "ai.toolCall.args",
	VercelToolOutput:         "ai.toolCall.output",
	VercelToolResult:         "ai.toolCall.result",
	VercelPromptMessages:     "ai.prompt.messages",
	VercelPrompt:             "ai.prompt",
	VercelResponseText:       "ai.response.text",
	VercelResponseObject:     "ai.response.object",
	VercelResponseToolCalls:  "ai.response.toolCalls",
	VercelFinishReason:       "ai.response.finishReason",
	VercelTools:              "ai.prompt.tools",

	LangfuseModel:         "langfuse.observation.model.name",
	LangfuseUsage:         "langfuse.observation.usage_details",
	LangfuseCost:          "langfuse.observation.cost_details",
	LangfuseSession:       "langfuse.session.id",
	LangfuseUser:          "langfuse.user.id",
	LangfuseTrace:         "langfuse.trace.name",
	LangfuseInput:         "langfuse.observation.input",
	LangfuseOutput:        "langfuse.observation.output",
	LangfuseType:          "langfuse.observation.type",
	LangfusePrompt:        "langfuse.observation.prompt.name",
	LangfusePromptVersion: "langfuse.observation.prompt.version",

	LangSmithKind: "langsmith.span.kind",

	Session:     "session.id",
	User:        "user.id",
	EndUser:     "enduser.id",
	MCPSession:  "mcp.session.id",
	MCPMethod:   "mcp.method.name",
	LogfireCost: "operation.cost",

	MappedInput:            mappedPrefix + "input",
	MappedOutput:           mappedPrefix + "output",
	MappedPrompts:          mappedPrefix + "prompts",
	MappedCompletions:      mappedPrefix + "completions",
	MappedMessages:         mappedPrefix + "messages",
	MappedCalls:            mappedPrefix + "tool_calls",
	MappedDocuments:        mappedPrefix + "context",
	MappedTools:            mappedPrefix + "tool_definitions",
	MappedTool:             mappedPrefix + "tool_name",
	MappedEntity:           mappedPrefix + "entity",
	MappedWorkflow:         mappedPrefix + "workflow",
	MappedConversation:     mappedPrefix + "conversation_id",
	MappedSession:          mappedPrefix + "session_id",
	MappedUser:             mappedPrefix + "user_id",
	MappedKind:             mappedPrefix + "span_type",
	MappedVendor:           mappedPrefix + "llm.vendor",
	MappedRequestModel:     mappedPrefix + "llm.request.model",
	MappedResponseModel:    mappedPrefix + "llm.response.model",
	MappedInputTokens:      mappedPrefix + "llm.usage.input_tokens",
	MappedOutputTokens:     mappedPrefix + "llm.usage.output_tokens",
	MappedTotalTokens:      mappedPrefix + "llm.usage.total_tokens",
	MappedCacheTokens:      mappedPrefix + "llm.usage.cache_read_input_tokens",
	MappedCacheWriteTokens: mappedPrefix + "llm.usage.cache_creation_input_tokens",
	MappedReasoningTokens:  mappedPrefix + "llm.usage.reasoning_tokens",
	MappedCost:             mappedPrefix + "cost",
	MappedInputCost:        mappedPrefix + "input_cost",
	MappedContent:          mappedPrefix + "content",

	OpenInferenceKind:    "openinference.span.kind",
	TraceloopKind:        "traceloop.span.kind",
	TraceloopRequestType: "llm.request.type",
	PlatformKind:         "platform.span.kind",
	VercelOperation:      "ai.operationId",
}

// Name returns the key under which the attribute is sent.
func (a Attribute) Name() string {
	if a < Count {
		return names[a]
	}
	return table.rows[a-Count].key
}

// Find returns the attribute that is sent under this key, and whether there is
// one.
func Find(key string) (Attribute, bool) {
	a, ok := table.byName[key]
	return a, ok
}

// All is how many attributes there are, those of the table of SDKs among them.
func All() Attribute { return Count + Attribute(len(table.rows)) }
