// SPDX-License-Identifier: Apache-2.0

package rest

import "github.com/touchstone-otel/touchstone/internal/eval"

// Usage is what a judgement took of a model, as answers show it.
type Usage struct {
	PromptTokens     int64   `json:"prompt_tokens"`
	CompletionTokens int64   `json:"completion_tokens"`
	Cost             float64 `json:"cost_usd"`
	Unpriced         bool    `json:"unpriced,omitempty"` // tokens without a price: the cost is too low
}

// UsageOf returns what a judgement took.
func UsageOf(u eval.Usage) Usage {
	return Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, Cost: u.Cost, Unpriced: u.Unpriced}
}
