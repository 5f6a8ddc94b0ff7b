// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// AttributePart begins the names of parts that are attributes:
// "attribute:reference".
const AttributePart = "attribute:"

// Part returns a stored span's part by the name that evaluators know it by, and whether
// there is anything.
//
//	output           what was answered: the last completion, else the output
//	question         what was asked: the last user message, else the input
//	instructions     all system messages, else the last user message
//	context          documents and tool answers, else the system messages
//	prompts          the user messages' texts, a JSON array
//	completions      the assistant messages' texts, those in the prompts too
//	input_messages   the prompts, a JSON array of {role, content, tool_calls}
//	output_messages  the completions likewise
//	messages         both
//	tool_calls       the calls that completions ask for, [{name, input}]
//	tool_input       the input of a tool's span
//	tool_output      its output
//	logprobs         log probabilities, JSON as it was sent
//	attribute:NAME   an association property NAME, else the attribute NAME
//
// Of content that is an array of parts, only the texts count.
func Part(s *span.Span, name string) (string, bool) { return partOf(storedSpan{s}, name) }

// partSource is a span, stored or passing.
type partSource interface {
	promptList() span.Attributes
	completionList() span.Attributes
	inputText() string
	outputText() string
	attribute(key string) (string, bool)
	each(prefix string, visit func(key, text string))
	eventList() []span.Event
	failed() bool
}

// storedSpan is a partSource of what is stored.
type storedSpan struct{ *span.Span }

func (s storedSpan) promptList() span.Attributes         { return s.Prompts }
func (s storedSpan) completionList() span.Attributes     { return s.Completions }
func (s storedSpan) inputText() string                   { return s.Input }
func (s storedSpan) outputText() string                  { return s.Output }
func (s storedSpan) eventList() []span.Event             { return s.Events }
func (s storedSpan) failed() bool                        { return s.StatusCode == "STATUS_CODE_ERROR" }
func (s storedSpan) attribute(key string) (string, bool) { return s.Attributes.Get(key) }

func (s storedSpan) each(prefix string, visit func(key, text string)) {
	eachWithPrefix(s.Attributes, prefix, visit)
}

func partOf(s partSource, name string) (string, bool) {
	text := ""
	switch name {
	case "output":
		text = firstOf(lastText(answers(s), "assistant"), answerText(s.outputText()))
	case "question":
		text = firstOf(lastText(questions(s), "user"), questionText(s.inputText()))
	case "instructions":
		list := questions(s)
		text = firstOf(joinTexts(list, isInstruction), lastText(list, "user"))
	case "context":
		text = contextText(s)
	case "prompts":
		text = textArray(questions(s), "user")
	case "completions":
		text = textArray(append(questions(s), answers(s)...), "assistant")
	case "input_messages":
		text = messageArray(questions(s))
	case "output_messages":
		text = messageArray(answers(s))
	case "messages":
		text = messageArray(append(questions(s), answers(s)...))
	case "tool_calls":
		text = callArray(answers(s))
	case "tool_input":
		if isTool(s) {
			text = s.inputText()
		}
	case "tool_output":
		if isTool(s) {
			text = s.outputText()
		}
	case "logprobs":
		text = logprobs(s)
	default:
		if key, ok := strings.CutPrefix(name, AttributePart); ok {
			text = property(s, key)
		}
	}
	return text, text != ""
}

// propertyPrefixes begin the attributes that an application gave a span by
// name.
var propertyPrefixes = [...]string{
	"traceloop.association.properties.", "platform.association.properties.", "ai.telemetry.metadata.", "",
}

func property(s partSource, name string) string {
	for _, prefix := range propertyPrefixes {
		if text, _ := s.attribute(prefix + name); text != "" {
			return text
		}
	}
	return ""
}

func logprobs(s partSource) string {
	for _, e := range s.eventList() {
		if text, _ := e.Attributes.Get("logprobs"); text != "" && e.Name == "logprobs" {
			return text
		}
	}
	text, _ := s.attribute("logprobs")
	return text
}

// contextText gives what the model could know beyond its own knowledge.
func contextText(s partSource) string {
	list := questions(s)
	return firstOf(lines(append(documents(s), toolAnswers(list)...)), joinTexts(list, isInstruction))
}

// toolAnswers gives what tools answered, as a conversation holds it.
func toolAnswers(list []turn) []string {
	var texts []string
	for i := range list {
		if list[i].role == "tool" {
			texts = append(texts, list[i].text())
		}
	}
	return texts
}

const (
	documentPrefix = "retrieval.documents."
	documentSuffix = "document.content"
)

// documents gives what a retriever or a vector database found.
func documents(s partSource) []string {
	type document struct{ index, text string }
	var found []document
	s.each(documentPrefix, func(key, text string) {
		if index, suffix := splitIndex(key[len(documentPrefix):]); index != "" && suffix == documentSuffix {
			found = append(found, document{index, text})
		}
	})
	slices.SortStableFunc(found, func(a, b document) int { return compareIndex(a.index, b.index) })
	found = slices.CompactFunc(found, func(a, b document) bool { return a.index == b.index })

	texts := make([]string, 0, len(found))
	for _, d := range found {
		texts = append(texts, d.text)
	}
	for _, e := range s.eventList() {
		if e.Name == "db.query.result" {
			text, _ := e.Attributes.Get("db.query.result.document")
			texts = append(texts, text)
		}
	}
	return texts
}
