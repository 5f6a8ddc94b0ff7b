// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var _ = enter("answer-relevancy", relevancy, "halueval-general")

// relevancy pairs each question with its answer, and with the answer of a
// question far away.
func relevancy(b *bench) ([]figure, error) {
	questions, answers, err := dataset.HaluEval(b.data)
	if err != nil {
		return nil, err
	}
	_, questions = dataset.Halve(questions)
	_, answers = dataset.Halve(answers)
	if len(questions) != len(answers) {
		return nil, errors.New("halueval-general: questions and answers are not in pairs")
	}
	var verdicts []verdict
	n := len(questions)
	for i, q := range questions {
		for far, own := range []bool{true, false} {
			got, err := b.output("is_relevant", map[string]string{"question": q.Text, "answer": answers[(i+far*n/2)%n].Text})
			if err != nil {
				return nil, err
			}
			verdicts = append(verdicts, verdict{got: got == true, want: own})
		}
	}
	c := tally(verdicts)
	const set = "HaluEval, own and others' answers, held-out half"
	ranked, err := b.ranked(questions, answers)
	return []figure{
		c.figure(set, "balanced accuracy", counts.balanced).from(0.87),
		score(set, 2*n, "recall", c.recall()), score(set, 2*n, "precision", c.precision()),
		ranked,
	}, err
}

const (
	// asked is how many questions have their answers ranked.
	asked = 300
	// rivals is how many answers to other questions stand beside the right one.
	rivals = 9
)

// ranked returns the mean average precision of answers ordered by the threshold
// from which they no longer count: of each question one is right.
func (b *bench) ranked(questions, answers []dataset.Row) (figure, error) {
	n := len(questions)
	reached := make([]float64, min(asked, n))
	for i := range reached {
		scores := make([]float64, rivals+1)
		for k := range scores {
			answer := answers[(i+k*n/(rivals+1))%n].Text
			at, err := b.turns(func(threshold float64) (bool, error) {
				got, err := b.asks(map[string]string{"question": questions[i].Text, "answer": answer}, "is_relevant", map[string]any{"threshold": threshold})
				return got == true, err
			})
			if err != nil {
				return figure{}, err
			}
			scores[k] = at
		}
		place := 1.0
		for _, s := range scores[1:] {
			switch {
			case s > scores[0]:
				place++
			case s == scores[0]:
				place += 0.5
			}
		}
		reached[i] = 1 / place
	}
	mean := func(of func(i int) float64, n int) float64 {
		sum := 0.0
		for i := range n {
			sum += of(i)
		}
		return ratio(sum, float64(n))
	}
	return score("HaluEval, the answer among nine of others, held-out half", len(reached), "mean average precision", mean(func(i int) float64 { return reached[i] }, len(reached))).
		from(0.78).within(bootstrap(len(reached), func(sample []int) float64 {
		return mean(func(i int) float64 { return reached[sample[i]] }, len(sample))
	})), nil
}
