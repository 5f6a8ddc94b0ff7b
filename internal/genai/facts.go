// SPDX-License-Identifier: Apache-2.0

package genai

import "strings"

// facts is what the normaliser knows of one span's attributes. The zero value
// knows nothing; note fills it, one attribute after the other.
type facts struct {
	texts [factCount]string
	has   [factCount]bool
	seen  family
}

// family is a set of kinds of indexed message keys.
type family uint8

const (
	llmPrompts family = 1 << iota
	genPrompts
	llmInputMessages
	llmCompletions
	genCompletions
	llmOutputMessages
	llmChoices
)

// How the keys of a family begin; an index and a suffix follow.
const (
	promptPrefix         = "llm.prompts."
	genPromptPrefix      = "gen_ai.prompt."
	inputMessagesPrefix  = "llm.input_messages."
	completionPrefix     = "llm.completions."
	genCompletionPrefix  = "gen_ai.completion."
	outputMessagesPrefix = "llm.output_messages."
	choicesPrefix        = "llm.choices."
)

// familyOf gives the family that an attribute belongs to, 0 for none.
func familyOf(key string) family {
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
func (f *facts) note(key, text string) {
	if k, ok := factByName[key]; ok {
		if !f.has[k] {
			f.has[k], f.texts[k] = true, text
		}
		return
	}
	f.seen |= familyOf(key)
}

// first gives the first of these attributes that is not empty.
func (f *facts) first(list []fact) string {
	for _, k := range list {
		if f.texts[k] != "" {
			return f.texts[k]
		}
	}
	return ""
}
