// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
)

// parts gathers the parts of one message's content.
type parts struct {
	texts     []string          // of text parts
	shown     []valuetext.Value // text and other parts, as they were written
	other     bool              // shown has parts that are not text
	array     bool              // the content is an array
	count     int               // parts taken in
	calls     []toolCall
	responses []string
	answered  string // the id of the first call responded to
	reasoning []string
	refusals  []string
}

// part is one element of a content array.
type part struct {
	kind      string
	text      valuetext.Value // "text" or "content"
	value     valuetext.Value // what a response holds
	reasoning valuetext.Value
	refusal   valuetext.Value
	call      toolCall
}

// textKinds are the kinds of parts that are plain text.
var textKinds = []string{"text", "input_text", "output_text"}

// wrapKinds are the kinds in which Vercel wraps what a tool answered.
var wrapKinds = []string{"text", "json", "error-text", "error-json"}

// otherKinds are kinds of parts that are neither text, calls nor responses, as
// far as known; they tell a content array from an answer that is an array.
var otherKinds = []string{
	"image", "image_url", "input_image", "uri", "blob", "file", "input_file", "audio", "input_audio", "video", "document",
	"tool_call", "tool-call", "tool_use", "function_call", "tool_call_response", "tool-result", "tool_result", "function_call_output",
	"reasoning", "thinking", "refusal",
}

// readContent reads content that is a text, an array of parts or one part.
// Where a message has content twice, under two names, the first text counts.
func (p *parts) readContent(r *valuetext.Reader) {
	if texts, shown := p.texts, p.shown; len(shown) > 0 {
		defer func() { p.texts, p.shown = texts, shown }()
	}
	if !r.Enter('[') {
		p.readPart(r)
		return
	}
	p.array = true
	for r.More() {
		p.readPart(r)
	}
}

// full counts one more part and reports whether it is one too many.
func (p *parts) full() bool {
	p.count++
	return p.count > maxParts
}

func (p *parts) readPart(r *valuetext.Reader) {
	start := r.Offset()
	if !r.Enter('{') {
		if v := r.Value(); v.Present() && !p.full() {
			p.texts = append(p.texts, v.AsText())
			p.shown = append(p.shown, v)
		}
		return
	}
	var x part
	for r.More() {
		x.set(r.Name(), r)
	}
	if r.Broken() || p.full() {
		return
	}
	p.add(x, r.Object(start))
}

func (x *part) set(name string, r *valuetext.Reader) {
	v := r.Value()
	switch name {
	case "type":
		x.kind = v.Text()
	case "text", "content":
		if !x.text.Present() {
			x.text = v
		}
	case "response", "result", "output":
		x.value = v
	case "reasoning", "thinking":
		x.reasoning = v
	case "refusal":
		x.refusal = v
	default:
		x.call.set(name, v)
	}
}

// add sorts one part in.
func (p *parts) add(x part, raw valuetext.Value) {
	switch x.kind {
	case "tool_call", "tool-call", "tool_use", "function_call":
		p.calls = append(p.calls, x.call)
	case "tool_call_response", "tool-result", "tool_result", "function_call_output":
		if x.value.Kind == 0 {
			x.value = x.text
		}
		p.responses = append(p.responses, responseText(x.value))
		p.answered = cmp.Or(p.answered, x.call.id)
	case "reasoning", "thinking":
		p.reasoning = append(p.reasoning, cmp.Or(x.text.AsText(), x.reasoning.AsText()))
	case "refusal":
		p.refusals = append(p.refusals, cmp.Or(x.refusal.AsText(), x.text.AsText()))
	default:
		p.shown = append(p.shown, raw)
		if x.text.Kind == '"' && (x.kind == "" || slices.Contains(textKinds, x.kind)) {
			p.texts = append(p.texts, x.text.Text())
		} else {
			p.other = true
		}
	}
}

// finish puts what was gathered into the message.
func (p *parts) finish(m *message) {
	for _, c := range p.calls {
		m.addToolCall(c)
	}
	m.toolCallID = cmp.Or(m.toolCallID, p.answered)
	m.reasoning = cmp.Or(m.reasoning, lines(p.reasoning))
	m.refusal = cmp.Or(m.refusal, lines(p.refusals))

	var content string
	switch {
	case p.other && !p.array && len(p.shown) == 1:
		content = p.shown[0].Compact()
	case p.other:
		content = arrayOf(p.shown)
	case len(p.texts) > 0:
		content = strings.Join(p.texts, "\n")
	case len(p.responses) > 0:
		content = strings.Join(p.responses, "\n")
	default:
		return
	}
	m.content = &content
}

func arrayOf(list []valuetext.Value) string {
	var b strings.Builder
	for i, v := range list {
		b.WriteByte("[,"[min(i, 1)])
		b.WriteString(v.Compact())
	}
	b.WriteByte(']')
	return b.String()
}

// responseText returns what a tool answered: the value that Vercel wraps with its
// kind, {"type": "json", "value": …}, or the text of the parts others send.
func responseText(v valuetext.Value) string {
	switch v.Kind {
	case '{':
		if found, _ := valuetext.Members(v.Raw, "type", "value"); slices.Contains(wrapKinds, found[0].Text()) {
			return found[1].AsText()
		}
	case '[':
		if text, ok := partTexts(v.Raw); ok {
			return text
		}
	}
	return v.AsText()
}

// partTexts returns the texts of a JSON array of parts, joined by newline. Any
// other text is not ok: an answer may well be a JSON array.
func partTexts(text string) (string, bool) {
	if !strings.HasPrefix(text, "[") {
		return "", false
	}
	r := valuetext.Read(text)
	if !r.Enter('[') {
		return "", false
	}
	var texts []string
	var some bool
	for r.More() {
		var x part
		if !r.Enter('{') {
			return "", false
		}
		for r.More() {
			x.set(r.Name(), r)
		}
		switch {
		case slices.Contains(textKinds, x.kind):
			texts = append(texts, x.text.AsText())
		case !slices.Contains(otherKinds, x.kind):
			return "", false
		}
		some = true
	}
	if !r.OK() || !some {
		return "", false
	}
	return lines(texts), true
}
