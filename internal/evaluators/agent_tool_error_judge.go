// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
)

var toolErrorPrompts = judging.PromptsOf("agent-tool-error-detector")

// judgeToolCall lets a judge tell whether a tool call went well.
func judgeToolCall(ctx context.Context, m eval.Models, in agentToolErrorInput, _ eval.None) (agentToolErrorOutput, error) {
	said, _, err := toolErrorPrompts.AskVerdict(ctx, m, "call",
		eval.DataBlock{Name: "tool_input", Text: string(in.Input.Value)}, eval.DataBlock{Name: "tool_output", Text: string(in.Output.Value)})
	if err != nil {
		return agentToolErrorOutput{}, err
	}
	return agentToolErrorOutput{Reason: said.Reason, Success: said.Yes()}, nil
}

// toolErrorExamples are those that a judge answers.
var toolErrorExamples = []eval.Example{
	{
		About: "an answer about something else", Input: `{"tool_input": "{\"city\": \"Oslo\"}", "tool_output": "The weather in Rome is fine."}`,
		Judge: []string{`{"reason": "Oslo was asked for.", "verdict": "no"}`},
		Want:  `{"reason": "Oslo was asked for.", "success": false}`,
	},
}
