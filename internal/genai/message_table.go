// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// tablePrompts reads the attributes that the table of SDKs names for what was asked.
func (m *messageReader) tablePrompts(l *messageList) {
	m.promptsOf(l, semconv.PromptSources, semconv.DialogueSources)
}

// mappedPrompts reads those that the environment maps.
func (m *messageReader) mappedPrompts(l *messageList) {
	if len(m.values.mapped) > 0 {
		m.promptsOf(l, semconv.MappedPromptSources, semconv.MappedDialogueSources)
	}
}

func (m *messageReader) promptsOf(l *messageList, sources, dialogues []semconv.Attribute) {
	for _, k := range sources {
		if text := m.values.text(k); text != "" && m.speaks(k) {
			m.from = m.values.sentAs(k)
			if l.addAsked(text, m.plain(k, span.PromotedInput)); !l.none() {
				return
			}
		}
	}
	asked, _ := m.dialogue(dialogues)
	for _, x := range asked {
		l.add(x, "user")
	}
}

// tableCompletions reads those for what was answered.
func (m *messageReader) tableCompletions(l *messageList) {
	m.completionsOf(l, semconv.CompletionSources, semconv.DialogueSources)
}

func (m *messageReader) mappedCompletions(l *messageList) {
	if len(m.values.mapped) > 0 {
		m.completionsOf(l, semconv.MappedCompletionSources, semconv.MappedDialogueSources)
	}
}

func (m *messageReader) completionsOf(l *messageList, sources, dialogues []semconv.Attribute) {
	for _, k := range sources {
		if text := m.values.text(k); text != "" && m.speaks(k) {
			m.from = m.values.sentAs(k)
			if l.addAnswered(text, m.plain(k, span.PromotedOutput)); !l.none() {
				break
			}
		}
	}
	if text := m.values.firstOf(semconv.CallSources); text != "" {
		asked := message{toolCalls: parseToolCalls(text)}
		if len(asked.toolCalls) > 0 && l.next <= 1 {
			l.addAt(0, asked, "assistant")
		}
	}
	if !l.none() {
		return
	}
	_, answered := m.dialogue(dialogues)
	for _, x := range answered {
		l.addIndexed(x)
	}
}

// speaks reports whether an attribute of the table may hold messages: what functions,
// tools and searches get and give is none.
func (m *messageReader) speaks(k semconv.Attribute) bool {
	switch m.values.spanType() {
	case span.TypeTool:
		return false
	case span.TypeRetrieval, span.TypeEmbedding:
		return k < semconv.Count || !slices.Contains(semconv.Sources(span.PromotedInput), k) && !slices.Contains(semconv.Sources(span.PromotedOutput), k)
	}
	return true
}

// plain reports whether a text in an attribute is a message, even if it is not written as
// one: not if it is the input or output of something else than a model.
func (m *messageReader) plain(k semconv.Attribute, p span.Promoted) bool {
	return m.values.spanType() == span.TypeLLM || !slices.Contains(semconv.Sources(p), k)
}

// dialogue reads an attribute that holds all that was said.
func (m *messageReader) dialogue(sources []semconv.Attribute) (asked, answered []message) {
	for _, k := range sources {
		if k >= semconv.Count && len(m.values.more) == 0 {
			break // the table of SDKs is behind the others
		}
		text := m.values.text(k)
		if text == "" {
			continue
		}
		if list := parseMessages(text); slices.ContainsFunc(list, func(x message) bool { return x.role != "" || x.event != "" }) {
			m.from = m.values.sentAs(k)
			return divided(list)
		}
	}
	return nil, nil
}

// divided returns what was asked and what was answered: what events call a choice, else
// the last message if the assistant says it.
func divided(list []message) (asked, answered []message) {
	for _, x := range list {
		if x.event == choiceEvent {
			answered = append(answered, x)
		} else {
			asked = append(asked, x)
		}
	}
	if n := len(asked); len(answered) == 0 && n > 0 && spokenBy(asked[n-1].role) == "assistant" {
		return asked[:n-1], asked[n-1:]
	}
	return asked, answered
}

// addAsked appends what a text asks: messages or the request that they stand in. Where it
// is neither, it is a message itself if plain says so.
func (l *messageList) addAsked(text string, plain bool) {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "["):
		if list := parseMessages(text); plain || slices.ContainsFunc(list, func(m message) bool { return m.role != "" }) {
			for _, m := range list {
				l.add(m, "user")
			}
		}
	case strings.HasPrefix(text, "{"):
		l.addRequest(text)
	}
	if l.none() && plain {
		l.addPlain(text, "user")
	}
}

// addAnswered appends what a text answers.
func (l *messageList) addAnswered(text string, plain bool) {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "["):
		if list := parseMessages(text); plain || slices.ContainsFunc(list, func(m message) bool { return m.role != "" }) {
			for _, m := range list {
				l.add(m, "assistant")
			}
		}
	case strings.HasPrefix(text, "{"):
		l.addResponse(text)
	}
	if l.none() && plain {
		l.addPlain(text, "assistant")
	}
}

// addPlain appends a text that is no messages; a JSON string without its quotes.
func (l *messageList) addPlain(text, role string) {
	switch {
	case strings.HasPrefix(text, `"`):
		l.addAll(text, role)
	case text == "{}", text == "[]", startsJSON(text) && !jsontext.Value(text).IsValid(valuetext.RepeatedNames, valuetext.InvalidUTF8):
	default:
		l.addText(role, text)
	}
}

// Names under which requests have what was said before, and the instructions.
var (
	requestMembers     = []string{"messages", "contents", "input", "prompt", "items", "chat_history"}
	instructionMembers = []string{"system", "system_instruction", "systemInstruction", "instructions"}
	requestNames       = slices.Concat(requestMembers, instructionMembers, []string{"config"})
)

// addRequest reads the messages of a request, of any provider's API.
func (l *messageList) addRequest(text string) {
	found, ok := valuetext.Members(text, requestNames...)
	if !ok {
		if mended, cut := valuetext.Mend(text); cut {
			l.addRequest(mended)
		}
		return
	}
	asked, system := found[:len(requestMembers)], found[len(requestMembers):]
	if config := system[len(instructionMembers)]; config.Kind == '{' {
		inner, _ := valuetext.Members(config.Raw, instructionMembers...)
		system = append(system[:len(instructionMembers):len(instructionMembers)], inner...)
	}
	for _, v := range asked {
		if v.Kind != '[' && v.Kind != '"' {
			continue
		}
		list := parseMessages(v.Raw)
		for _, x := range system {
			if m, ok := parseInstructions(x.Raw); ok && x.Kind != '{' || ok && x.Kind == '{' && m.content != nil {
				if !slices.ContainsFunc(list, isSystem) {
					l.add(m, "system")
				}
				break
			}
		}
		for _, m := range list {
			l.add(m, "user")
		}
		return
	}
}

// addResponse reads the answer of an API, in the object that it is. It is false for an
// object that is none.
func (l *messageList) addResponse(text string) bool {
	found, ok := valuetext.Members(text, "choices", "candidates", "generations", "messages", "output", "message", "content", "role", "parts", "tool_calls", "kwargs", "text", "combined_chunk_content", "replies")
	if !ok {
		if mended, cut := valuetext.Mend(text); cut {
			return l.addResponse(mended)
		}
		return false
	}
	switch list := found[0]; {
	case list.Kind == '[':
		l.addChoices(list.Raw)
	case found[1].Kind == '[':
		l.addChoices(found[1].Raw)
	case found[2].Kind == '[', found[3].Kind == '[', found[4].Kind == '[':
		for _, v := range found[2:5] {
			if v.Kind == '[' {
				l.addAll(v.Raw, "assistant")
				break
			}
		}
	case found[4].Kind == '{' && found[5].Kind == 0: // Bedrock's {"output": {"message": …}}
		return l.addResponse(found[4].Raw)
	case found[5].Kind == '{', found[6].Present(), found[7].Kind == '"', found[8].Present(), found[9].Present(), found[10].Kind == '{', found[11].Kind == '"':
		l.addAll(text, "assistant")
	case found[12].Kind == '"':
		l.addText("assistant", found[12].Text())
	case found[13].Kind == '[':
		l.addAll(found[13].Raw, "assistant")
	default:
		return false
	}
	return !l.none()
}

// input returns what the span got besides messages, output what it gave. Some SDKs tell
// what a tool got and gave in events.
func (m *messageReader) input() string {
	if text := m.values.first(span.PromotedInput); text != "" || m.values.spanType() != span.TypeTool {
		return text
	}
	for _, e := range m.events() {
		x := messageEvent{name: e.Name, attributes: e.Attributes}
		m.from = e.Name
		switch e.Name {
		case toolEvent:
			return x.get("content")
		case detailsEvent:
			if text := x.get(semconv.GenAIInputMessages.Name()); text != "" {
				return toolInput(text)
			}
		}
	}
	if m.from = semconv.GenAIInputMessages.Name(); m.values.texts[semconv.GenAIInputMessages] != "" {
		return toolInput(m.values.texts[semconv.GenAIInputMessages])
	}
	if m.from = semconv.GenAIPrompt.Name(); m.values.texts[semconv.GenAIPrompt] != "" {
		return unwrapped(m.values.texts[semconv.GenAIPrompt], "input")
	}
	return m.discovered(askingWords)
}

func (m *messageReader) output() string {
	if text := m.values.first(span.PromotedOutput); text != "" || m.values.spanType() != span.TypeTool {
		return text
	}
	for _, e := range m.events() {
		x := messageEvent{name: e.Name, attributes: e.Attributes}
		m.from = e.Name
		switch e.Name {
		case choiceEvent:
			return x.get("message")
		case detailsEvent:
			if text := x.get(semconv.GenAIOutputMessages.Name()); text != "" {
				return toolOutput(text)
			}
		}
	}
	if m.from = semconv.GenAIOutputMessages.Name(); m.values.texts[semconv.GenAIOutputMessages] != "" {
		return toolOutput(m.values.texts[semconv.GenAIOutputMessages])
	}
	for _, k := range semconv.CompletionSources {
		if text := m.values.text(k); text != "" {
			m.from = k.Name()
			return unwrapped(text, "output")
		}
	}
	return m.discovered(answeringWords)
}

// unwrapped returns the one member of an object if it is called so, as LangSmith wraps what
// tools get and give, else the text.
func unwrapped(text, name string) string {
	if members := valuetext.Read(text); members.Enter('{') && members.More() && members.Name() == name {
		if v := members.Value(); !members.More() && members.OK() {
			return v.AsText()
		}
	}
	return text
}

// toolInput returns the arguments of the call in messages that a tool got, else the text.
func toolInput(text string) string {
	for _, m := range parseMessages(text) {
		for _, c := range m.toolCalls {
			return c.arguments
		}
	}
	return text
}

// toolOutput returns the answer in messages that a tool gave, else the text.
func toolOutput(text string) string {
	for _, m := range parseMessages(text) {
		if m.role != "" && m.content != nil {
			return *m.content
		}
	}
	return text
}
