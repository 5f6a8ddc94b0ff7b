// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestSearchesAreRead(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		attributes map[string]any
		context    string
		question   string
	}{
		"OpenTelemetry": {
			map[string]any{
				"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "Where?",
				"gen_ai.retrieval.documents": []any{map[string]any{"id": "1", "score": 0.5, "content": "Here."}, map[string]any{"id": "2"}, map[string]any{"text": "There."}},
			}, "Here.\nThere.", "Where?",
		},
		"as JSON": {
			map[string]any{"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "Where?", "gen_ai.retrieval.documents": `[{"content":"Here."},"There."]`},
			"Here.\nThere.", "Where?",
		},
		"a reranker of OpenInference": {
			map[string]any{
				"openinference.span.kind": "RERANKER", "reranker.query": "Where?", "reranker.input_documents.0.document.content": "Nowhere.",
				"reranker.output_documents.1.document.content": "There.", "reranker.output_documents.0.document.content": "Here.",
			}, "Here.\nThere.", "Where?",
		},
		"memory":      {map[string]any{"gen_ai.operation.name": "search_memory", "gen_ai.memory.query.text": "Where?"}, "", "Where?"},
		"broken JSON": {map[string]any{"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "Where?", "gen_ai.retrieval.documents": `[{"content":"He`}, "", "Where?"},
	} {
		s := genaitest.FromAttributes(t, row.attributes)
		require.Equal(t, span.TypeRetrieval, s.Type, name)
		text, _ := genai.Part(&s, span.PartContext)
		require.Equal(t, row.context, text, name)
		text, _ = genai.Part(&s, span.PartQuestion)
		require.Equal(t, row.question, text, name)

		live := ptrace.NewSpan()
		require.NoError(t, live.Attributes().FromRaw(row.attributes))
		text, _ = genai.NewView(pcommon.NewResource(), live).Part(span.PartContext)
		require.Equal(t, row.context, text, "%s, while it passes", name)
	}
}

// A prompt's template and an agent's version have one name each, whichever SDK sent
// them, for who looks at the span while it passes too.
func TestVersionsAreRead(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		attributes map[string]any
		prompt     string
		version    string
	}{
		"OpenTelemetry": {map[string]any{"gen_ai.prompt.name": "greet", "gen_ai.prompt.version": "7"}, "greet", "7"},
		"OpenLLMetry":   {map[string]any{"traceloop.prompt.key": "greet", "traceloop.prompt.version": 7}, "greet", "7"},
		"Langfuse":      {map[string]any{"langfuse.observation.prompt.name": "greet", "langfuse.observation.prompt.version": 7}, "greet", "7"},
		"OpenInference": {map[string]any{"prompt.id": "greet", "llm.prompt_template.version": "v7"}, "greet", "v7"},
		"its own name":  {map[string]any{"prompt_version": "mine", "traceloop.prompt.version": 7}, "", "mine"},
		"none":          {map[string]any{"llm.prompts.0.content": "hello"}, "", ""},
	} {
		live := ptrace.NewSpan()
		require.NoError(t, live.Attributes().FromRaw(row.attributes))
		stored := genaitest.FromAttributes(t, row.attributes)
		for key, want := range map[string]string{"prompt_name": row.prompt, "prompt_version": row.version} {
			text, has := stored.Attributes.Get(key)
			require.Equal(t, want, text, "%s, %s", name, key)
			passing, sees := genai.NewView(pcommon.NewResource(), live).SpanAttribute(key)
			require.Equal(t, text, passing, "%s, %s while it passes", name, key)
			require.Equal(t, has, sees, name)
		}
	}
	version, _ := genaitest.FromAttributes(t, map[string]any{"gen_ai.agent.version": "3"}).Attributes.Get("agent_version")
	require.Equal(t, "3", version)
}

func TestAgentsWorkflowsAndMCP(t *testing.T) {
	t.Parallel()
	s := genaitest.FromAttributes(t, map[string]any{"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": "checkout", "gen_ai.agent.id": "a-1", "gen_ai.agent.version": "3"})
	require.Equal(t, []string{span.TypeWorkflow, "checkout", "a-1"}, []string{s.Type, s.Workflow, s.Entity})
	version, _ := s.Attributes.Get("gen_ai.agent.version")
	require.Equal(t, "3", version)
	s = genaitest.FromAttributes(t, map[string]any{"agent.name": "planner", "gen_ai.agent.id": "a-1"})
	require.Equal(t, "planner", s.Entity)
	for method, want := range map[string]string{"tools/call": span.TypeTool, "resources/read": span.TypeRetrieval, "ping": span.TypeOther} {
		require.Equal(t, want, genaitest.FromAttributes(t, map[string]any{"mcp.method.name": method}).Type, method)
	}
	s = genaitest.FromAttributes(t, map[string]any{"llm.model_name": "m", "llm.request.model_name": "asked", "llm.response.model_name": "answered"})
	require.Equal(t, []string{"asked", "answered"}, []string{s.RequestModel, s.ResponseModel})
}

// Of an SDK that no convention names, what is called by the usual words is read.
func TestUnknownSDKsAreRead(t *testing.T) {
	t.Parallel()
	call := genaitest.FromAttributes(t, map[string]any{
		"gen_ai.operation.name": "chat", "acme.llm.messages": `[{"role":"system","content":"S"},{"role":"user","content":"Q"}]`, "acme.llm.response": "A",
		"acme.usage.input": 12, "acme.usage.output": true,
	})
	requireSaid(t, said{"prompts.0.role": "system", "prompts.0.content": "S", "prompts.1.role": "user", "prompts.1.content": "Q", "completions.0.role": "assistant", "completions.0.content": "A"}, call)
	tool := genaitest.FromAttributes(t, map[string]any{"gen_ai.operation.name": "execute_tool", "acme.toolInput": `{"a":1}`, "acme.tool_output": "B"})
	requireSaid(t, said{}, tool)
	require.Equal(t, []string{`{"a":1}`, "B"}, []string{tool.Input, tool.Output})
	other := genaitest.FromAttributes(t, map[string]any{"http.route": "/", "acme.input": "x"})
	requireSaid(t, said{}, other)
	require.Empty(t, other.Input)
}

// The messages of a whole run and the instructions may stand in two attributes.
func TestDialoguesHaveTheirInstructions(t *testing.T) {
	t.Parallel()
	s := genaitest.FromAttributes(t, map[string]any{
		"gen_ai.agent.name": "a", "gen_ai.system_instructions": `[{"type":"text","content":"S"}]`,
		"pydantic_ai.all_messages": `[{"role":"user","content":"Q"},{"role":"assistant","content":"A"}]`,
	})
	requireSaid(t, said{
		"prompts.0.role": "system", "prompts.0.content": "S", "prompts.1.role": "user", "prompts.1.content": "Q",
		"completions.0.role": "assistant", "completions.0.content": "A",
	}, s)
}

// What SDKs send under names of their own, as their sources have it.
func TestNamesOfSDKsAreRead(t *testing.T) {
	t.Parallel()
	const asked, answered = `[{"role":"user","parts":[{"type":"text","content":"Who?"}]}]`, `[{"role":"assistant","parts":[{"type":"text","content":"Ada."}]}]`
	for name, row := range map[string]struct {
		attributes map[string]any
		want       span.Span
	}{
		"LiteLLM": {
			map[string]any{
				"llm.request.type": "acompletion", "gen_ai.system": "openai", "gen_ai.request.model": "gpt-4o", "gen_ai.response.id": "chatcmpl-1", "hidden_params": `{"api_base":"x"}`,
				"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 5, "gen_ai.usage.total_tokens": 15, "gen_ai.input.messages": asked, "gen_ai.output.messages": answered,
				"gen_ai.operation.name": "acompletion", "gen_ai.cost.input_cost": 0.000025, "gen_ai.cost.output_cost": 0.00005, "gen_ai.cost.total_cost": 0.000075,
			},
			span.Span{Type: span.TypeLLM, Vendor: "openai", RequestModel: "gpt-4o", InputTokens: 10, OutputTokens: 5, TotalTokens: 15, Cost: 75_000, InputCost: 25_000},
		},
		"Weave": {
			map[string]any{
				"weave.operation.name": "chat", "weave.provider.name": "anthropic", "weave.request.model": "claude-sonnet-4-5", "weave.response.model": "claude-sonnet-4-5-20250929",
				"weave.usage.input_tokens": 10, "weave.usage.output_tokens": 5, "weave.conversation.id": "c1", "weave.cost.usd": 0.5,
				"weave.input.messages": asked, "weave.output.messages": answered, "weave.system_instructions": "Be short.",
			},
			span.Span{
				Type: span.TypeLLM, Vendor: "anthropic", RequestModel: "claude-sonnet-4-5", ResponseModel: "claude-sonnet-4-5-20250929", Conversation: "c1",
				InputTokens: 10, OutputTokens: 5, TotalTokens: 15, Cost: 500_000_000, InputCost: span.NoTokens,
			},
		},
	} {
		s := genaitest.FromAttributes(t, row.attributes)
		require.Equal(t, row.want, span.Span{
			Type: s.Type, Vendor: s.Vendor, RequestModel: s.RequestModel, ResponseModel: s.ResponseModel, Conversation: s.Conversation,
			InputTokens: s.InputTokens, OutputTokens: s.OutputTokens, TotalTokens: s.TotalTokens, Cost: s.Cost, InputCost: s.InputCost,
		}, name)
		question, _ := genai.Part(&s, span.PartQuestion)
		require.Equal(t, "Who?", question, name)
		content, _ := s.Completions.Get("llm.completions.0.content")
		require.Equal(t, "Ada.", content, name)
	}
	tool := genaitest.FromAttributes(t, map[string]any{
		"weave.operation.name": "execute_tool", "weave.tool.name": "find", "weave.tool.call.arguments": `{"q":"x"}`, "weave.tool.call.result": "done",
	})
	require.Equal(t, []string{span.TypeTool, "find", `{"q":"x"}`, "done"}, []string{tool.Type, tool.Entity, tool.Input, tool.Output})
}
