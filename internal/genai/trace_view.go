// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// Wants reports whether a part that evaluators read is rather found in the
// rest of the span's trace than on the span, which then has nothing better to
// offer than Part gives:
//
//	context          the span answers and is not alone in its trace, and neither
//	                 documents nor tool answers are its own
//	prompts, completions, input_messages, output_messages, messages
//	                 the span is that of an agent or a workflow without messages
//	output, question, instructions
//	                 the span is that of an agent or a workflow that shows nothing of
//	                 what was said
//	tool_calls       the span is that of an agent or a workflow whose own
//	                 messages call no tool
//	all that messages tell
//	                 the span is a call of a model that shows nothing of what was
//	                 said: some SDKs send that as log records, which come apart
//	                 from the span and join it in the store
//
// TraceView has the part once the trace is known. Wants looks at the span
// alone and is as cheap as Part.
func (v *View) Wants(part span.Part) bool {
	switch part {
	case span.PartOutput, span.PartQuestion, span.PartInstructions:
		return isSilentCall(v) || isOuter(v) && isSilent(v)
	case span.PartContext:
		return v.wantsContext() || isSilentCall(v)
	case span.PartPrompts, span.PartCompletions, span.PartInputMessages, span.PartOutputMessages, span.PartMessages:
		return !hasMessages(v) && (isOuter(v) || isSilentCall(v))
	case span.PartToolCalls:
		return isOuter(v) && callArray(answers(v)) == "" || isSilentCall(v)
	}
	return false
}

// wantsContext: what has no parent is alone in its trace, but for an agent or a
// workflow; what answers nothing needs no context; and a tool finds it.
func (v *View) wantsContext() bool {
	if v.span.ParentSpanID().IsEmpty() && !isOuter(v) {
		return false
	}
	if len(v.completionList()) == 0 && v.outputText() == "" || isTool(v) {
		return false
	}
	return len(documents(v)) == 0 && len(toolAnswers(questions(v))) == 0
}

// TraceView reads one span together with the rest of its trace. Like a View it
// is for one goroutine.
type TraceView struct {
	view     *View
	siblings []*View
	tree     *tree
}

// NewTraceView looks at a span and the other spans of its trace, in any order.
// Spans of other traces, the span itself and a second one with the same id may
// be among the siblings; they do not count.
func NewTraceView(view *View, siblings []*View) *TraceView {
	return &TraceView{view: view, siblings: siblings}
}

// SpanAttribute returns what the span's View does.
func (t *TraceView) SpanAttribute(key string) (string, bool) { return t.view.SpanAttribute(key) }

// ResourceAttribute returns what the span's View does.
func (t *TraceView) ResourceAttribute(key string) (string, bool) {
	return t.view.ResourceAttribute(key)
}

// Part returns a part of the span, unless the span Wants it and the trace has it:
//
//	context          documents, and what tools answered, of spans that ended
//	                 when the span did or before, or that are below it, in the
//	                 order of their starts and each text once
//	prompts, completions, input_messages, output_messages, messages
//	                 those of all calls of models below the span, in the order
//	                 of their starts. A message that a call repeats from an
//	                 earlier one is there once.
//	output, question, instructions
//	                 the last words of the models and of the user in those messages,
//	                 and all instructions
//	tool_calls       the tools' spans below the span, else what the calls of
//	                 models below it ask for
//
// Below a span without a parent is everything. Of spans that show one and the
// same call, one in the other, the inner one counts.
func (t *TraceView) Part(name span.Part) (string, bool) {
	if t.view.Wants(name) {
		if text := t.ofTrace(name); text != "" {
			return text, true
		}
	}
	return t.view.Part(name)
}

func (t *TraceView) ofTrace(name span.Part) string {
	if t.tree == nil {
		t.tree = newTree(t.view, t.siblings)
	}
	switch name {
	case span.PartOutput:
		return lastText(t.tree.conversation().said(true), "assistant")
	case span.PartQuestion:
		return lastText(t.tree.conversation().all(), "user")
	case span.PartInstructions:
		return joinTexts(t.tree.conversation().all(), isInstruction)
	case span.PartContext:
		return t.tree.context()
	case span.PartPrompts:
		return textArray(t.tree.conversation().all(), "user")
	case span.PartCompletions:
		return textArray(t.tree.conversation().all(), "assistant")
	case span.PartInputMessages:
		return messageArray(t.tree.conversation().said(false))
	case span.PartOutputMessages:
		return messageArray(t.tree.conversation().said(true))
	case span.PartMessages:
		return messageArray(t.tree.conversation().all())
	case span.PartToolCalls:
		return cmp.Or(t.tree.toolRuns(), callArray(t.tree.conversation().said(true)))
	}
	return ""
}
