// SPDX-License-Identifier: Apache-2.0

package rest

import "github.com/touchstone-otel/touchstone/internal/eval"

// ModelUsage is what a judgement took of a model, as answers show it.
type ModelUsage struct {
	PromptTokens     int64   `json:"prompt_tokens" doc:"Tokens that models read."`
	CompletionTokens int64   `json:"completion_tokens" doc:"Tokens that they wrote."`
	Cost             float64 `json:"cost_usd" doc:"What that cost."`
	Unpriced         bool    `json:"unpriced,omitempty" doc:"There were tokens without a price: the cost is too low."`
}

// UsageOf returns what a judgement took.
func UsageOf(u eval.Usage) ModelUsage {
	return ModelUsage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, Cost: u.Cost, Unpriced: u.Unpriced}
}
