// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
)

// message is one prompt or completion on its way into a list.
type message struct {
	role       string
	content    *string // nil is absent
	answered   *string // what tools answered, of a message that says something else too
	toolCalls  []toolCall
	toolCallID string
	reasoning  string
	refusal    string
	finish     string
	index      string // among several completions, "" where the sender names none
	event      string // the name of the event that it would be
}

type toolCall struct {
	id, name, arguments string
}

// readMessage reads what is known of a message of any SDK; its members come
// in any order, and it may stand in another object, as completions and what LangChain
// serializes do. The reader stands before the value.
func readMessage(r *valuetext.Reader) message {
	start := r.Offset()
	if !r.Enter('{') {
		text := r.Value().AsText() // a bare text is a message
		if text == "" {
			return message{}
		}
		return message{content: &text}
	}
	var m message
	var p parts
	var x part // which a message may be, without a content around it
	var wrapped *message
	for r.More() {
		switch name := r.Name(); name {
		case "role":
			m.role = r.Value().Text()
		case "content", "parts", "blocks":
			p.readContent(r)
		case "tool_calls", "toolCalls":
			m.toolCalls = readToolCalls(r, m.toolCalls)
		case "function_call":
			m.addToolCall(readToolCall(r))
		case "tool_call_id", "toolCallId":
			m.toolCallID = r.Value().AsText()
		case "refusal":
			m.refusal = r.Value().AsText()
		case "reasoning", "reasoning_content":
			m.reasoning = r.Value().AsText()
		case "finish_reason", "finishReason":
			m.finish = r.Value().AsText()
		case "index":
			m.index = r.Value().Raw
		case "event.name":
			m.event = r.Value().Text()
		case "message", "delta":
			inner := readMessage(r)
			wrapped = &inner
		case "kwargs", "data":
			if r.Next() == '{' {
				inner := readMessage(r)
				wrapped = &inner
			} else {
				r.Value()
			}
		default:
			v := r.Value()
			if name == "id" && v.Kind == '[' { // the class that LangChain made it of
				m.role = cmp.Or(m.role, roleOfClass(v))
				continue
			}
			x.set(name, v)
		}
	}
	own := p.count > 0 || len(m.toolCalls) > 0
	if !own && wrapped != nil {
		wrapped.finish = cmp.Or(m.finish, wrapped.finish)
		wrapped.role = cmp.Or(wrapped.role, m.role)
		wrapped.index, wrapped.event = m.index, m.event
		return *wrapped
	}
	m.role = cmp.Or(m.role, roleOfKind(x.kind))
	if !own && !r.Broken() {
		if sort := x.sort(); sort != opaquePart && sort != mediaPart {
			p.add(&x, sort, r.Object(start))
		}
	}
	p.finish(&m)
	if m.event == toolEvent {
		m.toolCallID = cmp.Or(m.toolCallID, x.call.id)
	}
	return m
}

// roleOfClass returns the role of a message by the path of a class of LangChain.
func roleOfClass(path valuetext.Value) string {
	list := valuetext.Elements(path.Raw)
	if len(list) == 0 {
		return ""
	}
	return roleOfKind(list[len(list)-1].Text())
}

// roleOfKind returns the role of a message by what kind of message it is called.
func roleOfKind(kind string) string {
	switch strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(kind, "Chunk"), "Message")) {
	case "human", "user":
		return "user"
	case "ai", "assistant":
		return "assistant"
	case "system":
		return "system"
	case "tool":
		return "tool"
	}
	return ""
}

func (m *message) addToolCall(c toolCall) {
	if c != (toolCall{}) && len(m.toolCalls) < maxToolCalls {
		m.toolCalls = append(m.toolCalls, c)
	}
}

// readToolCalls reads an array of calls, which may also be given as text.
func readToolCalls(r *valuetext.Reader, list []toolCall) []toolCall {
	m := message{toolCalls: list}
	if !r.Enter('[') {
		for _, c := range parseToolCalls(r.Value().Text()) {
			m.addToolCall(c)
		}
		return m.toolCalls
	}
	for r.More() {
		m.addToolCall(readToolCall(r))
	}
	return m.toolCalls
}

// parseToolCalls reads a JSON array of calls; none if it is anything else.
func parseToolCalls(text string) []toolCall {
	if !strings.HasPrefix(strings.TrimSpace(text), "[") {
		return nil
	}
	r := valuetext.Read(text)
	list := readToolCalls(r, nil)
	if r.OK() {
		return list
	}
	if mended, cut := valuetext.Mend(text); cut {
		return parseToolCalls(mended)
	}
	return nil
}

// readToolCall reads a call as OpenAI nests it under function, or flat.
func readToolCall(r *valuetext.Reader) toolCall {
	var c toolCall
	if !r.Enter('{') {
		r.Value()
		return c
	}
	for r.More() {
		switch name := r.Name(); name {
		case "function":
			f := readToolCall(r)
			c.name, c.arguments = cmp.Or(c.name, f.name), cmp.Or(c.arguments, f.arguments)
		default:
			c.set(name, r.Value())
		}
	}
	return c
}

// set takes a member in, whatever SDK it is of.
func (c *toolCall) set(name string, v valuetext.Value) {
	switch name {
	case "id", "toolCallId", "call_id", "tool_use_id", "toolUseId", "callId", "ref":
		c.put("id", v.AsText())
	case "name", "toolName", "tool_name":
		c.put("name", v.AsText())
	case "arguments", "args", "input":
		c.put("arguments", v.AsText())
	}
}

// put takes in a field by the name it is stored under; the first text counts.
func (c *toolCall) put(field, text string) {
	switch field {
	case "id":
		c.id = cmp.Or(c.id, text)
	case "name":
		c.name = cmp.Or(c.name, text)
	case "arguments":
		c.arguments = cmp.Or(c.arguments, text)
	}
}
