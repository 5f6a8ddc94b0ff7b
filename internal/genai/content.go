// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// plainPrefixes begin the keys of attributes that tell where and how an operation ran. Their
// values are no content as long as they are short.
// https://opentelemetry.io/docs/specs/semconv/registry/attributes/
var plainPrefixes = []string{
	"aws.region", "az.", "browser.", "client.", "cloud.", "code.", "container.", "db.collection", "db.namespace", "db.operation.name", "db.system", "deployment.", "device.",
	"enduser.", "error.type", "exception.type", "faas.", "host.", "http.", "k8s.", "messaging.", "net.", "network.", "os.", "otel.", "peer.", "process.", "rpc.", "server.",
	"service.", "session.", "source.", "telemetry.", "thread.", "url.scheme", "user.", "user_agent.",
}

// plainWords are last words of keys that name no content wherever they stand.
var plainWords = map[string]bool{
	"id": true, "model": true, "role": true, "finish_reason": true, "finish_reasons": true, "finishReason": true, "type": true, "name": true,
	"provider": true, "version": true, "kind": true, "mime_type": true, "timestamp": true, "fingerprint": true, "system_fingerprint": true,
}

// contentWords are words that end the keys of content, as SDKs call it.
var contentWords = []string{
	"answer", "answers", "args", "argument", "arguments", "body", "chat", "completion", "completions", "content", "contents", "context", "ctx", "data", "description",
	"dialogue", "document", "documents", "events", "history", "input", "inputs", "instruction", "instructions", "message", "messages", "msg", "output", "outputs", "params",
	"parameters", "payload", "prompt", "prompts", "query", "question", "reason", "reasoning", "reply", "request", "response", "result", "results", "statement", "summary", "text",
	"thought", "transcript", "value",
}

// maxPlain is how long a text is, in bytes, that is no content by its look alone.
const maxPlain = 64

// isPlain reports whether an attribute is known to hold nothing that people and models
// said: no messages, inputs, outputs, arguments, documents or instructions. Of a key that
// stands in no convention it takes a short word only, such as an id or a state.
func (own mapping) isPlain(key, text string) bool {
	to, mapped := own[key]
	if mapped && to.role.IsContent() {
		return false
	}
	if k, ok := semconv.Find(key); ok {
		return !k.IsContent() && (k < semconv.Count || len(text) <= maxPlain) // names of single SDKs may be anybody's
	}
	if len(text) > maxPlain {
		return false
	}
	if mapped {
		return true
	}
	for _, prefix := range semconv.AssociationPrefixes {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	last := key[strings.LastIndexAny(key, ".:/")+1:]
	if keyFamilyOf(key) != 0 { // of a part without its text another text would be made
		return last == "role" || last == "finish_reason"
	}
	for _, prefix := range plainPrefixes {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	if strings.ContainsAny(text, " \t\r\n@{[\"") {
		return false
	}
	return plainWords[last] || !sdkKey(key) && !slices.Contains(contentWords, lastWord(last))
}

// lastWord returns the last word of a name that is written in one of the usual ways.
func lastWord(name string) string {
	name = name[strings.LastIndexAny(name, "_-")+1:]
	for i := len(name) - 1; i > 0; i-- {
		if name[i] >= 'A' && name[i] <= 'Z' && (name[i-1] < 'A' || name[i-1] > 'Z') {
			name = name[i:]
			break
		}
	}
	return strings.ToLower(name)
}

// sdkPrefixes begin the keys of conventions for generative AI. What of them is unknown may
// be content however short it is.
var sdkPrefixes = []string{
	"gen_ai.", "llm.", "ai.", "input.", "output.", "traceloop.", "platform.", "langfuse.", "langsmith.", "openinference.",
	"retrieval.", "reranker.", "embedding.", "tool.", "tool_call.", "message.", "message_content.", "document.", "mcp.",
	"db.query.", "db.statement", "db.operation.parameter.", "logprobs", "prompt", "completion",
}

func sdkKey(key string) bool {
	return slices.ContainsFunc(sdkPrefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}

// DropContent removes from a span what people and models said. It fails closed: of the
// attributes that can hold words those stay that are known to hold no content, of events
// what names them. Numbers, models, roles, names and ids stay. The message of the status
// goes, which often repeats an input. The resource has the mappings of the environment.
func DropContent(r pcommon.Resource, s ptrace.Span) {
	DropContentAttributes(r, s.Attributes())
	for _, e := range s.Events().All() {
		e.Attributes().RemoveIf(func(key string, v pcommon.Value) bool {
			return isText(v) && (key != "event.name" && key != "exception.type" || len(valuetext.Of(v)) > maxPlain)
		})
		if len(e.Name()) > maxPlain {
			e.SetName("")
		}
	}
	for _, l := range s.Links().All() {
		DropContentAttributes(r, l.Attributes())
	}
	if len(s.Name()) > maxPlain {
		s.SetName("")
	}
	s.Status().SetMessage("")
}

// DropContentAttributes is DropContent for attributes.
func DropContentAttributes(r pcommon.Resource, m pcommon.Map) {
	own := mappingOn(r.Attributes())
	m.RemoveIf(func(key string, v pcommon.Value) bool {
		if !isText(v) || tenant.Reserved(key) {
			return false
		}
		if _, known := semconv.Find(key); !known && v.Type() != pcommon.ValueTypeStr {
			return true
		}
		return !own.isPlain(key, valuetext.Of(v))
	})
}

// isText reports whether a value can hold words; an array may be an embedding, which tells
// them.
func isText(v pcommon.Value) bool {
	switch v.Type() {
	case pcommon.ValueTypeBool, pcommon.ValueTypeInt, pcommon.ValueTypeDouble, pcommon.ValueTypeEmpty:
		return false
	}
	return true
}
