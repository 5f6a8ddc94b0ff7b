// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Names of events and log records that hold messages: one each, as up to 1.36 of
// the semantic conventions
// (https://github.com/open-telemetry/semantic-conventions/blob/v1.36.0/docs/gen-ai/gen-ai-events.md),
// prompt and answer as before 1.28, or all of them at once since 1.37
// (https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-events.md).
const (
	systemEvent     = "gen_ai.system.message"
	userEvent       = "gen_ai.user.message"
	assistantEvent  = "gen_ai.assistant.message"
	toolEvent       = "gen_ai.tool.message"
	choiceEvent     = "gen_ai.choice"
	promptEvent     = "gen_ai.content.prompt"
	completionEvent = "gen_ai.content.completion"
	detailsEvent    = "gen_ai.client.inference.operation.details"
	inputEvent      = "gen_ai.input.messages"  // of Azure AI
	outputEvent     = "gen_ai.output.messages" // of Azure AI
)

// messageEvent is an event or a log record: its name, its body as JSON or text,
// and its attributes. The name is "" for a record of ADOT, whose body is all that was said,
// {"input": {"messages"}, "output": {"messages"}}:
// https://github.com/aws-observability/aws-otel-python-instrumentation
type messageEvent struct {
	name       string
	body       string
	attributes span.Attributes
}

func (m *messageReader) eventPrompts(l *messageList) {
	asked, _ := dividedEvents(m.messageEvents())
	for _, e := range asked {
		m.from = e.name
		l.addPromptEvent(e)
	}
}

func (m *messageReader) eventCompletions(l *messageList) {
	_, answered := dividedEvents(m.messageEvents())
	for _, e := range answered {
		m.from = e.name
		l.addCompletionEvent(e)
	}
}

// messageEvents returns the events that hold messages. Those of a tool's span are what it
// got and gave.
func (m *messageReader) messageEvents() (list []messageEvent) {
	events := m.events()
	if len(events) == 0 || m.values.spanType() == span.TypeTool {
		return nil
	}
	for _, e := range events {
		if tellsMessages(e.Name) {
			list = append(list, messageEvent{name: e.Name, attributes: e.Attributes})
		}
	}
	return list
}

// dividedEvents returns the events that ask and those that answer: where none is made for
// answers, a last message of the assistant is one.
func dividedEvents(list []messageEvent) (asked, answered []messageEvent) {
	for _, e := range list {
		switch e.name {
		case choiceEvent, completionEvent, outputEvent:
			answered = append(answered, e)
		case detailsEvent, "":
			asked, answered = append(asked, e), append(answered, e)
		default:
			asked = append(asked, e)
		}
	}
	if n := len(asked); len(answered) == 0 && n > 0 && asked[n-1].name == assistantEvent {
		return asked[:n-1], asked[n-1:]
	}
	return asked, answered
}

// addPromptEvent appends what an event asks; events of other names are passed
// over.
func (l *messageList) addPromptEvent(e messageEvent) {
	switch e.name {
	case systemEvent, userEvent, assistantEvent, toolEvent:
		role := strings.TrimSuffix(strings.TrimPrefix(e.name, "gen_ai."), ".message")
		if m, ok := e.message(); ok {
			l.add(m, role)
		}
	case promptEvent:
		l.addTranscript(cmp.Or(e.get("gen_ai.prompt"), e.body))
	case inputEvent:
		l.addAll(cmp.Or(e.bodyText(), e.get(inputEvent)), "user")
	case detailsEvent:
		l.addInput(e.get(semconv.GenAIInstructions.Name()), e.get(semconv.GenAIInputMessages.Name()))
	case "":
		l.addAll(valuetext.MemberText(valuetext.MemberText(e.body, "input"), "messages"), "user")
	}
}

// addCompletionEvent appends what an event answers.
func (l *messageList) addCompletionEvent(e messageEvent) {
	switch e.name {
	case choiceEvent:
		l.addEventChoice(e)
	case outputEvent:
		l.addAll(cmp.Or(e.bodyText(), e.get(outputEvent)), "assistant")
	case completionEvent:
		l.addContent(cmp.Or(e.get("gen_ai.completion"), e.body), "assistant")
	case detailsEvent:
		l.addAll(e.get(semconv.GenAIOutputMessages.Name()), "assistant")
	case assistantEvent:
		if m, ok := e.message(); ok {
			l.add(m, "assistant")
		}
	case "":
		l.addAll(valuetext.MemberText(valuetext.MemberText(e.body, "output"), "messages"), "assistant")
	}
}

// addContent appends messages as JSON, or a text.
func (l *messageList) addContent(text, role string) {
	before := len(l.list)
	if startsJSON(text) {
		l.addAll(text, role)
	}
	if len(l.list) == before && (!startsJSON(text) || jsontext.Value(text).IsValid(valuetext.RepeatedNames, valuetext.InvalidUTF8)) {
		l.addText(role, text)
	}
}

// spoken finds the beginnings of the messages of a transcript.
var spoken = regexp.MustCompile(`(?m)^(system|developer|user|assistant|tool): `)

// addTranscript appends prompts as OpenLIT joins them, each with its role before it in its
// first line; any other text is one message.
func (l *messageList) addTranscript(text string) {
	begins := spoken.FindAllStringSubmatchIndex(text, maxMessages)
	if len(begins) == 0 || begins[0][0] != 0 {
		l.addContent(text, "user")
		return
	}
	for i, at := range begins {
		end := len(text)
		if i+1 < len(begins) {
			end = begins[i+1][0] - len("\n")
		}
		l.addText(text[at[2]:at[3]], text[at[1]:end])
	}
}

func (l *messageList) addEventChoice(e messageEvent) {
	if body := e.bodyText(); body != "" {
		if strings.HasPrefix(body, "{") {
			l.addChoice(body)
		} else {
			l.addContent(body, "assistant")
		}
		return
	}
	m, _ := e.fields()
	if text := e.get("message"); text != "" {
		if inner := parseContent(text); inner != nil {
			inner.finish = cmp.Or(m.finish, inner.finish)
			m = *inner
		}
	}
	index, ok := smallIndex(e.get("index"))
	if !ok {
		index = l.next
	}
	l.addAt(index, m, "assistant")
}

// message reads the body, or where there is none the attributes.
func (e *messageEvent) message() (message, bool) {
	body := e.bodyText()
	if body == "" {
		return e.fields()
	}
	m := parseContent(body)
	if m == nil {
		return message{}, false
	}
	if e.name == toolEvent && m.toolCallID == "" && strings.HasPrefix(body, "{") {
		m.toolCallID = valuetext.MemberText(body, "id")
	}
	return *m, true
}

// fields reads a message of the event's own attributes.
func (e *messageEvent) fields() (m message, ok bool) {
	if text, found := e.attributes.Get("content"); found {
		m.content = &text
		if inner := parseParts(text); inner != nil {
			m = *inner
		}
	}
	m.role = cmp.Or(e.get("role"), m.role)
	m.finish = e.get("finish_reason")
	if e.name == toolEvent {
		m.toolCallID = cmp.Or(e.get("tool_call_id"), e.get("id"))
	}
	for _, c := range parseToolCalls(e.get("tool_calls")) {
		m.addToolCall(c)
	}
	return m, !m.empty()
}

func (e *messageEvent) bodyText() string {
	return strings.TrimSpace(cmp.Or(e.body, e.get("gen_ai.event.content")))
}

func (e *messageEvent) get(key string) string {
	text, _ := e.attributes.Get(key)
	return text
}

// startsJSON reports whether text looks like JSON that holds messages.
func startsJSON(text string) bool {
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || strings.HasPrefix(text, `"`)
}

// parseContent reads a message, an array of parts, or a plain text; nil when
// it starts like JSON but is none.
func parseContent(text string) *message {
	switch {
	case !startsJSON(text):
		return &message{content: &text}
	case strings.HasPrefix(text, "["):
		return parseParts(text)
	}
	r := valuetext.Read(text)
	m := readMessage(r)
	if r.OK() {
		return &m
	}
	if mended, cut := valuetext.Mend(text); cut {
		if m := parseContent(mended); m != nil && !m.empty() {
			return m
		}
	}
	return nil
}

// parseParts reads an array of parts; nil when text is anything else.
func parseParts(text string) *message {
	if !strings.HasPrefix(text, "[") {
		return nil
	}
	var m message
	var p parts
	r := valuetext.Read(text)
	p.readContent(r)
	if r.OK() {
		p.finish(&m)
		return &m
	}
	if mended, cut := valuetext.Mend(text); cut {
		if m := parseParts(mended); m != nil && !m.empty() {
			return m
		}
	}
	return nil
}
