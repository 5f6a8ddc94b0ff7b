// SPDX-License-Identifier: Apache-2.0

package modelsextension

import "github.com/touchstone-otel/touchstone/internal/eval"

// registry holds the models that are provided, by the evaluator that may use it.
type registry struct {
	judge      served[eval.JudgeModel]
	answerer   served[eval.AnswerModel]
	embedder   served[eval.EmbeddingModel]
	classifier served[eval.ClassifierModel]
	scorer     served[eval.LogProbModel]
	judges     map[string]eval.JudgeModel
}

// models returns what the evaluator may use, nil for each kind that is not
// configured for it.
func (r *registry) models(evaluator string) eval.Models {
	return eval.Models{
		Judge:      r.judge.to(evaluator),
		Answerer:   r.answerer.to(evaluator),
		Embedder:   r.embedder.to(evaluator),
		Classifier: r.classifier.to(evaluator),
		Scorer:     r.scorer.to(evaluator),
	}
}

// served holds the models of one use: some for certain evaluators, at most one
// for all others.
type served[M any] struct {
	by   map[string]M
	rest M
}

// add makes m the model of these evaluators, by slug; without any, of all
// others.
func (s *served[M]) add(evaluators []string, m M) {
	if len(evaluators) == 0 {
		s.rest = m
		return
	}
	if s.by == nil {
		s.by = make(map[string]M)
	}
	for _, slug := range evaluators {
		s.by[slug] = m
	}
}

// to returns the model for the evaluator, nil if there is none.
func (s *served[M]) to(evaluator string) M {
	if m, ok := s.by[evaluator]; ok {
		return m
	}
	return s.rest
}
