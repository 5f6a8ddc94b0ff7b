// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

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
		l.addRequest(text)
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
		if !l.addResponse(text) && jsontext.Value(text).IsValid(valuetext.RepeatedNames, valuetext.InvalidUTF8) {
			l.addText("assistant", valuetext.Value{Kind: '{', Raw: text}.Compact())
		}
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

// addChoices reads an array of completions that wrap their messages.
func (l *messageList) addChoices(text string) {
	for _, v := range valuetext.Elements(text) {
		l.addChoice(v.Raw)
	}
}

// addChoice reads one completion, which may name its index.
func (l *messageList) addChoice(text string) {
	r := valuetext.Read(text)
	if r.Next() != '{' {
		return
	}
	m := readMessage(r)
	if !r.OK() {
		return
	}
	l.addIndexed(m)
}

// addIndexed appends a completion at the index that it names.
func (l *messageList) addIndexed(m message) {
	index, ok := smallIndex(m.index)
	if !ok {
		index = l.next
	}
	l.addAt(index, m, "assistant")
}
