// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/conversation"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/replies"
)

type answerCompletenessInput struct {
	Completion string                              `json:"completion" doc:"The answer to judge." need:"required" span:"output"`
	Context    eval.JSONText[conversation.Passage] `json:"context" doc:"What the answer could draw on: a text, or a JSON array of texts." need:"required" span:"context"`
	Question   string                              `json:"question" doc:"What was asked." need:"required" span:"question"`
}

type answerCompletenessOutput struct {
	Score float64 `json:"answer_completeness_score" doc:"How much of the context that bears on the question the answer brings, 0 to 1."`
	eval.Judged
}

// surelyComplete is the share of the words from which a score is certain: an answer with fewer
// may say the same in words of its own.
const surelyComplete = 0.9

var answerCompletenessPrompts = judging.PromptsOf("answer-completeness")

var _ = define(eval.Definition[answerCompletenessInput, eval.None, answerCompletenessOutput]{
	Slug: "answer-completeness",
	Doc: "Tells how much of the context that bears on the question an answer brings. A judge grades it from 1 to 5, which becomes 0 to 1; with `log_probs` it is the mean of the grades that the judge found likely. " +
		"Without one, it is the share of the telling words of those sentences of the context that resemble the question most: weak where the answer uses words of its own, and limited to the first 2,000 sentences. " +
		"An empty answer scores 0, and so does one without a context.",
	Languages: english,
	Language: func(in answerCompletenessInput) string {
		return written(in.Completion, in.Question, in.Context.Value.Text())
	},
	Backend: eval.Embedded,
	Version: answerCompletenessPrompts.Version,
	Run: func(_ context.Context, in answerCompletenessInput, _ eval.None) (answerCompletenessOutput, error) {
		if lexical.Blank(in.Completion) || in.Context.Value.Blank() || replies.Declines(in.Completion) {
			return answerCompletenessOutput{Judged: scored(0, "The answer or the context is empty, or the answer declines.")}, nil
		}
		wanted := lexical.BagOf(bearing(in.Question, in.Context.Value.Sentences()))
		score := lexical.Coverage(wanted, lexical.BagOf(in.Completion))
		out := answerCompletenessOutput{score, because(score, "The answer has %.0f %% of the words of what the context says on the question.", 100*score)}
		if score < surelyComplete {
			out.Reason, out.Uncertain = "Words alone do not show how much of the context the answer uses.", true
		}
		return out, nil
	},
	ByJudge: func(ctx context.Context, m eval.Models, in answerCompletenessInput, _ eval.None) (answerCompletenessOutput, error) {
		if lexical.Blank(in.Completion) || in.Context.Value.Blank() {
			return answerCompletenessOutput{Judged: scored(0, "The answer or the context is empty.")}, nil
		}
		grade, feedback, err := answerCompletenessPrompts.AskGrade(ctx, m, "grade",
			eval.DataBlock{Name: "question", Text: in.Question}, in.Context.Value.DataBlock(), eval.DataBlock{Name: "completion", Text: in.Completion})
		score := unit((grade - 1) / 4)
		return answerCompletenessOutput{Score: score, Judged: scored(score, reasonOf(ctx, feedback))}, err
	},
	Examples: []eval.Example{
		{About: "all of it", Input: `{"question": "Where is the shop?", "context": "The shop is in Lyon. It rained.", "completion": "The shop is in Lyon."}`, Want: `{"answer_completeness_score": 1}`},
		{About: "nothing to draw on", Input: `{"question": "Where is the shop?", "context": "", "completion": "The shop is in Lyon."}`, Want: `{"answer_completeness_score": 0}`},
		{About: "no answer", Input: `{"question": "Where is the shop?", "context": ["The shop is in Lyon."], "completion": ""}`, Want: `{"answer_completeness_score": 0}`},
		{
			About: "most of it", Input: `{"question": "When is the shop open?", "context": "Open on weekdays from 9 to 5, and at noon on Saturdays.", "completion": "On weekdays, nine to five."}`,
			Judge: []string{`{"feedback": "Saturday is missing.", "grade": 4}`},
			Want:  `{"answer_completeness_score": 0.75}`,
		},
	},
})

// bearing returns the sentences that resemble a question at least half as much as
// the one that does most; all of them where none does.
func bearing(question string, sentences []string) string {
	asked := lexical.Against(lexical.BagOf(question))
	likeness := make([]float64, len(sentences))
	most := 0.0
	for i, s := range sentences {
		likeness[i] = asked.Cosine(lexical.BagOf(s))
		most = max(most, likeness[i])
	}
	var kept []string
	for i, s := range sentences {
		if likeness[i] >= most/2 {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, "\n")
}
