// SPDX-License-Identifier: Apache-2.0

// Package conversation reads lists of texts and messages, and what was retrieved.
package conversation

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Texts are a JSON array of strings or of messages with a content.
type Texts []string

var errNoTexts = errors.New("must be a JSON array of strings, or of objects with a content")

// UnmarshalText reads the array.
func (t *Texts) UnmarshalText(raw []byte) error {
	var elements []json.RawMessage
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &elements) != nil {
		return errNoTexts
	}
	all := make(Texts, len(elements))
	for i, element := range elements {
		text, ok := textOf(element)
		if !ok {
			return errNoTexts
		}
		all[i] = text
	}
	*t = all
	return nil
}

// textOf returns the text of a string, of a message, or of the text parts that a
// message's content may be made of.
func textOf(element json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(element, &text) == nil && element[0] == '"' {
		return text, true
	}
	var message struct {
		Content json.RawMessage `json:"content"`
		Text    *string         `json:"text"`
	}
	if element[0] != '{' || json.Unmarshal(element, &message) != nil {
		return "", false
	}
	if message.Text != nil {
		return *message.Text, true
	}
	if len(message.Content) == 0 {
		return "", false
	}
	switch message.Content[0] {
	case 'n': // Such as a message of tool calls alone.
		return "", true
	case '[':
		var parts []struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(message.Content, &parts) != nil {
			return "", false
		}
		var b bytes.Buffer
		for _, p := range parts {
			if b.Len() > 0 && p.Text != "" {
				b.WriteByte('\n')
			}
			b.WriteString(p.Text)
		}
		return b.String(), true
	default:
		return text, json.Unmarshal(message.Content, &text) == nil
	}
}

// Turn is what a user said and what came back. Either may be missing.
type Turn struct {
	User, Assistant       string
	HasUser, HasAssistant bool
}

// Pair pairs prompts with completions in their order.
func Pair(promptsField, completionsField string, prompts, completions Texts) ([]Turn, error) {
	turns := make([]Turn, max(len(prompts), len(completions)))
	if len(turns) == 0 {
		return nil, fault.New(fault.Invalid, "input.%s and input.%s must not both be empty", promptsField, completionsField)
	}
	for i := range turns {
		if i < len(prompts) {
			turns[i].User, turns[i].HasUser = prompts[i], true
		}
		if i < len(completions) {
			turns[i].Assistant, turns[i].HasAssistant = completions[i], true
		}
	}
	return turns, nil
}

// DataBlock lays out a conversation for a judge. It is JSON, so that no message
// can pass for another.
func DataBlock(name string, turns []Turn) (eval.DataBlock, error) {
	type message struct {
		Turn    int    `json:"turn"`
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	messages := []message{}
	for i, t := range turns {
		if t.HasUser {
			messages = append(messages, message{i + 1, "user", t.User})
		}
		if t.HasAssistant {
			messages = append(messages, message{i + 1, "assistant", t.Assistant})
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(messages); err != nil {
		return eval.DataBlock{}, err
	}
	return eval.DataBlock{Name: name, Text: b.String()}, nil
}
