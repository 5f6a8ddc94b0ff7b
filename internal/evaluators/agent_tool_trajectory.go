// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/trajectory"
)

type agentToolTrajectoryInput struct {
	Executed eval.JSONText[trajectory.Calls] `json:"executed_tool_calls" doc:"The tool calls the agent made, a JSON array: each a name with its input or arguments." need:"required" span:"tool_calls"`
	Expected eval.JSONText[trajectory.Calls] `json:"expected_tool_calls" doc:"The tool calls it should have made, in the same form." need:"required" span:"attribute:expected_tool_calls"`
}

type agentToolTrajectoryConfig struct {
	Threshold float64 `json:"threshold" doc:"The score from which the trajectory succeeds." min:"0" max:"1"`
	Exact     bool    `json:"mismatch_sensitive" doc:"Any missing, unexpected or different call makes the score 0."`
	Ordered   bool    `json:"order_sensitive" doc:"Calls must come in the expected order."`
	Params    bool    `json:"input_params_sensitive" doc:"The parameters of the calls are compared too, not only the names."`
}

type agentToolTrajectoryOutput struct {
	Reason  string  `json:"reason" doc:"What matched, what is missing, what differs."`
	Score   float64 `json:"score" doc:"The share of the expected calls that were made, 0 to 1; a call with some parameters right counts in part."`
	Success bool    `json:"success" doc:"Whether the score reaches the threshold."`
}

var _ = define(eval.Definition[agentToolTrajectoryInput, agentToolTrajectoryConfig, agentToolTrajectoryOutput]{
	Slug: "agent-tool-trajectory",
	Doc: "Compares the tool calls an agent made with those it should have made. Each executed call stands for at most one expected call, " +
		"and the pairs are chosen so that the score is highest. Two calls of one name are alike by the share of their parameters that are equal, " +
		"counted over all parameters that either has. Numbers compare by value. Unexpected calls cost nothing unless `mismatch_sensitive`. " +
		"A list may hold 1,000 calls, nested 64 levels deep.",
	Defaults: agentToolTrajectoryConfig{Threshold: 0.5, Params: true},
	Run:      judgeTrajectory,
	Examples: []eval.Example{
		{
			About: "one of two calls is missing",
			Input: `{"executed_tool_calls": "[{\"name\": \"search\", \"input\": {\"query\": \"weather\"}}]", "expected_tool_calls": "[{\"name\": \"search\", \"input\": {\"query\": \"weather\"}}, {\"name\": \"answer\"}]"}`,
			Want:  `{"reason": "1 of 2 expected tool calls matched (order ignored, parameters compared). Missing: answer.", "score": 0.5, "success": true}`,
		},
		{
			About: "lists that are no text are taken too",
			Input: `{"executed_tool_calls": ["plan", "search"], "expected_tool_calls": ["search", "plan"]}`,
			Want:  `{"reason": "All 2 expected tool calls were made (order ignored, parameters compared).", "score": 1, "success": true}`,
		},
		{
			About:  "the order matters",
			Input:  `{"executed_tool_calls": ["plan", "search"], "expected_tool_calls": ["search", "plan"]}`,
			Config: `{"order_sensitive": true, "threshold": 0.7}`,
			Want:   `{"reason": "1 of 2 expected tool calls matched (order considered, parameters compared). Out of order: plan. Score 0.50 is below the threshold 0.70.", "score": 0.5, "success": false}`,
		},
		{
			About:   "a threshold out of bounds",
			Input:   `{"executed_tool_calls": "[]", "expected_tool_calls": "[]"}`,
			Config:  `{"threshold": 1.5}`,
			Refused: "config.threshold must be between 0 and 1",
		},
	},
})

func judgeTrajectory(ctx context.Context, in agentToolTrajectoryInput, cfg agentToolTrajectoryConfig) (agentToolTrajectoryOutput, error) {
	compared, err := trajectory.Compare(ctx, in.Expected.Value, in.Executed.Value, trajectory.Options(cfg))
	return agentToolTrajectoryOutput(compared), err
}
