// SPDX-License-Identifier: Apache-2.0

// Package model holds the clients of model servers: judges, answerers,
// embedders and scorers behind any OpenAI-compatible endpoint, and
// classifiers behind Text Embeddings Inference. Around every client stands
// the same Guard, which limits, retries, breaks and counts.
package model

import "github.com/touchstone-otel/touchstone/internal/eval"

// Provider is an extension that provides models.
type Provider interface {
	// Models are what the evaluator of this slug may use. Fields are nil where
	// nothing is configured. It is answered from memory.
	Models(evaluator string) eval.Models
	// Judge is the judge that is configured under this name.
	Judge(name string) (eval.JudgeModel, bool)
}

// Kind says what a model is asked for; it labels metrics.
type Kind string

const (
	KindJudge    Kind = "judge"
	KindAnswer   Kind = "answer"
	KindEmbed    Kind = "embed"
	KindClassify Kind = "classify"
	KindScore    Kind = "score"
)
