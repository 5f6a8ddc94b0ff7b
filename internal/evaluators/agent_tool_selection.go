// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/conversation"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

type toolSelectionInput struct {
	Input  eval.JSONText[conversation.Messages] `json:"input_messages" doc:"What the agent was given, a JSON array of messages." need:"required" span:"input_messages"`
	Output eval.JSONText[conversation.Messages] `json:"output_messages" doc:"What it did next, a JSON array of messages, with their tool calls." need:"required" span:"output_messages"`
	Tools  eval.JSONText[toolText]              `json:"tool_definitions" doc:"The tools that it could use, a JSON array with their descriptions and parameters." span:"tool_definitions"`
}

type toolSelectionOutput struct {
	Selection       string `json:"tool_selection" doc:"correct or incorrect; correct too if no tool was called and none was needed."`
	SelectionReason string `json:"tool_selection_reason" doc:"Why."`
	Arguments       bool   `json:"correct_args" doc:"Whether the arguments of the calls are right; true without calls."`
	ArgumentsReason string `json:"correct_args_reason" doc:"Why."`
	eval.Judged
}

var toolSelectionPrompts = judging.PromptsOf("agent-tool-selection-quality")

var toolSelectionSchema = judging.Object(
	"tool_selection_reason", judging.Text, "tool_selection", judging.OneOf("string", `"correct"`, `"incorrect"`),
	"correct_args_reason", judging.Text, "correct_args", judging.Boolean)

var _ = define(eval.Definition[toolSelectionInput, eval.None, toolSelectionOutput]{
	Slug:    "agent-tool-selection-quality",
	Doc:     "Tells whether an agent called the right tools with the right arguments. A judge decides, and sees which tools were at hand if their definitions are there. There is no way to tell without a judge.",
	Version: toolSelectionPrompts.Version,
	ByJudge: func(ctx context.Context, m eval.Models, in toolSelectionInput, _ eval.None) (toolSelectionOutput, error) {
		var said struct {
			Selection       string `json:"tool_selection"`
			SelectionReason string `json:"tool_selection_reason"`
			Arguments       bool   `json:"correct_args"`
			ArgumentsReason string `json:"correct_args_reason"`
		}
		data := []eval.DataBlock{in.Input.Value.DataBlock("input_messages"), in.Output.Value.DataBlock("output_messages")}
		if tools := string(in.Tools.Value); !lexical.Blank(tools) {
			data = append(data, eval.DataBlock{Name: "tools", Text: tools})
		}
		err := toolSelectionPrompts.Ask(ctx, m, "selection", toolSelectionSchema, &said, data...)
		if err != nil {
			return toolSelectionOutput{}, err
		}
		if !in.Output.Value.CallsTools() {
			said.Arguments, said.ArgumentsReason = true, "No tool was called."
		}
		return toolSelectionOutput{said.Selection, said.SelectionReason, said.Arguments, said.ArgumentsReason, reasoned(said.SelectionReason + " " + said.ArgumentsReason)}, nil
	},
	Examples: []eval.Example{
		{About: "no messages", Input: `{"input_messages": "hello", "output_messages": "[]"}`, Refused: "input.input_messages must be a JSON array of messages, objects with a role and a content"},
		{
			About: "the right tool for another city",
			Input: `{"input_messages": [{"role": "user", "content": "How warm is it in Oslo?"}], "output_messages": [{"role": "assistant", "tool_calls": [{"name": "weather", "arguments": {"city": "Rome"}}]}]}`,
			Judge: []string{`{"tool_selection_reason": "It tells the weather.", "tool_selection": "correct", "correct_args_reason": "Oslo was asked for.", "correct_args": false}`},
			Want:  `{"tool_selection": "correct", "tool_selection_reason": "It tells the weather.", "correct_args": false, "correct_args_reason": "Oslo was asked for."}`,
		},
		{
			About: "a better tool was at hand",
			Input: `{"input_messages": [{"role": "user", "content": "How warm is it in Oslo?"}], "output_messages": [{"role": "assistant", "tool_calls": [{"name": "web_search", "arguments": {"query": "Oslo temperature"}}]}], "tool_definitions": [{"name": "web_search"}, {"name": "weather", "description": "The temperature in a city."}]}`,
			Judge: []string{`{"tool_selection_reason": "The weather tool was at hand.", "tool_selection": "incorrect", "correct_args_reason": "They name the city.", "correct_args": true}`},
			Want:  `{"tool_selection": "incorrect", "tool_selection_reason": "The weather tool was at hand.", "correct_args": true, "correct_args_reason": "They name the city."}`,
		},
		{
			About: "no tool was needed",
			Input: `{"input_messages": [{"role": "user", "content": "Hi!"}], "output_messages": [{"role": "assistant", "content": "Hello."}]}`,
			Judge: []string{`{"tool_selection_reason": "A greeting needs none.", "tool_selection": "correct", "correct_args_reason": "None.", "correct_args": false}`},
			Want:  `{"tool_selection": "correct", "tool_selection_reason": "A greeting needs none.", "correct_args": true, "correct_args_reason": "No tool was called."}`,
		},
	},
})
