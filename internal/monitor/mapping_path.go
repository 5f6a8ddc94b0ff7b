// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// parsePath reads names and indexes with dots between them.
func parsePath(path, text string) ([]string, error) {
	if len(text) > maxMappingPath {
		return nil, fault.New(fault.Invalid, "%s must be at most %d bytes", path, maxMappingPath)
	}
	steps := strings.Split(text, ".")
	if len(steps) > maxMappingSteps {
		return nil, fault.New(fault.Invalid, "%s must have at most %d steps", path, maxMappingSteps)
	}
	for _, step := range steps {
		if step == "" {
			return nil, fault.New(fault.Invalid, "%s must be names and indexes with dots between them", path)
		}
	}
	return steps, nil
}

// walk follows a path through JSON. Texts are given bare and everything else as
// JSON; null is nothing. A text on the way that holds JSON is walked on through.
func walk(text string, steps []string) (string, bool) {
	raw := json.RawMessage(text)
	for _, step := range steps {
		next, ok := into(raw, step)
		if !ok {
			return "", false
		}
		raw = next
	}
	if len(raw) > 0 && raw[0] == '"' {
		var bare string
		err := json.Unmarshal(raw, &bare)
		return bare, err == nil
	}
	if string(raw) == "null" {
		return "", false
	}
	return string(raw), true
}

// into returns the element of a list or the value of an object.
func into(raw json.RawMessage, step string) (json.RawMessage, bool) {
	var inner string
	if json.Unmarshal(raw, &inner) == nil && inner != "" {
		raw = json.RawMessage(inner)
	}
	trimmed := strings.TrimLeft(string(raw), " \t\r\n")
	switch {
	case strings.HasPrefix(trimmed, "["):
		var list []json.RawMessage
		at, err := strconv.Atoi(step)
		if err != nil || json.Unmarshal(raw, &list) != nil || at < 0 || at >= len(list) {
			return nil, false
		}
		return list[at], true
	case strings.HasPrefix(trimmed, "{"):
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) != nil {
			return nil, false
		}
		value, ok := object[step]
		return value, ok
	}
	return nil, false
}
