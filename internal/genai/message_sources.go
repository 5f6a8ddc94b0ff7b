// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// material is a span as the normaliser reads messages from it: what it knows
// beforehand, and two ways to ask for more.
type material struct {
	facts *facts
	// each calls visit for every attribute whose key begins with prefix.
	each func(prefix string, visit func(key, text string))
	// events gives the span's events.
	events func() []span.Event
}

// prompts gives the prompts and the family of attributes that they are, if
// they are such as they were sent. The first source that has any wins.
func (m *material) prompts() (span.Attributes, family) {
	l := &messageList{keys: promptKeys}
	if moved := m.flatPrompts(l); moved != 0 {
		return span.NewAttributes(l.list), moved
	}
	m.inputMessages(l)
	if l.none() {
		m.openInferencePrompts(l)
	}
	if l.none() {
		m.vercelPrompts(l)
	}
	if l.none() {
		m.langfusePrompts(l)
	}
	if l.none() {
		m.plainPrompt(l)
	}
	if l.none() {
		m.eventPrompts(l)
	}
	return span.NewAttributes(l.list), 0
}

// completions is prompts for what the model answered.
func (m *material) completions() (span.Attributes, family) {
	l := &messageList{keys: completionKeys}
	moved := m.flatCompletions(l)
	if l.none() {
		m.outputMessages(l)
	}
	if l.none() {
		m.openInferenceCompletions(l)
	}
	if l.none() {
		m.vercelCompletion(l)
	}
	if l.none() {
		m.langfuseCompletions(l)
	}
	if l.none() {
		m.eventCompletions(l)
	}
	if !l.none() {
		m.finishReasons(l)
	}
	return span.NewAttributes(l.list), moved
}

func (l *messageList) none() bool { return len(l.list) == 0 }

// openInferenceText is the suffix of OpenInference's prompts of the completions
// API.
const openInferenceText = "prompt.text"

// flatPrompts takes keys that are prompts already but for their prefix.
func (m *material) flatPrompts(l *messageList) family {
	switch seen := m.facts.seen; {
	case seen&llmPrompts != 0:
		m.each(promptPrefix, func(key, text string) {
			index, suffix := splitIndex(key[len(promptPrefix):])
			switch {
			case index == "" || suffix == "":
			case suffix == openInferenceText:
				l.list = append(l.list, span.Attribute{Key: l.keys.rename(index, "content"), Value: text})
			default:
				l.list = append(l.list, span.Attribute{Key: key, Value: text})
			}
		})
		return llmPrompts
	case seen&genPrompts != 0:
		m.renamed(l, genPromptPrefix)
		return genPrompts
	}
	return 0
}

func (m *material) flatCompletions(l *messageList) family {
	switch seen := m.facts.seen; {
	case seen&llmCompletions != 0:
		m.each(completionPrefix, func(key, text string) {
			if isIndexed(key, completionPrefix) {
				l.list = append(l.list, span.Attribute{Key: key, Value: text})
			}
		})
		return llmCompletions
	case seen&genCompletions != 0:
		m.renamed(l, genCompletionPrefix)
		return genCompletions
	}
	return 0
}

func (m *material) renamed(l *messageList, prefix string) {
	m.each(prefix, func(key, text string) {
		if index, suffix := splitIndex(key[len(prefix):]); index != "" && suffix != "" {
			l.list = append(l.list, span.Attribute{Key: l.keys.rename(index, suffix), Value: text})
		}
	})
}

// inputMessages reads the semantic conventions of 2025. The instructions are
// a message of their own unless the conversation repeats them.
func (m *material) inputMessages(l *messageList) {
	l.addInput(m.facts.texts[genInstructions], m.facts.texts[genInputMessages])
}

func (l *messageList) addInput(instructions, conversation string) {
	list := parseMessages(conversation)
	if system, ok := parseInstructions(instructions); ok && !slices.ContainsFunc(list, isSystem) {
		l.add(system, "system")
	}
	for _, m := range list {
		l.add(m, "user")
	}
}

func isSystem(m message) bool { return isInstruction(m.role) }

// parseMessages reads a JSON array of messages, or one alone.
func parseMessages(text string) []message {
	if text == "" {
		return nil
	}
	var list []message
	r := read(text)
	if !r.enter('[') {
		list = append(list, readMessage(r))
	} else {
		for r.more() {
			if m := readMessage(r); len(list) < maxMessages {
				list = append(list, m)
			}
		}
	}
	if !r.ok() {
		return nil
	}
	return list
}

// parseInstructions reads a text or an array of parts.
func parseInstructions(text string) (m message, ok bool) {
	if text == "" {
		return m, false
	}
	r := read(text)
	var p parts
	p.readContent(r)
	p.finish(&m)
	return m, r.ok() && m.content != nil
}

func (m *material) outputMessages(l *messageList) {
	l.addAll(m.facts.texts[genOutputMessages], "assistant")
}

// vercelPrompts reads the AI SDK up to its version 5: the inner span has the
// messages as sent, the outer one as the application gave them.
func (m *material) vercelPrompts(l *messageList) {
	l.addAll(m.facts.texts[aiPromptMessages], "user")
	if len(l.list) == 0 {
		l.addConversation(m.facts.texts[aiPrompt])
	}
}

// addConversation reads {"system", "messages" | "prompt"}.
func (l *messageList) addConversation(text string) {
	found, ok := members(text, "system", "messages", "prompt")
	if !ok {
		return
	}
	l.addText("system", found[0].asText())
	if !found[1].present() {
		found[1] = found[2]
	}
	l.addAll(found[1].raw, "user")
}

// vercelCompletion reads what doGenerate and doStream report.
func (m *material) vercelCompletion(l *messageList) {
	f := m.facts
	answer := message{toolCalls: parseToolCalls(f.texts[aiResponseToolCalls])}
	if text := firstOf(f.texts[aiResponseText], f.texts[aiResponseObject]); text != "" {
		answer.content = &text
	}
	if answer.content != nil || len(answer.toolCalls) > 0 {
		answer.finish = f.texts[aiFinishReason]
		l.add(answer, "assistant")
	}
}

// plainPrompt reads the one prompt of early instrumentations.
func (m *material) plainPrompt(l *messageList) {
	l.addText("user", m.facts.texts[genPrompt])
}

// finishReasons gives completions that have none the reason of their index.
func (m *material) finishReasons(l *messageList) {
	text := m.facts.texts[genFinishReasons]
	if text == "" {
		return
	}
	reasons := []string{text}
	if strings.HasPrefix(text, "[") {
		reasons = reasons[:0]
		for _, v := range elements(text) {
			reasons = append(reasons, v.asText())
		}
	}
	l.finishWith(reasons)
}

// finishWith gives messages that have no finish reason the one of their index.
func (l *messageList) finishWith(reasons []string) {
	var present, finished [maxFinished]bool
	for _, a := range l.list {
		index, suffix := splitIndex(a.Key[len(l.keys.prefix):])
		if i, ok := smallIndex(index); ok && i < min(len(reasons), maxFinished) {
			present[i] = true
			finished[i] = finished[i] || suffix == "finish_reason"
		}
	}
	for i, reason := range reasons[:min(len(reasons), maxFinished)] {
		if present[i] && !finished[i] {
			l.put(i, "finish_reason", reason)
		}
	}
}

// maxFinished is how many completions may get their finish reason from the
// span; no API gives more choices.
const maxFinished = 256
