// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var _ = enter("context-relevance", contextRelevance, "halueval-general")

// contextRelevance measures whether a question's own answer, taken for what was retrieved,
// scores above the answer to another question.
func contextRelevance(b *bench) ([]figure, error) {
	questions, answers, err := dataset.HaluEval(b.data)
	if err != nil {
		return nil, err
	}
	_, questions = dataset.Halve(questions)
	_, answers = dataset.Halve(answers)
	var scores []float64
	var own []bool
	for i, q := range questions {
		for _, at := range [...]int{i, (i + 7) % len(answers)} {
			s, err := b.number("relevance_score", map[string]string{"query": q.Text, "context": answers[at].Text})
			if err != nil {
				return nil, err
			}
			scores, own = append(scores, s), append(own, at == i)
		}
	}
	return []figure{area("HaluEval, own and others' answers, held-out half", scores, own).from(0.87)}, nil
}
