// SPDX-License-Identifier: Apache-2.0

package semconv

import "github.com/touchstone-otel/touchstone/internal/span"

// sources are the attributes that a field of a span is taken from, best first.
// Those of the table of SDKs follow.
var sources = [...][]Attribute{
	span.PromotedVendor: {
		MappedVendor, GenAIProvider, GenAISystem, OpenInferenceProvider, OpenInferenceSystem, VercelProvider,
	},
	span.PromotedRequestModel: {
		MappedRequestModel, GenAIRequestModel, OpenInferenceRequestModel, VercelModel, OpenInferenceEmbeddingModel, OpenInferenceParameters, OpenInferenceModel,
		LangfuseModel,
	},
	span.PromotedResponseModel: {
		MappedResponseModel, GenAIResponseModel, OpenInferenceResponseModel, VercelResponseModel, OpenInferenceModel,
	},
	span.PromotedInputTokens: {
		MappedInputTokens, GenAIInputTokens, GenAIPromptTokens, TraceloopPromptTokens, OpenInferencePromptTokens, VercelInputTokens,
		VercelPromptTokens, VercelTokens,
	},
	span.PromotedOutputTokens: {
		MappedOutputTokens, GenAIOutputTokens, GenAICompletionTokens, TraceloopCompletionTokens, OpenInferenceCompletionTokens,
		VercelOutputTokens, VercelCompletionTokens,
	},
	span.PromotedTotalTokens: {
		MappedTotalTokens, GenAITotalTokens, OpenInferenceTotalTokens, VercelTotalTokens,
	},
	span.PromotedWorkflow: {
		MappedWorkflow, TraceloopWorkflow, PlatformWorkflow, GenAIWorkflow, VercelFunction, LangfuseTrace,
	},
	span.PromotedEntity: {
		MappedTool, MappedEntity, TraceloopEntity, PlatformEntity, GenAIAgent, OpenInferenceAgent, GenAITool, OpenInferenceTool, VercelTool, GenAIAgentID,
	},
	span.PromotedConversation: {
		MappedConversation, GenAIConversation, TraceloopConversation, TraceloopConversationCamel, TraceloopChat, TraceloopChatCamel,
		TraceloopThread, TraceloopThreadCamel,
	},
	span.PromotedSession: {
		MappedSession, Session, LangfuseSession, TraceloopSession, TraceloopSessionCamel, VercelSession, MCPSession,
	},
	span.PromotedUser: {
		MappedUser, User, LangfuseUser, TraceloopUser, TraceloopUserCamel, VercelUser, EndUser,
	},
	span.PromotedInput: {
		MappedInput, TraceloopInput, PlatformInput, OpenInferenceInput, GenAIToolArguments, VercelToolInput, VercelToolArgs,
		LangfuseInput, GenAIGuardrailInput, GenAIRetrievalQuery, OpenInferenceRerankerQuery, GenAIMemoryQuery,
	},
	span.PromotedOutput: {
		MappedOutput, TraceloopOutput, PlatformOutput, OpenInferenceOutput, GenAIToolResult, VercelToolOutput, VercelToolResult,
		LangfuseOutput, GenAIGuardrailOutput, GenAIRetrievalDocuments,
	},
}

// Sources returns the attributes that a field of a span is taken from, best
// first. OpenInferenceParameters among them is a JSON object, of which the
// member "model" counts. The list is not to be changed.
func Sources(p span.Promoted) []Attribute { return sources[p] }

// CacheTokenSources are the attributes that CacheTokens is taken from, best
// first.
var CacheTokenSources = []Attribute{MappedCacheTokens, GenAICacheTokens, GenAICacheTokensFlat, OpenInferenceCacheTokens, VercelCacheTokens}

// CacheWriteTokenSources and ReasoningTokenSources are those of CacheWriteTokens and
// ReasoningTokens.
var (
	CacheWriteTokenSources = []Attribute{
		MappedCacheWriteTokens, GenAICacheWriteTokens, GenAICacheWriteTokensFlat, GenAICacheWriteTokensOld, OpenInferenceCacheWriteTokens, VercelCacheWriteTokens,
	}
	ReasoningTokenSources = []Attribute{
		MappedReasoningTokens, GenAIReasoningTokens, GenAIReasoningTokensFlat, OpenInferenceReasoningTokens, VercelReasoningTokens, VercelReasoningTokensOld,
	}
)

// PromptNameSources, PromptVersionSources and AgentVersionSources are those of
// PromptName, PromptVersion and AgentVersion: of the template that a call's prompt was
// made of, and of the agent that runs.
var (
	PromptNameSources    = []Attribute{GenAIPromptName, TraceloopPrompt, LangfusePrompt, OpenInferencePrompt}
	PromptVersionSources = []Attribute{GenAIPromptVersion, TraceloopPromptVersion, LangfusePromptVersion, OpenInferencePromptVersion}
	AgentVersionSources  = []Attribute{GenAIAgentVersion}
)

// ToolDefinitionSources are the attributes that list the tools that a call may use.
var ToolDefinitionSources = []Attribute{MappedTools, GenAIToolDefinitions, VercelTools}

// CostSources and InputCostSources are the attributes in which providers and SDKs
// report what a call cost, US dollars, best first.
var (
	CostSources      = []Attribute{MappedCost, OpenInferenceCost, GenAICost, LogfireCost, TraceloopCost}
	InputCostSources = []Attribute{MappedInputCost, OpenInferencePromptCost, GenAIInputCost}
)

// The attributes that hold what was said, in any of the shapes in which messages come,
// best first. Of a dialogue the last words of the assistant are the answer.
var (
	PromptSources     []Attribute
	CompletionSources []Attribute
	DialogueSources   []Attribute
)

// MappedPromptSources, MappedCompletionSources and MappedDialogueSources are the same of mappings, which are
// asked before all others.
var (
	MappedPromptSources     = []Attribute{MappedPrompts, MappedInput}
	MappedCompletionSources = []Attribute{MappedCompletions, MappedOutput}
	MappedDialogueSources   = []Attribute{MappedMessages}
)

// CallSources list the calls of tools that an answer asks for, apart from its text.
var CallSources = []Attribute{MappedCalls}

// DocumentSources list what was found, as texts or as objects that hold them.
var DocumentSources = []Attribute{MappedDocuments, GenAIRetrievalDocuments}

// UsageSources are objects of token counts.
var UsageSources []Attribute

// OtherContent may hold what was said, and is read for nothing.
var OtherContent = []Attribute{MappedContent, OpenInferenceParameters}

// KindSources are the attributes by which SDKs say what a span is, in the order in which
// they are asked: one that says nothing that is known leaves it to the next.
var KindSources = []Attribute{
	MappedKind, OpenInferenceKind, TraceloopKind, PlatformKind, LangfuseType, LangSmithKind, GenAIOperation, VercelOperation, TraceloopRequestType,
	MCPMethod,
}

// promotes is Sources the other way round, with the names that the API shows.
// The names of the table of SDKs are not among them: those stand in spans as they were sent.
var promotes = func() map[string]span.Promoted {
	m := map[string]span.Promoted{
		names[Vendor]: span.PromotedVendor, names[RequestModel]: span.PromotedRequestModel, names[ResponseModel]: span.PromotedResponseModel,
		names[InputTokens]: span.PromotedInputTokens, names[OutputTokens]: span.PromotedOutputTokens, names[TotalTokens]: span.PromotedTotalTokens,
	}
	for p, list := range sources {
		for _, a := range list {
			if a >= Count {
				continue
			}
			if _, known := m[names[a]]; !known {
				m[names[a]] = span.Promoted(p)
			}
		}
	}
	return m
}()

// Promotes returns the field of a span whose text the attribute with this key
// usually repeats, NotPromoted for most keys. Of two such fields it is the
// first.
func Promotes(key string) span.Promoted { return promotes[key] }
