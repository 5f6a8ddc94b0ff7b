// SPDX-License-Identifier: Apache-2.0

package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// Messages are a JSON array of messages as models take and give them. They are
// kept as they are written, for a judge to read.
type Messages struct {
	text []byte
	all  []message
}

type message struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ToolCalls json.RawMessage `json:"tool_calls"`
}

var errNoMessages = errors.New("must be a JSON array of messages, objects with a role and a content")

// UnmarshalText reads the array.
func (m *Messages) UnmarshalText(raw []byte) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &m.all) != nil {
		return errNoMessages
	}
	m.text = slices.Clone(raw)
	return nil
}

// DataBlock lays out the messages for a judge, as they were written.
func (m Messages) DataBlock(name string) eval.DataBlock {
	return eval.DataBlock{Name: name, Text: string(m.text)}
}

// CallsTools reports whether a message calls a tool, in any of the forms that
// messages have for it.
func (m Messages) CallsTools() bool {
	for _, one := range m.all {
		if has(one.ToolCalls) {
			return true
		}
		var parts []struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(one.Content, &parts) != nil {
			continue
		}
		for _, p := range parts {
			if p.Type == "tool_use" || p.Type == "tool_call" || p.Type == "function_call" {
				return true
			}
		}
	}
	return false
}

// HasRole reports whether the conversation has a message of that role.
func (m Messages) HasRole(role string) bool {
	return slices.ContainsFunc(m.all, func(one message) bool {
		return one.Role == role && (has(one.Content) || has(one.ToolCalls))
	})
}

// has reports whether a JSON value holds anything.
func has(value json.RawMessage) bool {
	switch string(bytes.TrimSpace(value)) {
	case "", "null", "[]", "{}", `""`:
		return false
	default:
		return true
	}
}
