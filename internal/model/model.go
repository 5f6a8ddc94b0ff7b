// SPDX-License-Identifier: Apache-2.0

// Package model holds the clients of model servers: judges, answerers,
// embedders and scorers behind any OpenAI-compatible endpoint, and
// classifiers behind Text Embeddings Inference. Around every client stands
// the same Guard, which limits, retries, breaks and counts.
package model

// Kind says what a model is asked for; it labels metrics.
type Kind string

const (
	KindJudge    Kind = "judge"
	KindAnswer   Kind = "answer"
	KindEmbed    Kind = "embed"
	KindClassify Kind = "classify"
	KindScore    Kind = "score"
)
