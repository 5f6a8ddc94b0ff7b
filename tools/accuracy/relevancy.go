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
	return []figure{
		score(set, 2*n, "balanced accuracy", c.balanced()).from(0.87),
		score(set, 2*n, "recall", c.recall()), score(set, 2*n, "precision", c.precision()),
	}, nil
}
