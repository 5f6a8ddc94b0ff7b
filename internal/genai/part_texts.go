// SPDX-License-Identifier: Apache-2.0

package genai

import "strings"

// answerText returns the answer in a span's output: a JSON string unquoted, the
// telling member of an object, else the output as it is.
func answerText(output string) string {
	switch text := strings.TrimSpace(output); {
	case text == "" || text == "null":
		return ""
	case text[0] == '"':
		return unquoted(output)
	case text[0] == '{':
		found, _ := members(text, "answer", "output", "text", "content")
		return firstOf(tellingText(found), output)
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
		found, ok := members(text, "args", "kwargs")
		if ok && (found[0].kind == '[' || found[1].kind == '{') {
			return firstOf(tellingQuestion(found[1].raw), onlyText(found[0], found[1]))
		}
		return firstOf(tellingQuestion(text), input)
	}
	return input
}

func tellingQuestion(object string) string {
	found, _ := members(object, "question", "query", "prompt", "input")
	return tellingText(found)
}

// tellingText returns the first that is a text or an array of parts.
func tellingText(list []value) string {
	for _, v := range list {
		text := v.string()
		if v.kind == '[' {
			text, _ = partTexts(v.raw)
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// onlyText returns the one argument that is a text, "" if there are several.
func onlyText(args, kwargs value) string {
	list := elements(args.raw)
	r := read(kwargs.raw)
	if r.enter('{') {
		for r.more() {
			r.name()
			list = append(list, r.value())
		}
	}
	only, count := "", 0
	for _, v := range list {
		if v.kind == '"' {
			only = v.string()
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
	r := read(text)
	v := r.value()
	if !r.ok() || v.kind != '"' {
		return text
	}
	return v.string()
}
