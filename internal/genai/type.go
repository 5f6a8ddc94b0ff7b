// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// kindSources are the attributes by which SDKs say what a span is, in the order
// in which they are asked: one that says nothing that is known leaves it to the
// next.
var kindSources = []semconv.Attribute{
	semconv.OpenInferenceKind, semconv.TraceloopKind, semconv.PlatformKind, semconv.LangfuseType, semconv.LangSmithKind, semconv.GenAIOperation, semconv.VercelOperation, semconv.TraceloopRequestType,
	semconv.MCPMethod,
}

// kindTypes are the types by what those attributes say, in lower case.
//
//   - OpenTelemetry: https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/
//   - OpenInference: https://arize-ai.github.io/openinference/spec/general/span-kinds.html
//   - OpenLLMetry: https://github.com/traceloop/openllmetry/tree/main/packages/opentelemetry-semantic-conventions-ai
//   - Langfuse: https://langfuse.com/docs/observability/features/observation-types
//   - LangSmith: https://docs.langchain.com/langsmith/trace-with-opentelemetry
//   - MCP: https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/
//   - Vercel: https://ai-sdk.dev/docs/ai-sdk-core/telemetry
var kindTypes = map[string]string{
	"llm": span.TypeLLM, "chat": span.TypeLLM, "completion": span.TypeLLM, "text_completion": span.TypeLLM, "generate_content": span.TypeLLM, "generation": span.TypeLLM,
	"ai.generatetext.dogenerate": span.TypeLLM, "ai.streamtext.dostream": span.TypeLLM,
	"ai.generateobject.dogenerate": span.TypeLLM, "ai.streamobject.dostream": span.TypeLLM,

	"embedding": span.TypeEmbedding, "embeddings": span.TypeEmbedding,
	"ai.embed.doembed": span.TypeEmbedding, "ai.embedmany.doembed": span.TypeEmbedding,

	"tool": span.TypeTool, "execute_tool": span.TypeTool, "ai.toolcall": span.TypeTool,

	"agent": span.TypeAgent, "invoke_agent": span.TypeAgent, "create_agent": span.TypeAgent,

	"workflow": span.TypeWorkflow, "task": span.TypeWorkflow, "chain": span.TypeWorkflow, "invoke_workflow": span.TypeWorkflow,
	"ai.generatetext": span.TypeWorkflow, "ai.streamtext": span.TypeWorkflow, "ai.generateobject": span.TypeWorkflow, "ai.streamobject": span.TypeWorkflow,
	"ai.embed": span.TypeWorkflow, "ai.embedmany": span.TypeWorkflow,

	"retriever": span.TypeRetrieval, "retrieval": span.TypeRetrieval, "reranker": span.TypeRetrieval, "rerank": span.TypeRetrieval, "ai.rerank": span.TypeRetrieval,

	"search_memory": span.TypeRetrieval, "resources/read": span.TypeRetrieval, "tools/call": span.TypeTool,

	"guardrail": span.TypeGuardrail,

	"evaluator": span.TypeOther, "prompt": span.TypeOther, "parser": span.TypeOther,
}

// spanType returns what the span is: what its SDK says or, where that says
// nothing, what its attributes are about.
func (f *sourceValues) spanType() string {
	for _, k := range kindSources {
		if f.texts[k] == "" {
			continue
		}
		if known := kindTypes[strings.ToLower(f.texts[k])]; known != "" {
			return known
		}
	}
	switch {
	case f.has[semconv.GenAIGuardrailInput], f.has[semconv.GenAIGuardrailOutput]:
		return span.TypeGuardrail
	case f.has[semconv.GenAITool], f.has[semconv.OpenInferenceTool], f.has[semconv.VercelTool]:
		return span.TypeTool
	case f.texts[semconv.OpenInferenceEmbeddingModel] != "":
		return span.TypeEmbedding
	case f.alias(semconv.Vendor) != "", f.alias(semconv.RequestModel) != "":
		return span.TypeLLM
	case f.has[semconv.GenAIAgent]:
		return span.TypeAgent
	}
	return span.TypeOther
}
