// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/conversation"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
)

type conversationQualityOutput struct {
	Score float64 `json:"conversation_quality_score" doc:"1 for an assistant that kept to the point, reached the user's goals and forgot nothing, 0 to 1."`
	eval.Judged
}

// What each part of the quality counts.
const (
	relevancyWeight = 0.4
	goalsWeight     = 0.4
	retentionWeight = 0.2
)

var conversationQualityPrompts = judging.PromptsOf("conversation-quality")

var _ = define(eval.Definition[conversationInput, eval.None, conversationQualityOutput]{
	Slug: "conversation-quality",
	Doc: "Tells how good a conversation was. A judge tells which of the assistant's messages were to the point (40 %), which of the user's goals were reached (40 %), and where the assistant " +
		"forgot earlier messages (20 %); a part without anything to judge scores 1. Without a judge, it is the share of the user's messages with content that got a reply " +
		"which says something, declines nothing and shares telling words with them. This is weak, and finds no forgetting.",
	Languages: english,
	Language: func(in conversationInput) string {
		return written(oneText(in.Prompts.Value), oneText(in.Completions.Value))
	},
	Backend: eval.Embedded,
	Cascade: true,
	Version: conversationQualityPrompts.Version,
	Run: func(_ context.Context, in conversationInput, _ eval.None) (conversationQualityOutput, error) {
		turns, err := in.turns()
		if err != nil {
			return conversationQualityOutput{}, err
		}
		goals, open := wordGoals(turns)
		if goals == 0 {
			return conversationQualityOutput{Score: 1, Judged: scored(1, "Nothing was wanted.")}, nil
		}
		score := share(goals-len(open), goals)
		if !answeredAtAll(turns) {
			return conversationQualityOutput{Score: score, Judged: scored(score, "Every reply declines, or says nothing.")}, nil
		}
		out := conversationQualityOutput{Score: score, Judged: eval.Unsure("Words alone do not show whether the conversation was good.")}
		out.Judged.Score = eval.Scored(score)
		return out, nil
	},
	ByJudge: judgeConversation,
	Examples: []eval.Example{
		{About: "a question and its answer", Input: `{"prompts": ["What is the capital of France?"], "completions": ["The capital of France is Paris."]}`, Want: `{"conversation_quality_score": 1, "uncertain": true}`},
		{About: "one of two is answered", Input: `{"prompts": "[\"What is the capital of France?\", \"And of Spain?\"]", "completions": "[\"The capital of France is Paris.\", \"I don't know.\"]"}`, Want: `{"conversation_quality_score": 0.5, "uncertain": true}`},
		{About: "no messages", Input: `{"prompts": "[]", "completions": "[]"}`, Refused: "input.prompts and input.completions must not both be empty"},
		{
			About: "to the point, half done, and forgetful", Input: `{"prompts": ["I am vegan. Plan dinner and a walk."], "completions": ["How about fish?"]}`,
			Judge: []string{`{"facts": [{"turn": 1, "fact": "The user is vegan."}], "verdicts": [{"index": 1, "reason": "It is about dinner, but fish is not vegan.", "relevant": "yes", "remembers": "no"}], ` +
				`"goals": [{"text": "Plan dinner.", "reason": "There is a proposal.", "verdict": "yes"}, {"text": "Plan a walk.", "reason": "No walk.", "verdict": "no"}]}`},
			Want: `{"conversation_quality_score": 0.6}`,
		},
	},
})

var conversationSchema = judging.Object(
	"facts", judging.List(string(judging.Object("turn", judging.Integer, "fact", judging.Text))),
	"verdicts", judging.List(string(judging.Object("index", judging.Integer, "reason", judging.Text, "relevant", judging.YesOrNo,
		"remembers", judging.OneOf("string", `"yes"`, `"no"`, `"nothing"`)))),
	"goals", judging.JudgedItems)

func judgeConversation(ctx context.Context, m eval.Models, in conversationInput, _ eval.None) (conversationQualityOutput, error) {
	turns, err := in.turns()
	if err != nil {
		return conversationQualityOutput{}, err
	}
	talk, err := conversation.DataBlock("conversation", turns)
	if err != nil {
		return conversationQualityOutput{}, err
	}
	said := struct {
		Verdicts turnVerdicts
		Goals    judging.Found[judging.Item]
	}{turnVerdicts{turns: turns}, goalsOf(turns)}
	if err := conversationQualityPrompts.Ask(ctx, m, "conversation", conversationSchema, &said, talk); err != nil {
		return conversationQualityOutput{}, err
	}
	// A part without anything to judge is good.
	part := func(good, all int) float64 {
		if all == 0 {
			return 1
		}
		return share(good, all)
	}
	v, goals := said.Verdicts, said.Goals.List
	relevant, reached, retained := part(v.relevant, v.given), part(len(goals)-len(judging.No(goals)), len(goals)), part(v.remembering, v.remembering+v.forgetful)
	score := unit(rounded(relevancyWeight*relevant + goalsWeight*reached + retentionWeight*retained))
	return conversationQualityOutput{Score: score, Judged: because(score, "To the point: %.0f %%. Goals reached: %.0f %%. Remembered: %.0f %%.", 100*relevant, 100*reached, 100*retained)}, nil
}

// turnVerdicts are the verdicts on each turn of a conversation with a message of the assistant.
type turnVerdicts struct {
	turns                  []conversation.Turn
	given, relevant        int
	remembering, forgetful int
}

// UnmarshalJSON implements json.Unmarshaler. The error is for the judge.
func (v *turnVerdicts) UnmarshalJSON(b []byte) error {
	var given []struct {
		Index               int
		Relevant, Remembers string
	}
	if err := json.Unmarshal(b, &given); err != nil {
		return err
	}
	*v = turnVerdicts{turns: v.turns}
	seen := make([]bool, len(v.turns))
	for _, g := range given {
		if g.Index < 1 || g.Index > len(v.turns) || !v.turns[g.Index-1].HasAssistant || seen[g.Index-1] {
			return fmt.Errorf("the verdict on turn %d is of no turn with a message of the assistant, or is there twice", g.Index)
		}
		seen[g.Index-1] = true
		v.given++
		if g.Relevant == "yes" {
			v.relevant++
		}
		switch g.Remembers {
		case "yes":
			v.remembering++
		case "no":
			v.forgetful++
		}
	}
	for i, t := range v.turns {
		if t.HasAssistant && !seen[i] {
			return fmt.Errorf("turn %d has no verdict", i+1)
		}
	}
	return nil
}
