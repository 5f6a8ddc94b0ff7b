// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"cmp"
	"context"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/jsontext"
	"github.com/touchstone-otel/touchstone/internal/evaluators/pytext"
)

type agentToolErrorInput struct {
	Input  eval.JSONText[toolText] `json:"tool_input" doc:"What the tool was called with, JSON; an empty text is a call without arguments." need:"required" span:"tool_input"`
	Output eval.JSONText[toolText] `json:"tool_output" doc:"What the tool answered, JSON or plain text." need:"required" span:"tool_output"`
}

type agentToolErrorOutput struct {
	Reason  string `json:"reason" doc:"The sign of an error that was found."`
	Success bool   `json:"success" doc:"Whether the call shows no sign of an error."`
}

// toolText is JSON or plain text, which is for the rules to find out.
type toolText string

// UnmarshalText takes any text.
func (t *toolText) UnmarshalText(text []byte) error {
	*t = toolText(text)
	return nil
}

var _ = define(eval.Definition[agentToolErrorInput, eval.None, agentToolErrorOutput]{
	Slug: "agent-tool-error-detector",
	Doc: "Tells whether a tool call failed, by the signs that tools give: an error member, a status or code of failure, an exit code or signal, a stack trace, " +
		"an error of a shell, a build, a database, a cloud or gRPC, a page or message of failure for the whole answer, or no answer. It looks at the answer, at the objects right in it, and at lists all of whose items failed, and it does not judge " +
		"whether the call was the right one. A judge does, where one is configured.",
	Version: toolErrorPrompts.version,
	ByJudge: judgeToolCall,
	Run: func(_ context.Context, in agentToolErrorInput, _ eval.None) (agentToolErrorOutput, error) {
		if reason := toolFailure(string(in.Input.Value), string(in.Output.Value)); reason != "" {
			return agentToolErrorOutput{Reason: reason}, nil
		}
		return agentToolErrorOutput{Reason: "No sign of an error in the tool call.", Success: true}, nil
	},
	Examples: append([]eval.Example{
		{About: "an answer", Input: `{"tool_input": "{\"city\": \"Paris\"}", "tool_output": "{\"temperature\": 21}"}`, Want: `{"reason": "No sign of an error in the tool call.", "success": true}`},
		{About: "an error member", Input: `{"tool_input": {"city": "Atlantis"}, "tool_output": {"error": "unknown city"}}`, Want: `{"reason": "The tool output has \"error\" set.", "success": false}`},
		{About: "a stack trace", Input: `{"tool_input": "{}", "tool_output": "Traceback (most recent call last):\n  File \"tool.py\", line 1"}`, Want: `{"reason": "The tool output has the line of an error: Traceback.", "success": false}`},
		{About: "nothing found is no error", Input: `{"tool_input": "{}", "tool_output": "{\"results\": []}"}`, Want: `{"reason": "No sign of an error in the tool call.", "success": true}`},
		{About: "arguments that are no JSON", Input: `{"tool_input": "{\"city\": ", "tool_output": "21"}`, Want: `{"reason": "The tool input is not valid JSON.", "success": false}`},
	}, toolErrorExamples...),
})

// toolFailure returns the sign of an error in a tool call, or "".
func toolFailure(input, output string) string {
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
			if parts, ok := v[key].([]any); ok {
				if sign := contentFailure(parts); sign != "" && strings.EqualFold(key, "content") {
					return sign
				}
				if sign := allFailure(parts); sign != "" {
					return "Each item of the tool output's " + quoteKey(key) + " " + sign + "."
				}
			}
			if member, ok := v[key].(map[string]any); ok {
				if sign := objectFailure(member); sign != "" {
					return "The tool output's " + quoteKey(key) + " " + sign + "."
				}
			}
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
