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
	if err != nil {
		return nil, err
	}
	named, err := b.named()
	return append([]figure{
		c.figure(set, "balanced accuracy", counts.balanced).from(0.87),
		score(set, 2*n, "recall", c.recall()), score(set, 2*n, "precision", c.precision()),
		ranked,
	}, named...), err
}

// named asks about names and short phrases, which share no words with their questions: each
// as the answer to its own question, and to one far away.
func (b *bench) named() ([]figure, error) {
	const set = "webquestions"
	if !dataset.Has(b.data, set) {
		return nil, nil
	}
	rows, err := jsonLines[struct {
		Question, Split string
		Answers         []string
	}](b.data, set+"/rows.jsonl")
	if err != nil {
		return nil, err
	}
	var questions, answers []string
	for _, row := range rows {
		if row.Split == "test" && len(row.Answers) > 0 {
			questions, answers = append(questions, row.Question), append(answers, row.Answers[0])
		}
	}
	var taken [2]int
	n := len(questions)
	for i, q := range questions {
		for far := range taken {
			got, err := b.output("is_relevant", map[string]string{"question": q, "answer": answers[(i+far*n/2)%n]})
			if err != nil {
				return nil, err
			}
			if got == true {
				taken[far]++
			}
		}
	}
	const about = "WebQuestions, names and short phrases, test"
	return []figure{
		share(about, n, "taken for answers to their questions", ratio(float64(taken[0]), float64(n))),
		share(about, n, "taken for answers to others' questions", ratio(float64(taken[1]), float64(n))),
	}, nil
}

const (
	// asked is how many questions have their answers ranked.
	asked = 300
	// rivals is how many answers to other questions compete with the right one.
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
