// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
)

// answerText returns the answer in a span's output: a JSON string unquoted, the
// telling member of an object, else the output as it is.
func answerText(output string) string {
	switch text := strings.TrimSpace(output); {
	case text == "" || text == "null":
		return ""
	case text[0] == '"':
		return unquoted(output)
	case text[0] == '{':
		found, _ := valuetext.Members(text, "answer", "output", "text", "content")
		return cmp.Or(tellingText(found), output)
	}
	if text, ok := partTexts(output); ok {
		return text
	}
	return output
}

// questionText returns the question in a span's input: a JSON string unquoted,
// the telling member of an object, else the input as it is. Recorded arguments
// of a function, {"args", "kwargs"}, hold a question if one is named so or is
// their only text.
func questionText(input string) string {
	switch text := strings.TrimSpace(input); {
	case text == "" || text == "null":
		return ""
	case text[0] == '"':
		return unquoted(input)
	case text[0] == '{':
		found, ok := valuetext.Members(text, "args", "kwargs")
		if ok && (found[0].Kind == '[' || found[1].Kind == '{') {
			return cmp.Or(tellingQuestion(found[1].Raw), onlyText(found[0], found[1]))
		}
		return cmp.Or(tellingQuestion(text), input)
	}
	return input
}

func tellingQuestion(object string) string {
	found, _ := valuetext.Members(object, "question", "query", "prompt", "input")
	return tellingText(found)
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
