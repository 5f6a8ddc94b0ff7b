// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"cmp"
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/conversation"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/replies"
)

type goalAccuracyInput struct {
	Question   string `json:"question" doc:"What the agent was asked to do." need:"required" span:"question"`
	Completion string `json:"completion" doc:"What it answered." need:"required" span:"output"`
	Reference  string `json:"reference" doc:"What should have come of it. If it is empty, what the question wants." need:"required" span:"attribute:reference"`
	Messages   string `json:"messages" doc:"All messages of the exchange, a JSON array. A judge reads them if they have calls of tools." span:"messages"`
}

type goalAccuracyOutput struct {
	Score float64 `json:"accuracy_score" doc:"1 if the outcome is the one that was wanted, otherwise 0."`
	eval.Judged
}

// sameOutcome is the likeness of two texts from which they are taken to tell
// of one outcome.
const sameOutcome = 0.5

var goalAccuracyPrompts = judging.PromptsOf("agent-goal-accuracy")

var _ = define(eval.Definition[goalAccuracyInput, eval.None, goalAccuracyOutput]{
	Slug: "agent-goal-accuracy",
	Doc: "Tells whether an agent achieved what it should have. A judge infers the user's goal and the outcome, from calls of tools and their results where there are some, and compares the outcome with the reference or, if that is empty, with the goal. " +
		"Without a judge, a refusal and a mere question are certain failures, and the words of the reference a success; else the result is uncertain.",
	Languages: english,
	Language:  func(in goalAccuracyInput) string { return written(in.Completion, in.Question) },
	Backend:   eval.Embedded,
	Version:   goalAccuracyPrompts.Version,
	Cascade:   true,
	Run: func(_ context.Context, in goalAccuracyInput, _ eval.None) (goalAccuracyOutput, error) {
		switch {
		case lexical.Blank(in.Completion) || replies.Declines(in.Completion):
			return goalAccuracyOutput{Judged: scored(0, "The agent declines, or says nothing.")}, nil
		case onlyAsks(in.Completion):
			return goalAccuracyOutput{Judged: scored(0, "The agent only asks.")}, nil
		case !lexical.Blank(in.Reference) && sameWords(in.Reference, in.Completion):
			return goalAccuracyOutput{Score: 1, Judged: scored(1, "The answer states the wanted outcome word for word.")}, nil
		}
		out := goalAccuracyOutput{Judged: eval.Unsure("Words alone do not show whether the goal was reached.")}
		reached := replies.Met(in.Question, in.Completion)
		if wanted := lexical.BagOf(in.Reference); len(wanted) > 0 {
			reached = lexical.Coverage(wanted, lexical.BagOf(in.Completion)) >= sameOutcome
		}
		if reached {
			out.Score = 1
		}
		return out, nil
	},
	ByJudge: judgeOutcome,
	Examples: []eval.Example{
		{About: "the outcome that was wanted", Input: `{"question": "Book a table at Luigi's", "completion": "I booked you a table at Luigi's for two.", "reference": "A table at Luigi's is booked"}`, Want: `{"accuracy_score": 1, "uncertain": true}`},
		{About: "a refusal", Input: `{"question": "Book a table at Luigi's", "completion": "I'm sorry, but I can't book a table at Luigi's.", "reference": "A table at Luigi's is booked"}`, Want: `{"accuracy_score": 0}`},
		{About: "no reference", Input: `{"question": "Book a table at Luigi's", "completion": "Your table at Luigi's is booked.", "reference": ""}`, Want: `{"accuracy_score": 1, "uncertain": true}`},
		{
			About: "another outcome", Input: `{"question": "Book a table at Luigi's", "completion": "You are on the waiting list.", "reference": "A table is booked"}`,
			Judge: []string{`{"user_goal": "To have a table at Luigi's.", "end_state": "The user is on the waiting list.", "reason": "A place on a list is no table.", "verdict": "no"}`},
			Want:  `{"accuracy_score": 0}`,
		},
		{
			About: "a claim that a tool's result contradicts",
			Input: `{"question": "Cancel order 5", "completion": "Order 5 is cancelled.", "reference": "", "messages": "[{\"role\": \"user\", \"content\": \"Cancel order 5\"}, {\"role\": \"assistant\", \"tool_calls\": [{\"name\": \"cancel\", \"arguments\": {\"order\": 5}}]}, {\"role\": \"tool\", \"content\": \"error: already shipped\"}, {\"role\": \"assistant\", \"content\": \"Order 5 is cancelled.\"}]"}`,
			Judge: []string{`{"user_goal": "To have order 5 cancelled.", "end_state": "The order was shipped and not cancelled.", "reason": "The order was not cancelled.", "verdict": "no"}`},
			Want:  `{"accuracy_score": 0}`,
		},
	},
})

// workflow returns the messages if tools were called, else question and answer. Messages that
// are cut, since a span has too many, are no list and are not read.
func (in goalAccuracyInput) workflow() (eval.DataBlock, error) {
	const name = "workflow"
	var all conversation.Messages
	if all.UnmarshalText([]byte(in.Messages)) == nil && all.CallsTools() {
		return all.DataBlock(name), nil
	}
	return conversation.DataBlock(name, []conversation.Turn{{User: in.Question, Assistant: in.Completion, HasUser: true, HasAssistant: true}})
}

func judgeOutcome(ctx context.Context, m eval.Models, in goalAccuracyInput, _ eval.None) (goalAccuracyOutput, error) {
	workflow, err := in.workflow()
	if err != nil {
		return goalAccuracyOutput{}, err
	}
	data := []eval.DataBlock{{Name: "question", Text: in.Question}, workflow}
	if !lexical.Blank(in.Reference) {
		data = append(data, eval.DataBlock{Name: "desired", Text: in.Reference})
	}
	var said judging.Judgement
	likely, err := goalAccuracyPrompts.AskGraded(ctx, m, "outcome", "verdict", outcomeSchema, &said, data...)
	if err != nil {
		return goalAccuracyOutput{}, err
	}
	out := goalAccuracyOutput{}
	if said.Yes() {
		out.Score = 1
	}
	out.Judged = scored(cmp.Or(likely, out.Score), reasonOf(ctx, said.Reason))
	return out, nil
}

var outcomeSchema = judging.Object("user_goal", judging.Text, "end_state", judging.Text, "reason", judging.Text, "verdict", judging.YesOrNo)
