// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// sourceValues are the texts of one span's source attributes, which those that
// are present, and which families of message keys occur. The zero value is of a
// span without attributes; note adds one.
type sourceValues struct {
	texts [semconv.Count]string
	has   [semconv.Count]bool
	seen  keyFamily
	more  []sourceValue // of the table of SDKs
	kind  string        // the type of the span, "" before it is asked for
	hint  string        // its type by an attribute that no convention knows

	own    mapping       // of the environment
	mapped []mappedValue // what of it the span has
}

type sourceValue struct {
	attribute semconv.Attribute
	text      string
}

// keyFamily is a set of kinds of indexed message keys.
type keyFamily uint8

const (
	llmPrompts keyFamily = 1 << iota
	genPrompts
	llmInputMessages
	llmCompletions
	genCompletions
	llmOutputMessages
	llmChoices
)

// How the keys of a keyFamily begin; an index and a suffix follow.
const (
	promptPrefix         = "llm.prompts."
	genPromptPrefix      = "gen_ai.prompt."
	inputMessagesPrefix  = "llm.input_messages."
	completionPrefix     = "llm.completions."
	genCompletionPrefix  = "gen_ai.completion."
	outputMessagesPrefix = "llm.output_messages."
	choicesPrefix        = "llm.choices."
)

// keyFamilyOf returns the family that an attribute belongs to, 0 for none.
func keyFamilyOf(key string) keyFamily {
	switch {
	case strings.HasPrefix(key, "llm."):
		switch {
		case isIndexed(key, promptPrefix):
			return llmPrompts
		case isIndexed(key, completionPrefix):
			return llmCompletions
		case isIndexed(key, inputMessagesPrefix):
			return llmInputMessages
		case isIndexed(key, outputMessagesPrefix):
			return llmOutputMessages
		case isIndexed(key, choicesPrefix):
			return llmChoices
		}
	case isIndexed(key, genPromptPrefix):
		return genPrompts
	case isIndexed(key, genCompletionPrefix):
		return genCompletions
	}
	return 0
}

// isIndexed reports whether key is the prefix, an index and a suffix.
func isIndexed(key, prefix string) bool {
	if !strings.HasPrefix(key, prefix) {
		return false
	}
	index, suffix := splitIndex(key[len(prefix):])
	return index != "" && suffix != ""
}

// splitIndex cuts "12.role" into "12" and "role"; index is "" where text does
// not begin with digits and a dot.
func splitIndex(text string) (index, suffix string) {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	if n == 0 || n == len(text) || text[n] != '.' {
		return "", text
	}
	return text[:n], text[n+1:]
}

// note takes in one attribute. The first of equal keys counts.
func (f *sourceValues) note(key, text string) {
	f.noteMapped(key, text)
	k, ok := semconv.Find(key)
	switch {
	case !ok:
		f.unknown(key, text)
	case k >= semconv.Count:
		f.more = append(f.more, sourceValue{k, text})
	case !f.has[k]:
		f.has[k], f.texts[k] = true, text
	}
}

// unknown takes in an attribute that no convention has by its name alone.
func (f *sourceValues) unknown(key, text string) {
	f.seen |= keyFamilyOf(key)
	if f.hint == "" {
		f.hint = hintOf(key, text)
	}
}

// text returns what an attribute holds, "" if the span does not have it or has the name
// from elsewhere.
func (f *sourceValues) text(k semconv.Attribute) string {
	if k < semconv.Count {
		return f.texts[k]
	}
	i := f.place(k)
	if i < 0 {
		return ""
	}
	with := k.With()
	for _, key := range with {
		if f.hasKey(key) {
			return f.more[i].text
		}
	}
	if len(with) > 0 {
		return ""
	}
	return f.more[i].text
}

// place returns where an attribute of the table of SDKs stands, -1 for nowhere.
func (f *sourceValues) place(k semconv.Attribute) int {
	for i := range f.more {
		if f.more[i].attribute == k {
			return i
		}
	}
	return -1
}

func (f *sourceValues) hasKey(key string) bool {
	k, ok := semconv.Find(key)
	if !ok || k >= semconv.Count {
		return ok && f.place(k) >= 0
	}
	return f.has[k]
}

// first returns the first text that is not empty among the attributes that p is
// taken from, "" if there is none.
func (f *sourceValues) first(p span.Promoted) string { return f.firstOf(semconv.Sources(p)) }

// firstOf returns the first text that is not empty among these attributes.
func (f *sourceValues) firstOf(list []semconv.Attribute) string {
	for _, k := range list {
		if k >= semconv.Count && len(f.more) == 0 {
			return "" // the table of SDKs is behind the others
		}
		if text := f.text(k); text != "" {
			return text
		}
	}
	return ""
}
