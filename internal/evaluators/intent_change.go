// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"fmt"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/conversation"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
)

type conversationInput struct {
	Prompts     eval.JSONText[conversation.Texts] `json:"prompts" doc:"What the user said, a JSON array of texts." need:"required" span:"prompts"`
	Completions eval.JSONText[conversation.Texts] `json:"completions" doc:"What the assistant answered, a JSON array of texts." need:"required" span:"completions"`
}

func (in conversationInput) turns() ([]conversation.Turn, error) {
	return conversation.Pair("prompts", "completions", in.Prompts.Value, in.Completions.Value)
}

type intentChangeOutput struct {
	Reason  string `json:"reason" doc:"What came of the first intent."`
	Score   int    `json:"score" doc:"1 if the user kept to the first intent, 0 if it changed."`
	Success bool   `json:"success" doc:"Whether the score is 1."`
}

// intentKept is the share of the later intents that must serve the first one.
const intentKept = 0.5

var intentChangePrompts = judging.PromptsOf("intent-change")

var _ = define(eval.Definition[conversationInput, eval.None, intentChangeOutput]{
	Slug: "intent-change",
	Doc: "Tells whether a user kept to what the first message wanted: whether at least half of the later intents serve it. A judge finds the intents and compares them. " +
		"There is no way to tell without one: people change their words more often than their minds. With one message, nothing changes.",
	Version: intentChangePrompts.Version,
	ByJudge: judgeIntents,
	Examples: []eval.Example{
		{
			About: "a detail of the same", Input: `{"prompts": "[\"I want to book a hotel in Rome\", \"Near the station, please\"]", "completions": "[\"Where?\", \"Found one.\"]"}`,
			Judge: []string{`{"original": ["book a hotel in Rome"], "later": [{"text": "a hotel near the station", "reason": "It says where.", "verdict": "yes"}]}`},
			Want:  `{"reason": "1 of 1 later intents serve the first ones.", "score": 1, "success": true}`,
		},
		{
			About: "one intent of three is kept", Input: `{"prompts": ["Book a hotel", "In Rome. And a flight, and the weather?"], "completions": ["Where?", "Here you are."]}`,
			Judge: []string{`{"original": ["book a hotel"], "later": [{"text": "book a hotel in Rome", "reason": "A detail.", "verdict": "yes"}, {"text": "find a flight", "reason": "New.", "verdict": "no"}, {"text": "hear the weather", "reason": "New.", "verdict": "no"}]}`},
			Want:  `{"reason": "1 of 3 later intents serve the first ones. Others: find a flight (New), hear the weather (New).", "score": 0, "success": false}`,
		},
	},
})

func unchanged() intentChangeOutput {
	return intentChangeOutput{Reason: "There is no later intent.", Score: 1, Success: true}
}

func intentOutcome(kept, said int) intentChangeOutput {
	if said == 0 {
		return unchanged()
	}
	out := intentChangeOutput{Reason: fmt.Sprintf("%d of %d later messages keep to the first one.", kept, said)}
	if out.Success = share(kept, said) >= intentKept-scoreNoise; out.Success {
		out.Score = 1
	}
	return out
}

func judgeIntents(ctx context.Context, m eval.Models, in conversationInput, _ eval.None) (intentChangeOutput, error) {
	turns, err := in.turns()
	if err != nil || len(in.Prompts.Value) < 2 {
		return unchanged(), err
	}
	talk, err := conversation.DataBlock("conversation", turns)
	if err != nil {
		return intentChangeOutput{}, err
	}
	var said struct {
		Original []string
		Later    []judging.Item
	}
	schema := judging.Object("original", judging.List(judging.Text), "later", judging.JudgedItems)
	if err := intentChangePrompts.Ask(ctx, m, "intents", schema, &said, talk); err != nil {
		return intentChangeOutput{}, err
	}
	later := len(said.Later)
	if len(judging.Usable(said.Original)) == 0 || later == 0 {
		return unchanged(), nil
	}
	others := objections(ctx, judging.No(said.Later))
	out := intentOutcome(later-len(others), later)
	out.Reason = fmt.Sprintf("%d of %d later intents serve the first ones.", later-len(others), later)
	if len(others) > 0 {
		out.Reason += fmt.Sprintf(" Others: %s.", wording.Items(others))
	}
	return out, nil
}
