// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"fmt"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
)

var instructionPrompts = judging.PromptsOf("instruction-adherence")

var instructionSchema = judging.Object("instructions", judging.JudgedItems)

// judgeInstructions lets a judge split the instructions and check each.
func judgeInstructions(ctx context.Context, m eval.Models, in instructionAdherenceInput, _ eval.None) (instructionAdherenceOutput, error) {
	if lexical.Blank(in.Instructions) {
		return instructionAdherenceOutput{Score: 1, Reason: "There are no instructions."}, nil
	}
	if lexical.Blank(in.Response) {
		return instructionAdherenceOutput{Reason: "The answer is empty."}, nil
	}
	judged := struct{ Instructions judging.Found[judging.Item] }{judging.Found[judging.Item]{Needed: claims(in.Instructions)}}
	err := instructionPrompts.Ask(ctx, m, "instructions", instructionSchema, &judged,
		eval.DataBlock{Name: "instructions", Text: in.Instructions}, eval.DataBlock{Name: "response", Text: in.Response})
	if err != nil {
		return instructionAdherenceOutput{}, err
	}
	n := len(judged.Instructions.List)
	if n == 0 {
		return instructionAdherenceOutput{Score: 1, Reason: "There are no instructions."}, nil
	}
	broken := judging.No(judged.Instructions.List)
	out := instructionAdherenceOutput{Score: share(n-len(broken), n), Reason: fmt.Sprintf("%d of %d instructions are followed.", n-len(broken), n)}
	if len(broken) > 0 {
		out.Reason += fmt.Sprintf(" Broken: %s.", wording.Items(objections(ctx, broken)))
	}
	return out, nil
}

// instructionExamples are those that a judge answers.
var instructionExamples = []eval.Example{
	{
		About: "one of two is followed", Input: `{"instructions": "Be kind, and name a price.", "response": "Gladly, my friend."}`,
		Judge: []string{`{"instructions": [{"text": "Be kind.", "reason": "It is.", "verdict": "yes"}, {"text": "Name a price.", "reason": "There is none.", "verdict": "no"}]}`},
		Want:  `{"instruction_adherence_score": 0.5, "reason": "1 of 2 instructions are followed. Broken: Name a price (There is none)."}`,
	},
}
