// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Part returns a part of a stored span, and whether there is anything.
func Part(s *span.Span, name span.Part) (string, bool) { return partOf(storedSpan{s}, name) }

// partSource is a span, stored or passing.
type partSource interface {
	promptList() span.Attributes
	completionList() span.Attributes
	inputText() string
	outputText() string
	spanType() string
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
func (s storedSpan) spanType() string                    { return s.Type }
func (s storedSpan) eventList() []span.Event             { return s.Events }
func (s storedSpan) failed() bool                        { return s.StatusCode == span.StatusError }
func (s storedSpan) attribute(key string) (string, bool) { return s.Attributes.Get(key) }

func (s storedSpan) each(prefix string, visit func(key, text string)) {
	eachWithPrefix(s.Attributes, prefix, visit)
}

func partOf(s partSource, name span.Part) (string, bool) {
	text := ""
	switch name {
	case span.PartOutput:
		text = cmp.Or(lastText(answers(s), "assistant"), answerText(s.outputText()))
	case span.PartQuestion:
		text = cmp.Or(lastText(questions(s), "user"), questionText(s.inputText()))
	case span.PartInstructions:
		list := questions(s)
		text = cmp.Or(joinTexts(list, isInstruction), lastText(list, "user"))
	case span.PartContext:
		text = contextText(s)
	case span.PartPrompts:
		text = textArray(questions(s), "user")
	case span.PartCompletions:
		text = textArray(append(questions(s), answers(s)...), "assistant")
	case span.PartInputMessages:
		text = messageArray(questions(s))
	case span.PartOutputMessages:
		text = messageArray(answers(s))
	case span.PartMessages:
		text = messageArray(append(questions(s), answers(s)...))
	case span.PartToolCalls:
		text = callArray(answers(s))
	case span.PartToolDefinitions:
		text = toolDefinitions(s)
	case span.PartToolInput:
		if isTool(s) {
			text = s.inputText()
		}
	case span.PartToolOutput:
		if isTool(s) {
			text = s.outputText()
		}
	case span.PartLogprobs:
		text = logprobs(s)
	default:
		if key, ok := name.Attribute(); ok {
			text = property(s, key)
		}
	}
	return text, text != ""
}

// property returns what an application gave a span by name, or the attribute of this
// name.
func property(s partSource, name string) string {
	for _, prefix := range semconv.AssociationPrefixes {
		if text, _ := s.attribute(prefix + name); text != "" {
			return text
		}
	}
	text, _ := s.attribute(name)
	return text
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

// contextText returns what was retrieved for the model. Its instructions are no such thing.
func contextText(s partSource) string {
	return lines(append(documents(s), toolAnswers(questions(s))...))
}

// toolAnswers returns what tools answered, as a conversation holds it.
func toolAnswers(list []storedMessage) []string {
	var texts []string
	for i := range list {
		if list[i].role == "tool" {
			texts = append(texts, list[i].text())
		}
	}
	return texts
}

// documentPrefixes begin the attributes of documents of OpenInference, of retrievers
// and of rerankers.
// https://arize-ai.github.io/openinference/spec/attributes/semantic-conventions.html
var documentPrefixes = [...]string{"retrieval.documents.", "reranker.output_documents."}

const documentSuffix = "document.content"

// documents returns what a retriever or a reranker (OpenInference, OpenTelemetry) or a
// vector database (OpenLLMetry's event db.query.result) found.
func documents(s partSource) []string {
	type document struct{ index, text string }
	var texts []string
	for _, prefix := range documentPrefixes {
		var found []document
		s.each(prefix, func(key, text string) {
			if index, suffix := splitIndex(key[len(prefix):]); index != "" && suffix == documentSuffix {
				found = append(found, document{index, text})
			}
		})
		slices.SortStableFunc(found, func(a, b document) int { return compareIndex(a.index, b.index) })
		found = slices.CompactFunc(found, func(a, b document) bool { return a.index == b.index })
		for _, d := range found {
			texts = append(texts, d.text)
		}
	}
	texts = append(texts, listedDocuments(s)...)
	for _, e := range s.eventList() {
		if e.Name == "db.query.result" {
			text, _ := e.Attributes.Get("db.query.result.document")
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 && s.spanType() == span.TypeRetrieval {
		texts = foundDocuments(s.outputText())
	}
	return texts
}

// foundDocuments returns the texts of documents in the output of a search: a list, or an
// object that has one.
func foundDocuments(output string) (texts []string) {
	found, _ := valuetext.Members(output, "documents", "results", "nodes")
	for _, v := range found {
		if v.Kind == '[' {
			output = v.Raw
		}
	}
	for _, v := range valuetext.Elements(output) {
		if v.Kind == '{' {
			texts = append(texts, documentText(v))
		}
	}
	return texts
}

// documentText returns the text of a document, which some SDKs nest in another object.
func documentText(v valuetext.Value) string {
	found, _ := valuetext.Members(v.Raw, "content", "text", "page_content", "document", "node", "kwargs")
	if text := tellingText(found[:3]); text != "" {
		return text
	}
	for _, inner := range found[3:] {
		if inner.Kind == '{' {
			found, _ := valuetext.Members(inner.Raw, "content", "text", "page_content")
			return tellingText(found)
		}
	}
	return ""
}

// listedDocuments returns the texts of lists of documents, which are texts or objects with
// an id, a score and, where the instrumentation tells it, a content.
func listedDocuments(s partSource) (texts []string) {
	for _, k := range semconv.DocumentSources {
		list, _ := s.attribute(k.Name())
		if list == "" {
			continue
		}
		elements := valuetext.Elements(list)
		if len(elements) == 0 && k.IsMapped() {
			texts = append(texts, list) // one document, as it is
		}
		for _, v := range elements {
			text := v.Text()
			if v.Kind == '{' {
				text = documentText(v)
			}
			if text != "" {
				texts = append(texts, text)
			}
		}
	}
	return texts
}
