// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// storedMessage is one message of a stored list.
type storedMessage struct {
	index   string
	role    string
	content string
	entries span.Attributes // of this message alone
	prefix  int             // length of the keys up to the suffix
}

// questions returns the prompts of a span, answers its completions.
func questions(s partSource) []storedMessage {
	return storedMessages(s.promptList(), promptPrefix, "user")
}

func answers(s partSource) []storedMessage {
	return storedMessages(s.completionList(), completionPrefix, "assistant")
}

// storedMessages returns the messages of a list in the order of their indexes.
// One that names no role has the given one.
func storedMessages(list span.Attributes, prefix, role string) []storedMessage {
	var all []storedMessage
	for i := 0; i < len(list); {
		t := storedMessage{role: role, content: ""}
		t.index, _ = splitIndex(list[i].Key[len(prefix):])
		t.prefix = len(prefix) + len(t.index) + 1
		begin := i
		// Keys are sorted, and "." sorts before every digit: the entries of a
		// message stand together.
		for i < len(list) && strings.HasPrefix(list[i].Key, list[begin].Key[:t.prefix]) {
			switch list[i].Key[t.prefix:] {
			case "role":
				t.role = cmp.Or(spokenBy(list[i].Value), role)
			case "content":
				t.content = list[i].Value
			}
			i++
		}
		t.entries = list[begin:i]
		all = append(all, t)
	}
	slices.SortStableFunc(all, func(a, b storedMessage) int { return compareIndex(a.index, b.index) })
	return all
}

// spokenBy returns a role by the name that OpenAI gave it: others say "model", "ai" or
// "human".
func spokenBy(role string) string {
	switch role = strings.ToLower(role); role {
	case "model", "ai", "agent":
		return "assistant"
	case "human":
		return "user"
	}
	return role
}

// text returns the content, of an array of parts the texts.
func (t *storedMessage) text() string {
	if text, ok := partTexts(t.content); ok {
		return text
	}
	if t.content == "null" && t.role == "assistant" { // old SDKs write the absent content of a tool call so
		return ""
	}
	return t.content
}

func isInstruction(role string) bool { return role == "system" || role == "developer" }

// lastText returns the text of the last message in this role that has one.
func lastText(list []storedMessage, role string) string {
	for i := range slices.Backward(list) {
		if t := &list[i]; t.role == role {
			if text := t.text(); text != "" {
				return text
			}
		}
	}
	return ""
}

func joinTexts(list []storedMessage, want func(role string) bool) string {
	var texts []string
	for i := range list {
		if want(list[i].role) {
			texts = append(texts, list[i].text())
		}
	}
	return lines(texts)
}

// textArray returns the texts of the messages in this role as a JSON array, ""
// when there are none.
func textArray(list []storedMessage, role string) string {
	var b []byte
	for i := range list {
		if list[i].role != role {
			continue
		}
		if text := list[i].text(); text != "" {
			b = span.AppendQuoted(append(b, "[,"[min(len(b), 1)]), text)
		}
	}
	return closed(b)
}

// messageArray returns messages as a JSON array of {role, content, tool_calls}.
func messageArray(list []storedMessage) string {
	var b []byte
	for i := range list {
		t := &list[i]
		b = append(b, "[,"[min(len(b), 1)])
		b = appendMember(b, `{"role":`, t.role)
		b = appendMember(b, `,"content":`, t.text())
		for j, c := range t.calls() {
			b = append(b, [2]string{`,"tool_calls":[`, `,`}[min(j, 1)]...)
			b = appendMember(b, `{"name":`, c.name)
			b = append(appendArguments(append(b, `,"arguments":`...), c.arguments), '}')
		}
		if len(t.calls()) > 0 {
			b = append(b, ']')
		}
		b = append(b, '}')
	}
	return closed(b)
}

// callArray returns the calls of messages as a JSON array of {name, input}.
func callArray(list []storedMessage) string {
	var b []byte
	for i := range list {
		for _, c := range list[i].calls() {
			b = append(b, "[,"[min(len(b), 1)])
			b = appendMember(b, `{"name":`, c.name)
			b = append(appendArguments(append(b, `,"input":`...), c.arguments), '}')
		}
	}
	return closed(b)
}

func closed(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return string(append(b, ']'))
}

// appendArguments appends arguments as the JSON they are, or a text.
func appendArguments(b []byte, text string) []byte {
	switch {
	case text == "":
		return append(b, "{}"...)
	case jsontext.Value(text).IsValid(valuetext.RepeatedNames, valuetext.InvalidUTF8):
		return append(b, text...)
	}
	return span.AppendQuoted(b, text)
}

// calls returns the tool calls of a message that have a name, in their order.
func (t *storedMessage) calls() []toolCall {
	type numbered struct {
		index string
		toolCall
	}
	var found []numbered
	var single toolCall
	for _, a := range t.entries {
		suffix := a.Key[t.prefix:]
		if field, ok := strings.CutPrefix(suffix, "function_call."); ok {
			single.put(field, a.Value)
			continue
		}
		rest, ok := strings.CutPrefix(suffix, "tool_calls.")
		if !ok {
			continue
		}
		index, field := splitIndex(rest)
		if n := len(found); n == 0 || found[n-1].index != index {
			found = append(found, numbered{index: index})
		}
		found[len(found)-1].put(field, a.Value)
	}
	slices.SortStableFunc(found, func(a, b numbered) int { return compareIndex(a.index, b.index) })
	var list []toolCall
	for _, c := range found {
		if c.name != "" {
			list = append(list, c.toolCall)
		}
	}
	if len(list) == 0 && single.name != "" {
		list = append(list, single)
	}
	return list
}
