// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
)

// maxNested is how deep a content is read that stands as text or object in another one.
const maxNested = 4

// parts gathers the parts of one message's content.
type parts struct {
	texts     []string          // of text parts
	shown     []valuetext.Value // text and other parts, as they were written
	other     bool              // shown has parts that are not text
	array     bool              // the content is an array
	count     int               // parts taken in
	nested    int               // how deep
	calls     []toolCall
	responses []string
	answered  string // the id of the first call responded to
	reasoning []string
	refusals  []string
}

// part is one element of a content array.
type part struct {
	kind      string
	members   int
	text      valuetext.Value // "text" or "content"
	value     valuetext.Value // what a response holds
	reasoning valuetext.Value
	refusal   valuetext.Value
	list      valuetext.Value // "parts"
	thought   bool
	call      toolCall
	inner     valuetext.Value // the object that tells by its name what the part is
	innerSort partSort
}

// partSort is what a part of a message is.
type partSort uint8

const (
	opaquePart partSort = iota // of a kind that nothing is known of
	textPart
	callPart
	answerPart // of a tool
	reasoningPart
	refusalPart
	mediaPart
)

// sortOf returns what a part is by its kind, however an SDK spells it: "tool_use",
// "toolUse", "mcp_call", "web_search_tool_result". A kind that is new may be known by its
// words.
func sortOf(kind string) partSort {
	switch kind {
	case "text", "input_text", "output_text":
		return textPart
	case "tool_call", "tool-call", "tool_use":
		return callPart
	case "tool_call_response", "tool-result", "tool_result":
		return answerPart
	case "reasoning", "thinking":
		return reasoningPart
	}
	if len(kind) > 64 {
		return opaquePart
	}
	name := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(kind))
	has := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(name, word) {
				return true
			}
		}
		return false
	}
	ends := func(words ...string) bool {
		for _, word := range words {
			if strings.HasSuffix(name, word) {
				return true
			}
		}
		return false
	}
	switch {
	case ends("response", "result", "output") && has("tool", "function", "call", "execution"):
		return answerPart
	case ends("tooluse", "call", "toolinvocation", "toolrequest"):
		return callPart
	case has("reasoning", "thinking"):
		return reasoningPart
	case name == "refusal":
		return refusalPart
	case name == "inputtext", name == "outputtext":
		return textPart
	case has("image", "audio", "video", "file", "uri", "blob", "document", "media"):
		return mediaPart
	}
	return opaquePart
}

// wrapKind reports whether Vercel wraps so what a tool answered.
func wrapKind(kind string) bool {
	switch kind {
	case "text", "json", "error-text", "error-json":
		return true
	}
	return false
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

// readInner reads a content that stands within a part.
func (p *parts) readInner(text string) bool {
	if p.nested >= maxNested {
		return false
	}
	p.nested++
	r := valuetext.Read(text)
	p.readContent(r)
	p.nested--
	return r.OK()
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
		x.set(r.Name(), r.Value())
	}
	if r.Broken() || p.full() {
		return
	}
	p.add(&x, x.sort(), r.Object(start))
}

func (x *part) set(name string, v valuetext.Value) {
	x.members++
	switch name {
	case "type", "block_type":
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
	case "parts":
		x.list = v
	case "thought":
		x.thought = v.Raw == "true"
	case "message":
		if v.Kind == '"' && !x.text.Present() {
			x.text = v
		}
	default:
		if v.Kind == '{' {
			if sort := sortOf(name); sort == callPart || sort == answerPart || sort == reasoningPart {
				x.inner, x.innerSort = v, sort
				return
			}
		}
		x.call.set(name, v)
	}
}

// sort returns what the part is: what its kind says, or where it has none what it holds.
func (x *part) sort() partSort {
	switch {
	case x.kind != "":
		return sortOf(x.kind)
	case x.inner.Kind != 0:
		return x.innerSort
	case x.thought:
		return reasoningPart
	}
	if _, ok := x.plain(); ok {
		return textPart
	}
	return opaquePart
}

// plain returns the text of a part that is one: a text, or an object that holds it, as
// Azure writes.
func (x *part) plain() (string, bool) {
	switch x.text.Kind {
	case '"':
		return x.text.Text(), true
	case '{':
		if found, _ := valuetext.Members(x.text.Raw, "value"); found[0].Kind == '"' {
			return found[0].Text(), true
		}
		if found, _ := valuetext.Members(x.text.Raw, "text"); found[0].Kind == '{' {
			inner, _ := valuetext.Members(found[0].Raw, "value")
			return inner[0].Text(), inner[0].Kind == '"'
		}
	}
	return "", false
}

// add sorts one part in.
func (p *parts) add(x *part, sort partSort, raw valuetext.Value) {
	switch sort {
	case callPart:
		p.calls = append(p.calls, x.toolCall())
	case answerPart:
		id, text := x.answer()
		p.responses = append(p.responses, text)
		p.answered = cmp.Or(p.answered, id)
	case reasoningPart:
		p.reasoning = append(p.reasoning, x.reasoned())
	case refusalPart:
		p.refusals = append(p.refusals, cmp.Or(x.refusal.AsText(), x.text.AsText()))
	case textPart, mediaPart, opaquePart:
		if x.kind == "" && x.list.Kind == '[' && p.readInner(x.list.Raw) {
			return
		}
		text, plain := x.plain()
		if x.kind == "" && !p.array && plain && isParts(text) && p.readInner(text) {
			return
		}
		p.shown = append(p.shown, raw)
		if plain && sort == textPart {
			p.texts = append(p.texts, text)
		} else {
			p.other = true
		}
	}
}

// toolCall returns the call that a part is.
func (x *part) toolCall() toolCall {
	c := x.call
	if x.inner.Kind != 0 {
		inner := readToolCall(valuetext.Read(x.inner.Raw))
		c.id, c.name, c.arguments = cmp.Or(c.id, inner.id), cmp.Or(c.name, inner.name), cmp.Or(c.arguments, inner.arguments)
	}
	if c.name == "" && sortOf(x.kind) == callPart && x.kind != "tool_call" && x.kind != "function_call" { // as "web_search_call"
		c.name = strings.TrimSuffix(x.kind, "_call")
	}
	return c
}

// answer returns what a tool answered, and to which call.
func (x *part) answer() (id, text string) {
	value := x.value
	if x.inner.Kind != 0 {
		found, _ := valuetext.Members(x.inner.Raw, "toolUseId", "id", "callId", "content", "response", "result", "output")
		for _, v := range found[:3] {
			id = cmp.Or(id, v.AsText())
		}
		for _, v := range found[3:] {
			if value.Kind == 0 {
				value = v
			}
		}
	}
	if value.Kind == 0 {
		value = x.text
	}
	return cmp.Or(x.call.id, id), responseText(value)
}

func (x *part) reasoned() string {
	if x.inner.Kind != 0 { // Bedrock's
		found, _ := valuetext.Members(x.inner.Raw, "reasoningText", "text")
		return cmp.Or(valuetext.MemberText(found[0].Raw, "text"), found[1].Text())
	}
	return cmp.Or(x.text.AsText(), x.reasoning.AsText())
}

// finish puts what was gathered into the message. What tools answered is no word of the
// user, in whose name some SDKs send it.
func (p *parts) finish(m *message) {
	for _, c := range p.calls {
		m.addToolCall(c)
	}
	m.toolCallID = cmp.Or(m.toolCallID, p.answered)
	m.reasoning = cmp.Or(m.reasoning, lines(p.reasoning))
	m.refusal = cmp.Or(m.refusal, lines(p.refusals))

	switch {
	case p.other && !p.array && len(p.shown) == 1:
		m.content = new(p.shown[0].Compact())
	case p.other:
		m.content = new(arrayOf(p.shown))
	case len(p.texts) > 0:
		m.content = new(strings.Join(p.texts, "\n"))
	case len(p.responses) > 0:
		m.content = new(strings.Join(p.responses, "\n"))
		if m.role == "user" || m.role == "" {
			m.role = "tool"
		}
		return
	default:
		return
	}
	if len(p.responses) > 0 && m.role == "user" {
		m.answered = new(strings.Join(p.responses, "\n"))
	}
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
		if found, _ := valuetext.Members(v.Raw, "type", "value"); wrapKind(found[0].Text()) && found[1].Present() {
			return found[1].AsText()
		}
	case '"':
		if text := v.Text(); strings.HasPrefix(text, `{"type":`) { // Mastra writes it as a text once more
			if found, ok := valuetext.Members(text, "type", "value"); ok && wrapKind(found[0].Text()) && found[1].Present() {
				return found[1].AsText()
			}
		}
	case '[':
		if text, ok := textsOf(v.Raw, true); ok {
			return text
		}
	}
	return v.AsText()
}

// partTexts returns the texts of a JSON array of parts, joined by newline. Any
// other text is not ok: an answer may well be a JSON array.
func partTexts(text string) (string, bool) { return textsOf(text, false) }

// isParts reports whether a text is a JSON array of parts, with or without kinds.
func isParts(text string) bool {
	_, ok := textsOf(text, true)
	return ok
}

// textsOf is partTexts. At least one part must be of a kind that is known; where bare is
// set, an object that holds a text without a kind is one.
func textsOf(text string, bare bool) (string, bool) {
	if !strings.HasPrefix(text, "[") {
		return "", false
	}
	r := valuetext.Read(text)
	if !r.Enter('[') {
		return "", false
	}
	var texts []string
	known := false
	for r.More() {
		var x part
		if !r.Enter('{') {
			v := r.Value()
			if v.Kind != '"' {
				return "", false
			}
			texts = append(texts, v.Text())
			continue
		}
		for r.More() {
			x.set(r.Name(), r.Value())
		}
		sort := x.sort()
		if x.kind == "" && x.inner.Kind == 0 && x.members != 1 {
			return "", false
		}
		if sort == textPart {
			text, _ := x.plain()
			texts = append(texts, text)
		}
		known = known || sort != opaquePart && (bare || x.kind != "" || x.inner.Kind != 0)
	}
	if !r.OK() || !known {
		return "", false
	}
	return lines(texts), true
}
