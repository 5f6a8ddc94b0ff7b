// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

type answerCorrectnessInput struct {
	Question    string `json:"question" doc:"What was asked." need:"required" span:"question"`
	Completion  string `json:"completion" doc:"The answer to judge." need:"required" span:"output"`
	GroundTruth string `json:"ground_truth" doc:"The right answer." need:"required" span:"attribute:ground_truth"`
}

type answerCorrectnessOutput struct {
	Score float64 `json:"correctness_score" doc:"1 for an answer that says what the right one says, 0 for one that says nothing of it."`
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
		"with embeddings, the likeness of the texts 25 %; without embeddings the F1 is the score. Without a judge, it is the F1 of the words that tell something beyond the question, near words of English counting in part and quantities however they are written, and, for 25 %, the likeness of the texts as in semantic-similarity, which is whole where the words are the same. " +
		"A sentence that says otherwise than the right answer, found as in faithfulness, counts for nothing, and so does an answer that says yes for no, or another number or unit where the right answer is a quantity; the same yes or no counts 75 % at least. " +
		"Weak on free paraphrases, and on a wrong thing among many right words. Two texts that claim nothing agree.",
	Languages: english,
	Language:  func(in answerCorrectnessInput) string { return written(in.Completion, in.GroundTruth) },
	Backend:   eval.Embedded,
	Version:   answerCorrectnessPrompts.Version,
	Run: func(_ context.Context, in answerCorrectnessInput, _ eval.None) (answerCorrectnessOutput, error) {
		if in.Completion == in.GroundTruth {
			return answerCorrectnessOutput{Score: 1}, nil
		}
		facts := in.wordFacts()
		if facts == 0 {
			return answerCorrectnessOutput{}, nil
		}
		likeness := 1.0 // as where all that is told is told by both, in other words and signs
		if facts < 1-scoreNoise {
			likeness = wordLikeness(in.Completion, in.GroundTruth)
		}
		return answerCorrectnessOutput{Score: unit(factsWeight*facts + likenessWeight*likeness)}, nil
	},
	ByJudge: judgeCorrectness,
	Examples: []eval.Example{
		{About: "the right answer", Input: `{"question": "What is the capital of France?", "completion": "Paris.", "ground_truth": "paris"}`, Want: `{"correctness_score": 1}`},
		{About: "another one", Input: `{"question": "What is the capital of France?", "completion": "Lyon", "ground_truth": "Paris"}`, Want: `{"correctness_score": 0}`},
		{About: "the opposite in the same words", Input: `{"question": "Is parking free?", "completion": "Parking is not free.", "ground_truth": "Parking is free."}`, Want: `{"correctness_score": 0}`},
		{About: "no answer", Input: `{"question": "What is the capital of France?", "completion": "", "ground_truth": "Paris"}`, Want: `{"correctness_score": 0}`},
		{
			About: "one statement is right, one is wrong and one is missing",
			Input: `{"question": "Who was Marie Curie?", "completion": "A physicist from France.", "ground_truth": "A physicist who was born in Warsaw."}`,
			Judge: []string{
				`{"completion": ["Marie Curie was a physicist.", "Marie Curie was from France."], "reference": ["Marie Curie was a physicist.", "Marie Curie was born in Warsaw."]}`,
				`{"answer": [{"index": 1, "reason": "The same.", "verdict": "yes"}, {"index": 2, "reason": "She was born in Warsaw.", "verdict": "no"}], "reference": [{"index": 1, "reason": "The same.", "verdict": "yes"}, {"index": 2, "reason": "It names France.", "verdict": "no"}]}`,
			},
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
		return answerCorrectnessOutput{Score: facts}, err
	}
	likeness := []float64{1}
	if in.Completion != in.GroundTruth {
		if likeness, err = embeddingLikeness(ctx, m, in.Completion, in.GroundTruth); err != nil {
			return answerCorrectnessOutput{}, err
		}
	}
	return answerCorrectnessOutput{Score: unit(factsWeight*facts + likenessWeight*likeness[0])}, nil
}

var (
	correctnessStatementsSchema = judging.Object("completion", judging.List(judging.Text), "reference", judging.List(judging.Text))
	correctnessCompareSchema    = judging.Object("answer", judging.Verdicts, "reference", judging.Verdicts)
)

// factsF1 is the harmonic mean of how much of the answer is right and how much
// of what is right it says.
func (in answerCorrectnessInput) factsF1(ctx context.Context, m eval.Models) (float64, error) {
	question := eval.DataBlock{Name: "question", Text: in.Question}
	var said struct{ Completion, Reference []string }
	err := answerCorrectnessPrompts.Ask(ctx, m, "statements", correctnessStatementsSchema, &said, question,
		eval.DataBlock{Name: "completion", Text: in.Completion}, eval.DataBlock{Name: "reference", Text: in.GroundTruth})
	if err != nil {
		return 0, err
	}
	answer, reference := judging.Usable(said.Completion), judging.Usable(said.Reference)
	switch {
	case len(answer) == 0 && len(reference) == 0:
		return 1, nil
	case len(answer) == 0 || len(reference) == 0:
		return 0, nil
	}
	var compared struct{ Answer, Reference []judging.Judgement }
	err = answerCorrectnessPrompts.Ask(ctx, m, "compare", correctnessCompareSchema, &compared, question,
		judging.Numbered("answer_statements", answer), judging.Numbered("reference_statements", reference))
	if err != nil {
		return 0, err
	}
	right, judged, err := judging.Tally(compared.Answer, len(answer))
	if err != nil {
		return 0, err
	}
	found, wanted, err := judging.Tally(compared.Reference, len(reference))
	if err != nil {
		return 0, err
	}
	// A statement that is right and one of the reference that was said are the
	// same thing seen from two sides; the answer's side counts.
	wrong, missed := judged-right, wanted-found
	return share(2*right, 2*right+wrong+missed), nil
}
