// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/conversation"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/meaning"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

type contextRelevanceInput struct {
	Query      string                              `json:"query" doc:"What was asked." need:"required" span:"question"`
	Context    eval.JSONText[conversation.Passage] `json:"context" doc:"What was retrieved for it: a text, or a JSON array of texts." need:"required" span:"context"`
	Completion string                              `json:"completion" doc:"What was answered. It is not looked at." span:"output"`
}

type contextRelevanceConfig struct {
	Model string `json:"model" doc:"The model to judge, one of those that the operator allows; empty is the configured one. Without a judge it makes no difference."`
}

type contextRelevanceOutput struct {
	Score float64 `json:"relevance_score" doc:"The share of the context that helps to answer the question, 0 to 1."`
	eval.Judged
}

// What the words of the query that a sentence of the context has, and the likeness of
// their subjects, count, and the sum from which the sentence is taken to fit.
const (
	wordsFit     = 0.6
	subjectFits  = 0.4
	sentenceFits = 0.25
	// Up to the one a sentence surely does not fit. With the other share of the words of the
	// question it surely does. With half of the sentences in between, the score is uncertain.
	surelyUnfit = 0.04
	surelyFits  = 0.75
)

var contextRelevancePrompts = judging.PromptsOf("context-relevance")

var _ = define(eval.Definition[contextRelevanceInput, contextRelevanceConfig, contextRelevanceOutput]{
	Slug: "context-relevance",
	Doc: "Tells how much of the retrieved context fits the question. A judge splits it into statements and tells which help to answer. Without one, it is the share of " +
		"sentences that have enough of the question's words or are of its subject, by word vectors. Telling words count most, near words in part. Whether a sentence answers the question is not known. The first 2,000 sentences count. A context without content scores 0.",
	Languages: english,
	Language:  func(in contextRelevanceInput) string { return written(in.Query, in.Context.Value.Text()) },
	Backend:   eval.Embedded,
	Version:   contextRelevancePrompts.Version,
	Run: func(_ context.Context, in contextRelevanceInput, _ contextRelevanceConfig) (contextRelevanceOutput, error) {
		question := meaning.Of(in.Query)
		if question.Empty() {
			return contextRelevanceOutput{}, nil
		}
		sentences, fitting, unsure := in.Context.Value.Sentences(), 0, 0
		for _, s := range sentences {
			said := meaning.Of(s)
			covered := question.CoveredBy(said)
			fit := wordsFit*covered + subjectFits*question.Subject(said)
			if fit >= sentenceFits {
				fitting++
			}
			if fit > surelyUnfit && covered < surelyFits {
				unsure++
			}
		}
		out := contextRelevanceOutput{Score: share(fitting, len(sentences))}
		out.Judged = because(out.Score, "%d of %d sentences have the words of the question, or its subject.", fitting, len(sentences))
		if 2*unsure >= len(sentences) && len(sentences) > 0 {
			out.Reason, out.Uncertain = "Words alone do not show whether the context helps to answer the question.", true
		}
		return out, nil
	},
	ByJudge: func(ctx context.Context, m eval.Models, in contextRelevanceInput, cfg contextRelevanceConfig) (contextRelevanceOutput, error) {
		if lexical.Blank(in.Query) || in.Context.Value.Blank() {
			return contextRelevanceOutput{}, nil
		}
		judged := struct{ Statements judging.Found[judging.Item] }{judging.Found[judging.Item]{Needed: claims(in.Context.Value.Text())}}
		err := contextRelevancePrompts.AskModel(ctx, m, cfg.Model, "statements", contextStatementsSchema, &judged,
			eval.DataBlock{Name: "query", Text: in.Query}, in.Context.Value.DataBlock())
		if cfg.Model != "" && fault.Is(err, fault.Invalid) {
			return contextRelevanceOutput{}, fault.New(fault.Invalid, "config.model is not among the models that are allowed")
		}
		beside := judging.No(judged.Statements.List)
		out := contextRelevanceOutput{Judged: counted(ctx, len(judged.Statements.List), "statements help to answer the question", "Not relevant", beside)}
		out.Score = share(len(judged.Statements.List)-len(beside), len(judged.Statements.List))
		return out, err
	},
	Examples: []eval.Example{
		{About: "one sentence of two fits", Input: `{"query": "Who built the Eiffel Tower?", "context": "The Eiffel Tower was built by the company of Gustave Eiffel. Bananas are yellow."}`, Want: `{"relevance_score": 0.5}`},
		{About: "texts in a list", Input: `{"query": "Who built the Eiffel Tower?", "context": ["The Eiffel Tower was built for a fair.", "The tower was built by Gustave Eiffel."]}`, Want: `{"relevance_score": 1}`},
		{About: "in other words", Input: `{"query": "How do I reset my password?", "context": ["You can change your login and passcode in the account settings.", "Our office is in Berlin."]}`, Want: `{"relevance_score": 0.5, "uncertain": true}`},
		{About: "nothing retrieved", Input: `{"query": "Who built the Eiffel Tower?", "context": ""}`, Want: `{"relevance_score": 0}`},
		{
			About: "one statement of two helps", Input: `{"query": "Who built the Eiffel Tower?", "context": "It was the work of an engineer from Dijon. Bananas are yellow."}`,
			Judge: []string{`{"statements": [{"text": "An engineer from Dijon built it.", "reason": "It says who.", "verdict": "yes"}, {"text": "Bananas are yellow.", "reason": "Fruit.", "verdict": "no"}]}`},
			Want:  `{"relevance_score": 0.5}`,
		},
	},
})

var contextStatementsSchema = judging.Object("statements", judging.JudgedItems)
