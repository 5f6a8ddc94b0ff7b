// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"fmt"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/replies"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
)

type answerCorrectnessInput struct {
	Question    string `json:"question" doc:"What was asked." need:"required" span:"question"`
	Completion  string `json:"completion" doc:"The answer to judge." need:"required" span:"output"`
	GroundTruth string `json:"ground_truth" doc:"The right answer." need:"required" span:"attribute:ground_truth"`
}

type answerCorrectnessOutput struct {
	Score float64 `json:"correctness_score" doc:"1 for an answer that says what the right one says, 0 for one that says nothing of it."`
	eval.Judged
}

// What each part of the score counts.
const (
	factsWeight    = 0.75
	likenessWeight = 0.25
)

var answerCorrectnessPrompts = judging.PromptsOf("answer-correctness")

var _ = define(eval.Definition[answerCorrectnessInput, eval.None, answerCorrectnessOutput]{
	Slug: "answer-correctness",
	Doc: "Tells how far an answer says what the right answer says. A judge takes both apart into statements and compares them: the F1 of the statements counts 75 % and, " +
		"with embeddings, the likeness of the texts 25 %; without embeddings the F1 is the score. A classifier that tells whether a sentence follows from a text gives the F1 of the sentences. Without either, the score is certain for the same words in the same order, for a sentence that the right answer denies or has another number in, and for an answer that says nothing. Else it is uncertain: the F1 of the words that tell something beyond the question and, for 25 %, the likeness of the texts. Two texts that claim nothing agree.",
	Languages: english,
	Language:  func(in answerCorrectnessInput) string { return written(in.Completion, in.GroundTruth) },
	Backend:   eval.Embedded,
	Version:   answerCorrectnessPrompts.Version,
	Cascade:   true,
	Run: func(_ context.Context, in answerCorrectnessInput, _ eval.None) (answerCorrectnessOutput, error) {
		if in.Completion == in.GroundTruth || sameWords(in.Completion, in.GroundTruth) && lexical.SameSigns(in.Completion, in.GroundTruth) {
			return answerCorrectnessOutput{Score: 1, Judged: scored(1, "The answer matches the reference word for word.")}, nil
		}
		switch agreementOf(lexical.Sentences(in.Completion), plainWordsOfAll(lexical.Sentences(in.GroundTruth))) {
		case denies:
			return answerCorrectnessOutput{Judged: scored(0, "The answer contradicts the reference.")}, nil
		case differs:
			return answerCorrectnessOutput{Judged: scored(0, "The answer has a different number or unit than the reference.")}, nil
		case agrees, unknownAgreement:
		}
		if lexical.Blank(in.Completion) || replies.Declines(in.Completion) && !replies.Declines(in.GroundTruth) {
			return answerCorrectnessOutput{Judged: scored(0, "The answer is empty or a refusal.")}, nil
		}
		unsure := eval.Unsure("Words alone do not show whether the answer says what the right one says.")
		facts := in.wordFacts()
		if facts == 0 {
			return answerCorrectnessOutput{Judged: unsure}, nil
		}
		likeness := 1.0 // as where both say the same in other words and signs
		if facts < 1-scoreNoise {
			likeness = wordLikeness(in.Completion, in.GroundTruth)
		}
		score := unit(factsWeight*facts + likenessWeight*likeness)
		unsure.Score = eval.Scored(score)
		return answerCorrectnessOutput{Score: score, Judged: unsure}, nil
	},
	ByClassifier: classifyCorrectness,
	ByJudge:      judgeCorrectness,
	Examples: []eval.Example{
		{About: "the right answer", Input: `{"question": "What is the capital of France?", "completion": "Paris.", "ground_truth": "paris"}`, Want: `{"correctness_score": 1, "uncertain": true}`},
		{About: "another one", Input: `{"question": "What is the capital of France?", "completion": "Lyon", "ground_truth": "Paris"}`, Want: `{"correctness_score": 0, "uncertain": true}`},
		{About: "the opposite in the same words", Input: `{"question": "Is parking free?", "completion": "Parking is not free.", "ground_truth": "Parking is free."}`, Want: `{"correctness_score": 0}`},
		{About: "no answer", Input: `{"question": "What is the capital of France?", "completion": "", "ground_truth": "Paris"}`, Want: `{"correctness_score": 0}`},
		{
			About: "one statement is right, one is wrong and one is missing",
			Input: `{"question": "Who was Marie Curie?", "completion": "A physicist from France.", "ground_truth": "A physicist who was born in Warsaw."}`,
			Judge: []string{`{"completion": [{"text": "Marie Curie was a physicist.", "reason": "The same.", "verdict": "yes"}, {"text": "Marie Curie was from France.", "reason": "She was born in Warsaw.", "verdict": "no"}], ` +
				`"reference": [{"text": "Marie Curie was a physicist.", "reason": "The same.", "verdict": "yes"}, {"text": "Marie Curie was born in Warsaw.", "reason": "It names France.", "verdict": "no"}]}`},
			Want: `{"correctness_score": 0.5}`,
		},
	},
})

func judgeCorrectness(ctx context.Context, m eval.Models, in answerCorrectnessInput, _ eval.None) (answerCorrectnessOutput, error) {
	if lexical.Blank(in.Completion) != lexical.Blank(in.GroundTruth) {
		return answerCorrectnessOutput{}, nil
	}
	facts, err := in.factsF1(ctx, m)
	if err != nil || m.Embedder == nil {
		return facts, err
	}
	likeness := []float64{1}
	if in.Completion != in.GroundTruth {
		if likeness, err = embeddingLikeness(ctx, m, in.Completion, in.GroundTruth); err != nil {
			return answerCorrectnessOutput{}, err
		}
	}
	facts.Score = unit(factsWeight*facts.Score + likenessWeight*likeness[0])
	facts.Judged.Score = eval.Scored(facts.Score)
	return facts, nil
}

var (
	correctnessStatementsSchema = judging.Object("completion", judging.List(judging.Text), "reference", judging.List(judging.Text))
	correctnessCompareSchema    = judging.Object("answer", judging.Verdicts, "reference", judging.Verdicts)
	correctnessShortSchema      = judging.Object("completion", judging.JudgedItems, "reference", judging.JudgedItems)
)

// factsF1 is the harmonic mean of how much of the answer is right and how much
// of what is right it says.
func (in answerCorrectnessInput) factsF1(ctx context.Context, m eval.Models) (out answerCorrectnessOutput, err error) {
	question, texts := eval.DataBlock{Name: "question", Text: in.Question}, []eval.DataBlock{{Name: "completion", Text: in.Completion}, {Name: "reference", Text: in.GroundTruth}}
	if len(in.Completion)+len(in.GroundTruth) <= shortText {
		type found = judging.Found[judging.Item]
		said := struct{ Completion, Reference found }{found{Needed: claims(in.Completion)}, found{Needed: claims(in.GroundTruth)}}
		err := answerCorrectnessPrompts.Ask(ctx, m, "short", correctnessShortSchema, &said, append(texts, question)...)
		answer, reference := said.Completion.List, said.Reference.List
		return correctnessOf(ctx, len(answer), len(reference), judging.No(answer), judging.No(reference)), err
	}
	said := struct{ Completion, Reference judging.Items }{judging.Items{Needed: claims(in.Completion)}, judging.Items{Needed: claims(in.GroundTruth)}}
	err = answerCorrectnessPrompts.Ask(ctx, m, "statements", correctnessStatementsSchema, &said, append(texts, question)...)
	if err != nil {
		return out, err
	}
	answer, reference := said.Completion.List, said.Reference.List
	if len(answer) == 0 || len(reference) == 0 {
		return correctnessOf(ctx, len(answer), len(reference), nil, nil), nil
	}
	compared := struct{ Answer, Reference judging.Judgements }{judging.Judgements{N: len(answer)}, judging.Judgements{N: len(reference)}}
	err = answerCorrectnessPrompts.Ask(ctx, m, "compare", correctnessCompareSchema, &compared, question,
		judging.Numbered("answer_statements", answer), judging.Numbered("reference_statements", reference))
	if err != nil {
		return out, err
	}
	return correctnessOf(ctx, len(answer), len(reference), compared.Answer.No(answer), compared.Reference.No(reference)), nil
}

// correctnessOf returns the score of an answer with so many statements, for a reference with so
// many, and which of them are wrong and missing. A statement that is right and one of the
// reference that was said are the same thing seen from two sides; the answer's side counts.
func correctnessOf(ctx context.Context, answer, reference int, wrong, missed []string) (out answerCorrectnessOutput) {
	switch {
	case answer == 0 && reference == 0:
		return answerCorrectnessOutput{Score: 1, Judged: scored(1, "Neither text claims anything.")}
	case answer == 0 || reference == 0:
		return answerCorrectnessOutput{Judged: scored(0, "Only one of the texts claims anything.")}
	}
	right := answer - len(wrong)
	out.Score = share(2*right, 2*right+len(wrong)+len(missed))
	reason := fmt.Sprintf("%d of %d statements are right.", right, answer)
	if len(wrong) > 0 {
		reason += " Wrong: " + wording.Items(objections(ctx, wrong)) + "."
	}
	if len(missed) > 0 {
		reason += " Missing: " + wording.Items(objections(ctx, missed)) + "."
	}
	out.Judged = scored(out.Score, reason)
	return out
}
