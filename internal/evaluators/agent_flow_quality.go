// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"errors"
	"fmt"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/conversation"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

type flowQualityConfig struct {
	Conditions eval.JSONText[conditions] `json:"conditions" doc:"What must hold, a JSON array of up to 50 texts." need:"required"`
	Threshold  float64                   `json:"threshold" doc:"The score from which the flow succeeds." need:"required" min:"0" max:"1"`
}

type flowQualityOutput struct {
	Reason  string  `json:"reason" doc:"Which conditions failed, and why."`
	Score   float64 `json:"score" doc:"The share of the conditions that are met, 0 to 1."`
	Success bool    `json:"success" doc:"Whether the score reaches the threshold."`
}

// conditions are texts, at least one.
type conditions []string

// UnmarshalText reads a JSON array.
func (c *conditions) UnmarshalText(raw []byte) error {
	var listed conversation.Texts
	if err := listed.UnmarshalText(raw); err != nil {
		return err
	}
	if len(listed) > mostConditions {
		return fmt.Errorf("must not hold more than %d conditions", mostConditions)
	}
	if *c = judging.Usable(listed); len(*c) == 0 || len(*c) != len(listed) {
		return errors.New("must hold a condition, and no empty one")
	}
	return nil
}

// mostConditions is how many conditions there may be.
const mostConditions = 50

var flowQualityPrompts = judging.PromptsOf("agent-flow-quality")

var _ = define(eval.Definition[trajectoryInput, flowQualityConfig, flowQualityOutput]{
	Slug: "agent-flow-quality",
	Doc: "Tells how many of your conditions a conversation with an agent meets. A judge checks each; one that is met in part is not met. " +
		"There is no way to tell without a judge.",
	Version: flowQualityPrompts.Version,
	ByJudge: func(ctx context.Context, m eval.Models, in trajectoryInput, cfg flowQualityConfig) (flowQualityOutput, error) {
		turns, err := in.turns()
		if err != nil {
			return flowQualityOutput{}, err
		}
		talk, err := conversation.DataBlock("conversation", turns)
		if err != nil {
			return flowQualityOutput{}, err
		}
		wanted := cfg.Conditions.Value
		said, err := flowQualityPrompts.AskEach(ctx, m, "conditions", "conditions", wanted, talk)
		if err != nil {
			return flowQualityOutput{}, err
		}
		failed := said.No(wanted)
		out := flowQualityOutput{Score: share(len(wanted)-len(failed), len(wanted))}
		out.Success = out.Score >= cfg.Threshold-scoreNoise
		out.Reason = fmt.Sprintf("%d of %d conditions are met.", len(wanted)-len(failed), len(wanted))
		if len(failed) > 0 {
			out.Reason += fmt.Sprintf(" Failed: %s.", wording.Items(objections(ctx, failed)))
		}
		return out, nil
	},
	Check: func(cfg flowQualityConfig) error {
		if len(cfg.Conditions.Value) == 0 {
			return fault.New(fault.Invalid, "config.conditions must hold a condition, and no empty one")
		}
		return nil
	},
	Examples: []eval.Example{
		{About: "no conditions", Input: `{"trajectory_prompts": ["Hi"], "trajectory_completions": ["Hello"]}`, Config: `{"conditions": [], "threshold": 0.5}`, Refused: "config.conditions must hold a condition, and no empty one"},
		{
			About: "one condition of two is met", Input: `{"trajectory_prompts": ["Cancel my order"], "trajectory_completions": ["Done."]}`,
			Config: `{"conditions": ["The agent confirms the cancellation", "The agent asks for the reason"], "threshold": 0.8}`,
			Judge:  []string{`{"verdicts": [{"index": 1, "reason": "It says so.", "verdict": "yes"}, {"index": 2, "reason": "It did not ask.", "verdict": "no"}]}`},
			Want:   `{"reason": "1 of 2 conditions are met. Failed: The agent asks for the reason (It did not ask).", "score": 0.5, "success": false}`,
		},
	},
})
