// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/conversation"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
)

type actionAdvancementInput struct {
	Messages eval.JSONText[conversation.Messages] `json:"messages" doc:"The conversation, a JSON array of messages with a role and a content." need:"required" span:"messages"`
}

type actionAdvancementOutput struct {
	Pass   bool   `json:"pass" doc:"Whether the assistant brought the user forward."`
	Reason string `json:"reason" doc:"Why."`
	eval.Judged
}

var actionAdvancementPrompts = judging.PromptsOf("action-advancement")

var _ = define(eval.Definition[actionAdvancementInput, eval.None, actionAdvancementOutput]{
	Slug: "action-advancement",
	Doc: "Tells whether an assistant brought a user forward: gave right information, asked a question that it had to ask, or did something, towards something the user wants. " +
		"A judge decides; there is no way to tell without one. An assistant that says nothing does not pass.",
	Version: actionAdvancementPrompts.Version,
	ByJudge: func(ctx context.Context, m eval.Models, in actionAdvancementInput, _ eval.None) (actionAdvancementOutput, error) {
		if !in.Messages.Value.HasRole("assistant") {
			const silent = "The assistant says nothing."
			return actionAdvancementOutput{Reason: silent, Judged: scored(0, silent)}, nil
		}
		said, yes, err := actionAdvancementPrompts.AskVerdict(ctx, m, "advancement", in.Messages.Value.DataBlock("messages"))
		if err != nil {
			return actionAdvancementOutput{}, err
		}
		return actionAdvancementOutput{Pass: said.Yes(), Reason: said.Reason, Judged: scored(yes, said.Reason)}, nil
	},
	Examples: []eval.Example{
		{About: "no list", Input: `{"messages": "{}"}`, Refused: "input.messages must be a JSON array of messages, objects with a role and a content"},
		{
			About: "a step forward", Input: `{"messages": [{"role": "user", "content": "Cancel my order"}, {"role": "assistant", "content": "Which one, 17 or 18?"}]}`,
			Judge: []string{`{"reason": "There are two orders, so it had to ask.", "verdict": "yes"}`},
			Want:  `{"pass": true, "reason": "There are two orders, so it had to ask."}`,
		},
	},
})
