// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"fmt"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/conversation"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/replies"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
)

type trajectoryInput struct {
	Prompts     eval.JSONText[conversation.Texts] `json:"trajectory_prompts" doc:"The prompts that the agent got, a JSON array of texts." need:"required" span:"prompts"`
	Completions eval.JSONText[conversation.Texts] `json:"trajectory_completions" doc:"What it answered, a JSON array of texts." need:"required" span:"completions"`
}

func (in trajectoryInput) turns() ([]conversation.Turn, error) {
	return conversation.Pair("trajectory_prompts", "trajectory_completions", in.Prompts.Value, in.Completions.Value)
}

// language is that of both sides.
func (in trajectoryInput) language() string {
	return written(oneText(in.Prompts.Value), oneText(in.Completions.Value))
}

type goalCompletenessConfig struct {
	Threshold float64 `json:"threshold" doc:"The score from which the goals count as reached." min:"0" max:"1"`
}

type goalCompletenessOutput struct {
	Reason  string  `json:"reason" doc:"Which goals were not reached."`
	Score   float64 `json:"score" doc:"The share of the user's goals that were reached, 0 to 1."`
	Success bool    `json:"success" doc:"Whether the score reaches the threshold."`
	eval.Judged
}

var goalPrompts = judging.PromptsOf("agent-goal-completeness")

var _ = define(eval.Definition[trajectoryInput, goalCompletenessConfig, goalCompletenessOutput]{
	Slug: "agent-goal-completeness",
	Doc: "Tells how many of a user's goals an agent reached. A judge finds the goals of the whole conversation and judges each; a conversation without goals scores 1. " +
		"Without a judge, every message with content is a goal. A reply reaches it when it declines nothing, is no error message and shares telling words with the goal. " +
		"A name, a number or another reply of a few words reaches it, too. Whether the reply is true is not checked.",
	Languages: english,
	Language:  trajectoryInput.language,
	Backend:   eval.Embedded,
	Version:   goalPrompts.Version,
	Defaults:  goalCompletenessConfig{Threshold: 0.5},
	Run: func(ctx context.Context, in trajectoryInput, cfg goalCompletenessConfig) (goalCompletenessOutput, error) {
		turns, err := in.turns()
		if err != nil {
			return goalCompletenessOutput{}, err
		}
		goals, open := wordGoals(turns)
		out := goalOutcome("messages were answered", goals, quotedEach(ctx, open), cfg.Threshold)
		out.Uncertain = goals > 0 && answeredAtAll(turns)
		return out, nil
	},
	ByJudge: func(ctx context.Context, m eval.Models, in trajectoryInput, cfg goalCompletenessConfig) (goalCompletenessOutput, error) {
		turns, err := in.turns()
		if err != nil {
			return goalCompletenessOutput{}, err
		}
		talk, err := conversation.DataBlock("conversation", turns)
		if err != nil {
			return goalCompletenessOutput{}, err
		}
		said := struct{ Goals judging.Found[judging.Item] }{goalsOf(turns)}
		if err := goalPrompts.Ask(ctx, m, "goals", judging.Object("goals", judging.JudgedItems), &said, talk); err != nil {
			return goalCompletenessOutput{}, err
		}
		return goalOutcome("goals were reached", len(said.Goals.List), objections(ctx, judging.No(said.Goals.List)), cfg.Threshold), nil
	},
	Examples: []eval.Example{
		{About: "one of two", Input: `{"trajectory_prompts": "[\"Find a hotel in Rome\", \"Book the hotel\"]", "trajectory_completions": "[\"I found a hotel in Rome.\", \"I'm sorry, but I can't do that.\"]"}`, Want: `{"reason": "1 of 2 messages were answered. Open: Book the hotel.", "score": 0.5, "success": true, "uncertain": true}`},
		{About: "no answer", Input: `{"trajectory_prompts": ["Find a hotel in Rome"], "trajectory_completions": []}`, Config: `{"threshold": 0.7}`, Want: `{"reason": "0 of 1 messages were answered. Open: Find a hotel in Rome.", "score": 0, "success": false}`},
		{About: "an answer in one word", Input: `{"trajectory_prompts": ["What is the capital of France?"], "trajectory_completions": ["Paris."]}`, Want: `{"reason": "1 of 1 messages were answered.", "score": 1, "success": true, "uncertain": true}`},
		{About: "nothing wanted", Input: `{"trajectory_prompts": ["Hi!"], "trajectory_completions": ["Hello."]}`, Want: `{"reason": "There is no goal.", "score": 1, "success": true}`},
		{About: "no list", Input: `{"trajectory_prompts": "Find a hotel", "trajectory_completions": []}`, Refused: "input.trajectory_prompts must be a JSON array of strings, or of objects with a content"},
		{
			About: "one goal of two is reached", Input: `{"trajectory_prompts": ["Find a hotel in Rome and book it"], "trajectory_completions": ["There is one by the station."]}`, Config: `{"threshold": 0.6}`,
			Judge: []string{`{"goals": [{"text": "Find a hotel in Rome.", "reason": "One is named.", "verdict": "yes"}, {"text": "Book it.", "reason": "Nothing was booked.", "verdict": "no"}]}`},
			Want:  `{"reason": "1 of 2 goals were reached. Open: Book it (Nothing was booked).", "score": 0.5, "success": false}`,
		},
	},
})

// goalsOf are the goals that a judge finds in a conversation, which has some if a message of the
// user has a number or a name.
func goalsOf(turns []conversation.Turn) judging.Found[judging.Item] {
	return judging.Found[judging.Item]{Needed: slices.ContainsFunc(turns, func(t conversation.Turn) bool { return t.HasUser && claims(t.User) })}
}

// wordGoals returns how many messages want something, and those that no reply
// seems to deal with.
func wordGoals(turns []conversation.Turn) (goals int, open []string) {
	for _, t := range turns {
		if !t.HasUser || !replies.SaysMuch(t.User) {
			continue
		}
		goals++
		if !replies.Met(t.User, t.Assistant) {
			open = append(open, t.User)
		}
	}
	return goals, open
}

// answeredAtAll reports whether a reply says something and declines nothing: whether that
// reaches a goal, no words tell.
func answeredAtAll(turns []conversation.Turn) bool {
	return slices.ContainsFunc(turns, func(t conversation.Turn) bool {
		return t.HasAssistant && !lexical.Blank(t.Assistant) && !replies.Declines(t.Assistant)
	})
}

func goalOutcome(about string, goals int, open []string, threshold float64) goalCompletenessOutput {
	if goals == 0 {
		return goalCompletenessOutput{Reason: "There is no goal.", Score: 1, Success: true}
	}
	out := goalCompletenessOutput{Score: share(goals-len(open), goals)}
	out.Success = out.Score >= threshold-scoreNoise
	out.Reason = fmt.Sprintf("%d of %d %s.", goals-len(open), goals, about)
	if len(open) > 0 {
		out.Reason += " Open: " + wording.Items(open) + "."
	}
	return out
}
