// SPDX-License-Identifier: Apache-2.0

// Package agentlogs makes spans of the log records by which coding agents report what they
// do: Claude Code, Codex and Gemini CLI send no spans by default.
package agentlogs

import (
	"crypto/sha256"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
)

// spanType is the attribute by which the table of conventions reads the spans.
const spanType = "span.type"

// Values of spanType.
const (
	interaction = "interaction" // what a user asks
	llmRequest  = "llm_request"
	tool        = "tool"
)

// agents are the senders by the prefix of their events, with the provider of their models.
// https://docs.claude.com/en/docs/claude-code/monitoring-usage
// https://github.com/openai/codex/blob/main/codex-rs/otel/README.md
// https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/telemetry.md
var agents = map[string]string{"claude_code": "anthropic", "codex": "openai", "gemini_cli": "gcp.gemini"}

// events are the events that become spans, by their names behind the prefix.
var events = map[string]string{
	"user_prompt": interaction, "api_request": llmRequest, "api_response": llmRequest, "api_error": llmRequest, "sse_event": llmRequest,
	"tool_result": tool, "tool_call": tool,
}

// Reasons why a record is refused.
const (
	NoSession   = "an agent's log event names no session"
	NoSpan      = "an agent's log event of this name is not stored"
	HasSpan     = "an agent's log event reports the model call of the span that it names"
	NoTimestamp = "an agent's log event has no time"
)

// Refused counts records by the reason why they are refused.
type Refused map[string]int

// Spans takes the events of agents out of logs and returns the spans that they become. A
// record that is sent again becomes the same span: the ids are made of the session, the
// prompt and the sequence that it names. An answer that the agent reports apart from its call
// stays, with the ids of the call's span. The records of other senders stay too.
func Spans(logs plog.Logs) (ptrace.Traces, Refused) {
	traces, refused := ptrace.NewTraces(), Refused{}
	nameDetails(logs)
	logs.ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool {
		var into ptrace.ResourceSpans
		made := false
		before := rl.ScopeLogs().Len()
		rl.ScopeLogs().RemoveIf(func(sl plog.ScopeLogs) bool {
			var scope ptrace.ScopeSpans
			has, before := false, sl.LogRecords().Len()
			sl.LogRecords().RemoveIf(func(r plog.LogRecord) bool {
				e, is := eventOf(rl.Resource(), r)
				if !is || e.answers() {
					return false
				}
				if reason := e.refusal(); reason != "" {
					refused[reason]++
					return true
				}
				if !made {
					into, made = traces.ResourceSpans().AppendEmpty(), true
					rl.Resource().CopyTo(into.Resource())
					into.SetSchemaUrl(rl.SchemaUrl())
				}
				if !has {
					scope, has = into.ScopeSpans().AppendEmpty(), true
					sl.Scope().CopyTo(scope.Scope())
					scope.SetSchemaUrl(sl.SchemaUrl())
				}
				e.span(scope.Spans().AppendEmpty())
				return true
			})
			return before > 0 && sl.LogRecords().Len() == 0
		})
		return before > 0 && rl.ScopeLogs().Len() == 0
	})
	return traces, refused
}

// detailsEvent is the record in which Gemini CLI repeats a call with all messages, but
// without the prompt that it belongs to.
const detailsEvent = "gen_ai.client.inference.operation.details"

// nameDetails gives those records the ids of the span of their call, which has the same
// time, so that their messages join it.
func nameDetails(logs plog.Logs) {
	type moment struct{ session, timestamp string }
	var calls map[moment]event
	each := func(visit func(resource pcommon.Resource, r plog.LogRecord)) {
		for _, rl := range logs.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, r := range sl.LogRecords().All() {
					visit(rl.Resource(), r)
				}
			}
		}
	}
	each(func(resource pcommon.Resource, r plog.LogRecord) {
		if e, is := eventOf(resource, r); is && e.agent == "gemini_cli" && e.kind() == llmRequest && e.refusal() == "" {
			if calls == nil {
				calls = map[moment]event{}
			}
			calls[moment{e.session, e.get("event.timestamp")}] = e
		}
	})
	if calls == nil {
		return
	}
	each(func(_ pcommon.Resource, r plog.LogRecord) {
		if genai.EventName(r) != detailsEvent || !r.SpanID().IsEmpty() {
			return
		}
		of := event{record: r}
		if call, known := calls[moment{of.get("session.id"), of.get("event.timestamp")}]; known {
			r.SetTraceID(call.trace())
			r.SetSpanID(call.id(llmRequest, call.sequence(llmRequest)))
		}
	})
}

// event is a log record of an agent.
type event struct {
	agent, name string
	record      plog.LogRecord
	session     string
	prompt      string
	end         time.Time
}

// eventOf returns the event that a record is, if it is one of an agent's. Claude Code
// writes the prefix of the name in the body only.
func eventOf(resource pcommon.Resource, r plog.LogRecord) (event, bool) {
	for _, name := range [...]string{genai.EventName(r), bodyText(r)} {
		agent, rest := senderOf(name)
		if agent == "" {
			continue
		}
		e := event{agent: agent, name: rest, record: r, end: endOf(r)}
		for _, key := range [...]string{"session.id", "conversation.id", "session_id"} {
			if e.session == "" {
				e.session = e.get(key)
			}
		}
		if v, ok := resource.Attributes().Get("session.id"); ok && e.session == "" {
			e.session = valuetext.NameOf(v)
		}
		if e.prompt = e.get("prompt.id"); e.prompt == "" {
			e.prompt = e.get("prompt_id")
		}
		return e, true
	}
	return event{}, false
}

// senderOf returns the agent that the name of an event begins with, and the rest of the name.
// A body may be long: no more of it is read than that.
func senderOf(name string) (agent, rest string) {
	for agent := range agents {
		if rest, found := strings.CutPrefix(name, agent); found && strings.HasPrefix(rest, ".") {
			return agent, rest[1:]
		}
	}
	return "", ""
}

func bodyText(r plog.LogRecord) string {
	if r.Body().Type() != pcommon.ValueTypeStr {
		return ""
	}
	return r.Body().Str()
}

// endOf returns when what a record reports ended, the zero time if it does not say so.
func endOf(r plog.LogRecord) time.Time {
	if n := genai.RecordTime(r); n != 0 {
		return time.Unix(0, n)
	}
	if v, ok := r.Attributes().Get("event.timestamp"); ok {
		if end, err := time.Parse(time.RFC3339, v.AsString()); err == nil {
			return end
		}
	}
	return time.Time{}
}

func (e *event) get(key string) string {
	v, ok := e.record.Attributes().Get(key)
	if !ok {
		return ""
	}
	return valuetext.NameOf(v)
}

// kind returns which span the event becomes, "" for none. Codex reports each piece of a
// stream, of which the last has the tokens.
func (e *event) kind() string {
	kind := events[e.name]
	switch {
	case e.name == "sse_event" && e.get("event.kind") != "response.completed",
		e.name == "api_request" && e.agent != "claude_code": // it has no answer and no tokens yet
		return ""
	}
	return kind
}

// refusal returns why the event cannot be a span, "" if it can.
func (e *event) refusal() string {
	switch {
	case e.kind() == "":
		return NoSpan
	case e.kind() == llmRequest && !e.record.SpanID().IsEmpty():
		return HasSpan
	case e.session == "":
		return NoSession
	case e.end.IsZero():
		return NoTimestamp
	}
	return ""
}

// answers reports whether the event is the answer of a call that has a span of its own. It
// becomes a message of that span, by the ids and the name that it gets.
// https://docs.claude.com/en/docs/claude-code/monitoring-usage
func (e *event) answers() bool {
	request, text := e.get("request_id"), e.get("response")
	if e.name != "assistant_response" || e.session == "" || request == "" || text == "" {
		return false
	}
	if e.record.SpanID().IsEmpty() {
		e.record.SetTraceID(e.trace())
		e.record.SetSpanID(e.id(llmRequest, request))
	}
	e.record.SetEventName("gen_ai.assistant.message")
	e.record.Body().SetStr(text)
	return true
}

// span writes the span that the event becomes.
func (e *event) span(s ptrace.Span) {
	kind := e.kind()
	e.record.Attributes().CopyTo(s.Attributes())
	s.Attributes().PutStr(spanType, kind)
	s.Attributes().PutStr("session.id", e.session)
	if _, has := s.Attributes().Get("gen_ai.provider.name"); !has && kind == llmRequest {
		s.Attributes().PutStr("gen_ai.provider.name", agents[e.agent])
	}
	s.SetName(e.agent + "." + kind)
	s.SetKind(ptrace.SpanKindInternal)
	s.SetEndTimestamp(pcommon.NewTimestampFromTime(e.end))
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(e.end.Add(-e.duration())))
	if e.failed() {
		s.Status().SetCode(ptrace.StatusCodeError)
		s.Status().SetMessage(e.get("error"))
	}

	s.SetTraceID(e.trace())
	s.SetSpanID(e.id(kind, e.sequence(kind)))
	switch {
	case !e.record.SpanID().IsEmpty():
		s.SetParentSpanID(e.record.SpanID())
	case kind == interaction && e.prompt != "":
		s.SetSpanID(e.root())
	case e.prompt != "":
		s.SetParentSpanID(e.root())
	}
}

// maxDuration bounds what an agent may report.
const maxDuration = 24 * time.Hour

func (e *event) duration() time.Duration {
	n := genai.ParseCount(e.get("duration_ms"))
	return min(time.Duration(max(n, 0))*time.Millisecond, maxDuration)
}

func (e *event) failed() bool {
	return e.name == "api_error" || e.get("success") == "false"
}

// sequence returns what tells the event from others of its prompt: the id of its call, the
// number that the agent gave to it, or all that it says.
func (e *event) sequence(kind string) string {
	keys := map[string][]string{llmRequest: {"request_id"}, tool: {"tool_use_id", "call_id"}}[kind]
	for _, key := range append(keys, "event.sequence") {
		if text := e.get(key); text != "" {
			return text
		}
	}
	all := pcommon.NewValueMap()
	e.record.Attributes().CopyTo(all.Map())
	return e.end.UTC().Format(time.RFC3339Nano) + "\x00" + valuetext.Of(all)
}

// trace returns the id of the trace of the prompt, or of the session where the agent does
// not number prompts.
func (e *event) trace() (id pcommon.TraceID) {
	if !e.record.TraceID().IsEmpty() {
		return e.record.TraceID()
	}
	copy(id[:], e.digest("trace", ""))
	return id
}

// root returns the id of the span of the prompt.
func (e *event) root() pcommon.SpanID { return e.id(interaction, "") }

func (e *event) id(kind, sequence string) (id pcommon.SpanID) {
	copy(id[:], e.digest(kind, sequence))
	return id
}

func (e *event) digest(kind, sequence string) []byte {
	h := sha256.New()
	for _, text := range [...]string{e.agent, e.session, e.prompt, kind, sequence} {
		h.Write([]byte(text))
		h.Write([]byte{0})
	}
	return h.Sum(nil)
}
