// SPDX-License-Identifier: Apache-2.0

package modelsextension

import "github.com/touchstone-otel/touchstone/internal/eval"

// shelf holds the models that are provided, by the evaluator that may use it.
type shelf struct {
	judge      served[eval.JudgeModel]
	answerer   served[eval.AnswerModel]
	embedder   served[eval.EmbeddingModel]
	classifier served[eval.ClassifierModel]
	scorer     served[eval.LogProbModel]
	judges     map[string]eval.JudgeModel
}

func (s *shelf) models(evaluator string) eval.Models {
	return eval.Models{
		Judge:      s.judge.to(evaluator),
		Answerer:   s.answerer.to(evaluator),
		Embedder:   s.embedder.to(evaluator),
		Classifier: s.classifier.to(evaluator),
		Scorer:     s.scorer.to(evaluator),
	}
}

// served is the models of one use: some for certain evaluators, at most one
// for all others.
type served[M any] struct {
	by   map[string]M
	rest M
}

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

func (s *served[M]) to(evaluator string) M {
	if m, ok := s.by[evaluator]; ok {
		return m
	}
	return s.rest
}
