// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	past      = 24 * time.Hour
	perHour   = 80            // traces on average
	lateHours = 5 * time.Hour // in which docs-search does worse
	batch     = 100           // traces of a request
)

// stream makes the demo's own traffic. The same one comes out of every run, but
// for its times.
type stream struct {
	r *rand.Rand
	n uint64
}

func newStream() *stream { return &stream{r: rand.New(rand.NewPCG(7, 26))} } //nolint:gosec // traffic of a demo

// history is the traffic of the last 24 hours in requests, the oldest first: more
// by day than by night.
func (s *stream) history(now time.Time) []ptrace.Traces {
	var requests []ptrace.Traces
	var td ptrace.Traces
	in := batch
	for at := now.Add(-past); at.Before(now.Add(-10 * time.Second)); {
		if in == batch {
			td, in = ptrace.NewTraces(), 0
			requests = append(requests, td)
		}
		s.trace(td, at, now.Sub(at) < lateHours)
		in++
		rate := perHour * (1 + 0.7*math.Sin(2*math.Pi*float64(at.UTC().Hour()-8)/24))
		at = at.Add(time.Duration(s.r.ExpFloat64() * float64(time.Hour) / rate))
	}
	return requests
}

// trace adds a request to one of the services: an agent that looks something up
// and asks a model.
func (s *stream) trace(td ptrace.Traces, at time.Time, late bool) {
	of, said := pick(s.r, late)
	s.n++
	var id pcommon.TraceID
	binary.BigEndian.PutUint64(id[:8], s.r.Uint64())
	binary.BigEndian.PutUint64(id[8:], s.n)
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", of.service)
	rs.Resource().Attributes().PutStr("deployment.environment.name", "production")
	scope := rs.ScopeSpans().AppendEmpty()
	scope.Scope().SetName("demo")
	t := &told{spans: scope.Spans(), id: id, n: s.n}

	took := time.Duration(float64(of.took) * math.Exp(0.45*s.r.NormFloat64()))
	before := time.Duration(20+s.r.IntN(60)) * time.Millisecond
	root := t.add("invoke_agent "+of.agent, pcommon.SpanID{}, at, before+took+30*time.Millisecond, map[string]any{
		"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": of.agent, "gen_ai.provider.name": of.vendor, "user.id": []string{"u-104", "u-233", "u-871", "u-902"}[s.r.IntN(4)],
	})
	if of.document != "" {
		t.add("search handbook", root.SpanID(), at.Add(8*time.Millisecond), before-8*time.Millisecond, map[string]any{
			"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": said.question, "gen_ai.retrieval.documents": encoded([]any{map[string]any{"id": "handbook-4", "content": of.document}}),
		})
	}
	if of.tool != "" {
		t.add("execute_tool "+of.tool, root.SpanID(), at.Add(5*time.Millisecond), before-5*time.Millisecond, map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": of.tool, "gen_ai.tool.call.arguments": `{"order":17}`, "gen_ai.tool.call.result": `{"state":"on its way","due":"tomorrow"}`,
		})
	}
	chat := t.add("chat "+of.model, root.SpanID(), at.Add(before), took, s.chat(of, said))
	if s.r.IntN(40) == 0 {
		fail(chat, "429: too many requests")
		fail(root, "the model did not answer")
	}
}

// chat is what an SDK says of a call of a model.
func (s *stream) chat(of scene, said turn) map[string]any {
	system := "You are the assistant of " + of.service + ". Be brief, and never tell a customer what another one bought."
	if of.document != "" {
		system += "\n\nAnswer from this alone: " + of.document
	}
	read, wrote := len(system)/4+len(said.question)/4+180+s.r.IntN(500), len(said.answer)/4+20+s.r.IntN(60)
	return map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": of.vendor, "gen_ai.request.model": of.model, "gen_ai.response.model": of.answering,
		"gen_ai.usage.input_tokens": read, "gen_ai.usage.output_tokens": wrote, "gen_ai.response.finish_reasons": []any{"stop"},
		"gen_ai.usage.cost":      (float64(read)*of.input + float64(wrote)*of.output) / 1e6,
		"gen_ai.input.messages":  encoded([]any{message("system", system), message("user", said.question)}),
		"gen_ai.output.messages": encoded([]any{message("assistant", said.answer)}),
	}
}

func message(role, text string) map[string]any {
	m := map[string]any{"role": role, "parts": []any{map[string]any{"type": "text", "content": text}}}
	if role == "assistant" {
		m["finish_reason"] = "stop"
	}
	return m
}

// told is a trace while it is made.
type told struct {
	spans ptrace.SpanSlice
	id    pcommon.TraceID
	n     uint64
}

func (t *told) add(name string, parent pcommon.SpanID, at time.Time, took time.Duration, attributes map[string]any) ptrace.Span {
	s := t.spans.AppendEmpty()
	s.SetName(name)
	s.SetTraceID(t.id)
	var id pcommon.SpanID
	binary.BigEndian.PutUint64(id[:], t.n<<8|uint64(t.spans.Len()))
	s.SetSpanID(id)
	s.SetParentSpanID(parent)
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(at))
	s.SetEndTimestamp(pcommon.NewTimestampFromTime(at.Add(took)))
	for key, value := range attributes {
		_ = s.Attributes().PutEmpty(key).FromRaw(value) // of types that it knows
	}
	return s
}

func fail(s ptrace.Span, why string) {
	s.Status().SetCode(ptrace.StatusCodeError)
	s.Status().SetMessage(why)
}

func encoded(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // texts and maps of texts have no way to fail
	}
	return string(text)
}
