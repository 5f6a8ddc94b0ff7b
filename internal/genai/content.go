// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
)

// contentPrefixes begin the keys of attributes that may hold what people and models said:
// all that conventions for generative AI and for what goes with it define. What is no
// content among them is told by contentless.
var contentPrefixes = []string{
	"gen_ai.", "llm.", "ai.", "input.", "output.", "traceloop.", "platform.", "langfuse.", "langsmith.", "openinference.",
	"retrieval.", "reranker.", "embedding.", "tool.", "tool_call.", "message.", "message_content.", "document.", "mcp.",
	"db.query.", "db.statement", "db.operation.parameter.", "logprobs", "prompt", "completion",
}

// contentSources are content among the attributes that have fixed names.
var contentSources = []semconv.Attribute{
	semconv.GenAIToolDefinitions, semconv.GenAIRetrievalQuery, semconv.GenAIRetrievalDocuments, semconv.GenAIMemoryQuery,
	semconv.GenAIInstructions, semconv.GenAIInputMessages, semconv.GenAIOutputMessages, semconv.GenAIToolArguments, semconv.GenAIToolResult,
	semconv.GenAIPrompt, semconv.GenAIGuardrailInput, semconv.GenAIGuardrailOutput,
	semconv.TraceloopInput, semconv.TraceloopOutput, semconv.PlatformInput, semconv.PlatformOutput,
	semconv.OpenInferenceParameters, semconv.OpenInferenceRerankerQuery, semconv.OpenInferenceInput, semconv.OpenInferenceOutput,
	semconv.VercelToolInput, semconv.VercelToolArgs, semconv.VercelToolOutput, semconv.VercelToolResult, semconv.VercelPromptMessages,
	semconv.VercelPrompt, semconv.VercelResponseText, semconv.VercelResponseObject, semconv.VercelResponseToolCalls, semconv.VercelTools,
	semconv.LangfuseInput, semconv.LangfuseOutput,
}

// contentless are last words of keys that name no content wherever they stand.
var contentless = map[string]bool{
	"id": true, "model": true, "role": true, "finish_reason": true, "finish_reasons": true, "finishReason": true, "type": true, "name": true,
	"provider": true, "version": true, "kind": true, "mime_type": true, "timestamp": true, "fingerprint": true, "system_fingerprint": true,
}

// isContent reports whether the attribute with this key holds messages, inputs, outputs,
// arguments, documents or instructions, or may.
func isContent(key string) bool {
	if k, ok := semconv.Find(key); ok {
		return slices.Contains(contentSources, k)
	}
	for _, prefix := range semconv.AssociationPrefixes {
		if strings.HasPrefix(key, prefix) {
			return false
		}
	}
	last := key[strings.LastIndexByte(key, '.')+1:]
	if keyFamilyOf(key) != 0 { // of a part without its text another text would be made
		return last != "role" && last != "finish_reason"
	}
	for _, prefix := range contentPrefixes {
		if strings.HasPrefix(key, prefix) {
			return !contentless[last]
		}
	}
	return false
}

// DropContent removes from a span what people and models said: the attributes of messages,
// inputs and outputs, of arguments and answers of tools, of documents and instructions, all
// attributes of events but what names them, and the message of the status, which often
// repeats an input. Numbers, models, roles, names and ids stay.
func DropContent(s ptrace.Span) {
	DropContentAttributes(s.Attributes())
	for _, e := range s.Events().All() {
		e.Attributes().RemoveIf(func(key string, v pcommon.Value) bool {
			return isText(v) && key != "event.name" && key != "exception.type"
		})
	}
	s.Status().SetMessage("")
}

// DropContentAttributes is DropContent for attributes.
func DropContentAttributes(m pcommon.Map) {
	m.RemoveIf(func(key string, v pcommon.Value) bool { return isText(v) && isContent(key) })
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
