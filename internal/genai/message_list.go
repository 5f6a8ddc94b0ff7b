// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// Bounds of what is read out of JSON and events for one span; what is beyond
// them is left out. Indexed keys were paid for one by one by their sender and
// have no bound.
const (
	maxMessages  = 10_000 // prompts, and likewise completions
	maxParts     = 10_000 // of one message's content
	maxToolCalls = 1_000  // of one message
	maxEntries   = 50_000 // keys of prompts, and likewise of completions
)

// messageList builds prompts or completions.
type messageList struct {
	keys *keyTable
	list []span.Attribute
	next int // index of the next message
}

// add appends a message; one with nothing to show is left out.
func (l *messageList) add(m message, role string) {
	l.addAt(l.next, m, role)
}

// addAt is add at a place of the sender's choice.
func (l *messageList) addAt(index int, m message, role string) {
	if index >= maxMessages || m.empty() {
		return
	}
	if m.role == "" && m.content == nil && len(m.toolCalls) > 0 {
		m.role = "assistant"
	}
	m.role = cmp.Or(m.role, role)
	if m.answered != nil {
		l.addAt(index, message{role: "tool", content: m.answered, toolCallID: m.toolCallID}, role)
		index, m.answered, m.toolCallID = l.next, nil, ""
	}
	l.next = max(l.next, index+1)
	l.put(index, "role", m.role)
	if m.content != nil {
		l.entry(index, "content", *m.content)
	}
	for i, c := range m.toolCalls {
		call := "tool_calls." + strconv.Itoa(i)
		l.put(index, call+".id", c.id)
		l.put(index, call+".name", c.name)
		l.put(index, call+".arguments", c.arguments)
	}
	l.put(index, "tool_call_id", m.toolCallID)
	l.put(index, "reasoning", m.reasoning)
	l.put(index, "refusal", m.refusal)
	l.put(index, "finish_reason", m.finish)
}

// empty reports whether nothing was read.
func (m *message) empty() bool {
	return m.content == nil && len(m.toolCalls) == 0 && cmp.Or(m.role, m.toolCallID, m.reasoning, m.refusal, m.finish) == ""
}

// silent reports whether a message has nothing but its role.
func (m *message) silent() bool {
	m.role = ""
	return m.empty()
}

func (l *messageList) put(index int, suffix, text string) {
	if text != "" {
		l.entry(index, suffix, text)
	}
}

func (l *messageList) entry(index int, suffix, text string) {
	if len(l.list) < maxEntries {
		l.list = append(l.list, span.Attribute{Key: l.keys.key(index, suffix), Value: text})
	}
}

// addText appends a message that is a text.
func (l *messageList) addText(role, text string) {
	if text != "" {
		l.add(message{content: &text}, role)
	}
}

// addAll appends the messages of a JSON array, or a single one; of text that was cut
// those that are there, of other text that is not valid JSON none.
func (l *messageList) addAll(text, role string) {
	for _, m := range parseMessages(text) {
		l.add(m, role)
	}
}

// keyTable makes the keys of messages. The usual ones are made beforehand: a
// span has dozens.
type keyTable struct {
	prefix string
	usual  [32][len(usualSuffixes)]string
}

var usualSuffixes = [...]string{"role", "content", "finish_reason", "tool_call_id"}

var (
	promptKeys     = newKeyTable(promptPrefix)
	completionKeys = newKeyTable(completionPrefix)
)

func newKeyTable(prefix string) *keyTable {
	t := &keyTable{prefix: prefix}
	for i := range t.usual {
		for j, suffix := range usualSuffixes {
			t.usual[i][j] = prefix + strconv.Itoa(i) + "." + suffix
		}
	}
	return t
}

func (t *keyTable) key(index int, suffix string) string {
	if index < len(t.usual) {
		for j, usual := range usualSuffixes {
			if usual == suffix {
				return t.usual[index][j]
			}
		}
	}
	return t.prefix + strconv.Itoa(index) + "." + suffix
}

// rename returns the key for an index and a suffix as another program wrote them.
func (t *keyTable) rename(index, suffix string) string {
	if i, ok := smallIndex(index); ok && i < len(t.usual) {
		return t.key(i, suffix)
	}
	return t.prefix + index + "." + suffix
}

// smallIndex reads an index that a list may have, in its shortest spelling.
func smallIndex(text string) (int, bool) {
	if len(text) == 0 || len(text) > len("9999") || len(text) > 1 && text[0] == '0' {
		return 0, false
	}
	n := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		n = n*10 + int(text[i]-'0')
	}
	return n, true
}
