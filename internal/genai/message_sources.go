// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// messageReader reads the messages of a span: of the values that are known
// beforehand, and of what it can ask for.
type messageReader struct {
	values *sourceValues
	// each calls visit for every attribute whose key begins with prefix.
	each func(prefix string, visit func(key, text string))
	// events returns the span's events.
	events func() []span.Event

	// from is the attribute or the event that was read last.
	from string
}

// step reads messages from one kind of source. Its name is that of the source; a step
// that reads one of several sets messageReader.from itself.
type step struct {
	name string
	read func(*messageReader, *messageList)
}

var (
	promptSteps = [...]step{
		{"", (*messageReader).mappedPrompts},
		{semconv.GenAIInputMessages.Name(), (*messageReader).inputMessages},
		{inputMessagesPrefix + "*", (*messageReader).openInferencePrompts},
		{semconv.VercelPromptMessages.Name(), (*messageReader).vercelPrompts},
		{semconv.LangfuseInput.Name(), (*messageReader).langfusePrompts},
		{"", (*messageReader).tablePrompts},
		{"", (*messageReader).eventPrompts},
		{"", (*messageReader).discoverPrompts},
	}
	completionSteps = [...]step{
		{"", (*messageReader).mappedCompletions},
		{semconv.GenAIOutputMessages.Name(), (*messageReader).outputMessages},
		{outputMessagesPrefix + "*", (*messageReader).openInferenceCompletions},
		{semconv.VercelResponseText.Name(), (*messageReader).vercelCompletion},
		{semconv.LangfuseOutput.Name(), (*messageReader).langfuseCompletions},
		{"", (*messageReader).tableCompletions},
		{"", (*messageReader).eventCompletions},
		{"", (*messageReader).discoverCompletions},
	}
)

// read takes the messages of the first source that has any.
func (m *messageReader) read(l *messageList, steps []step) {
	for i := range steps {
		if !l.none() {
			return
		}
		m.from = steps[i].name
		steps[i].read(m, l)
	}
}

// prompts returns the prompts, and the family of attributes that became prompts
// as they were sent, 0 if none did. The first source that has any wins.
func (m *messageReader) prompts() (span.Attributes, keyFamily) {
	l := &messageList{keys: promptKeys}
	if consumed := m.flatPrompts(l); consumed != 0 {
		return span.NewAttributes(l.list), consumed
	}
	m.read(l, promptSteps[:])
	return span.NewAttributes(m.instructed(l).list), 0
}

// instructed returns the prompts with the instructions that the span has apart from them
// before them, unless they have instructions.
func (m *messageReader) instructed(l *messageList) *messageList {
	system, ok := parseInstructions(m.values.texts[semconv.GenAIInstructions])
	isRole := func(a span.Attribute) bool { return strings.HasSuffix(a.Key, ".role") && isInstruction(a.Value) }
	if !ok || slices.ContainsFunc(l.list, isRole) {
		return l
	}
	if l.none() {
		m.from = semconv.GenAIInstructions.Name()
	}
	led := &messageList{keys: l.keys}
	led.add(system, "system")
	for _, a := range l.list {
		index, suffix := splitIndex(a.Key[len(l.keys.prefix):])
		if i, ok := smallIndex(index); ok {
			a.Key = l.keys.key(i+1, suffix)
		}
		led.list = append(led.list, a)
	}
	return led
}

// completions returns what the model answered, as prompts does what it was asked.
func (m *messageReader) completions() (span.Attributes, keyFamily) {
	l := &messageList{keys: completionKeys}
	consumed := m.flatCompletions(l)
	m.read(l, completionSteps[:])
	if !l.none() {
		m.finishReasons(l)
	}
	return span.NewAttributes(l.list), consumed
}

func (l *messageList) none() bool { return len(l.list) == 0 }

// openInferenceText is the suffix of OpenInference's prompts of the completions
// API.
const openInferenceText = "prompt.text"

// flatPrompts takes keys that are prompts already but for their prefix.
func (m *messageReader) flatPrompts(l *messageList) keyFamily {
	switch seen := m.values.seen; {
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

func (m *messageReader) flatCompletions(l *messageList) keyFamily {
	switch seen := m.values.seen; {
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

func (m *messageReader) renamed(l *messageList, prefix string) {
	m.each(prefix, func(key, text string) {
		if index, suffix := splitIndex(key[len(prefix):]); index != "" && suffix != "" {
			l.list = append(l.list, span.Attribute{Key: l.keys.rename(index, suffix), Value: text})
		}
	})
}

// inputMessages reads the semantic conventions since 1.37. The JSON is that of
// https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-input-messages.json
func (m *messageReader) inputMessages(l *messageList) {
	l.addAll(m.values.texts[semconv.GenAIInputMessages], "user")
}

// addInput appends a conversation. The instructions are a message of their own unless it
// repeats them.
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
	r := valuetext.Read(text)
	if !r.Enter('[') {
		list = append(list, readMessage(r))
	} else {
		for r.More() {
			// LangChain has a list for each of several calls.
			batched := r.Enter('[')
			for !batched || r.More() {
				if m := readMessage(r); len(list) < maxMessages {
					list = append(list, m)
				}
				if !batched {
					break
				}
			}
		}
	}
	if r.OK() {
		return list
	}
	mended, cut := valuetext.Mend(text)
	if !cut {
		return nil
	}
	return slices.DeleteFunc(parseMessages(mended), func(m message) bool { return m.silent() })
}

// parseInstructions reads a text or an array of parts.
func parseInstructions(text string) (m message, ok bool) {
	switch {
	case text == "":
		return m, false
	case !startsJSON(text) && strings.Contains(strings.TrimSpace(text), " "):
		return message{content: &text}, true
	}
	r := valuetext.Read(text)
	var p parts
	p.readContent(r)
	p.finish(&m)
	return m, r.OK() && m.content != nil
}

func (m *messageReader) outputMessages(l *messageList) {
	l.addAll(m.values.texts[semconv.GenAIOutputMessages], "assistant")
}

// vercelPrompts reads the AI SDK up to its version 5: the inner span has the
// messages as sent, the outer one as the application gave them
// (https://ai-sdk.dev/docs/ai-sdk-core/telemetry).
func (m *messageReader) vercelPrompts(l *messageList) {
	l.addAll(m.values.texts[semconv.VercelPromptMessages], "user")
	if len(l.list) == 0 {
		m.from = semconv.VercelPrompt.Name()
		l.addRequest(m.values.texts[semconv.VercelPrompt])
	}
}

// vercelCompletion reads what doGenerate and doStream report.
func (m *messageReader) vercelCompletion(l *messageList) {
	f := m.values
	answer := message{toolCalls: parseToolCalls(f.texts[semconv.VercelResponseToolCalls])}
	if text := cmp.Or(f.texts[semconv.VercelResponseText], f.texts[semconv.VercelResponseObject]); text != "" {
		answer.content = &text
	}
	if answer.content != nil || len(answer.toolCalls) > 0 {
		answer.finish = f.texts[semconv.VercelFinishReason]
		l.add(answer, "assistant")
	}
}

// finishReasons sets the finish reason of completions that have none to the one
// of their index.
func (m *messageReader) finishReasons(l *messageList) {
	text := m.values.texts[semconv.GenAIFinishReasons]
	if text == "" {
		return
	}
	reasons := []string{text}
	if strings.HasPrefix(text, "[") {
		reasons = reasons[:0]
		for _, v := range valuetext.Elements(text) {
			reasons = append(reasons, v.AsText())
		}
	}
	l.finishWith(reasons)
}

// finishWith sets the finish reason of messages that have none to the one of
// their index.
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
