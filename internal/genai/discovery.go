// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"slices"
	"strings"
	"unicode"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Last words of the keys by which SDKs that no convention names tell what was asked and
// what was answered, the likeliest first.
var (
	askingWords    = []string{"messages", "prompt", "prompts", "input", "inputs", "question", "query", "request", "arguments", "args"}
	answeringWords = []string{"completion", "completions", "response", "output", "outputs", "answer", "result"}
)

// discovered returns the text of the attribute that is called by the first of these
// words, where no convention knows its key and the span is a call of a model, the run of a
// tool or the work of an agent.
func (m *messageReader) discovered(words []string) string {
	switch m.values.spanType() {
	case span.TypeLLM, span.TypeTool, span.TypeAgent:
	default:
		return ""
	}
	best, found := len(words), ""
	m.each("", func(key, text string) {
		if best > 0 && unknown(key) && hasLetter(text) {
			last := lastWord(key[strings.LastIndexAny(key, ".:/")+1:])
			if at := slices.Index(words, last); at >= 0 && at < best {
				best, found, m.from = at, text, key
			}
		}
	})
	return found
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
	if m.values.spanType() != span.TypeTool && m.values.first(span.PromotedInput) == "" {
		l.addAsked(m.discovered(askingWords), true)
	}
}

// discoverCompletions appends what one answers.
func (m *messageReader) discoverCompletions(l *messageList) {
	if m.values.spanType() != span.TypeTool && m.values.first(span.PromotedOutput) == "" {
		l.addAnswered(m.discovered(answeringWords), true)
	}
}
