// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// openInferencePrompts reads llm.input_messages.N.message.*
// (https://arize-ai.github.io/openinference/spec/attributes/semantic-conventions.html).
func (m *messageReader) openInferencePrompts(l *messageList) {
	if m.values.seen&llmInputMessages != 0 {
		m.openInference(l, inputMessagesPrefix)
	}
}

// openInferenceCompletions reads llm.output_messages.N.message.* with the one
// finish reason of the response, or the texts of the completions API.
func (m *messageReader) openInferenceCompletions(l *messageList) {
	if m.values.seen&llmOutputMessages != 0 {
		m.openInference(l, outputMessagesPrefix)
	}
	if len(l.list) == 0 && m.values.seen&llmChoices != 0 {
		m.each(choicesPrefix, func(key, text string) {
			if index, suffix := splitIndex(key[len(choicesPrefix):]); index != "" && suffix == "completion.text" {
				l.list = append(l.list, span.Attribute{Key: l.keys.rename(index, "content"), Value: text})
			}
		})
	}
	if reason := m.values.texts[semconv.OpenInferenceFinishReason]; reason != "" && len(l.list) > 0 {
		l.finishWith([]string{reason})
	}
}

// contentPart is one message_content of a message.
type contentPart struct {
	message, part string // indexes
	field, text   string
}

func (m *messageReader) openInference(l *messageList, prefix string) {
	var contents []contentPart
	m.each(prefix, func(key, text string) {
		index, suffix := splitIndex(key[len(prefix):])
		suffix, ok := strings.CutPrefix(suffix, "message.")
		if index == "" || !ok || suffix == "" {
			return
		}
		if rest, ok := strings.CutPrefix(suffix, "contents."); ok {
			part, field := splitIndex(rest)
			if field, ok = strings.CutPrefix(field, "message_content."); ok && part != "" {
				contents = append(contents, contentPart{message: index, part: part, field: field, text: text})
			}
			return
		}
		l.list = append(l.list, span.Attribute{Key: l.keys.rename(index, toolCallSuffix(suffix)), Value: text})
	})
	l.addContents(contents)
}

// toolCallSuffix flattens tool_calls.M.tool_call.function.name and the like;
// any other suffix stays.
func toolCallSuffix(suffix string) string {
	rest, ok := strings.CutPrefix(suffix, "tool_calls.")
	if !ok {
		return suffix
	}
	index, field := splitIndex(rest)
	field, ok = strings.CutPrefix(field, "tool_call.")
	if index == "" || !ok {
		return suffix
	}
	return "tool_calls." + index + "." + strings.TrimPrefix(field, "function.")
}

// addContents makes the content of each message of its parts. A message that
// has a content of its own keeps that: it stands before in the list.
func (l *messageList) addContents(contents []contentPart) {
	slices.SortStableFunc(contents, func(a, b contentPart) int {
		if c := compareIndex(a.message, b.message); c != 0 {
			return c
		}
		return compareIndex(a.part, b.part)
	})
	for len(contents) > 0 {
		n := 1
		for n < len(contents) && contents[n].message == contents[0].message {
			n++
		}
		if text, ok := joinContents(contents[:n]); ok {
			l.list = append(l.list, span.Attribute{Key: l.keys.rename(contents[0].message, "content"), Value: text})
		}
		contents = contents[n:]
	}
}

// joinContents returns text parts joined by newline, or as soon as one is not
// text all of them as a JSON array.
func joinContents(contents []contentPart) (string, bool) {
	var texts []string
	var array []byte
	other := false
	for len(contents) > 0 {
		n := 1
		for n < len(contents) && contents[n].part == contents[0].part {
			n++
		}
		kind, text, uri := fieldsOf(contents[:n])
		array = append(array, "[,"[min(len(array), 1)])
		switch {
		case uri != "":
			other = true
			array = appendMember(array, `{"type":"uri","modality":`, mediaOf(kind))
			array = append(appendMember(array, `,"uri":`, uri), '}')
		default:
			texts = append(texts, text)
			array = append(appendMember(array, `{"type":"text","content":`, text), '}')
		}
		contents = contents[n:]
	}
	if other {
		return string(append(array, ']')), true
	}
	return strings.Join(texts, "\n"), len(texts) > 0
}

// fieldsOf returns what is known of one part.
func fieldsOf(fields []contentPart) (kind, text, uri string) {
	for _, f := range fields {
		switch {
		case f.field == "type":
			kind = f.text
		case f.field == "text":
			text = f.text
		case strings.HasSuffix(f.field, ".url"):
			uri = f.text
		}
	}
	return kind, text, uri
}

// mediaOf returns the modality of a kind of part.
func mediaOf(kind string) string {
	return strings.TrimSuffix(strings.TrimPrefix(cmp.Or(kind, "image"), "input_"), "_url")
}

// compareIndex orders indexes by number, however long; equal numbers that are
// written differently by their text.
func compareIndex(a, b string) int {
	x, y := strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	if c := strings.Compare(x, y); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}
