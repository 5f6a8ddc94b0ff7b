// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
)

var _ = enter("answer-correctness", correctness, "nli-synthetic", "mnli-negation")

// correctnessOwn are questions with the right answer, the same in other words, and a wrong
// one in the words of the right one. Every second row is held out: it was not looked at.
//
//go:embed texts/correctness_own.tsv
var correctnessOwn string

// correctness measures whether right answers in other words score above wrong ones in the
// same words, and whether what a text bears out scores above its contrary.
func correctness(b *bench) ([]figure, error) {
	figures, err := b.ownCorrectness()
	if err != nil {
		return nil, err
	}
	for _, set := range []struct{ name, dir, language string }{
		{"made-up claims about a sentence and their contraries", "nli-synthetic", "en"},
		{"MultiNLI with negations", "mnli-negation", ""},
	} {
		rows, err := jsonLines[struct {
			Claim, Context, Label, Language string
		}](b.data, set.dir+"/rows.jsonl")
		if err != nil {
			return nil, err
		}
		var scores []float64
		var right []bool
		for _, r := range rows {
			if r.Language != set.language || r.Label == "not_enough" {
				continue
			}
			s, err := b.correct("", r.Context, r.Claim)
			if err != nil {
				return nil, err
			}
			scores, right = append(scores, s), append(right, r.Label == "supported")
		}
		figures = append(figures, area(set.name, scores, right))
	}
	return figures, nil
}

func (b *bench) ownCorrectness() ([]figure, error) {
	rows, err := tableOf("correctness_own.tsv", correctnessOwn, 4)
	if err != nil {
		return nil, err
	}
	var figures []figure
	for half, set := range []string{"own questions with a right and a wrong answer", "own questions with a right and a wrong answer, held out"} {
		var scores []float64
		var right []bool
		ordered, all := 0.0, 0.0
		for i, r := range rows {
			if i%2 != half {
				continue
			}
			good, err := b.correct(r[0], r[1], r[2])
			if err != nil {
				return nil, err
			}
			bad, err := b.correct(r[0], r[1], r[3])
			if err != nil {
				return nil, err
			}
			scores, right = append(scores, good, bad), append(right, true, false)
			if all++; good > bad {
				ordered++
			}
		}
		above, auc := proportion(set, "the right answer above the wrong one", ordered, all), area(set, scores, right)
		if half == 1 {
			above, auc = above.from(0.85), auc.from(0.85)
		}
		figures = append(figures, above, auc)
	}
	return figures, nil
}

// correct asks for the score of an answer.
func (b *bench) correct(question, truth, answer string) (float64, error) {
	return b.number("correctness_score", map[string]string{"question": question, "ground_truth": truth, "completion": answer})
}
