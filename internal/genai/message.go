// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"
)

// message is one prompt or completion on its way into a list.
type message struct {
	role       string
	content    *string // nil is absent
	toolCalls  []toolCall
	toolCallID string
	reasoning  string
	refusal    string
	finish     string
}

type toolCall struct {
	id, name, arguments string
}

// readMessage reads what is known of a message of any SDK; its members come
// in any order. The reader stands before the value.
func readMessage(r *reader) message {
	if !r.enter('{') {
		text := r.value().asText() // a bare text is a message
		if text == "" {
			return message{}
		}
		return message{content: &text}
	}
	var m message
	var p parts
	for r.more() {
		switch r.name() {
		case "role":
			m.role = r.value().string()
		case "content", "parts":
			p.readContent(r)
		case "tool_calls", "toolCalls":
			m.toolCalls = readToolCalls(r, m.toolCalls)
		case "function_call":
			m.addToolCall(readToolCall(r))
		case "tool_call_id", "toolCallId":
			m.toolCallID = r.value().asText()
		case "refusal":
			m.refusal = r.value().asText()
		case "reasoning", "reasoning_content":
			m.reasoning = r.value().asText()
		case "finish_reason", "finishReason":
			m.finish = r.value().asText()
		default:
			r.value()
		}
	}
	p.finish(&m)
	return m
}

// readChoice reads a completion that may wrap its message:
// {"index", "finish_reason", "message": {…}}.
func readChoice(r *reader) (m message, index int, hasIndex bool) {
	var wrapped *message
	var inline parts
	for r.more() {
		switch r.name() {
		case "index":
			index, hasIndex = smallIndex(r.value().raw)
		case "finish_reason", "finishReason":
			m.finish = r.value().asText()
		case "message", "delta":
			inner := readMessage(r)
			wrapped = &inner
		case "role":
			m.role = r.value().string()
		case "content", "parts", "text":
			inline.readContent(r)
		case "tool_calls", "toolCalls":
			m.toolCalls = readToolCalls(r, m.toolCalls)
		case "refusal":
			m.refusal = r.value().asText()
		default:
			r.value()
		}
	}
	inline.finish(&m)
	if wrapped != nil {
		wrapped.finish = firstOf(m.finish, wrapped.finish)
		wrapped.role = firstOf(wrapped.role, m.role)
		m = *wrapped
	}
	return m, index, hasIndex
}

func (m *message) addToolCall(c toolCall) {
	if c != (toolCall{}) && len(m.toolCalls) < maxToolCalls {
		m.toolCalls = append(m.toolCalls, c)
	}
}

// readToolCalls reads an array of calls, which may also be given as text.
func readToolCalls(r *reader, list []toolCall) []toolCall {
	m := message{toolCalls: list}
	if !r.enter('[') {
		for _, c := range parseToolCalls(r.value().string()) {
			m.addToolCall(c)
		}
		return m.toolCalls
	}
	for r.more() {
		m.addToolCall(readToolCall(r))
	}
	return m.toolCalls
}

// parseToolCalls reads a JSON array of calls; none if it is anything else.
func parseToolCalls(text string) []toolCall {
	if !strings.HasPrefix(strings.TrimSpace(text), "[") {
		return nil
	}
	r := read(text)
	list := readToolCalls(r, nil)
	if !r.ok() {
		return nil
	}
	return list
}

// readToolCall reads a call as OpenAI nests it under function, or flat.
func readToolCall(r *reader) toolCall {
	var c toolCall
	if !r.enter('{') {
		r.value()
		return c
	}
	for r.more() {
		switch name := r.name(); name {
		case "function":
			f := readToolCall(r)
			c.name, c.arguments = firstOf(c.name, f.name), firstOf(c.arguments, f.arguments)
		default:
			c.set(name, r.value())
		}
	}
	return c
}

// set takes a member in, whatever SDK it is of.
func (c *toolCall) set(name string, v value) {
	switch name {
	case "id", "toolCallId", "call_id", "tool_use_id":
		c.put("id", v.asText())
	case "name", "toolName":
		c.put("name", v.asText())
	case "arguments", "args", "input":
		c.put("arguments", v.asText())
	}
}

// put takes in a field by the name it is stored under; the first text counts.
func (c *toolCall) put(field, text string) {
	switch field {
	case "id":
		c.id = firstOf(c.id, text)
	case "name":
		c.name = firstOf(c.name, text)
	case "arguments":
		c.arguments = firstOf(c.arguments, text)
	}
}
