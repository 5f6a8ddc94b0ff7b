// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/toolfailure"
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
	Doc: "Tells whether a tool call failed, by the signs that tools give. These are an error member, a status or code of failure, an exit code or signal, and a stack trace. " +
		"Others are errors of a shell, a build, a database, a cloud or gRPC, a page or message of failure, and no answer. It reads the answer, the objects right in it, and lists in which every item failed. It does not tell " +
		"whether the call was the right one. A judge does, where one is configured.",
	Version: toolErrorPrompts.Version,
	ByJudge: judgeToolCall,
	Run: func(ctx context.Context, in agentToolErrorInput, _ eval.None) (agentToolErrorOutput, error) {
		if reason := toolfailure.Of(string(in.Input.Value), string(in.Output.Value)); reason != "" {
			return agentToolErrorOutput{Reason: masked(ctx, reason)}, nil // it names keys
		}
		return agentToolErrorOutput{Reason: "No sign of an error in the tool call.", Success: true}, nil
	},
	Examples: append([]eval.Example{
		{About: "an answer", Input: `{"tool_input": "{\"city\": \"Paris\"}", "tool_output": "{\"temperature\": 21}"}`, Want: `{"reason": "No sign of an error in the tool call.", "success": true}`},
		{About: "an error member", Input: `{"tool_input": {"city": "Atlantis"}, "tool_output": {"error": "unknown city"}}`, Want: `{"reason": "The tool output has \"error\" set.", "success": false}`},
		{About: "a stack trace", Input: `{"tool_input": "{}", "tool_output": "Traceback (most recent call last):\n  File \"tool.py\", line 1"}`, Want: `{"reason": "The tool output tells of an error: Traceback.", "success": false}`},
		{About: "nothing found is no error", Input: `{"tool_input": "{}", "tool_output": "{\"results\": []}"}`, Want: `{"reason": "No sign of an error in the tool call.", "success": true}`},
		{About: "arguments that are no JSON", Input: `{"tool_input": "{\"city\": ", "tool_output": "21"}`, Want: `{"reason": "The tool input is not valid JSON.", "success": false}`},
	}, toolErrorExamples...),
})
