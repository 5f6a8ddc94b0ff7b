// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestTypeIsWhatTheSDKSays(t *testing.T) {
	t.Parallel()
	for attributes, want := range map[string]string{
		"":                                                  span.TypeOther,
		"http.method=GET":                                   span.TypeOther,
		"gen_ai.operation.name=chat":                        span.TypeLLM,
		"gen_ai.operation.name=generate_content":            span.TypeLLM,
		"gen_ai.operation.name=embeddings":                  span.TypeEmbedding,
		"gen_ai.operation.name=execute_tool":                span.TypeTool,
		"gen_ai.operation.name=invoke_agent":                span.TypeAgent,
		"gen_ai.operation.name=invoke_workflow":             span.TypeWorkflow,
		"gen_ai.operation.name=retrieval":                   span.TypeRetrieval,
		"gen_ai.operation.name=a user's own":                span.TypeOther,
		"gen_ai.operation.name=own gen_ai.system=x":         span.TypeLLM,
		"openinference.span.kind=LLM":                       span.TypeLLM,
		"openinference.span.kind=EMBEDDING":                 span.TypeEmbedding,
		"openinference.span.kind=CHAIN":                     span.TypeWorkflow,
		"openinference.span.kind=RETRIEVER":                 span.TypeRetrieval,
		"openinference.span.kind=RERANKER":                  span.TypeRetrieval,
		"openinference.span.kind=GUARDRAIL":                 span.TypeGuardrail,
		"openinference.span.kind=EVALUATOR gen_ai.system=x": span.TypeOther,
		"traceloop.span.kind=workflow":                      span.TypeWorkflow,
		"traceloop.span.kind=task":                          span.TypeWorkflow,
		"traceloop.span.kind=agent":                         span.TypeAgent,
		"platform.span.kind=tool":                           span.TypeTool,
		"langfuse.observation.type=generation":              span.TypeLLM,
		"langfuse.observation.type=span":                    span.TypeOther,
		"langsmith.span.kind=retriever":                     span.TypeRetrieval,
		"llm.request.type=chat":                             span.TypeLLM,
		"llm.request.type=rerank":                           span.TypeRetrieval,
		"ai.operationId=ai.generateText":                    span.TypeWorkflow,
		"ai.operationId=ai.generateText.doGenerate":         span.TypeLLM,
		"ai.operationId=ai.toolCall":                        span.TypeTool,
		"ai.operationId=ai.embed":                           span.TypeWorkflow,
		"ai.operationId=ai.embedMany.doEmbed":               span.TypeEmbedding,
		// A span within an agent's or a tool's names what it belongs to as well.
		"traceloop.span.kind=tool gen_ai.operation.name=chat":        span.TypeTool,
		"openinference.span.kind=UNKNOWN llm.request.type=embedding": span.TypeEmbedding,
		// Nothing says it.
		"gen_ai.guardrail.input=x": span.TypeGuardrail,
		"gen_ai.tool.name=search":  span.TypeTool,
		"embedding.model_name=m":   span.TypeEmbedding,
		"llm.model_name=m":         span.TypeLLM,
		"gen_ai.agent.name=a":      span.TypeAgent,
	} {
		s := ptrace.NewSpan()
		for pair := range strings.SplitSeq(attributes, " ") {
			if key, value, found := strings.Cut(pair, "="); found {
				s.Attributes().PutStr(key, value)
			}
		}
		got := FromOTLP(NewResource(pcommon.NewResource()), pcommon.NewInstrumentationScope(), s)
		require.Equal(t, want, got.Type, attributes)
	}
}
