// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
)

// langfusePrompts reads an array of messages or the request they stand in
// (https://langfuse.com/integrations/native/opentelemetry).
func (m *messageReader) langfusePrompts(l *messageList) {
	text := m.langfuseText(semconv.LangfuseInput)
	switch {
	case strings.HasPrefix(text, "["):
		l.addAll(text, "user")
	case strings.HasPrefix(text, "{"):
		l.addConversation(text)
	}
}

// langfuseCompletions reads a message, several, a whole response, a text, or
// the object that the model was asked for.
func (m *messageReader) langfuseCompletions(l *messageList) {
	text := m.langfuseText(semconv.LangfuseOutput)
	switch {
	case text == "":
	case strings.HasPrefix(text, "["):
		l.addAll(text, "assistant")
	case strings.HasPrefix(text, "{"):
		l.addAnswer(text)
	case strings.HasPrefix(text, `"`):
		l.addAll(text, "assistant")
	default:
		l.addText("assistant", text)
	}
}

// langfuseText returns an attribute of a generation; other observations hold
// the arguments of functions in it.
func (m *messageReader) langfuseText(k semconv.Attribute) string {
	if !strings.EqualFold(m.values.texts[semconv.LangfuseType], "generation") {
		return ""
	}
	return strings.TrimSpace(m.values.texts[k])
}

// addAnswer reads an object that answers.
func (l *messageList) addAnswer(text string) {
	found, ok := valuetext.Members(text, "choices", "messages", "role", "content", "tool_calls", "parts")
	if !ok {
		return
	}
	switch {
	case found[0].Kind == '[':
		l.addChoices(found[0].Raw)
	case found[1].Kind == '[':
		l.addAll(found[1].Raw, "assistant")
	case found[2].Kind == '"' || found[3].Present() || found[4].Present() || found[5].Present():
		l.addAll(text, "assistant")
	default:
		l.addText("assistant", valuetext.Value{Kind: '{', Raw: text}.Compact())
	}
}

// addChoices reads an array of completions that wrap their messages.
func (l *messageList) addChoices(text string) {
	for _, v := range valuetext.Elements(text) {
		l.addChoice(v.Raw)
	}
}

// addChoice reads one completion, which may name its index.
func (l *messageList) addChoice(text string) {
	r := valuetext.Read(text)
	if !r.Enter('{') {
		return
	}
	m, index, ok := readChoice(r)
	if !r.OK() {
		return
	}
	if !ok {
		index = l.next
	}
	l.addAt(index, m, "assistant")
}
