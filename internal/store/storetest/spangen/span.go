// SPDX-License-Identifier: Apache-2.0

package spangen

import (
	"math/rand/v2"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// host is one process that sends spans.
type host struct {
	service  string
	resource span.Attributes
}

func newHosts(r *rand.Rand) []host {
	list := make([]host, services)
	for i := range list {
		name := "service-" + strconv.Itoa(i)
		list[i] = host{service: name, resource: span.NewAttributes([]span.Attribute{
			{Key: "service.name", Value: name},
			{Key: "service.version", Value: "1." + strconv.Itoa(r.IntN(40)) + ".0"},
			{Key: "deployment.environment", Value: "production"},
			{Key: "host.name", Value: "node-" + strconv.Itoa(r.IntN(20)) + ".example.com"},
			{Key: "k8s.pod.name", Value: name + "-" + strconv.FormatUint(r.Uint64(), 36)},
			{Key: "telemetry.sdk.language", Value: "python"},
			{Key: "telemetry.sdk.name", Value: "opentelemetry"},
			{Key: "telemetry.sdk.version", Value: "1.36.0"},
		})}
	}
	return list
}

// model is what a call can be made to.
type model struct{ vendor, request, response, base string }

var models = [...]model{
	{"openai", "gpt-4o", "gpt-4o-2024-11-20", "https://api.openai.com/v1/"},
	{"openai", "gpt-4o-mini", "gpt-4o-mini-2024-07-18", "https://api.openai.com/v1/"},
	{"openai", "gpt-4.1", "gpt-4.1-2025-04-14", "https://api.openai.com/v1/"},
	{"openai", "o4-mini", "o4-mini-2025-04-16", "https://api.openai.com/v1/"},
	{"anthropic", "claude-3-5-sonnet", "claude-3-5-sonnet-20241022", "https://api.anthropic.com"},
	{"anthropic", "claude-3-5-haiku", "claude-3-5-haiku-20241022", "https://api.anthropic.com"},
	{"google", "gemini-2.0-flash", "gemini-2.0-flash-001", "https://generativelanguage.googleapis.com"},
	{"mistral", "mistral-large", "mistral-large-2411", "https://api.mistral.ai/v1"},
	{"meta", "llama-3.3-70b", "llama-3.3-70b-instruct", "http://llm.internal:8000/v1"},
	{"qwen", "qwen2.5-72b", "qwen2.5-72b-instruct", "http://llm.internal:8001/v1"},
}

// span returns the next span of t.
func (g *Generator) span(t *trace) span.Span {
	s := span.Span{
		Environment:  t.env.Slug,
		TraceID:      t.id,
		Flags:        0x101, // sampled, and the parent is here
		Type:         span.TypeWorkflow,
		Kind:         "SPAN_KIND_INTERNAL",
		Service:      t.host.service,
		StatusCode:   "STATUS_CODE_UNSET",
		Start:        g.clock,
		Duration:     int64(1e6 + g.rand.ExpFloat64()*9e8),
		Resource:     t.host.resource,
		Workflow:     t.workflow,
		InputTokens:  span.NoTokens,
		OutputTokens: span.NoTokens,
		TotalTokens:  span.NoTokens,
		Cost:         span.NoTokens,
		InputCost:    span.NoTokens,
		Session:      t.session,
	}
	g.fill(s.SpanID[:])
	if g.rand.IntN(50) == 0 {
		s.StatusCode, s.StatusMessage = "STATUS_CODE_ERROR", "timeout after "+strconv.Itoa(g.rand.IntN(60))+" s"
	}
	switch {
	case len(g.texts) > 0:
		s.ParentSpanID = t.root
		if t.root == (span.ID{}) {
			t.root = s.SpanID
		}
		g.call(&s, t)
	case t.root == (span.ID{}):
		t.root = s.SpanID
		g.step(&s, t, "workflow", t.workflow)
	case g.rand.Float64() < llmShare:
		s.ParentSpanID = t.root
		g.call(&s, t)
	default:
		s.ParentSpanID = t.root
		kind := [...]string{"task", "tool"}[g.rand.IntN(2)]
		g.step(&s, t, kind, kind+"_"+strconv.Itoa(g.rand.IntN(30)))
	}
	return s
}

// common returns the attributes that every span of a trace has.
func (g *Generator) common(t *trace) []span.Attribute {
	return []span.Attribute{
		{Key: "traceloop.workflow.name", Value: t.workflow},
		{Key: "traceloop.association.properties.customer_id", Value: t.customer},
		{Key: "traceloop.association.properties.session_id", Value: t.session},
		{Key: "traceloop.association.properties.plan", Value: "enterprise"},
		{Key: "customer_id", Value: t.customer},
		{Key: "thread.id", Value: strconv.Itoa(140_000_000 + g.rand.IntN(64))},
		{Key: "thread.name", Value: "ThreadPoolExecutor-0_" + strconv.Itoa(g.rand.IntN(64))},
		{Key: "code.function", Value: "run_" + t.workflow},
	}
}

// step makes s a workflow, a task or a tool.
func (g *Generator) step(s *span.Span, t *trace, kind, entity string) {
	s.Name = entity + "." + kind
	s.ScopeName, s.ScopeVersion = "opentelemetry.instrumentation.langchain", "0.47.5"
	s.Entity = entity
	if kind == "tool" {
		s.Type = span.TypeTool
	}
	s.Input = `{"args": [], "kwargs": {"question": "` + g.text(g.around(1130)) + `"}}`
	s.Output = `{"answer": "` + g.text(g.around(1080)) + `"}`
	list := append(g.common(t),
		span.Attribute{Key: "traceloop.span.kind", Value: kind},
		span.Attribute{Key: "traceloop.entity.name", Value: entity},
		span.Attribute{Key: "traceloop.entity.path", Value: t.workflow + "." + entity},
		span.Attribute{Key: "traceloop.entity.input", Value: s.Input},
		span.Attribute{Key: "traceloop.entity.output", Value: s.Output},
		span.Attribute{Key: "traceloop.entity.version", Value: strconv.Itoa(g.rand.IntN(5))},
		span.Attribute{Key: "langgraph.step", Value: strconv.Itoa(g.rand.IntN(20))},
		span.Attribute{Key: "langgraph.node", Value: entity},
		span.Attribute{Key: "langgraph.checkpoint_ns", Value: entity + ":" + g.hex(12)},
		span.Attribute{Key: "retry.count", Value: "0"},
		span.Attribute{Key: "cache.hit", Value: strconv.FormatBool(g.rand.IntN(4) == 0)},
		span.Attribute{Key: "queue.wait_ms", Value: strconv.Itoa(g.rand.IntN(900))},
		span.Attribute{Key: "release", Value: "2025.11." + strconv.Itoa(g.rand.IntN(20))},
	)
	s.Attributes = span.NewAttributes(list)
}

// call makes s a call of a model.
func (g *Generator) call(s *span.Span, t *trace) {
	m := models[g.rand.IntN(len(models))]
	s.Name = m.vendor + ".chat"
	s.Kind, s.Type = "SPAN_KIND_CLIENT", span.TypeLLM
	s.ScopeName, s.ScopeVersion = "opentelemetry.instrumentation.openai.v1", "0.47.5"
	s.Vendor, s.RequestModel, s.ResponseModel = m.vendor, m.request, m.response
	s.InputTokens = int64(50 + g.around(700))
	s.OutputTokens = int64(10 + g.around(300))
	s.TotalTokens = s.InputTokens + s.OutputTokens
	in, out := strconv.FormatInt(s.InputTokens, 10), strconv.FormatInt(s.OutputTokens, 10)

	list := append(g.common(t),
		span.Attribute{Key: "llm.request.type", Value: "chat"},
		span.Attribute{Key: "llm.is_streaming", Value: "false"},
		span.Attribute{Key: "gen_ai.system", Value: m.vendor},
		span.Attribute{Key: "gen_ai.request.model", Value: m.request},
		span.Attribute{Key: "gen_ai.response.model", Value: m.response},
		span.Attribute{Key: "gen_ai.response.id", Value: "chatcmpl-" + g.hex(29)},
		span.Attribute{Key: "gen_ai.openai.api_base", Value: m.base},
		span.Attribute{Key: "gen_ai.openai.system_fingerprint", Value: "fp_" + g.hex(10)},
		span.Attribute{Key: "gen_ai.request.temperature", Value: "0." + strconv.Itoa(1+g.rand.IntN(9))},
		span.Attribute{Key: "gen_ai.request.max_tokens", Value: "2048"},
		span.Attribute{Key: "gen_ai.usage.input_tokens", Value: in},
		span.Attribute{Key: "gen_ai.usage.output_tokens", Value: out},
		// The aliases that the normaliser adds.
		span.Attribute{Key: span.AliasVendor, Value: m.vendor},
		span.Attribute{Key: span.AliasRequestModel, Value: m.request},
		span.Attribute{Key: span.AliasResponseModel, Value: m.response},
		span.Attribute{Key: span.AliasInputTokens, Value: in},
		span.Attribute{Key: span.AliasOutputTokens, Value: out},
		span.Attribute{Key: span.AliasTotalTokens, Value: strconv.FormatInt(s.TotalTokens, 10)},
	)
	s.Attributes = span.NewAttributes(list)

	if len(g.texts) > 0 {
		x := g.texts[g.rand.IntN(len(g.texts))]
		g.message(&s.Prompts, "llm.prompts.0.", "user", x.Prompt)
		g.message(&s.Completions, "llm.completions.0.", "assistant", x.Completion)
		return
	}
	g.message(&s.Prompts, "llm.prompts.0.", "system", g.text(g.around(450)))
	for i := range g.rand.IntN(3) {
		role := [...]string{"user", "assistant"}[i%2]
		g.message(&s.Prompts, "llm.prompts."+strconv.Itoa(1+i)+".", role, g.text(g.around(690)))
	}
	g.message(&s.Completions, "llm.completions.0.", "assistant", g.text(g.around(960)))
	if g.rand.IntN(3) > 0 {
		s.Completions = s.Completions.With("llm.completions.0.finish_reason", "stop")
	}
}

func (g *Generator) message(to *span.Attributes, prefix, role, content string) {
	*to = to.With(prefix+"content", content).With(prefix+"role", role)
}
