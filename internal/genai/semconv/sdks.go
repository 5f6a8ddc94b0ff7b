// SPDX-License-Identifier: Apache-2.0

package semconv

import "github.com/touchstone-otel/touchstone/internal/span"

// generative are attributes of which every call of a model has one, in SDKs that write
// names without a prefix too.
var generative = []string{
	"gen_ai.system", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.agent.name", "logfire.msg", "langsmith.span.kind", "span.type",
}

// sdks are the SDKs that have names of their own besides those of the conventions above, in
// the order in which they are asked. To read another one needs a row here and a span of it
// among the tests.
var sdks = []sdk{
	{
		Convention: Convention{Name: "span types", Version: "all", URL: "https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/"},
		kinds: map[string]string{
			"llm": span.TypeLLM, "chat": span.TypeLLM, "completion": span.TypeLLM, "text_completion": span.TypeLLM, "generate_content": span.TypeLLM, "generation": span.TypeLLM,
			"ai.generatetext.dogenerate": span.TypeLLM, "ai.streamtext.dostream": span.TypeLLM,
			"ai.generateobject.dogenerate": span.TypeLLM, "ai.streamobject.dostream": span.TypeLLM,
			"embedding": span.TypeEmbedding, "embeddings": span.TypeEmbedding,
			"ai.embed.doembed": span.TypeEmbedding, "ai.embedmany.doembed": span.TypeEmbedding,
			"tool": span.TypeTool, "execute_tool": span.TypeTool, "ai.toolcall": span.TypeTool, "tools/call": span.TypeTool,
			"agent": span.TypeAgent, "invoke_agent": span.TypeAgent, "create_agent": span.TypeAgent,
			"workflow": span.TypeWorkflow, "task": span.TypeWorkflow, "chain": span.TypeWorkflow, "invoke_workflow": span.TypeWorkflow,
			"ai.generatetext": span.TypeWorkflow, "ai.streamtext": span.TypeWorkflow, "ai.generateobject": span.TypeWorkflow, "ai.streamobject": span.TypeWorkflow,
			"ai.embed": span.TypeWorkflow, "ai.embedmany": span.TypeWorkflow,
			"retriever": span.TypeRetrieval, "retrieval": span.TypeRetrieval, "reranker": span.TypeRetrieval, "rerank": span.TypeRetrieval, "ai.rerank": span.TypeRetrieval,
			"search_memory": span.TypeRetrieval, "resources/read": span.TypeRetrieval,
			"orchestrate_tools": span.TypeWorkflow, "conversation": span.TypeWorkflow, "workflow_step": span.TypeWorkflow,
			"tts": span.TypeOther, "stt": span.TypeOther, "speech": span.TypeOther, "transcription": span.TypeOther,
			"guardrail": span.TypeGuardrail,
			"evaluator": span.TypeOther, "prompt": span.TypeOther, "parser": span.TypeOther,
		},
	},
	{
		Convention: Convention{Name: "Conventions up to 1.27, LangSmith, Quarkus LangChain4j", Version: "", URL: "https://github.com/open-telemetry/semantic-conventions/blob/v1.27.0/docs/gen-ai/gen-ai-spans.md"},
		keys:       []key{reads("gen_ai.prompt", prompts), reads("gen_ai.completion", completions), reads("langsmith.trace.name"), reads("langsmith.trace.session_name")},
	},
	{
		Convention: Convention{Name: "Pydantic AI", Version: "instrumentation 1 to 5", URL: "https://ai.pydantic.dev/logfire/"},
		with:       generative,
		keys: []key{
			reads("pydantic_ai.all_messages", dialogue), reads("all_messages_events", dialogue), reads("events", dialogue),
			reads("final_result", output), reads("tool_arguments", input), reads("tool_response", output),
			reads("agent_name", entity), reads("model_name", requestModel), reads("model_request_parameters", content),
			reads("gen_ai.usage.details.reasoning_tokens", reasoning), reads("gen_ai.usage.details.cached_tokens", cacheRead), reads("gen_ai.usage.details.cache_read_tokens", cacheRead),
			reads("gen_ai.usage.details.cache_write_tokens", cacheWrite),
			reads("gen_ai.aggregated_usage.input_tokens", inputTokens), reads("gen_ai.aggregated_usage.output_tokens", outputTokens),
		},
	},
	{
		Convention: Convention{Name: "Google ADK", Version: "1", URL: "https://google.github.io/adk-docs/observability/"},
		keys: []key{
			reads("gcp.vertex.agent.llm_request", prompts), reads("gcp.vertex.agent.llm_response", completions),
			reads("gcp.vertex.agent.tool_call_args", input), reads("gcp.vertex.agent.tool_response", output), reads("gcp.vertex.agent.data", content),
			reads("gcp.vertex.agent.session_id", session), reads("gcp.vertex.agent.invocation_id"), reads("gcp.vertex.agent.event_id"),
		},
	},
	{
		Convention: Convention{Name: "Logfire", Version: "4", URL: "https://logfire.pydantic.dev/docs/integrations/llms/openai/"},
		with:       generative,
		keys: []key{
			reads("request_data", prompts), reads("response_data", completions), reads("logfire.msg", content), reads("logfire.msg_template", kind, content),
			reads("logfire.json_schema", content), reads("logfire.span_type"), reads("logfire.level_name"),
		},
		kinds: map[string]string{"function: {name}": span.TypeTool, "agent run: {name!r}": span.TypeAgent},
	},
	{
		Convention: Convention{Name: "Spring AI", Version: "1", URL: "https://docs.spring.io/spring-ai/reference/observability/index.html"},
		keys: []key{
			reads("spring.ai.kind", kind), reads("spring.ai.tool.call.arguments", input), reads("spring.ai.tool.call.result", output),
			reads("spring.ai.tool.definition.name", entity), reads("spring.ai.tool.definition.description", content), reads("spring.ai.tool.definition.schema", content),
			reads("spring.ai.chat.client.user.text", input), reads("spring.ai.chat.client.system.text", content), reads("spring.ai.chat.client.conversation.id", conversation),
			reads("db.vector.query.content", input), reads("db.vector.query.response.documents", output, documents),
		},
		kinds: map[string]string{"chat_client": span.TypeWorkflow, "advisor": span.TypeWorkflow, "tool_call": span.TypeTool, "vector_store": span.TypeRetrieval},
	},
	{
		Convention: Convention{Name: "Strands", Version: "1", URL: "https://strandsagents.com/latest/documentation/docs/user-guide/observability-evaluation/traces/"},
		keys:       []key{reads("gen_ai.usage.cache_write_input_tokens", cacheWrite), reads("gen_ai.tool.status")},
	},
	{
		Convention: Convention{Name: "Claude Code, and log events of Codex and Gemini CLI", Version: "2", URL: "https://docs.claude.com/en/docs/claude-code/monitoring-usage"},
		with:       []string{"span.type"},
		keys: []key{
			reads("span.type", kind), reads("user_prompt", input), reads("model", requestModel), reads("tool_name", entity),
			reads("input_tokens", inputTokens), reads("output_tokens", outputTokens), reads("cache_read_tokens", cacheRead), reads("cache_creation_tokens", cacheWrite),
			reads("tool_input", input), reads("tool_output", output), reads("response", completions), reads("cost_usd", cost),
			reads("prompt", input), reads("tool_parameters", input), reads("arguments", input), reads("function_name", entity), reads("function_args", input), reads("error", content),
			reads("request_text", content), reads("response_text", completions), reads("prompt.id"), reads("prompt_id"),
			reads("input_token_count", inputTokens), reads("output_token_count", outputTokens), reads("total_token_count"), reads("cached_token_count", cacheRead),
			reads("cached_content_token_count", cacheRead), reads("reasoning_token_count", reasoning), reads("thoughts_token_count", reasoning),
		},
		kinds: map[string]string{"llm_request": span.TypeLLM, "interaction": span.TypeAgent, "tool.execution": span.TypeTool},
	},
	{
		Convention: Convention{Name: "Azure AI Agents and Inference", Version: "1", URL: "https://learn.microsoft.com/azure/ai-foundry/how-to/develop/trace-agents-sdk"},
		keys:       []key{reads("gen_ai.thread.id", conversation), reads("gen_ai.thread.run.id"), reads("gen_ai.thread.run.status"), reads("gen_ai.message.id"), reads("gen_ai.message.status")},
		kinds:      map[string]string{"process_thread_run": span.TypeAgent, "start_thread_run": span.TypeAgent},
	},
	{
		Convention: Convention{Name: "Semantic Kernel", Version: "Python 1.49", URL: "https://learn.microsoft.com/semantic-kernel/concepts/enterprise-readiness/observability/"},
		keys: []key{
			reads("gen_ai.agent.invocation_input", prompts), reads("gen_ai.agent.invocation_output", completions), reads("gen_ai.response.finish_reason"),
			reads("gen_ai.response.prompt_tokens", inputTokens), reads("gen_ai.response.completion_tokens", outputTokens),
		},
		kinds: map[string]string{
			"chat.completions": span.TypeLLM, "chat.streaming_completions": span.TypeLLM, "text.completions": span.TypeLLM, "text.streaming_completions": span.TypeLLM,
		},
	},
	{
		Convention: Convention{Name: "LiteLLM", Version: "1", URL: "https://docs.litellm.ai/docs/observability/opentelemetry_integration"},
		keys: []key{
			reads("gen_ai.cost.total_cost", cost), reads("gen_ai.cost.input_cost", inputCost), reads("gen_ai.cost.output_cost"), reads("hidden_params", content),
		},
		kinds: map[string]string{
			"acompletion": span.TypeLLM, "atext_completion": span.TypeLLM, "responses": span.TypeLLM, "aresponses": span.TypeLLM, "anthropic_messages": span.TypeLLM,
			"aembedding": span.TypeEmbedding, "arerank": span.TypeRetrieval,
		},
	},
	{
		Convention: Convention{Name: "W&B Weave", Version: "", URL: "https://github.com/wandb/weave"},
		keys: []key{
			reads("weave.operation.name", kind), reads("weave.provider.name", vendor), reads("weave.system", vendor), reads("weave.agent.name", entity),
			reads("weave.request.model", requestModel), reads("weave.response.model", responseModel), reads("weave.response.id"),
			reads("weave.usage.input_tokens", inputTokens), reads("weave.usage.output_tokens", outputTokens), reads("weave.usage.reasoning_tokens", reasoning),
			reads("weave.usage.cache_creation.input_tokens", cacheWrite), reads("weave.usage.cache_read.input_tokens", cacheRead), reads("weave.cost.usd", cost),
			reads("weave.conversation.id", conversation), reads("weave.tool.name", entity), reads("weave.tool.call.id"), reads("weave.tool.type"),
			reads("weave.tool.call.arguments", input), reads("weave.tool.call.result", output), reads("weave.tool.definitions", tools),
			reads("weave.tool.description", content), reads("weave.agent.description", content), reads("weave.system_instructions", content),
			reads("weave.input.messages", prompts), reads("weave.output.messages", completions), reads("weave.prompt", prompts), reads("weave.completion", completions),
			reads("weave.reasoning_content", content), reads("weave.compaction.summary", content),
		},
	},
	{
		Convention: Convention{Name: "MLflow", Version: "3", URL: "https://mlflow.org/docs/latest/genai/tracing/"},
		keys: []key{
			reads("mlflow.spanType", kind), reads("mlflow.spanInputs", prompts, input), reads("mlflow.spanOutputs", completions, output),
			reads("mlflow.chat.tokenUsage", usage), reads("mlflow.chat.tools", tools), reads("mlflow.trace.session", session), reads("mlflow.trace.user", user),
			reads("mlflow.llm.model", requestModel), reads("mlflow.spanFunctionName", entity),
		},
		kinds: map[string]string{"chat_model": span.TypeLLM},
	},
	{
		Convention: Convention{Name: "Genkit", Version: "1", URL: "https://genkit.dev/docs/observability/getting-started/"},
		keys: []key{
			reads("genkit:metadata:subtype", kind), reads("genkit:type", kind), reads("genkit:input", prompts, input), reads("genkit:output", completions, output, usage),
			reads("genkit:name", entity), reads("genkit:sessionId", session), reads("genkit:path", content),
		},
		kinds: map[string]string{"model": span.TypeLLM, "flow": span.TypeWorkflow, "embedder": span.TypeEmbedding, "executableprompt": span.TypeWorkflow},
	},
	{
		Convention: Convention{Name: "Haystack", Version: "2", URL: "https://docs.haystack.deepset.ai/docs/tracing"},
		keys: []key{
			reads("haystack.component.input", prompts, input), reads("haystack.component.output", completions, output), reads("haystack.component.name", entity),
			reads("haystack.pipeline.input_data", prompts, input), reads("haystack.pipeline.output_data", completions, output), reads("haystack.component.type", kind),
			reads("haystack.component.visits", content), reads("haystack.pipeline.metadata", content),
		},
		marks: map[string]string{"haystack.pipeline.input_data": span.TypeWorkflow, "haystack.pipeline.output_data": span.TypeWorkflow},
		words: []word{
			{"generator", span.TypeLLM},
			{"retriever", span.TypeRetrieval},
			{"ranker", span.TypeRetrieval},
			{"embedder", span.TypeEmbedding},
			{"toolinvoker", span.TypeTool},
			{"agent", span.TypeAgent},
		},
	},
	{
		Convention: Convention{Name: "LiveKit", Version: "1", URL: "https://docs.livekit.io/agents/build/metrics/"},
		keys: []key{
			reads("lk.chat_ctx", prompts), reads("lk.response.text", completions), reads("lk.response.function_calls", calls), reads("lk.user_transcript", input),
			reads("lk.user_input", input), reads("lk.instructions", content), reads("lk.function_tools", content), reads("lk.input_text", input),
			reads("lk.function_tool.name", entity), reads("lk.function_tool.arguments", input), reads("lk.function_tool.output", output),
			reads("lk.pii.chat_ctx", prompts), reads("lk.pii.response.text", completions), reads("lk.pii.response.function_calls", calls),
			reads("lk.pii.user_transcript", input), reads("lk.pii.user_input", input), reads("lk.pii.instructions", content), reads("lk.pii.input_text", input),
			reads("lk.pii.function_tool.arguments", input), reads("lk.pii.function_tool.output", output),
			reads("lk.agent_name", entity), reads("gen_ai.usage.input_cached_tokens", cacheRead),
		},
		marks: map[string]string{
			"lk.chat_ctx": span.TypeLLM, "lk.pii.chat_ctx": span.TypeLLM, "lk.function_tool.name": span.TypeTool, "lk.user_input": span.TypeAgent, "lk.pii.user_input": span.TypeAgent,
		},
	},
	{
		Convention: Convention{Name: "Pipecat", Version: "0.0.100", URL: "https://docs.pipecat.ai/server/utilities/opentelemetry"},
		keys: []key{
			reads("tool.function_name", entity), reads("tool.arguments", input), reads("tool.result", output), reads("tool.call_id"), reads("tool.result_status"),
			reads("conversation.id", conversation), reads("tools.definitions", content), reads("text_output", content),
		},
		kinds: map[string]string{"llm_tool_call": span.TypeTool, "llm_tool_result": span.TypeTool, "llm_setup": span.TypeOther, "llm_request": span.TypeLLM, "llm_response": span.TypeLLM},
		marks: map[string]string{"tool.function_name": span.TypeTool},
	},
	{
		Convention: Convention{Name: "Mastra", Version: "1", URL: "https://mastra.ai/docs/observability/tracing/exporters/otel"},
		keys: []key{
			reads("mastra.span.type", kind), reads("mastra.agent_run.input", prompts, input), reads("mastra.agent_run.output", completions, output),
			reads("mastra.workflow_run.input", input), reads("mastra.workflow_run.output", output), reads("mastra.workflow_step.input", input), reads("mastra.workflow_step.output", output),
			reads("mastra.generic.input", input), reads("mastra.generic.output", output),
		},
		kinds: map[string]string{"agent_run": span.TypeAgent, "model_generation": span.TypeLLM, "workflow_run": span.TypeWorkflow, "rag_embedding": span.TypeEmbedding, "mcp_tool_call": span.TypeTool},
	},
	{
		Convention: Convention{Name: "Dify", Version: "1", URL: "https://github.com/langgenius/dify/tree/main/api/extensions/otel"},
		keys: []key{
			reads("gen_ai.span.kind", kind), reads("gen_ai.user.id", user), reads("gen_ai.framework"), reads("retrieval.query", input), reads("retrieval.document", documents, output),
		},
	},
	{
		Convention: Convention{Name: "n8n", Version: "2", URL: "https://docs.n8n.io/hosting/logging-monitoring/opentelemetry/"},
		keys: []key{
			reads("n8n.node.name", entity), reads("n8n.node.type", kind), reads("n8n.workflow.name", workflow), reads("n8n.node.custom.llm.model", requestModel),
			reads("n8n.node.custom.llm.token.input", inputTokens), reads("n8n.node.custom.llm.token.output", outputTokens),
		},
		marks: map[string]string{"n8n.node.custom.llm.model": span.TypeLLM, "n8n.workflow.name": span.TypeWorkflow},
		words: []word{
			{"lmchat", span.TypeLLM},
			{"langchain.lm", span.TypeLLM},
			{"langchain.openai", span.TypeLLM},
			{"langchain.agent", span.TypeAgent},
			{"chainllm", span.TypeWorkflow},
			{"embeddings", span.TypeEmbedding},
			{"vectorstore", span.TypeRetrieval},
			{"retriever", span.TypeRetrieval},
			{"tool", span.TypeTool},
		},
	},
	{
		Convention: Convention{Name: "CrewAI", Version: "OpenInference and OpenLLMetry", URL: "https://github.com/traceloop/openllmetry/tree/main/packages/opentelemetry-instrumentation-crewai"},
		keys: []key{
			reads("crewai.crew.result", output), reads("crewai.crew.tasks_output", content), reads("crewai.task.description", input), reads("crewai.task.expected_output", content),
			reads("crewai.crew.tasks", content), reads("crewai.crew.agents", content), reads("crewai.agent.goal", content), reads("crewai.agent.backstory", content), reads("crewai.agent.role", entity),
			reads("formatted_description", input), reads("formatted_expected_output", content), reads("crew_inputs", input), reads("crew_agents", content), reads("crew_tasks", content),
		},
	},
	{
		Convention: Convention{Name: "AutoGen, AG2", Version: "AutoGen 0.7, AG2 0.11", URL: "https://github.com/ag2ai/ag2/blob/main/autogen/instrumentation.py"},
		keys:       []key{reads("ag2.span.type", kind)},
		kinds:      map[string]string{"multi_conversation": span.TypeWorkflow, "speaker_selection": span.TypeOther, "handoff": span.TypeOther},
	},
	{
		Convention: Convention{Name: "smolagents", Version: "1", URL: "https://github.com/Arize-ai/openinference/tree/main/python/instrumentation/openinference-instrumentation-smolagents"},
		keys:       []key{reads("smolagents.task", input), reads("smolagents.additional_args", content)},
	},
	{
		Convention: Convention{Name: "OpenLIT", Version: "1", URL: "https://github.com/openlit/openlit/tree/main/sdk/python/src/openlit"},
		keys:       []key{reads("gen_ai.agent.human_input", input), reads("gen_ai.agent.actual_output", output), reads("gen_ai.content.revised_prompt", content)},
	},
	{
		Convention: Convention{Name: "Gemini CLI", Version: "0.20", URL: "https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/telemetry/trace.ts"},
		keys:       []key{reads("input-json", prompts, input), reads("output-json", completions, output)},
		kinds:      map[string]string{"llm_call": span.TypeLLM, "agent_call": span.TypeAgent, "user_prompt": span.TypeWorkflow},
	},
	{
		Convention: Convention{Name: "Pipecat, OpenAI Agents and others without a prefix", Version: "", URL: "https://logfire.pydantic.dev/docs/integrations/llms/openai/"},
		with:       generative,
		keys: []key{
			reads("input", prompts, input), reads("output", completions, output), reads("transcript", input), reads("text", content), reads("tools", content),
			reads("raw_input", content),
		},
	},
}
