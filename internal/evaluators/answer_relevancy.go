// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/replies"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

type answerRelevancyInput struct {
	Answer   string `json:"answer" doc:"The answer to judge." need:"required" span:"output"`
	Question string `json:"question" doc:"What was asked." need:"required" span:"question"`
}

type answerRelevancyConfig struct {
	Threshold float64 `json:"threshold" doc:"The score from which an answer is relevant." min:"0" max:"1"`
}

type answerRelevancyOutput struct {
	Relevant bool `json:"is_relevant" doc:"Whether the answer is one to the question; not whether it is right."`
}

// shortAnswer is the least score of a few words to a question that asks for such: as much as
// the default threshold takes, and no more, since their form alone speaks for them.
const shortAnswer = 0.5

var answerRelevancyPrompts = judging.PromptsOf("answer-relevancy")

var _ = define(eval.Definition[answerRelevancyInput, answerRelevancyConfig, answerRelevancyOutput]{
	Slug: "answer-relevancy",
	Doc: "Tells whether an answer is to the question. With a judge and embeddings, the judge writes questions that the answer would fit, and their mean likeness " +
		"to the real one is the score; with a judge alone, the score is the share of the answer's statements that are to the point. Evasive answers are irrelevant. " +
		"Without a judge, the words that question and answer share decide, telling words counting most, and whether the words of both are of one subject, and whether the answer is a list, a program, verse, JSON, a table, or yes or no where that was asked for: an answer that repeats none of the question's words, and none of its subject, is missed, " +
		"unless the question asks who, what, which, when, where or how many, or for yes or no, and the answer is up to four words that are no sentence (Paris, in 1969, yes), which may be of any subject, or says nothing of a subject itself (a greeting); and one that refuses, at whatever length, is irrelevant. An empty answer is irrelevant.",
	Languages: english,
	Language:  func(in answerRelevancyInput) string { return written(in.Answer, in.Question) },
	Backend:   eval.Embedded,
	Version:   answerRelevancyPrompts.Version,
	Defaults:  answerRelevancyConfig{Threshold: 0.5},
	Run: func(_ context.Context, in answerRelevancyInput, cfg answerRelevancyConfig) (answerRelevancyOutput, error) {
		if done, err := in.nothingToJudge(); done {
			return answerRelevancyOutput{}, err
		}
		score := 0.0
		if !replies.Declines(in.Answer) {
			score = replies.Relevance(in.Question, in.Answer)
			if replies.ShortAnswer(in.Question, in.Answer) || !replies.SaysMuch(in.Question) {
				score = max(score, shortAnswer)
			}
		}
		return answerRelevancyOutput{Relevant: score >= cfg.Threshold-scoreNoise && score > 0}, nil
	},
	ByJudge: func(ctx context.Context, m eval.Models, in answerRelevancyInput, cfg answerRelevancyConfig) (answerRelevancyOutput, error) {
		if done, err := in.nothingToJudge(); done {
			return answerRelevancyOutput{}, err
		}
		judge := in.byStatements
		if m.Embedder != nil {
			judge = in.byQuestions
		}
		score, noncommittal, err := judge(ctx, m)
		return answerRelevancyOutput{Relevant: !noncommittal && score >= cfg.Threshold-scoreNoise}, err
	},
	Examples: []eval.Example{
		{About: "an answer", Input: `{"question": "What is the capital of France?", "answer": "The capital of France is Paris."}`, Want: `{"is_relevant": true}`},
		{About: "another subject", Input: `{"question": "What is the capital of France?", "answer": "I like eating pizza on weekends."}`, Want: `{"is_relevant": false}`},
		{About: "a refusal", Input: `{"question": "What is the capital of France?", "answer": "I do not know the capital of France."}`, Want: `{"is_relevant": false}`},
		{About: "a name is enough of an answer", Input: `{"question": "What is the capital of France?", "answer": "Paris."}`, Want: `{"is_relevant": true}`},
		{About: "data in the form that was asked for", Input: `{"question": "Return the capital of France as JSON.", "answer": "{\"city\": \"Paris\"}"}`, Want: `{"is_relevant": true}`},
		{About: "a greeting", Input: `{"question": "Hi!", "answer": "Hello! How can I help you today?"}`, Want: `{"is_relevant": true}`},
		{About: "no answer", Input: `{"question": "What is the capital of France?", "answer": ""}`, Want: `{"is_relevant": false}`},
		{About: "no question", Input: `{"question": " ", "answer": "Paris."}`, Refused: "input.question must not be empty"},
		{
			About: "an answer in words of its own", Input: `{"question": "What is the capital of France?", "answer": "Paris."}`,
			Judge: []string{`{"statements": [{"text": "Paris", "reason": "It names the city.", "relevant": "yes"}], "noncommittal": false}`},
			Want:  `{"is_relevant": true}`,
		},
		{
			About: "an evasion", Input: `{"question": "What is the capital of France?", "answer": "That is for others to say."}`,
			Judge: []string{`{"statements": [], "noncommittal": true}`},
			Want:  `{"is_relevant": false}`,
		},
	},
})

// nothingToJudge reports whether there is nothing to judge.
func (in answerRelevancyInput) nothingToJudge() (bool, error) {
	if lexical.Blank(in.Question) {
		return true, fault.New(fault.Invalid, "input.question must not be empty")
	}
	return lexical.Blank(in.Answer), nil
}

var relevancyQuestionsSchema = judging.Object("questions", judging.List(judging.Text), "noncommittal", judging.Boolean)

// byQuestions compares the question with those that the answer would fit.
func (in answerRelevancyInput) byQuestions(ctx context.Context, m eval.Models) (score float64, noncommittal bool, err error) {
	var guessed struct {
		Questions    []string
		Noncommittal bool
	}
	err = answerRelevancyPrompts.Ask(ctx, m, "questions", relevancyQuestionsSchema, &guessed, eval.DataBlock{Name: "answer", Text: in.Answer})
	if err != nil || guessed.Noncommittal {
		return 0, guessed.Noncommittal, err
	}
	questions := judging.Usable(guessed.Questions)
	if len(questions) == 0 {
		return 0, false, fault.New(fault.Unusable, "the judge wrote no question")
	}
	likenesses, err := embeddingLikeness(ctx, m, in.Question, questions...)
	for _, likeness := range likenesses {
		score += likeness / float64(len(likenesses))
	}
	return score, false, err
}

var relevancyStatementsSchema = judging.Object(
	"statements", judging.List(string(judging.Object("text", judging.Text, "reason", judging.Text, "relevant", judging.OneOf("string", `"yes"`, `"no"`, `"idk"`)))),
	"noncommittal", judging.Boolean)

// byStatements counts the statements that are to the point.
func (in answerRelevancyInput) byStatements(ctx context.Context, m eval.Models) (score float64, noncommittal bool, err error) {
	var judged struct {
		Statements   []struct{ Relevant string }
		Noncommittal bool
	}
	err = answerRelevancyPrompts.Ask(ctx, m, "statements", relevancyStatementsSchema, &judged,
		eval.DataBlock{Name: "question", Text: in.Question}, eval.DataBlock{Name: "answer", Text: in.Answer})
	if err != nil || len(judged.Statements) == 0 {
		return 1, judged.Noncommittal, err
	}
	beside := 0
	for _, s := range judged.Statements {
		if s.Relevant == "no" {
			beside++
		}
	}
	return 1 - share(beside, len(judged.Statements)), judged.Noncommittal, nil
}
