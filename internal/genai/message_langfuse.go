// SPDX-License-Identifier: Apache-2.0

package genai

import "strings"

// langfusePrompts reads an array of messages or the request they stand in.
func (m *material) langfusePrompts(l *messageList) {
	text := m.langfuseText(langfuseInput)
	switch {
	case strings.HasPrefix(text, "["):
		l.addAll(text, "user")
	case strings.HasPrefix(text, "{"):
		l.addConversation(text)
	}
}

// langfuseCompletions reads a message, several, a whole response, a text, or
// the object that the model was asked for.
func (m *material) langfuseCompletions(l *messageList) {
	text := m.langfuseText(langfuseOutput)
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

// langfuseText gives an attribute of a generation; other observations hold
// the arguments of functions in it.
func (m *material) langfuseText(k fact) string {
	if !strings.EqualFold(m.facts.texts[langfuseType], "generation") {
		return ""
	}
	return strings.TrimSpace(m.facts.texts[k])
}

// addAnswer reads an object that answers.
func (l *messageList) addAnswer(text string) {
	found, ok := members(text, "choices", "messages", "role", "content", "tool_calls", "parts")
	if !ok {
		return
	}
	switch {
	case found[0].kind == '[':
		l.addChoices(found[0].raw)
	case found[1].kind == '[':
		l.addAll(found[1].raw, "assistant")
	case found[2].kind == '"' || found[3].present() || found[4].present() || found[5].present():
		l.addAll(text, "assistant")
	default:
		l.addText("assistant", value{kind: '{', raw: text}.compact())
	}
}

// addChoices reads an array of completions that wrap their messages.
func (l *messageList) addChoices(text string) {
	for _, v := range elements(text) {
		l.addChoice(v.raw)
	}
}

// addChoice reads one completion, which may name its index.
func (l *messageList) addChoice(text string) {
	r := read(text)
	if !r.enter('{') {
		return
	}
	m, index, ok := readChoice(r)
	if !r.ok() {
		return
	}
	if !ok {
		index = l.next
	}
	l.addAt(index, m, "assistant")
}
