// SPDX-License-Identifier: Apache-2.0

// Package toolfailure finds the signs of an error in what tools answer.
package toolfailure

import (
	"cmp"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/jsontext"
	"github.com/touchstone-otel/touchstone/internal/evaluators/pytext"
)

// Of returns the sign of an error in a tool call, or "".
func Of(input, output string) string {
	if strings.TrimSpace(input) != "" {
		if _, err := decodeLogged(input); err != nil {
			return "The tool input is not valid JSON."
		}
	}
	if strings.TrimSpace(output) == "" {
		return "The tool output is empty."
	}
	value, err := decodeLogged(output)
	if err != nil {
		return textFailure(output)
	}
	switch v := value.(type) {
	case nil:
		return "The tool output is null."
	case string:
		return textFailure(v)
	case []any:
		if sign := contentFailure(v); sign != "" {
			return sign
		}
		if sign := allFailure(v); sign != "" {
			return "Each item of the tool output " + sign + "."
		}
	case map[string]any:
		if sign := objectFailure(v); sign != "" {
			return "The tool output " + sign + "."
		}
		for _, key := range sortedKeys(v) {
			if sign := memberFailure(key, v[key]); sign != "" {
				return sign
			}
		}
	}
	return ""
}

// memberFailure returns the sign of an error in a member of what a tool answers, or "".
func memberFailure(key string, value any) string {
	switch v := value.(type) {
	case []any:
		if sign := contentFailure(v); sign != "" && strings.EqualFold(key, "content") {
			return sign
		}
		if sign := allFailure(v); sign != "" {
			return "Each item of the tool output's " + quoteKey(key) + " " + sign + "."
		}
	case map[string]any:
		if sign := objectFailure(v); sign != "" {
			return "The tool output's " + quoteKey(key) + " " + sign + "."
		}
	}
	return ""
}

// allFailure returns the sign of an error that the first of a list of objects has, as a
// predicate, if all of them have one, or "". One that some items have is about these, and
// one that is no more than a status is what was asked for: that of a job.
func allFailure(items []any) (first string) {
	for _, item := range items {
		object, ok := item.(map[string]any)
		if !ok {
			return ""
		}
		sign := invalidField(object)
		if sign == "" && explains(object) {
			sign = objectFailure(object)
		}
		if sign == "" {
			return ""
		}
		first = cmp.Or(first, sign)
	}
	return first
}

// invalidField returns the sign of what frameworks say of a field of a request that is not
// valid: where it is, and what is wrong, see
// https://fastapi.tiangolo.com/tutorial/handling-errors/.
func invalidField(object map[string]any) string {
	_, placed := object["loc"].([]any)
	if _, said := object["msg"].(string); placed && said {
		return "says which field is not valid"
	}
	return ""
}

// contentFailure returns the sign of an error in the texts of a list of content,
// as tools of the Model Context Protocol answer, or "".
func contentFailure(parts []any) string {
	for _, part := range parts {
		object, _ := part.(map[string]any)
		if text, ok := object["text"].(string); ok && object["type"] == "text" {
			if sign := textFailure(text); sign != "" {
				return sign
			}
		}
	}
	return ""
}

// decodeLogged decodes JSON, or the same as Python prints it.
func decodeLogged(text string) (any, error) {
	value, err := jsontext.Decode([]byte(text))
	if err != nil {
		return pytext.ParseLiteral(text)
	}
	return value, nil
}
