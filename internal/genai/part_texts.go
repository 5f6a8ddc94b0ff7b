// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
)

// maxWrapped is how deep the objects are searched that SDKs wrap an input or output in.
const maxWrapped = 3

// answerText returns the answer in a span's output: a JSON string unquoted, the
// telling member of an object or the last words of the assistant in messages, else the
// output as it is.
func answerText(output string) string {
	switch text := strings.TrimSpace(output); {
	case text == "" || text == "null":
		return ""
	case text[0] == '"':
		return unquoted(output)
	case text[0] == '{':
		return cmp.Or(tellingAnswer(text, maxWrapped), output)
	}
	if text, ok := partTexts(output); ok {
		return text
	}
	return cmp.Or(lastSaid(output, "assistant"), output)
}

func tellingAnswer(object string, depth int) string {
	found, _ := valuetext.Members(object, "answer", "output", "text", "content", "response", "result", "messages", "outputs", "message", "output", "response", "result")
	if text := cmp.Or(tellingText(found[:4]), tellingText(found[4:6]), lastSaid(found[6].Raw, "assistant")); text != "" || depth == 0 {
		return text
	}
	for _, v := range found[7:] {
		if v.Kind == '{' {
			if text := cmp.Or(lastSaid(v.Raw, "assistant"), tellingAnswer(v.Raw, depth-1)); text != "" {
				return text
			}
		}
	}
	return ""
}

// questionText returns the question in a span's input: a JSON string unquoted,
// the telling member of an object or the last words of the user in messages, else the
// input as it is. Recorded arguments of a function, {"args", "kwargs"}, hold a question if
// one is named so or is their only text.
func questionText(input string) string {
	switch text := strings.TrimSpace(input); {
	case text == "" || text == "null":
		return ""
	case text[0] == '"':
		return unquoted(input)
	case text[0] == '{':
		found, ok := valuetext.Members(text, "args", "kwargs")
		if ok && (found[0].Kind == '[' || found[1].Kind == '{') {
			return cmp.Or(tellingQuestion(found[1].Raw, maxWrapped), onlyText(found[0], found[1]), tellingQuestion(text, maxWrapped))
		}
		return cmp.Or(tellingQuestion(text, maxWrapped), input)
	}
	return cmp.Or(lastSaid(input, "user"), input)
}

func tellingQuestion(object string, depth int) string {
	found, _ := valuetext.Members(object, "question", "query", "prompt", "input", "task", "user_msg", "user_input", "message", "messages", "inputs", "input", "data")
	if text := cmp.Or(tellingText(found[:4]), tellingText(found[4:8]), lastSaid(found[8].Raw, "user")); text != "" || depth == 0 {
		return text
	}
	for _, v := range found[9:] {
		if v.Kind == '{' {
			if text := tellingQuestion(v.Raw, depth-1); text != "" {
				return text
			}
		}
	}
	return ""
}

// lastSaid returns the last words in this role of messages as JSON, "" for any other text.
func lastSaid(text, role string) string {
	if !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") {
		return ""
	}
	list := parseMessages(text)
	for i := range slices.Backward(list) {
		if m := &list[i]; spokenBy(m.role) == role && m.content != nil && *m.content != "" {
			said := storedMessage{content: *m.content}
			return said.text()
		}
	}
	return ""
}

// tellingText returns the first that is a text or an array of parts.
func tellingText(list []valuetext.Value) string {
	for _, v := range list {
		text := v.Text()
		if v.Kind == '[' {
			text, _ = partTexts(v.Raw)
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// onlyText returns the one argument that is a text, "" if there are several.
func onlyText(args, kwargs valuetext.Value) string {
	list := valuetext.Elements(args.Raw)
	r := valuetext.Read(kwargs.Raw)
	if r.Enter('{') {
		for r.More() {
			r.Name()
			list = append(list, r.Value())
		}
	}
	only, count := "", 0
	for _, v := range list {
		if v.Kind == '"' {
			only = v.Text()
			count++
		}
	}
	if count != 1 {
		return ""
	}
	return only
}

// unquoted returns the text of a JSON string; what is none stays as it is.
func unquoted(text string) string {
	r := valuetext.Read(text)
	v := r.Value()
	if !r.OK() || v.Kind != '"' {
		return text
	}
	return v.Text()
}
