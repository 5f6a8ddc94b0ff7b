// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"slices"
	"strings"
	"unicode"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Words in the keys by which SDKs that no convention names tell what was asked and what was
// answered, the likeliest first.
var (
	askingWords    = []string{"messages", "prompt", "prompts", "input", "inputs", "in", "question", "query", "request", "arguments", "args", "params", "parameters"}
	answeringWords = []string{"completion", "completions", "response", "output", "outputs", "out", "answer", "reply", "result", "results", "generation"}
)

// shapeWords end keys and say in which shape something is, not what it is.
var shapeWords = []string{"messages", "message", "text", "content", "contents", "value", "json", "raw", "body", "data", "string", "payload"}

// wordsOf returns the words of a key that is written in one of the usual ways.
func wordsOf(key string) []string {
	var b strings.Builder
	for i := range len(key) {
		c := key[i]
		if c >= 'A' && c <= 'Z' {
			if i > 0 && (key[i-1] < 'A' || key[i-1] > 'Z') {
				b.WriteByte(' ')
			}
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return strings.FieldsFunc(b.String(), func(c rune) bool { return !unicode.IsLetter(c) })
}

// rankOf returns how likely the key is one of what is called by these words, 0 the likeliest;
// not ok for a key that is called otherwise. Behind the word there may be those of a shape.
func rankOf(key string, words []string) (rank int, ok bool) {
	found := wordsOf(key)
	for i := range slices.Backward(found) {
		word := found[i]
		shape := slices.Contains(shapeWords, word)
		if at := slices.Index(words, word); at >= 0 && !shape {
			return at, true
		}
		if !shape {
			break
		}
	}
	if last := len(found) - 1; last >= 0 && found[last] == "messages" && slices.Contains(words, "messages") {
		_, answers := rankOf(key, answeringWords)
		return 0, !answers
	}
	return 0, false
}

// discovers reports whether the span is a call of a model, the run of a tool or the work of
// an agent, of which unknown attributes are looked at.
func (m *messageReader) discovers() bool {
	switch m.values.spanType() {
	case span.TypeLLM, span.TypeTool, span.TypeAgent:
		return true
	}
	return false
}

// discovered returns the text of the attribute that is called by the first of these
// words, where no convention knows its key.
func (m *messageReader) discovered(words []string) string {
	if !m.discovers() {
		return ""
	}
	best, found := len(words), ""
	m.each("", func(key, text string) {
		if best > 0 && unknown(key) && hasLetter(text) {
			if at, ok := rankOf(key, words); ok && at < best {
				best, found, m.from = at, text, key
			}
		}
	})
	return found
}

// discoveredDialogue returns the messages of the first attribute that no convention knows
// and that holds some, whatever it is called.
func (m *messageReader) discoveredDialogue() (asked, answered []message) {
	if !m.discovers() {
		return nil, nil
	}
	m.each("", func(key, text string) {
		if len(asked)+len(answered) > 0 || !strings.HasPrefix(text, "[") || !unknown(key) {
			return
		}
		if list := parseMessages(text); len(list) > 0 && !slices.ContainsFunc(list, func(x message) bool { return x.role == "" && x.event == "" }) {
			asked, answered = divided(list)
			m.from = key
		}
	})
	return asked, answered
}

// unknown reports whether no convention knows a key.
func unknown(key string) bool {
	if _, known := semconv.Find(key); known || keyFamilyOf(key) != 0 {
		return false
	}
	begins := func(prefix string) bool { return strings.HasPrefix(key, prefix) }
	return !slices.ContainsFunc(plainPrefixes, begins) && !slices.ContainsFunc(semconv.AssociationPrefixes, begins)
}

// hasLetter tells words from numbers.
func hasLetter(text string) bool {
	return text != "true" && text != "false" && strings.IndexFunc(text, unicode.IsLetter) >= 0
}

// discoverPrompts appends what an attribute asks that no convention knows. Of a tool that
// is its input.
func (m *messageReader) discoverPrompts(l *messageList) {
	if m.values.spanType() == span.TypeTool || m.values.first(span.PromotedInput) != "" {
		return
	}
	if l.addAsked(m.discovered(askingWords), true); l.none() {
		asked, _ := m.discoveredDialogue()
		for _, x := range asked {
			l.add(x, "user")
		}
	}
}

// discoverCompletions appends what one answers.
func (m *messageReader) discoverCompletions(l *messageList) {
	if m.values.spanType() == span.TypeTool || m.values.first(span.PromotedOutput) != "" {
		return
	}
	if l.addAnswered(m.discovered(answeringWords), true); l.none() {
		_, answered := m.discoveredDialogue()
		for _, x := range answered {
			l.addIndexed(x)
		}
	}
}

// hintOf returns the type of a span by an attribute that no convention knows but that is
// called a kind of something, "" for any other. Only types of spans with content count.
func hintOf(key, text string) string {
	// Most keys end otherwise, so that is looked at first.
	if !strings.HasSuffix(key, "kind") && !strings.HasSuffix(key, "type") && !strings.HasSuffix(key, "operation") {
		return ""
	}
	if len(text) > maxPlain || !strings.ContainsAny(key, ".:/") || tenant.Reserved(key) || !unknown(key) {
		return ""
	}
	switch known := semconv.Vendor.TypeOf(text); known {
	case span.TypeLLM, span.TypeTool, span.TypeAgent, span.TypeRetrieval, span.TypeEmbedding:
		return known
	}
	return ""
}
